"""From what was seen of a function to its row: only what every call confirms; None where anything is in doubt."""

from __future__ import annotations

from torchdevlint.harness.derive.observing import DEVICE, HOST, Answer, Mixed, Observations
from torchdevlint.harness.derive.outputs import out_mix
from torchdevlint.harness.derive.ranks import rule_of
from torchdevlint.harness.derive.samples import INDICES
from torchdevlint.harness.derive.schemas import checked
from torchdevlint.knowledge.rows import Combine, Follow, Mix, Plain, Row


def row_of(seen: Observations) -> Row | None:
    """Return the row of a function that makes something out of tensors."""
    forms = {ran.result.form for ran in seen.ran}
    if not seen.ran or not seen.together or "other" in forms:
        return None
    if forms == {"data"}:
        return Plain() if _leaves_alone(seen) else None
    if any(device != DEVICE for result in seen.together for device in result.devices):
        return None
    if any(name in _lists(seen) for ran in seen.ran for name in ran.ranks):
        return _of_a_list(seen, forms)
    meeting = _meeting(seen)
    if meeting is None or (len(meeting) > 1 and seen.operations - checked()):
        return None
    order = _positions(seen, meeting)
    if order is None:
        return None
    if len(meeting) == 1 and order[0]:
        return _following(seen, order, forms)
    return _combination(seen, order, forms)


def _leaves_alone(seen: Observations) -> bool:
    return len({name for ran in seen.ran for name in ran.ranks}) == 1


def _lists(seen: Observations) -> set[str]:
    return {parameter.name for _, parameter in seen.offer.parameters() if parameter.is_list}


def _solid(test: Mixed) -> set[str]:
    """The operands on the host that have dimensions."""
    return {name for name in test.on_host if max(test.ranks[name])}


def _meeting(seen: Observations) -> list[str] | None:
    """The parameters whose tensors must be on one device, the result with them; None where tests disagree."""
    names = dict.fromkeys(name for ran in seen.ran for name in ran.ranks)
    free = {name for name in names if _is_free(seen, name)}
    if len(free) == len(names):
        free.discard(next(iter(names)))  # nothing is compared, so that the result follows the first
    meeting = [name for name in names if name not in free]
    for test in seen.mixed:
        on_device = test.on_device.intersection(meeting)
        if test.answer is Answer.RAN:
            if _solid(test).intersection(meeting) and on_device:
                return None
            assert test.result is not None
            if any(device != (DEVICE if on_device else HOST) for device in test.result.devices):
                return None
    tested = {name for test in seen.mixed if test.answer is Answer.REFUSED for name in _solid(test)}
    return meeting if len(meeting) < 2 or tested.issuperset(meeting) else None


def _is_free(seen: Observations, name: str) -> bool:
    alone = [test for test in seen.mixed if test.on_host == {name}]
    solid = [test for test in alone if _solid(test)]
    if solid:
        return any(test.answer is Answer.RAN for test in solid)
    return any(test.answer is Answer.RAN for test in alone)  # never more than 0-dim


def _positions(seen: Observations, meeting: list[str]) -> list[str] | None:
    """The names of the meeting parameters at their positions, "" for others; None where overloads disagree."""
    found: dict[int, str] = {}
    positional = [(place, each) for place, each in seen.offer.parameters() if not each.keyword_only]
    for place, parameter in positional:
        if parameter.name in meeting and found.setdefault(place, parameter.name) != parameter.name:
            return None
    if any(each.is_tensor and found.get(place, each.name) != each.name for place, each in positional):
        return None
    longest = max(place for place, _ in positional) + 1
    for name in meeting:
        if name not in found.values():
            found[longest] = name
            longest += 1
    if len(set(found.values())) < len(found):
        return None
    return [found.get(position, "") for position in range(max(found) + 1)]


