"""Fixes: each is what the fixture of its rule shows, once and for all, and a file is mended whole or not at all."""

from __future__ import annotations

import ast
import io
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from trees import KEPT, READ, Capture

from torchdevlint import mending
from torchdevlint.checking import fixing, passes
from torchdevlint.checking.documents import Document
from torchdevlint.checking.fixing import FixTask, mended
from torchdevlint.checking.outcomes import Task, check
from torchdevlint.cli.main import main
from torchdevlint.engine import Diagnostic, all_rules
from torchdevlint.options import on_by_default

ROOT = Path(__file__).parents[2]
BAD = sorted(ROOT.glob("fixtures/*/bad*.py"))
RULES = {rule.code: rule for rule in all_rules()}
MENDED = {code: mending.safety(rule) for code, rule in RULES.items() if mending.safety(rule)}
"""The rules with a fix, and what it may be."""


def code_of(path: Path) -> str:
    return path.parent.name[:6].upper()


def fixed(path: Path, text: str | None = None) -> fixing.Mended:
    code = code_of(path)
    source = path.read_text("utf-8") if text is None else text
    task = Task(str(path), lambda found: found == code, source, width=120)
    return mended(FixTask(task, unsafe=True, write=False), Document(source, "utf-8"))


def program(text: str) -> str:
    """A program without its comments and what it says of itself."""
    tree = ast.parse(text)
    assert isinstance(tree.body[0], ast.Expr)
    return ast.unparse(ast.Module(tree.body[1:], []))


# each rule


