"""Rows of the layers of `torch.nn`: whether they hold tensors, which inputs must be there, what they return."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from torchdevlint.harness.derive.observing import DEVICE, HOST, Answer, placed
from torchdevlint.harness.derive.samples import Bound, Sample, of_other_ranks, tensors_in
from torchdevlint.harness.simulator import is_device_error
from torchdevlint.knowledge.rows import ModuleType, RankRule, Switch
from torchdevlint.knowledge.rows.modules import Output

LAYERS = "torch.nn"
_MOST_SAMPLES = 12
_MOST_DRAWN = 60


@dataclass(frozen=True, slots=True)
class _Use:
    """A call of a layer on the host: how it is built, what it is given, and what it returned."""

    build: Callable[[], Any]
    bound: Bound
    result: Any


def rows(infos: Iterable[Any]) -> Iterator[tuple[str, ModuleType]]:
    """Yield the rows of layers, out of PyTorch's samples, where something is certain; losses are not among them."""
    for info in infos:
        kind = info.module_cls
        is_public = getattr(torch.nn, kind.__name__, None) is kind
        row = _row(info) if is_public and not issubclass(kind, torch.nn.modules.loss._Loss) else None
        if row is not None:
            yield f"{LAYERS}.{kind.__name__}", row


def _row(info: Any) -> ModuleType | None:
    kind = info.module_cls
    uses = list(_uses(info))
    output = _output(uses)
    holds = {_holds(use.build, use.bound) for use in uses}
    switches = _switches(kind, info) if holds else ()
    if output is None or (len(holds) > 1 and not switches):
        return None
    held = holds.pop() if len(holds) == 1 else next(_holds(use.build, use.bound) for use in uses)
    inputs = _inputs(kind, uses)
    if inputs is None:
        return None
    return ModuleType(held, inputs, _returns(uses), output, switches=switches, parameters=_parameters(kind, info))


# -- calls -------------------------------------------------------------------------------------------------------------


def _uses(info: Any) -> Iterator[_Use]:
    kind = info.module_cls
    seen: set[str] = set()
    names = list(inspect.signature(kind.forward).parameters)[1:]
    for number, drawn in enumerate(itertools.islice(_drawn(info), _MOST_DRAWN)):
        given = drawn.forward_input
        if given is None:
            continue
        arguments, keywords = drawn.constructor_input.args, drawn.constructor_input.kwargs
        bound = Bound(Sample(tuple(given.args), dict(given.kwargs)), tuple(names[: len(given.args)]))
        outline = Sample((*arguments, *bound.sample.arguments), {**keywords, **bound.sample.keywords}).kind()
        is_empty = not all(each.numel() for tensors in bound.tensors().values() for each in tensors)
        if is_empty or outline in seen or len(seen) == _MOST_SAMPLES:
            continue
        seen.add(outline)

        def build(arguments: Any = arguments, keywords: Any = keywords) -> Any:
            return kind(*arguments, **keywords)

        for each in (bound, *(of_other_ranks(bound) if number < _MOST_SAMPLES else ())):
            result = _call(build, each, HOST, {})
            if not isinstance(result, Answer):
                yield _Use(build, each, result)


def _drawn(info: Any) -> Iterator[Any]:
    torch.manual_seed(0)
    yield from info.module_inputs_func(info, device=HOST, dtype=torch.float32, requires_grad=False, training=True)


def _call(build: Callable[[], Any], bound: Bound, home: str, places: dict[str, str]) -> Any:
    """Call a layer that is at home in a place, with its inputs there but for those that are given another one."""
    try:
        with torch.random.fork_rng(devices=[]):
            layer = build()
            if home == DEVICE:
                layer = layer.cuda()
            else:
                places = dict.fromkeys(bound.tensors(), HOST)
            sample = placed(bound, places).sample
            return layer(*sample.arguments, **sample.keywords)
    except Exception as error:  # noqa: BLE001 -- whatever a sample does
        return Answer.REFUSED if is_device_error(error) else Answer.FAILED


def _first(result: Any) -> Any:
    return result[0] if isinstance(result, tuple) and result else result


