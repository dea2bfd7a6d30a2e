"""The commands `rule` and `rules`: what a rule says, and which rules there are."""

from __future__ import annotations

import argparse
import difflib
import json
from typing import Any

from torchdevlint import mending
from torchdevlint.cli import telling
from torchdevlint.cli.failure import Failure
from torchdevlint.engine import all_rules
from torchdevlint.options import on_by_default
from torchdevlint.reports.others import OTHERS
from torchdevlint.reports.report import url_of
from torchdevlint.rule import Rule


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add both commands to those of the parser."""
    one = commands.add_parser("rule", help="explain a rule")
    which = one.add_mutually_exclusive_group(required=True)
    which.add_argument("code", nargs="?", help="the code of a rule, or its name")
    which.add_argument("--all", action="store_true", help="explain all rules")
    one.add_argument("--output-format", choices=["text", "json"], default="text")
    one.set_defaults(execute=explain)
    table = commands.add_parser("rules", help="list the rules")
    table.add_argument("--output-format", choices=["text", "json"], default="text")
    table.set_defaults(execute=tabulate)


def explain(arguments: argparse.Namespace) -> int:
    """Print the documentation of a rule, or of all. Raises `Failure` for a rule that there is not."""
    chosen = all_rules() if arguments.all else (_named(arguments.code),)
    if arguments.output_format == "json":
        found = [_as_json(rule) for rule in chosen]
        telling.show(f"{_json(found if arguments.all else found[0])}\n", for_people=False)
    else:
        telling.show("\n".join(_as_text(rule) for rule in chosen))
    return 0


def tabulate(arguments: argparse.Namespace) -> int:
    """Print a line a rule: code, name, severity, how safe its fixes are, and summary."""
    if arguments.output_format == "json":
        telling.show(f"{_json([_as_json(rule) for rule in all_rules()])}\n", for_people=False)
        return 0
    width = max(len(rule.name) for rule in all_rules())
    for rule in all_rules():
        fixes = f"{next((f'{one.value} fix' for one in mending.safety(rule)), ''):10}"
        telling.show(f"{rule.code}  {rule.name:{width}}  {rule.severity.value:7}  {fixes}  {rule.summary}\n")
    return 0


def _named(text: str) -> Rule:
    rules = (*OTHERS.values(), *all_rules())
    known = {rule.code: rule for rule in rules} | {rule.name: rule for rule in rules}
    found = known.get(text.upper()) or known.get(text.lower())
    if found is None:
        close = difflib.get_close_matches(text.upper(), known, n=1) or difflib.get_close_matches(
            text.lower(), known, n=1
        )
        raise Failure(f"there is no rule {text}" + (f"; did you mean {close[0]}?" if close else ""))
    return found


def _json(told: object) -> str:
    return json.dumps(told, indent=2, ensure_ascii=False)


def _as_text(rule: Rule) -> str:
    default = "on by default" if on_by_default(rule.code) else "off by default"
    summary, _, rest = rule.doc.partition("\n")
    return (
        f"# {rule.name} ({rule.code})\n\n{summary}\n\n"
        f"Severity: {rule.severity.value}, {default}. Message: {rule.message}\n\n"
        f"{rest.strip()}\n\n## Fix\n{rule.fix}. {mending.told(rule)}\n"
    )


def _as_json(rule: Rule) -> dict[str, Any]:
    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity.value,
        "default": on_by_default(rule.code),
        "summary": rule.summary,
        "message": rule.message,
        "fix": rule.fix,
        "fixes": [one.value for one in mending.safety(rule)],
        "supersedes": list(rule.supersedes),
        "explanation": rule.doc.strip(),
        "url": url_of(rule),
    }
