"""Settling: one fault is one finding. Repeats, superseded codes and further places of one root cause go."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from torchdevlint.options import on_by_default
from torchdevlint.records import dataclass
from torchdevlint.rule import Finding, Rule


@dataclass(frozen=True, slots=True)
class Settled:
    """A finding that stays, and the other places where its root cause shows: by the same rule, and by others."""

    rule: Rule
    finding: Finding
    others: tuple[Finding, ...] = ()
    further: tuple[Finding, ...] = ()


def settle(found: list[tuple[Rule, Finding]]) -> list[Settled]:
    """Return the findings that stay, in the order in which they were found."""
    groups: list[list[tuple[Rule, Finding]]] = []
    by_origin: dict[object, list[tuple[Rule, Finding]]] = {}
    by_place: dict[tuple[str, object], list[tuple[Rule, Finding]]] = {}
    for rule, finding in found:
        origin = (rule.code,) if rule.once else finding.origin if finding.origin is not None else (finding.node,)
        if not on_by_default(rule.code):
            origin = (rule.code, origin)  # advice about something is no other way to tell of its fault
        place = (rule.code, finding.node)
        group = by_place.get(place)
        if group is None:
            # Seen again from another pass of a loop, one place may have a second origin.
            group = by_origin.get(origin)
            if group is None:
                group = []
                groups.append(group)
            group.append((rule, finding))
            by_place[place] = group
        by_origin.setdefault(origin, group)
    return _by_node([one for group in groups for one in _strongest(group)])


def _strongest(group: list[tuple[Rule, Finding]]) -> Iterator[Settled]:
    """Yield the most specific finding of one root cause, for each of its subjects the first with its repeats."""
    best = group[0]
    for candidate in group[1:]:
        repeats = best[1].here and candidate[1].here and best[1].node is not candidate[1].node
        if best[0].code in candidate[0].supersedes and not repeats:
            best = candidate
    subjects: dict[str, list[Finding]] = {}
    for rule, finding in group:
        if rule.code == best[0].code:
            subjects.setdefault(finding.subject, []).append(finding)
    further = tuple(
        finding
        for rule, finding in group
        if best[1].here and finding.here and rule.code != best[0].code and finding.node is not best[1].node
    )
    for first, *others in subjects.values():
        yield Settled(best[0], first, tuple(others), further)


def _by_node(settled: list[Settled]) -> list[Settled]:
    """Of findings on one node, drop those that another supersedes."""
    superseded: dict[cst.CSTNode, set[str]] = {}
    for one in settled:
        superseded.setdefault(one.finding.node, set()).update(one.rule.supersedes)
    return [one for one in settled if one.rule.code not in superseded[one.finding.node]]
