"""Lines that a fix makes longer: a call is broken as formatters break it, and what does not fit is not written."""

from __future__ import annotations

import subprocess
import sys
from textwrap import dedent

import pytest
from mending_scripts import after

from torchdevlint.edits import Edit, Repair, Safety
from torchdevlint.facts import FileFacts
from torchdevlint.mending.fitting import fitted, width_of
from torchdevlint.mending.source import Source
from torchdevlint.positions import Span

MOVE = ".to(next(model.parameters()).device)"
BROKEN = {
    "all on one line": (
        "loss = nn.functional.cross_entropy(network(first), target@, weight=ws)",
        f"""\
        loss = nn.functional.cross_entropy(
            network(first), target{MOVE}, weight=ws
        )
        """,
    ),
    "each on a line of its own": (
        "return nn.functional.cross_entropy(self.network(first, second, third), target@, reduction='none')",
        f"""\
        return nn.functional.cross_entropy(
            self.network(first, second, third),
            target{MOVE},
            reduction='none',
        )
        """,
    ),
    "what stands for several": (
        "total += criterion(outputs_of_the_model, targets_of_them@, *sizes, **further_names)",
        f"""\
        total += criterion(
            outputs_of_the_model,
            targets_of_them{MOVE},
            *sizes,
            **further_names,
        )
        """,
    ),
    "commas in other brackets": (
        "outputs = model(images_of_the_loader@, [a for a, b in pairs], (1, 2), f'{a}, {b(1, 2)}')",
        f"""\
        outputs = model(
            images_of_the_loader{MOVE},
            [a for a, b in pairs],
            (1, 2),
            f'{{a}}, {{b(1, 2)}}',
        )
        """,
    ),
    "a comma that asks for it": (
        "outputs = model(images_of_the_loader@, lengths_of_the_sequences_of_it,)",
        f"""\
        outputs = model(
            images_of_the_loader{MOVE},
            lengths_of_the_sequences_of_it,
        )
        """,
    ),
    "a single argument": (
        "self.outputs[key], rest = self.layers[0].forward_of_the_features(images_of_it@)",
        f"""\
        self.outputs[key], rest = self.layers[0].forward_of_the_features(
            images_of_it{MOVE}
        )
        """,
    ),
    "characters of several bytes": (
        "größe = mödel.größe(bilder@, 'ä', länge_der_folgen)",
        f"""\
        größe = mödel.größe(
            bilder{MOVE}, 'ä', länge_der_folgen
        )
        """,
    ),
    "an attribute of what it gives": (
        "logits = network(images_of_the_loader@, lengths_of_the_sequences).output.logits",
        f"""\
        logits = network(
            images_of_the_loader{MOVE},
            lengths_of_the_sequences,
        ).output.logits
        """,
    ),
    "an argument with a line of its own": (
        "out = model(\n            images=images_of_the_loader_of_which_this_is_long@,\n            lengths=lengths,\n        )",
        """\
        out = model(
            images=images_of_the_loader_of_which_this_is_long.to(
                next(model.parameters()).device
            ),
            lengths=lengths,
        )
        """,
    ),
    "arguments that share a line": (
        "out = model(\n            images_of_the_loader_of_this_batch@, lengths_of_the_sequences, [1, 2]\n        )",
        f"""\
        out = model(
            images_of_the_loader_of_this_batch{MOVE},
            lengths_of_the_sequences,
            [1, 2],
        )
        """,
    ),
}
LONG = "images_of_the_loader_of_which_this_is_long_enough"
REFUSED = {
    "a comment": "outputs = model(images_of_the_loader@, lengths_of_the_sequences)  # why",
    "a chain of calls": "outputs = model(images_of_the_loader@, lengths_of_the_sequences).argmax(dim=1)",
    "parentheses around": "outputs = (model(images_of_the_loader@, lengths_of_the_sequences_of_it))",
    "a part of an expression": "outputs = 3 * model(images_of_the_loader@, lengths_of_the_sequences_of_it)",
    "a function in parentheses": "outputs = (model)(images_of_the_loader@, lengths_of_the_sequences_of_it)",
    "another statement beside": "a = 1; outputs = model(images_of_the_loader@, lengths_of_the_sequences_of_it)",
    "a block on the line": "if a: outputs = model(images_of_the_loader@, lengths_of_the_sequences_of_it)",
    "another kind of statement": "assert model.fits(images_of_the_loader@, lengths_of_the_sequences_of_it)",
    "a part of an `if`": "pass\n    elif b: outputs = model(images_of_the_loader@, lengths_of_the_sequences)",
    "commas of a lambda": "outputs = model(images_of_the_loader@, lambda a, b: a + b, lengths_of_it)",
    "commas of a generator": "outputs = model(images + a for a, b in images_of_the_loader@.pairs_of_it)",
    "an argument that is too long": f"out = model({'a' * 60}@)",
    "the line of an argument": f"model(\n            {LONG}@, lengths_of_it)",
    "the first line of the arguments": f"model(a,\n            {LONG}@, lengths_of_it\n        )",
    "a comment behind an argument": f"model(\n            {LONG}@,  # why\n            lengths_of_it,\n        )",
    "the end of another bracket": f"model(f(\n            {LONG}@), lengths_of_it)",
    "the beginning of another bracket": f"model(\n            {LONG}@, *f(\n            lengths_of_it))",
    "an argument that is a sum": f"model(\n            {LONG}@ + 1,\n        )",
    "an argument that is a lambda": f"model(\n            lambda a: {LONG}@,\n        )",
    "a line that stays too long": f"model(\n            {LONG}_and_{LONG}@,\n        )",
}