def _graph(seen: Observations) -> tuple[bool, bool | None]:
    """Whether what was seen of graphs is of one kind, and the row's word for it."""
    found = {ran.result.graphs[0] for ran in seen.ran if ran.result.graphs}
    later = {graph for ran in seen.ran for graph in ran.result.graphs[1:]}
    if True in later and True not in found:
        return False, None  # a row tells of the first result
    return not {True, False} <= found, False if found == {False} else None


def _has_gradients(seen: Observations) -> bool:
    return any(ran.gradients for ran in seen.ran)


def _in_place(seen: Observations) -> bool | None:
    """Whether the function returns its receiver, changed; None where it does so at times."""
    kinds = {ran.result.is_first for ran in seen.ran}
    if kinds == {True} and seen.offer.short.endswith("_"):
        return True
    return False if not seen.offer.short.endswith("_") else None


def _following(seen: Observations, order: list[str], forms: set[str]) -> Row | None:
    certain, graph = _graph(seen)
    in_place = _in_place(seen)
    if not certain or in_place is None:
        return None
    rank = rule_of(seen, order, following=True)
    written = out_mix(seen.offer, [ran.bound for ran in seen.ran]) or Mix.ZERO_DIM
    graph = None if in_place and not _has_gradients(seen) else graph
    if forms == {"tensor"}:
        return Follow(rank, graph=graph, in_place=in_place, out_mix=written)
    if forms == {"tuple"}:
        count = _count(seen)
        alike = all(len(set(ran.result.graphs)) < 2 for ran in seen.ran)
        return Follow(rank, count=count, graph=graph, out_mix=written) if count > 0 or alike else None
    return None


def _count(seen: Observations) -> int:
    """How many values the function returns: a fixed number where the schema says so, else -1."""
    counts = {overload.returns for overload in seen.offer.overloads}
    only = counts.pop() if len(counts) == 1 else None
    return -1 if only is None else only


def _combination(seen: Observations, order: list[str], forms: set[str]) -> Row | None:
    certain, graph = _graph(seen)
    in_place = _in_place(seen)
    count = _count(seen) if forms == {"tuple"} else 0
    if (forms != {"tensor"} and count < 2) or not certain or in_place is None:
        return None
    names = [name for name in order if name]
    mix = _mix(seen, names, in_place)
    rank = rule_of(seen, names, following=False)
    written = out_mix(seen.offer, [ran.bound for ran in seen.ran])
    graph = None if in_place and not _has_gradients(seen) else graph
    return Combine(
        tuple(order),
        mix,
        rank,
        index=tuple(name for name in names if name in INDICES),
        graph=graph,
        in_place=in_place,
        out_mix=None if written is mix else written,
        count=count,
    )


def _mix(seen: Observations, names: list[str], in_place: bool) -> Mix:
    lenient = {
        name
        for test in seen.mixed
        for name in test.on_host
        if test.answer is Answer.RAN and not _solid(test) and test.on_device.intersection(names)
    }
    if not lenient.intersection(names):
        return Mix.STRICT
    return Mix.IN_PLACE if in_place and names[0] not in lenient else Mix.ZERO_DIM


def _of_a_list(seen: Observations, forms: set[str]) -> Row | None:
    """The row of a function of a list of tensors and nothing else, such as `cat`."""
    names = {name for ran in seen.ran for name in ran.ranks}
    first = {parameter.name for place, parameter in seen.offer.parameters() if place == 0}
    certain, graph = _graph(seen)
    if len(names) > 1 or names != first or forms != {"tensor"} or not certain:
        return None
    if seen.operations - checked() or not seen.mixed or any(test.answer is not Answer.REFUSED for test in seen.mixed):
        return None
    rank = rule_of(seen, tuple(names), following=False)
    written = out_mix(seen.offer, [ran.bound for ran in seen.ran])
    written = None if written in (Mix.STRICT, Mix.ZERO_DIM) else written
    return Combine(tuple(names), Mix.STRICT, rank, sequence=True, graph=graph, out_mix=written)
