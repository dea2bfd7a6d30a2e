"""Meetings: where an event brings two placements together that clash, and which of the two is the culprit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from itertools import combinations, islice

import libcst as cst

from torchdevlint import lattice, mixing
from torchdevlint.events import Called, Combined, Indexed, Operand
from torchdevlint.facts import FileFacts
from torchdevlint.knowledge.rows import Mix
from torchdevlint.lattice import Clash, Possibility, Symbol, SymbolKind
from torchdevlint.names import text_of
from torchdevlint.records import dataclass
from torchdevlint.rule import Finding
from torchdevlint.why import Role, Why

MAX_PAIRS = 1_000
"""How many pairs of operands of one operation are compared; 45 operands have as many."""


_DERIVED = re.compile(r"(.+?)(?:\.\w+\([^()]*\)|\[[^\[\]'\"]*[:,][^\[\]'\"]*\])")
"""A text that ends in a call of a method, or in an index by slices: one number may be another member of a batch."""


class Culprit(Enum):
    """What is to blame for a meeting; each is one rule's."""

    OPERAND = "an operand of an operation"
    INPUT = "an input of a module"
    TARGET = "the target of a loss"
    CREATION = "a tensor made in a method of a module"
    UNREGISTERED_TENSOR = "a plain tensor attribute"
    UNREGISTERED_MODULE = "a module in a plain container"
    WEIGHT = "the weight of a loss"
    CRITERION = "a loss or metric with state"
    INDEX = "an accelerator index into a host tensor"
    LEFT = "a module sent to the host"
    LAYER = "a layer that came into its module late"
    STALE = "a value taken out of a module before it moved"


_HERE = (Culprit.OPERAND, Culprit.INPUT, Culprit.TARGET, Culprit.INDEX)
"""What is told where it meets the other side."""

_NAMED = (Culprit.UNREGISTERED_TENSOR, Culprit.UNREGISTERED_MODULE, Culprit.CREATION, Culprit.STALE, Culprit.LAYER)
"""What the reason of a placement names."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a meeting: its text, and where it is."""

    text: str
    possibility: Possibility


@dataclass(frozen=True, slots=True)
class Meeting:
    """A clash: the ``odd`` side is the one to blame, ``other`` the one it meets.

    ``role`` is the parameter that the odd side is given as, ``about`` are the nodes that a fix needs to know: none
    where the odd side cannot be moved in the place where they meet, which is ``met``.
    """

    odd: Side
    other: Side
    culprit: Culprit
    node: cst.CSTNode
    role: str = ""
    about: tuple[cst.CSTNode, ...] = ()
    met: cst.CSTNode | None = None

    def finding(self) -> Finding:
        """Return the finding of this meeting at its culprit's place."""
        why = self.odd.possibility.why
        parts: dict[str, object] = {
            "odd": f"`{self.odd.text}`",
            "made": why.text if why is not None else "made",
            "odd_place": self.odd.possibility,
            "other": f"`{self.other.text}`",
            "other_place": self.other.possibility,
            "role": self.role,
        }
        given = self.about[0] if self.culprit is Culprit.INPUT and self.about else None  # as a caller calls it
        text = text_of(given) if isinstance(given, cst.Name) else self.odd.text
        cause = origin(text, why, self.node)
        return Finding(self.node, parts, cause, why, self.about, here=self.culprit in _HERE, fails=self.met)


def origin(text: str, why: Why | None, node: cst.CSTNode) -> object:
    """Return what identifies the root cause of a placement: where it was made, or the member of a batch."""
    if why is None:
        return (node, text)
    root = why.root()
    return (root.node, _member(text)) if root.role in (Role.BATCH, Role.OWNER, Role.INPUT) else (root.node, "")


def _member(text: str) -> str:
    """Return the text of what something was computed from: `y` of `y.float()` and of `y[:, 0]`."""
    while found := _DERIVED.fullmatch(text):
        text = found[1]
    return text


def meetings(event: Combined | Called | Indexed, facts: FileFacts) -> Iterator[Meeting]:
    """Return the meetings of an event, the first for each operand that is to blame."""
    match event:
        case Combined():
            return _combined(event, facts)
        case Called():
            return _called(event, facts)
        case _:
            return _indexed(event, facts)


def _proven(operand: Operand, facts: FileFacts) -> bool:
    return operand.proof == 0 or operand.proof in facts.tensors