@pytest.mark.parametrize("path", BAD, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_what_is_mended_is_as_the_fixture_shows(path: Path) -> None:
    done = fixed(path)
    assert bool(done.mended) <= (code_of(path) in MENDED)
    text = path.read_text("utf-8")
    if not done.mended:
        assert done.after == text
        return
    assert {d.repair.safety for d in done.mended if d.repair} <= set(MENDED[code_of(path)])
    code = code_of(path)
    assert len(done.outcome.findings) < len(check(Task(str(path), lambda found: found == code, text)).findings)
    again = fixed(path, done.after)
    assert (again.mended, again.after) == ((), done.after)
    comments = [sorted(line.partition("#")[2] for line in one.splitlines()) for one in (text, done.after)]
    assert Counter(comments[1]) - Counter(comments[0]) <= Counter({"": 9})
    assert Counter(comments[0]) - Counter(comments[1]) <= Counter({"": 9})
    shown = path.with_name(path.name.replace("bad", "fixed"))
    if shown.exists():
        assert program(done.after) == program(shown.read_text("utf-8"))


@pytest.mark.parametrize("code", sorted(MENDED))
def test_a_fixture_shows_each_fix(code: str) -> None:
    bad = [path for path in BAD if code_of(path) == code and path.with_name(path.name.replace("bad", "fixed")).exists()]
    assert any(fixed(path).mended for path in bad)


@pytest.mark.parametrize("path", sorted(ROOT.glob("torchdevlint/mending/tdl*.py")), ids=lambda path: path.stem)
def test_a_fix_is_that_of_a_rule(path: Path) -> None:
    code = path.stem[:6].upper()
    assert path.stem == f"{code.lower()}_{RULES[code].name.replace('-', '_')}"


def test_half_of_what_these_rules_find_is_mended() -> None:
    mendable = [path for path in BAD if code_of(path) in MENDED]
    assert sum(bool(fixed(path).mended) for path in mendable) > len(mendable) / 2


# one fix


@pytest.mark.parametrize(
    ("bad", "good"),
    [
        ("y = z + x", "y = z + x.to(z.device)"),
        ("y = z + x * 2", "y = z + (x * 2).to(z.device)"),
        ("y = z + (x * 2)", "y = z + ((x * 2).to(z.device))"),
        ("y = z + x[:2]  # why", "y = z + x[:2].to(z.device)  # why"),
        ("y = torch.add(\n    z, x  # why\n)", "y = torch.add(\n    z, x.to(z.device)  # why\n)"),
    ],
)
def test_expressions_are_closed_where_they_must_be(bad: str, good: str) -> None:
    head = "import torch\nx, z = torch.ones(3, 3), torch.ones(3, 3).cuda()\n"
    done = mended(FixTask(Task("a.py", lambda c: c == "TDL101", head + bad)), Document(head + bad, "utf-8"))
    assert done.after == head + good


def after(text: str, code: str, unsafe: bool = True) -> str:
    return mended(FixTask(Task("a.py", lambda c: c == code, text), unsafe), Document(text, "utf-8")).after


STARRED = "import torch\nmodel = torch.nn.Linear(3, 3).cuda()\nxs = [torch.ones(1, 3)]\nmodel(*xs)\n"
LISTED = "import torch\nx = torch.ones(1, 3).cuda()\nxs = [torch.ones(1, 3)]\ntorch.cat([*xs, x])\n"


@pytest.mark.parametrize(("text", "code"), [(STARRED, "TDL102"), (LISTED, "TDL101")])
def test_what_stands_for_several_is_not_moved(text: str, code: str) -> None:
    assert after(text, code) == text


def test_what_does_not_help_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (fixing, passes):
        monkeypatch.setattr(module, "check", lambda task: before)
    before = check(Task("a.py", on_by_default, READ))
    assert after(READ, "TDL201") == READ


HOST = "import torch\nimport torch.nn.functional as F\nmodel = torch.nn.Linear(4, 4).cuda()\nhost = torch.ones(3, 4)\n"


HOST_FED = "out = model((-host).to(next(model.parameters()).device))\n"
TWICE = "F.mse_loss(out[:1], host)\nF.mse_loss(out[1:], host)\n"


@pytest.mark.parametrize(
    ("below", "fixed_below"),
    [
        ("F.mse_loss(out, host)\n", "F.mse_loss(out, host.to(out.device))\n"),
        (TWICE, TWICE),  # more places come to light than were mended, and they have no fix
    ],
)
def test_a_fix_that_shows_the_next_place_of_the_fault_is_made(below: str, fixed_below: str) -> None:
    text = f"{HOST}out = model(-host)\n{below}"
    job = FixTask(Task("a.py", on_by_default, text, width=120))
    done = mended(job, Document(text, "utf-8"))
    assert done.after == HOST + HOST_FED + fixed_below
    again = mended(job, Document(done.after, "utf-8"))
    assert (again.mended, again.after) == ((), done.after)


@pytest.mark.parametrize(
    ("change", "made"),
    [
        (lambda found: replace(found, code="TDL103", line=6, repair=None), True),
        (
            lambda found: replace(found, code="TDL103", line=6, trace=found.trace[1:], repair=None),
            True,
        ),  # another tensor
        (lambda found: replace(found, code="TDL103", line=6, trace=found.trace[1:]), False),  # mended in the same line
        (lambda found: replace(found, line=4, trace=found.trace[1:], repair=None), False),  # another one, above
        (lambda found: replace(found, code="TDL103", line=6, trace=()), False),
        (lambda found: replace(found, code="TDL401", line=6), False),  # another kind
        (lambda found: replace(found, code="TDL905", line=6), True),  # advice
        (lambda found: replace(found, code="TDL103", line=4), False),  # above
        (lambda found: replace(found, code="TDL103", line=4, repair=None), False),
        (lambda found: found, False),  # the same as before
    ],
)
def test_a_fix_that_shows_another_fault_is_not_made(
    change: Callable[[Diagnostic], Diagnostic], made: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"{HOST}out = model(-host)\n"
    before = check(Task("a.py", lambda code: code == "TDL102", text))
    later = replace(before, findings=tuple(map(change, before.findings)))
    for module in (fixing, passes):
        monkeypatch.setattr(module, "check", lambda task: before if task.text == text else later)
    assert (after(text, "TDL102") != text) is made


@pytest.mark.parametrize(("line", "made"), [(7, True), (8, False)])
def test_where_a_program_goes_on_is_told_within_a_function(
    line: int, made: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"{HOST}def f():\n    if model:\n        print(model(-host))\nf()\n"
    before = check(Task("a.py", lambda code: code == "TDL102", text))
    [found] = before.findings
    trace = tuple(step for step in found.trace[1:] if not step.fails)
    later = replace(before, findings=(replace(found, code="TDL103", line=line, trace=trace, repair=None),))
    for module in (fixing, passes):
        monkeypatch.setattr(module, "check", lambda task: before if task.text == text else later)
    assert (after(text, "TDL102") != text) is made


def test_the_next_place_is_looked_for_a_bounded_number_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passes, "MAX_PASSES", 2)
    text = HOST + "out = model(host)\n" + "F.mse_loss(out, host)\n" * 9
    done = mended(FixTask(Task("a.py", on_by_default, text, width=120)), Document(text, "utf-8"))
    assert len(done.mended) == done.after.count(".to(") == 2


def test_lines_do_not_become_too_long(tmp_path: Path) -> None:
    text = f"import torch\n\nx = torch.ones(3)\nx.to('cpu'); '{'a' * 72}'\nprint(x)\n"
    assert after(text, "TDL201") == text
    longer = f"{text}'{'a' * 200}'\n"
    assert after(longer, "TDL201") == longer  # one line is no habit
    longer = text + f"'{'a' * 200}'\n" * 3
    assert "x = x.to" in after(longer, "TDL201")


def test_of_two_fixes_the_one_that_fits_is_made() -> None:
    head = "import torch\n\nx = torch.ones(3)\ny = torch.ones(3)\n"
    text = f"{head}x.to('cpu'); '{'a' * 72}'\ny.to('cpu')\nprint(x, y)\n"
    assert after(text, "TDL201") == text.replace("y.to", "y = y.to")


def test_what_would_be_no_python_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Document, "is_python", lambda document: "x = x" not in document.text)
    assert after(READ, "TDL201") == READ


@pytest.mark.parametrize("text", ["x = (1\n", "f(a=1, a=2)\n", "x = 1\0\n"])
def test_what_is_no_python(text: str) -> None:
    assert not Document(text, "utf-8").is_python()


DISCARDED = {
    "a parameter that nobody reads again": "def f(x):\n    x + 1\n    x.cuda()\n",
    "the target of a loop": "for x in xs:\n    x + 1\n    x.cuda()\n",
    "of another function": "x = torch.ones(3)\ndef f():\n    x.cuda()\n    return x + 1\n",
    "an attribute": (
        "class A:\n    def f(self):\n        self.x = torch.ones(3)\n        self.x.cuda()\n        print(self)\n"
    ),
    "one of several": "x = torch.ones(3)\nx.cuda(), print(x)\nprint(x)\n",
}
TAKEN = {
    "read below": "x = torch.ones(3)\nx.cuda()\nprint(x)\n",
    "read in the next pass": "x = torch.ones(3)\nwhile x.sum() > 0:\n    print(x)\n    x.cuda()\n",
}


@pytest.mark.parametrize("text", DISCARDED.values(), ids=DISCARDED)
def test_a_name_is_bound_only_where_it_helps(text: str) -> None:
    source = f"import torch\nxs = [torch.ones(3) for _ in range(3)]\n{text}"
    assert after(source, "TDL201") == source


@pytest.mark.parametrize("text", TAKEN.values(), ids=TAKEN)
def test_a_name_is_bound_where_it_is_read(text: str) -> None:
    assert "x = " in after(f"import torch\n{text}", "TDL201").replace("x = torch", "")


# the command


SAFE = "import torch\n\nx = torch.ones(3).cuda()\nprint(x.numpy())\n"


def test_fix_makes_safe_fixes_only(file: Path, capsys: Capture) -> None:
    file.write_text(SAFE + "y = torch.ones(3)\ny.to('cpu')\nprint(y)\n")
    assert main(["check", "--fix", "--select", "TDL113,TDL201"]) == 1
    assert file.read_text() == SAFE.replace("x.numpy", "x.cpu().numpy") + "y = torch.ones(3)\ny.to('cpu')\nprint(y)\n"
    said = capsys.readouterr()
    assert said.err == "1 finding fixed\n"
    assert [line.split()[1] for line in said.out.splitlines()[:-1]] == ["TDL201"]
    assert main(["check", "--fix", "--unsafe-fixes", "--select", "TDL113,TDL201"]) == 0
    assert "y = y.to('cpu')" in file.read_text()


def test_fix_only(file: Path, capsys: Capture) -> None:
    assert main(["check", "--fix-only"]) == 0
    assert capsys.readouterr() == ("", "0 findings fixed\n")
    assert main(["check", "--fix-only", "--unsafe-fixes", "--show-fixes"]) == 0
    assert capsys.readouterr() == ("", "train.py: 1 of TDL201 (discarded-move)\n1 finding fixed\n")
    assert file.read_text() == KEPT


def test_diff_writes_nothing(file: Path, capsys: Capture) -> None:
    assert main(["check", "--diff", "--unsafe-fixes"]) == 1
    said = capsys.readouterr()
    assert said.err == "1 finding would be fixed\n"
    assert said.out == (
        "--- train.py\n+++ train.py\n@@ -1,5 +1,5 @@\n import torch\n \n x = torch.ones(3)\n"
        "-x.to('cpu')\n+x = x.to('cpu')\n print(x)\n"
    )
    assert file.read_text() == READ
    assert main(["check", "--diff"]) == 0


def test_a_diff_without_a_last_line_end(file: Path, capsys: Capture) -> None:
    file.write_text(READ.rstrip())
    assert main(["check", "--diff", "--unsafe-fixes"]) == 1
    assert capsys.readouterr().out.endswith("-x.to('cpu')\n+x = x.to('cpu')\n print(x)\n\\ No newline at end of file\n")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ["a.py", "an old name.py"])
