"""JUnit's XML, as CI servers show it: a suite a file, a failure a finding."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from torchdevlint.reports.places import in_file, span_of, where
from torchdevlint.reports.report import Report, name_of, severity_of

_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def render(report: Report) -> str:
    """Return a document of test suites; a file without findings is a test that passed."""
    total = sum(len(outcome.findings) for outcome in report.outcomes)
    root = ET.Element("testsuites", name="torchdevlint", tests=str(_tests(report)), failures=str(total))
    for outcome in report.outcomes:
        found = outcome.findings
        suite = ET.SubElement(
            root, "testsuite", name=_clean(outcome.path), tests=str(len(found) or 1), failures=str(len(found)),
            errors="0", skipped="0",
        )  # fmt: skip
        if not found:
            ET.SubElement(suite, "testcase", name="torchdevlint", classname=_clean(outcome.path))
        for finding in found:
            place = in_file(outcome, span_of(finding))
            case = ET.SubElement(
                suite, "testcase", name=f"{finding.code} {name_of(finding)}", classname=_clean(outcome.path),
                line=str(place.line), column=str(place.column),
            )  # fmt: skip
            message = _clean(finding.message)
            failure = ET.SubElement(case, "failure", message=message, type=severity_of(finding).value)
            failure.text = f"{where(outcome, span_of(finding))}: {finding.code} {message}"
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _tests(report: Report) -> int:
    return sum(len(outcome.findings) or 1 for outcome in report.outcomes)


def _clean(text: str) -> str:
    """Return a text without the characters that XML has no way to write."""
    return _NOT_XML.sub("\ufffd", text)
