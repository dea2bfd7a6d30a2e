"""Device traces: how each operand of a finding got to its device, step by step, for reports with room for it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import libcst as cst

from torchdevlint.lattice import ACCELERATORS, Condition, Possibility
from torchdevlint.positions import Span
from torchdevlint.records import dataclass
from torchdevlint.settle import Settled

_NAMELESS = re.compile(r"\?|[0-9a-f]{32}\Z|.* and |\d+ is cpu\Z")
_KEY = re.compile(r"[#?]\d+\b")


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a device trace: what happened to an operand, and where.

    ``device`` tells, at the last step of an operand, where that is. A program ``fails`` where operands meet.
    """

    text: str
    span: Span
    device: str = ""
    fails: bool = False


def nodes(one: Settled) -> Iterator[cst.CSTNode]:
    """Yield the nodes whose positions the trace of a finding needs."""
    for part in one.finding.parts.values():
        if isinstance(part, Possibility) and part.why is not None:
            for step in part.why.chain():
                yield step.node
    for finding in (one.finding, *one.others, *one.further):
        yield finding.node
        if finding.fails is not None:
            yield finding.fails


def steps(one: Settled, spans: Mapping[cst.CSTNode, Span]) -> Iterator[Step]:
    """Yield the steps of a finding: of each operand from its making on, then the other places of the same fault."""
    parts = one.finding.parts
    for key, part in parts.items():
        if isinstance(part, Possibility) and part.why is not None:
            named = parts.get(key.removesuffix("_place"))
            subject = named if isinstance(named, str) else parts.get("operand", "the value")
            chain = [step for step in part.why.chain() if step.text and step.node in spans][::-1]
            for step in chain:
                device = str(part.device) if step is chain[-1] else ""
                where = f": {subject} is on {device}{_condition(part.condition)}" if device else ""
                yield Step(f"{step.text}{where}", spans[step.node], device)
        elif isinstance(part, cst.CSTNode) and part in spans and part is not one.finding.node:
            yield Step("told in the message", spans[part])
    met = one.finding.fails
    if met is not None and met is not one.finding.node and met in spans:
        yield Step(f"{parts['odd']} and {parts['other']} meet", spans[met], fails=True)
    for other in (*one.others, *one.further):
        if other.node in spans:
            yield Step("the same again", spans[other.node])


def _condition(condition: Condition) -> str:
    literals = guards(condition)
    return f" where {literals}" if literals else ""


def guards(condition: Condition) -> str:
    """Return the guards of a condition as a reader may know them; that there is an accelerator is said by a device."""
    literals = [
        f"`{_KEY.sub('', name)}`{'' if holds else ' is false'}"
        for name, holds in sorted(condition)
        if name not in ACCELERATORS and not _NAMELESS.match(name)
    ]
    return " and ".join(dict.fromkeys(literals))
