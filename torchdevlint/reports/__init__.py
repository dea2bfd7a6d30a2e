"""Reports: the outcomes of a run, in the forms that people and programs read; one module a form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from torchdevlint.reports import concise, full, github, gitlab, jsons, junit, sarif
from torchdevlint.reports.report import Report

FORMATS: Mapping[str, Callable[[Report], str]] = MappingProxyType(
    {
        "full": full.render,
        "concise": concise.render,
        "json": jsons.render,
        "jsonl": jsons.render_lines,
        "github": github.render,
        "gitlab": gitlab.render,
        "sarif": sarif.render,
        "junit": junit.render,
    }
)
"""What renders a report, by the name of the form."""

__all__ = ["FORMATS", "Report"]
