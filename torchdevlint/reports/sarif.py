"""SARIF 2.1.0, as code scanning services read it.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any
from urllib.parse import quote

import torchdevlint
from torchdevlint.checking.notebooks import quoted
from torchdevlint.checking.outcomes import Outcome
from torchdevlint.edits import Repair
from torchdevlint.engine import Diagnostic
from torchdevlint.options import on_by_default
from torchdevlint.positions import Span
from torchdevlint.reports.places import in_file, span_of
from torchdevlint.reports.report import Report, fingerprints, relative, rules, severity_of, url_of
from torchdevlint.rule import Rule, Severity

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.ADVICE: "note"}
_ROOT = "SRCROOT"


def render(report: Report) -> str:
    """Return a log with one run; columns are code points, paths are relative to the root."""
    described = list(rules().values())
    indices = {rule.code: index for index, rule in enumerate(described)}
    prints = fingerprints(report)
    results = [
        _result(report, outcome, finding, indices, fingerprint)
        for (outcome, finding), fingerprint in zip(report.findings(), prints, strict=True)
    ]
    driver = {
        "name": "torchdevlint",
        "version": torchdevlint.__version__,
        "rules": [_descriptor(rule) for rule in described],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The folder in which torchdevlint ran."}}},
        "results": results,
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _descriptor(rule: Rule) -> dict[str, Any]:
    summary, _, rest = rule.doc.partition("\n")
    return {
        "id": rule.code,
        "name": "".join(part.capitalize() for part in rule.name.split("-")),
        "shortDescription": {"text": summary},
        "fullDescription": {"text": _section(rest, "What it does") or summary},
        "help": {"text": rule.doc.strip(), "markdown": rule.doc.strip()},
        "helpUri": url_of(rule),
        "defaultConfiguration": {"level": _LEVELS[rule.severity], "enabled": on_by_default(rule.code)},
        "properties": {"tags": ["pytorch", "device"], "problem.severity": _LEVELS[rule.severity]},
    }


def _section(doc: str, heading: str) -> str:
    _, _, rest = doc.partition(f"## {heading}\n")
    return " ".join(rest.partition("\n## ")[0].split())


def _result(
    report: Report, outcome: Outcome, finding: Diagnostic, indices: dict[str, int], fingerprint: str
) -> dict[str, Any]:
    span = span_of(finding)
    made: dict[str, Any] = {
        "ruleId": finding.code,
        "level": _LEVELS[severity_of(finding)],
        "message": {"text": finding.message},
        "locations": [_location(report, outcome, span)],
        "partialFingerprints": {"torchdevlint/v1": fingerprint},
    }
    if finding.code in indices:
        made["ruleIndex"] = indices[finding.code]
    if finding.trace:
        steps = [_location(report, outcome, step.span, step.text) for step in finding.trace]
        made["relatedLocations"] = [{"id": number, **step} for number, step in enumerate(steps, 1)]
        made["codeFlows"] = [{"threadFlows": [{"locations": _flow(steps, made["locations"][0], finding)}]}]
    if finding.repair is not None:
        made["fixes"] = [_fix(report, outcome, finding.repair, rules()[finding.code].fix)]
    return made


def _fix(report: Report, outcome: Outcome, repair: Repair, title: str) -> dict[str, Any]:
    place = _location(report, outcome, repair.edits[0].span)["physicalLocation"]
    replacements = [
        {
            "deletedRegion": _location(report, outcome, edit.span)["physicalLocation"]["region"],
            "insertedContent": {"text": edit.text if outcome.place(edit.span.line) is None else quoted(edit.text)},
        }
        for edit in repair.edits
    ]
    changes = [{"artifactLocation": place["artifactLocation"], "replacements": replacements}]
    return {"description": {"text": title}, "artifactChanges": changes}


def _flow(steps: Sequence[dict[str, Any]], place: dict[str, Any], finding: Diagnostic) -> list[dict[str, Any]]:
    return [{"location": step} for step in (*steps, {**place, "message": {"text": finding.message}})]


def _location(report: Report, outcome: Outcome, span: Span, text: str | None = None) -> dict[str, Any]:
    path = relative(outcome.path, report.root)
    whole = PureWindowsPath(path) if isinstance(report.root, PureWindowsPath) else PurePosixPath(path)
    artifact: dict[str, Any]
    if whole.is_absolute():
        artifact = {"uri": whole.as_uri()}
    else:
        artifact = {"uri": quote(path.encode("utf-8", "surrogateescape")), "uriBaseId": _ROOT}
    place = in_file(outcome, span)
    region = {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }
    made: dict[str, Any] = {"physicalLocation": {"artifactLocation": artifact, "region": region}}
    if place.cell is not None:
        made["logicalLocations"] = [{"name": f"cell {place.cell}", "kind": "module"}]
    if text is not None:
        made["message"] = {"text": text}
    return made