def test_git_applies_a_diff(tmp_path: Path, newline: str, name: str) -> None:
    (tmp_path / name).write_bytes(READ.replace("\n", newline).encode())
    command = [sys.executable, "-m", "torchdevlint", "check", "--isolated", "--diff", "--unsafe-fixes", "."]
    told = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True).stdout
    subprocess.run(["git", "apply", "-p0", "-"], cwd=tmp_path, check=True, input=told)
    assert (tmp_path / name).read_bytes() == KEPT.replace("\n", newline).encode()


def test_standard_input_is_mended_to_standard_output(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    def given(text: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    given(READ)
    assert main(["check", "--fix", "--unsafe-fixes", "-"]) == 0
    assert capsys.readouterr() == (KEPT, "")
    given(READ)
    assert main(["check", "--fix", "-"]) == 1
    said = capsys.readouterr()
    assert said.out == READ
    assert said.err.startswith("stdin:4:1: TDL201 ")
    given(READ)
    assert main(["check", "--fix-only", "-"]) == 0
    assert capsys.readouterr() == (READ, "")
    given(READ)
    assert main(["check", "--diff", "--unsafe-fixes", "-"]) == 1
    assert capsys.readouterr().out.endswith("+x = x.to('cpu')\n print(x)\n")


def test_silenced_findings_are_not_mended(file: Path) -> None:
    file.write_text(READ.replace("\n", "  # noqa\n"))
    assert main(["check", "--fix", "--unsafe-fixes"]) == 0
    assert file.read_text() == READ.replace("\n", "  # noqa\n")


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_bytes_stay(file: Path, newline: str, mark: bytes) -> None:
    file.write_bytes(mark + f"# ✓\n{READ}".replace("\n", newline).encode())
    assert main(["check", "--fix", "--unsafe-fixes"]) == 0
    assert file.read_bytes() == mark + f"# ✓\n{KEPT}".replace("\n", newline).encode()


def test_an_encoding_stays(file: Path) -> None:
    file.write_bytes(f"# coding: latin-1\n# é\n{READ}".encode("latin-1"))
    assert main(["check", "--fix", "--unsafe-fixes"]) == 0
    assert file.read_bytes() == f"# coding: latin-1\n# é\n{KEPT}".encode("latin-1")


def test_what_is_not_encoded_as_it_says_stays(file: Path, capsys: Capture) -> None:
    data = f"# coding: ascii\n# é\n{READ}".encode("latin-1")
    file.write_bytes(data)
    assert main(["check", "--fix", "--unsafe-fixes"]) == 1
    assert file.read_bytes() == data
    assert "train.py:2:1: TDL000 syntax error: 'ascii' codec can't decode byte" in capsys.readouterr().out
    assert main(["check", "--diff", "--unsafe-fixes"]) == 1
    assert "train.py:2:1 is left as it is: syntax error: 'ascii' codec" in capsys.readouterr().err
