"""Settling: one fault is one finding. Repeats, superseded codes and further places of one root cause go."""

from __future__ import annotations

from dataclasses import dataclass

from torchdevlint.rule import Finding, Rule


@dataclass(frozen=True, slots=True)
class Settled:
    """A finding that stays, and the other places where its root cause shows."""

    rule: Rule
    finding: Finding
    others: tuple[Finding, ...] = ()


def settle(found: list[tuple[Rule, Finding]]) -> list[Settled]:
    """Return the findings that stay, in the order in which they were found."""
    unique: dict[tuple[str, object], tuple[Rule, Finding]] = {}
    for rule, finding in found:
        unique.setdefault((rule.code, finding.node), (rule, finding))
    groups: dict[object, list[tuple[Rule, Finding]]] = {}
    for rule, finding in unique.values():
        key = (rule.code,) if rule.once else finding.origin if finding.origin is not None else (finding.node,)
        groups.setdefault(key, []).append((rule, finding))
    settled = [_strongest(group) for group in groups.values()]
    return _by_node(settled)


def _strongest(group: list[tuple[Rule, Finding]]) -> Settled:
    """Return the most specific finding of one root cause, the first of its kind, with a count of its repeats."""
    best = group[0]
    for candidate in group[1:]:
        if best[0].code in candidate[0].supersedes:
            best = candidate
    others = tuple(finding for rule, finding in group if rule.code == best[0].code and finding is not best[1])
    return Settled(best[0], best[1], others)


def _by_node(settled: list[Settled]) -> list[Settled]:
    """Of findings on one node, drop those that another supersedes."""
    kept: list[Settled] = []
    for one in settled:
        rivals = [other for other in settled if other.finding.node is one.finding.node and other is not one]
        if not any(one.rule.code in other.rule.supersedes for other in rivals):
            kept.append(one)
    return kept
