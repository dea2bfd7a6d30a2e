"""The pages of the rules in docs/rules and the table in the README, from docstrings, fixtures and evidence.

`python -m torchdevlint.pages`, in the root of the repository, writes what is not as it should be.
"""

from __future__ import annotations

import ast
import difflib
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from torchdevlint import mending
from torchdevlint.engine import Diagnostic, all_rules, analyse
from torchdevlint.options import Options, on_by_default
from torchdevlint.rule import Rule

_TABLES = {"rules": True, "advice": False}
"""The tables of the README by the names of their marks: of what is on by default, and of what is not."""


def main(root: Path) -> int:
    """Write the pages and tables that are not up to date, remove pages of no rule, and tell which; return 0."""
    wanted = made(root)
    for page in sorted(set((root / "docs" / "rules").glob("*.md")) - wanted.keys()):
        page.unlink()
        sys.stdout.write(f"removed {page.relative_to(root).as_posix()}\n")
    for path, text in wanted.items():
        if not path.exists() or path.read_text("utf-8") != text:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8", newline="\n")
            sys.stdout.write(f"written {path.relative_to(root).as_posix()}\n")
    return 0


def made(root: Path) -> dict[Path, str]:
    """Return the texts of all pages and of the README, by their paths."""
    evidence = json.loads((root / "docs" / "evidence.json").read_text("utf-8"))
    readme = root / "README.md"
    pages = {root / "docs" / "rules" / f"{rule.code}.md": page(rule, root, evidence) for rule in all_rules()}
    return pages | {readme: tabled(readme.read_text("utf-8"))}


def tabled(readme: str) -> str:
    """Return the README with the tables between its marks made anew."""
    for mark, default in _TABLES.items():
        rows = [
            f"| [{rule.code}](docs/rules/{rule.code}.md) | {rule.name} | {rule.summary.removesuffix('.')} |"
            for rule in all_rules()
            if on_by_default(rule.code) is default
        ]
        table = "\n".join(["| code | name | finds |", "|---|---|---|", *rows])
        pattern = rf"(<!-- {mark} -->\n).*?(<!-- /{mark} -->)"
        readme = re.sub(pattern, lambda m, table=table: f"{m[1]}{table}\n{m[2]}", readme, flags=re.DOTALL)  # type: ignore[misc] # a default makes it a function of two
    return readme


def page(rule: Rule, root: Path, evidence: Iterable[Mapping[str, Any]]) -> str:
    """Return the page of a rule: its docstring, its fix, and what was seen when its fixtures ran."""
    sections = _sections(rule)
    references = sections.pop("References")
    stem = f"{rule.code.lower()}_{rule.name.replace('-', '_')}"
    sections["Fix"] = f"{rule.fix}. {mending.told(rule)}"
    sections["Proof"] = _proof(rule, root, stem, [one for one in evidence if one["rule"] == rule.code])
    sections["References"] = references
    parts = [f"# {rule.name} ({rule.code})", rule.summary, _standing(rule)]
    parts += [f"## {heading}\n\n{text}" for heading, text in sections.items()]
    return "\n\n".join(parts) + "\n"


def _sections(rule: Rule) -> dict[str, str]:
    """Return the texts of a docstring by their headings."""
    found = re.split(r"^## (.*)\n", rule.doc, flags=re.MULTILINE)[1:]
    return {heading: text.strip() for heading, text in zip(found[::2], found[1::2], strict=True)}


def _standing(rule: Rule) -> str:
    default = "on by default" if on_by_default(rule.code) else "off by default (`--extend-select TDL9`)"
    told = f"{rule.severity.value.capitalize()}, {default}"
    if not rule.in_tests:
        told += ", silent in test files"
    if rule.supersedes:
        told += f"; speaks instead of {', '.join(f'[{code}]({code}.md)' for code in rule.supersedes)}"
    return f"{told}.\n\n> {rule.message}"


def _found(rule: Rule, script: Path) -> list[Diagnostic]:
    # the folder of a fixture is no reason to be silent: it is told as the file of a user
    options = Options(filename=script.name, wants=lambda code: code == rule.code, details=True)
    return [one for one in analyse(script.read_text("utf-8"), options=options) if one.code == rule.code]


def _proof(rule: Rule, root: Path, stem: str, seen: list[Mapping[str, Any]]) -> str:
    """Return what is found in the first fixture, what mends it, and what happens when both run."""
    folder, link = root / "fixtures" / stem, f"../../fixtures/{stem}"
    told = "".join(f"bad.py:{d.line}:{d.column + 1}: {d.code} {d.message}\n" for d in _found(rule, folder / "bad.py"))
    change = "\n".join(_change((folder / "bad.py").read_text("utf-8"), (folder / "fixed.py").read_text("utf-8")))
    rows = [
        f"| [{name}]({link}/{name}) | {_machine(one)} | {_cell(one['predicted'])} | {_cell(one['note'])} |"
        for name in ("bad.py", "fixed.py")
        for one in seen
        if one["fixture"] == f"{stem}/{name}"
    ]
    confirmed = sum(one["seen"] == "confirmed" for one in seen)
    versions = ", ".join(sorted({one["torch"] for one in seen}))
    return "\n\n".join(
        [
            f"In [bad.py]({link}/bad.py) this is found:\n\n```text\n{told}```",
            f"and [fixed.py]({link}/fixed.py) differs from it in this:\n\n```diff\n{change}\n```",
            *(["\n".join(["| script | runs on | declares | seen |", "|---|---|---|---|", *rows])] if rows else []),
            f"{confirmed} of {len(seen)} declarations of [such scripts]({link}) were confirmed with PyTorch {versions}."
            if seen
            else f"No [such script]({link}) has been run yet.",
        ]
    )


def _change(bad: str, fixed: str) -> Iterator[str]:
    """Yield the lines of a diff of what two scripts run; what they declare about themselves is left out."""
    before, after, skipped = _body(bad), _body(fixed), len(bad.splitlines()) - len(_body(bad))
    for line in list(difflib.unified_diff(before, after, n=2, lineterm=""))[2:]:
        hunk = re.match(r"@@ -(\d+)", line)
        yield f"@@ line {int(hunk[1]) + skipped} @@" if hunk else line


def _body(source: str) -> list[str]:
    """Return the lines of a script from its first statement on."""
    first, *others = ast.parse(source).body
    return source.splitlines()[(others[0] if ast.get_docstring(ast.parse(source)) else first).lineno - 1 :]


def _machine(seen: Mapping[str, Any]) -> str:
    """Return where a script ran: the CPU, simulated GPUs by their number, or a real one by its name."""
    if seen["backend"] != "sim":
        return str(seen["device"])
    return f"{seen['device']} GPU{'' if seen['device'].startswith('1 ') else 's'}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "\\<").replace("*", "\\*")


if __name__ == "__main__":
    sys.exit(main(Path.cwd()))