# -- what is read off --------------------------------------------------------------------------------------------------


def _holds(build: Callable[[], Any], bound: Bound) -> bool:
    """Whether a layer that was used has parameters or buffers: a lazy one has them by then."""
    layer = build()
    sample = bound.sample
    layer(*sample.arguments, **sample.keywords)
    return bool(tensors_in([*layer.parameters(), *layer.buffers()]))


def _output(uses: list[_Use]) -> Output | None:
    kinds = {(type(use.result) is tuple, isinstance(_first(use.result), torch.Tensor)) for use in uses}
    return {(False, True): "tensor", (True, True): "pair"}.get(kinds.pop()) if len(kinds) == 1 else None  # type: ignore[return-value]


def _inputs(kind: Any, uses: list[_Use]) -> tuple[str, ...] | None:
    """Return the inputs that are refused elsewhere than the layer, by their places; None where a test is missing.

    Of a layer that holds nothing the one input is followed; of one that does at times the other times say nothing.
    """
    uses = [use for use in uses if _holds(use.build, use.bound)] or uses
    names = list(inspect.signature(kind.forward).parameters)[1:]
    answers: dict[str, set[Answer]] = {}
    for use in uses:
        layer = _call(use.build, use.bound, DEVICE, {})
        if isinstance(layer, Answer):
            continue
        if _first(layer).device.type != DEVICE:
            return None
        for name in use.bound.tensors():
            outcome = _call(use.build, use.bound, DEVICE, {name: HOST})
            answers.setdefault(name, set()).add(outcome if isinstance(outcome, Answer) else Answer.RAN)
    needed = [name if answers.get(name) == {Answer.REFUSED} else "" for name in names]
    if set(answers) == set(names[:1]) and not any(needed):
        needed = names[:1] if answers[names[0]] == {Answer.RAN} else []
    while needed and not needed[-1]:
        needed.pop()
    return tuple(needed) or None


def _returns(uses: list[_Use]) -> RankRule:
    ranks = [(next(iter(use.bound.tensors().values()))[0].dim(), _first(use.result).dim()) for use in uses]
    if all(given == made for given, made in ranks):
        return RankRule.SAME
    if all(given + 1 == made for given, made in ranks):
        return RankRule.PLUS_ONE
    return RankRule.VECTOR if all(made for _, made in ranks) else RankRule.UNKNOWN


def _bare(kind: Any, info: Any) -> tuple[Callable[..., Any], dict[str, bool]]:
    """Return what builds a layer of which all is switched off but what is chosen, and its switches with their defaults.

    A switch is an argument of the constructor that is true or false.
    """
    parameters = list(inspect.signature(kind).parameters.values())
    given = next(_drawn(info)).constructor_input
    taken = {each.name for each in parameters[: len(given.args)]}
    options = {each.name: each.default for each in parameters if isinstance(each.default, bool)}
    options = {name: default for name, default in options.items() if name not in taken}

    def build(**chosen: bool) -> Any:
        return kind(*given.args, **{**given.kwargs, **dict.fromkeys(options, False), **chosen})

    return build, options


def _parameters(kind: Any, info: Any) -> tuple[str, ...]:
    """Return the names of the parameters that a layer has itself whatever is switched off.

    None of one whose constructor does not name its arguments: what of them is a switch cannot be seen.
    """
    signature = inspect.signature(kind).parameters.values()
    if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in signature):
        return ()
    build, _ = _bare(kind, info)
    return tuple(name for name, _ in build().named_parameters(recurse=False))


def _switches(kind: Any, info: Any) -> tuple[Switch, ...]:
    """Return the arguments of the constructor without which a layer holds no tensors."""
    build, options = _bare(kind, info)

    def held(**chosen: bool) -> tuple[bool, bool]:
        layer = build(**chosen)
        return bool(list(layer.parameters())), bool(list(layer.buffers()))

    if any(held()):
        return ()
    found: list[Switch] = []
    for position, name in enumerate(inspect.signature(kind).parameters):
        if name in options:
            trained, kept = held(**{name: True})
            if trained or kept:
                found.append(Switch(name, position, options[name], buffers=not trained))
    return tuple(found)
