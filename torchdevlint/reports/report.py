"""What a report is made of: outcomes, the rules they name, and the folder that paths are relative to."""

from __future__ import annotations

import hashlib
import ntpath
import os
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePath, PureWindowsPath

from torchdevlint.checking.outcomes import Outcome
from torchdevlint.checking.paths import below
from torchdevlint.edits import Safety
from torchdevlint.engine import Diagnostic, all_rules
from torchdevlint.reports.others import OTHERS
from torchdevlint.rule import Rule, Severity

_REFERENCE = re.compile(r"^- (https://\S+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Report:
    """The outcomes of a run, in the order in which they are told; ``root`` is the folder it ran in."""

    outcomes: tuple[Outcome, ...]
    root: PurePath
    colour: bool = False

    def findings(self) -> Iterator[tuple[Outcome, Diagnostic]]:
        """Yield each finding with the outcome it belongs to."""
        for outcome in self.outcomes:
            for finding in outcome.findings:
                yield outcome, finding


def rules() -> Mapping[str, Rule]:
    """Return the rules by their codes."""
    return {rule.code: rule for rule in all_rules()}


def name_of(finding: Diagnostic) -> str:
    """Return the name of the rule of a finding, or of what tells it instead."""
    return _told_by(finding).name


def severity_of(finding: Diagnostic) -> Severity:
    """Return how bad a finding is; a file that could not be analysed is an error, a needless comment is not."""
    return _told_by(finding).severity


def _told_by(finding: Diagnostic) -> Rule:
    return rules().get(finding.code) or OTHERS[finding.code]


def is_fixable(finding: Diagnostic, safety: Safety = Safety.SAFE) -> bool:
    """Tell whether a finding has a fix of some safety."""
    return finding.repair is not None and finding.repair.safety is safety


def fixable(report: Report) -> str:
    """Return how many findings can be mended by which option, an empty text where none can."""
    safe, unsafe = (sum(is_fixable(d, safety) for _, d in report.findings()) for safety in Safety)
    if safe and unsafe:
        return f"[*] {safe} fixable with --fix ({unsafe} more with --unsafe-fixes)"
    if safe:
        return f"[*] {safe} fixable with --fix"
    return f"{unsafe} fixable with --fix --unsafe-fixes" if unsafe else ""


def url_of(rule: Rule) -> str | None:
    """Return the first reference of a rule: where PyTorch documents what it is about."""
    found = _REFERENCE.search(rule.doc)
    return found[1] if found is not None else None


def relative(path: str, root: PurePath) -> str:
    """Return a path relative to the root, with forward slashes; one outside it stays what it is."""
    flavour = ntpath if isinstance(root, PureWindowsPath) else posixpath
    found = below(path, str(root), flavour)
    if found is None and flavour is os.path:  # a link may lead there, as /tmp does on macOS
        found = below(os.path.realpath(path), os.path.realpath(root))
    return found if found is not None else path.replace(flavour.sep, "/")


def fingerprints(report: Report, name_of_path: Callable[[str], str] | None = None) -> list[str]:
    """Return for each finding a text that stays the same when lines move: of its path, code, source line and message.

    Equal ones are told apart by their order. A path counts as it is seen from the report's root, unless
    ``name_of_path`` names it otherwise.
    """
    called = name_of_path or (lambda path: relative(path, report.root))
    seen: Counter[str] = Counter()
    found = []
    for outcome, finding in report.findings():
        text = "\0".join((called(outcome.path), finding.code, outcome.line(finding.line).strip(), _timeless(finding)))
        seen[text] += 1
        found.append(hashlib.sha256(f"{text}\0{seen[text]}".encode("utf-8", "backslashreplace")).hexdigest()[:32])
    return found


def _timeless(finding: Diagnostic) -> str:
    """Return a message without the lines and cells that it names, and without how many places it stands for."""
    words = finding.message.removesuffix(f", and {finding.places - 1} more").split()
    kept = [w for w, before in zip(words, ["", *words], strict=False) if before.strip("(") not in ("cell", "line")]
    return " ".join(kept)