def _combined(event: Combined, facts: FileFacts) -> Iterator[Meeting]:
    if event.mix is Mix.FREE or (event.proof and event.proof not in facts.graphs):
        return
    blamed: set[int] = set()
    pairs = islice(combinations(enumerate(event.operands), 2), MAX_PAIRS)
    for (first_index, first), (second_index, second) in pairs:
        if not (_proven(first, facts) and _proven(second, facts)):
            continue
        clash = lattice.clash(first.placement, second.placement, facts, event.world)
        if clash is None or _siblings(clash):
            continue
        odd_is_first = lattice.is_host(clash.left.device)
        odd, other = (first, second) if odd_is_first else (second, first)
        if odd.rank[0] == 0 and not _refused(event, odd, other):
            continue
        index = first_index if odd_is_first else second_index
        if index in blamed:
            continue
        blamed.add(index)
        left, right = (clash.left, clash.right) if odd_is_first else (clash.right, clash.left)
        culprit, node = _blame(event, odd, other, left, right, facts)
        here = event.entry is None or culprit in (Culprit.CREATION, Culprit.WEIGHT)
        about = _sides(event, odd, other, left) if here else ()
        sides = Side(odd.text, left), Side(other.text, right)
        if not lattice.is_host(left.device) and _by_why(left.why, facts) is None and culprit in _NAMED:
            sides = sides[::-1]  # neither is on the host, and it is the other that is to blame
        yield Meeting(*sides, culprit, node, odd.role, about, event.node)


def _sides(event: Combined, odd: Operand, other: Operand, near: Possibility) -> tuple[cst.CSTNode, ...]:
    """Return the sides of which the host's can move in its place: not what is written to, or stands for several."""
    written = odd.role == "out" or (event.in_place and odd is event.operands[0])
    if not lattice.is_host(near.device) or odd.part or other.part or written:
        return ()
    return (odd.node, other.node)


def _input(event: Called, given: cst.CSTNode) -> tuple[cst.CSTNode, ...]:
    """Return an input and its module: as the module is called, or a method that calls it with its only argument."""
    match event.node if event.entry is None else event.entry:
        case cst.Call(func=called, args=[*all_given]) if event.entry is None:
            starred = any(one.star and one.value is given for one in all_given)
            return () if starred else (given, called)
        case cst.Call(func=called, args=[cst.Arg(value=value, star="")]):
            return (value, called)
        case _:
            return ()


def _refused(event: Combined, odd: Operand, other: Operand) -> bool:
    """Tell whether a host operand is refused beside another even if it is 0-dim."""
    if odd.role in event.strict:
        return True
    if event.mix is Mix.STRICT:
        return odd.role not in event.weights and odd.role not in event.scalars
    if event.mix is Mix.EXPANDED:
        return other.rank[0] > 0
    return event.mix is Mix.IN_PLACE and odd is event.operands[0]


def _siblings(clash: Clash) -> bool:
    """Tell whether both sides came out of one batch, one of them moved: no evidence between siblings directly."""
    left, right = clash.left.why, clash.right.why
    if left is None or right is None:
        return False
    sources = (left.root().source, right.root().source)
    return sources[0] != 0 and sources[0] == sources[1] and Role.MOVED in (left.role, right.role)


def _by_why(why: Why | None, facts: FileFacts) -> tuple[Culprit, cst.CSTNode] | None:
    """Return the culprit that the reason of a host placement names, wherever it is met."""
    if why is None:
        return None
    step = why.of(Role.UNREGISTERED_TENSOR, Role.MOVED, Role.MOVED_TO_HOST)
    if step is not None and step.role is Role.UNREGISTERED_TENSOR:  # and it was not moved to the host after that
        return Culprit.UNREGISTERED_TENSOR, step.node
    step = why.of(Role.UNREGISTERED_MODULE)
    if step is not None:
        return Culprit.UNREGISTERED_MODULE, step.node
    if why.role is Role.CREATED_IN_MODULE:
        return Culprit.CREATION, why.node
    if facts.is_stale(why):
        return Culprit.STALE, why.node
    if why.role is Role.LATE:
        return Culprit.LAYER, why.node
    return None


def _is_criterion(entry: cst.CSTNode | None, why: Why | None, facts: FileFacts) -> bool:
    """Tell whether a module of the file that was called is a loss whose own state stayed behind."""
    return entry in facts.scalar_calls and why is not None and why.of(Role.PARAMETER) is not None


def _blame(
    event: Combined, odd: Operand, other: Operand, near: Possibility, far: Possibility, facts: FileFacts
) -> tuple[Culprit, cst.CSTNode]:
    kept = near.why.of(Role.UNREGISTERED_MODULE) if near.why is not None else None
    if event.loss and odd.role in event.weights and kept is None:
        return Culprit.WEIGHT, event.made_at or event.entry or event.node
    named = _by_why(near.why, facts)
    if named is None and not lattice.is_host(near.device):
        named = _by_why(far.why, facts)
    if named is not None:
        return named
    if event.entry is not None and _is_criterion(event.entry, near.why, facts):
        return Culprit.CRITERION, event.entry
    if event.loss and odd.role in event.targets:
        return Culprit.TARGET, event.entry or event.node
    if other.is_index and not event.in_place:
        return Culprit.INDEX, event.entry or event.node
    return (Culprit.INPUT, event.entry) if event.entry is not None else (Culprit.OPERAND, event.node)