def written(code: str, step: str = "    ", move: str = MOVE) -> tuple[str, str | None]:
    """A text with some code, and that text after a fix at the mark in the code, if it is made."""
    head = f"def f():\n{step}if True:\n{step * 2}"
    text = f"{head}{code.replace('@', '')}\n"
    place = f"{head}{code}".index("@")
    line, column = text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place) - 1
    source = Source(text, {}, FileFacts())
    found = fitted(source, Repair(Safety.SAFE, (Edit(Span(line, column, line, column), move),)), 88)
    if found is None:
        return text, None
    [edit] = found.edits
    lines = text.split("\n")
    old = lines[edit.span.line - 1]
    lines[edit.span.line - 1] = old[: edit.span.column] + edit.text + old[edit.span.end_column :]
    return text, "\n".join(lines)


@pytest.mark.parametrize(("code", "lines"), BROKEN.values(), ids=BROKEN)
def test_a_call_is_broken(code: str, lines: str) -> None:
    _, text = written(code)
    assert text is not None
    assert dedent(text.partition("True:\n")[2]) == dedent(lines)
    if sys.version_info >= (3, 12) or "f'" not in code:
        narrow = written(code, "  ")[1]
        assert narrow is not None
        assert dedent(narrow.partition("True:\n")[2]).split("\n")[1].startswith("  ")


@pytest.mark.parametrize("code", [code for code, _ in BROKEN.values()], ids=BROKEN)
def test_a_formatter_would_break_it_like_this(code: str) -> None:
    _, text = written(code)
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--config", "format.quote-style='preserve'", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, encoding="utf-8", check=True)
    assert done.stdout == text


@pytest.mark.parametrize("code", REFUSED.values(), ids=REFUSED)
def test_what_is_not_simple_is_not_broken(code: str) -> None:
    assert written(code)[1] is None


def test_what_is_no_python_is_not_broken() -> None:
    assert written("outputs = model(images_of_the_loader@)", move=" (" * 40)[1] is None


def test_what_has_no_arguments_is_not_broken() -> None:
    assert written("outputs = model_of_images@()", move="_and_more" * 9)[1] is None


def test_a_fix_of_several_lines_is_not_broken() -> None:
    text = f"f(a)\nx = model(\n    {'a' * 50},\n    {'b' * 50},\n)\n"
    source = Source(text, {}, FileFacts())
    joined = (Edit(Span(3, 50, 4, 4), "a, "), Edit(Span(1, 2, 1, 3), "b"))
    assert fitted(source, Repair(Safety.SAFE, joined), 88) is None
    found = fitted(source, Repair(Safety.UNSAFE, joined), 120)
    assert found == Repair(Safety.UNSAFE, joined[::-1])


def test_what_fits_stays_on_its_line() -> None:
    assert (written("outputs = model(images@)")[1] or "").endswith(f"outputs = model(images{MOVE})\n")
    longer = "outputs = model(images_of_the_loader@, lengths_of_the_sequences_of_it)"
    as_long = longer + f"\n        '{'a' * 120}'" * 3
    assert f"images_of_the_loader{MOVE}, len" in (written(as_long)[1] or "")


def test_a_fix_breaks_a_call() -> None:
    text = """\
    import torch
    from torch import nn
    model = nn.Linear(3, 3).cuda()
    labels_of_the_batch, weights = torch.ones(3, 3), torch.ones(3)
    out = model(torch.ones(3, 3).cuda())
    total_loss = nn.functional.mse_loss(out, labels_of_the_batch, reduction='none')
    """
    assert after(text, "TDL103").endswith(
        "total_loss = nn.functional.mse_loss(\n    out, labels_of_the_batch.to(out.device), reduction='none'\n)\n"
    )


def test_a_comment_has_no_part_in_the_width() -> None:
    assert width_of("x = 1") == width_of("x = 1" + " " * 80 + "# below those of other lines") == 5


def test_a_line_that_nobody_reads_is_not_broken() -> None:
    text = f"import torch\nx = [{', '.join(['torch.rand(3).cuda().numpy()'] * 60)}]\ny = torch.ones(3).cuda().numpy()\n"
    mended = after(text, "TDL113").split("\n")
    assert (mended[1], mended[2]) == (text.split("\n")[1], "y = torch.ones(3).cuda().cpu().numpy()")