def _called(event: Called, facts: FileFacts) -> Iterator[Meeting]:
    for operand in event.inputs:
        if not _proven(operand, facts) or (event.proof and event.proof not in facts.modules):
            continue
        clash = lattice.clash(event.state, operand.placement, facts, event.world)
        if clash is None or _siblings(clash):
            continue
        module = Side(event.text, clash.left)
        given = Side(operand.text, clash.right)
        module_is_odd = lattice.is_host(clash.left.device)
        odd, other = (module, given) if module_is_odd else (given, module)
        culprit, node = _blame_call(event, odd, module_is_odd, facts)
        about = (event.node,) if module_is_odd else () if operand.part else _input(event, operand.node)
        yield Meeting(odd, other, culprit, node, about=about, met=event.node)
        if module_is_odd:
            return  # the module is to blame once, whatever it gets


def _blame_call(event: Called, odd: Side, module_is_odd: bool, facts: FileFacts) -> tuple[Culprit, cst.CSTNode]:
    why = odd.possibility.why
    criterion = event.type is not None and (event.type.metric or event.type.loss is not None)
    named = _by_why(why, facts)
    if named is not None and not (criterion and named[0] is Culprit.LAYER):
        return named
    if module_is_odd and why is not None and why.role is Role.MOVED_TO_HOST:
        return Culprit.LEFT, why.node
    place = event.node if event.entry is None else event.entry
    if module_is_odd and event.entry in facts.scalar_calls:
        return Culprit.CRITERION, place
    if module_is_odd and criterion:
        return Culprit.CRITERION, place
    return Culprit.INPUT, place


def _indexed(event: Indexed, facts: FileFacts) -> Iterator[Meeting]:
    """A host tensor indexed by an accelerator tensor of one dimension or more; the reverse is legal."""
    for index in event.indices:
        if index.rank[0] == 0 or not _proven(index, facts):
            continue
        if not _proven(event.base, facts):
            continue
        clash = lattice.clash(event.base.placement, index.placement, facts, event.world)
        if clash is None or not lattice.is_host(clash.left.device) or _siblings(clash):
            continue
        base = Side(event.base.text, clash.left)
        named = _by_why(clash.left.why, facts)
        culprit, node = named if named is not None else (Culprit.INDEX, event.entry or event.node)
        about = (index.node,) if event.entry is None and not index.part else ()
        yield Meeting(base, Side(index.text, clash.right), culprit, node, about=about, met=event.node)
        return


def mixtures(event: Combined | Called, facts: FileFacts) -> Iterator[Meeting]:
    """Return where the sides of an event meet on one device under some guards and on two under others."""
    match event:
        case Called() if not event.proof or event.proof in facts.modules:
            module = Operand(event.node, event.text, "", event.state, (1, None))
            pairs = [(module, operand) for operand in event.inputs]
        case Combined() if event.mix is not Mix.FREE and not event.proof:
            pairs = list(islice(combinations(event.operands, 2), MAX_PAIRS))
        case _:
            return
    for first, second in pairs:
        if not (_proven(first, facts) and _proven(second, facts)):
            continue
        mixed = mixing.may_mix(first.placement, second.placement, facts, event.world)
        if mixed is None or lattice.clash(first.placement, second.placement, facts, event.world) is not None:
            continue
        sides = Side(first.text, mixed.left), Side(second.text, mixed.right)
        odd, other = sides if lattice.is_host(mixed.left.device) else sides[::-1]
        if (first if odd is sides[0] else second).rank[0] > 0:
            yield Meeting(odd, other, Culprit.OPERAND, event.entry or event.node, met=event.node)
            return


def _is_supposed(meeting: Meeting) -> bool:
    """Tell whether a meeting needs a module that somebody moves, and is no fault but for that.

    In a file where nothing shows that anybody minds devices, and in a branch that need not run, that is too much to
    suppose. What follows a test that fails the program is no such branch, nor is what runs in training or in evaluation
    only. A layer that its module does not have is not trained either, wherever it is.
    """
    sides = (meeting.odd.possibility.device, meeting.other.possibility.device)
    owner = any(isinstance(device, Symbol) and device.kind is SymbolKind.OWNER for device in sides)
    return owner and meeting.culprit not in (Culprit.LAYER, Culprit.UNREGISTERED_MODULE)


def blamed(event: Combined | Called | Indexed, facts: FileFacts, culprit: Culprit) -> Iterator[Meeting]:
    """Yield the meetings of an event for which one culprit is to blame; every such rule asks, so they are kept."""
    found = facts.met.get(id(event))
    if found is None:
        certain = facts.minds_devices or all(
            literal in facts.insisted or literal[0] in facts.modes for literal in event.world
        )
        found = facts.met[id(event)] = tuple(m for m in meetings(event, facts) if certain or not _is_supposed(m))
    for meeting in found:
        if meeting.culprit is culprit:
            yield meeting
