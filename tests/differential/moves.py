"""Moves of every kind, right and wrong: what brings a host tensor or a module to the program's device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .devices import Scheme
from .sketch import Page, Sketch


@dataclass
class Scope:
    """What a function has at hand: the device scheme, float tensors and a module on the device, a flag or none."""

    scheme: Scheme
    near: list[str] = field(default_factory=list)
    model: str | None = None
    spare: str | None = None

    def where(self) -> str:
        return self.scheme.where()


TO_DEVICE = """
def NAME(batch, device):
    if isinstance(batch, dict):
        return {key: value.to(device) for key, value in batch.items()}
    if isinstance(batch, (list, tuple)):
        return [NAME(item, device) for item in batch]
    return batch.to(device)
"""
SEND = """
def NAME(tensor, use_cuda):
    if not use_cuda:
        return tensor
    return tensor.cuda()
"""
SEND_ALL = """
def NAME(tensors, device):
    moved = []
    for tensor in tensors:
        moved.append(tensor.to(device))
    return moved
"""
PLAIN = """
def NAME(tensor, device):
    return tensor.to(device, non_blocking=True)
"""
ASKING = """
def NAME(value, device):
    if torch.is_tensor(value):
        return value.to(device)
    if isinstance(value, dict):
        return {key: NAME(item, device) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(NAME(item, device) for item in value)
    return value
"""
ONLY_TENSORS = """
def NAME(items, device):
    return [item.to(device) if isinstance(item, torch.Tensor) else item for item in items]
"""
BY_HASATTR = """
def NAME(*items, device):
    moved = []
    for item in items:
        if hasattr(item, "to"):
            item = item.to(device)
        moved.append(item)
    return tuple(moved)
"""
FORGETS = """
def NAME(tensor, device):
    tensor.to(device)
    return tensor
"""


def moved(sketch: Sketch, scope: Scope, name: str, floats: bool = True) -> str:
    """Return an expression for a moved tensor."""
    scheme, dice = scope.scheme, sketch.dice
    forms: list[tuple[int, str]] = []
    if scheme.device is not None:
        d = scheme.device
        forms += [(8, f"{name}.to({d})"), (2, f"{name}.to({d}, non_blocking=True)"), (2, f"{name}.to(device={d})")]
    if scheme.flag is not None:
        forms += [
            (6, f"{name}.cuda() if {scheme.flag} else {name}"),
            (2, f'{name}.to("cuda" if {scheme.flag} else "cpu")'),
        ]
    if scheme.device is None and scheme.flag is None:
        forms += [
            (6, f"{name}.cuda()"),
            (4, f'{name}.to("cuda")'),
            (1, f"{name}.cuda(non_blocking=True)"),
            (1, f'{name}.to("cuda:0")'),
        ]
    if scope.near:
        other = dice.one_of(*scope.near)
        forms.append((3, f"{name}.to({other}.device)"))
        if floats:
            forms += [(2, f"{name}.to({other})"), (2, f"{name}.type_as({other})")]
    if scope.model is not None:
        forms.append((1, f"{name}.to(next({scope.model}.parameters()).device)"))
    return dice.weighted(*forms)


def bring(sketch: Sketch, page: Page, scope: Scope, names: Sequence[str], floats: bool = True) -> None:
    """Write the statements that rebind host tensors to moved ones; or forget to, in one of the usual ways."""
    if sketch.slips():
        _slip(sketch, page, scope, names)
        return
    dice, scheme = sketch.dice, scope.scheme
    forms = [(8, _one_by_one)]
    if len(names) > 1:
        forms += [(5, _on_one_line), (3, _comprehension), (2, _mapped)]
    if scheme.flag is not None:
        forms.append((7, _under_flag))
    if scope.near:
        forms.append((3, _where_it_differs))
    forms += [(4, _by_helper), (2, _by_nested), (1, _by_another_name), (1, _by_lambda), (1, _where_it_is_not)]
    dice.weighted(*forms)(sketch, page, scope, names, floats)


def _one_by_one(sketch: Sketch, page: Page, scope: Scope, names: Sequence[str], floats: bool) -> None:
    for name in names:
        page.say(f"{name} = {moved(sketch, scope, name, floats)}")


def _on_one_line(sketch: Sketch, page: Page, scope: Scope, names: Sequence[str], floats: bool) -> None:
    values = [moved(sketch, scope, name, floats) for name in names]
    page.say(f"{', '.join(names)} = {', '.join(values)}")


def _comprehension(sketch: Sketch, page: Page, scope: Scope, names: Sequence[str], floats: bool) -> None:
    left, right = sketch.dice.one_of("[]", "()")
    sketch.mark("comprehension")
    page.say(f"{', '.join(names)} = {left}{moved(sketch, scope, 't', floats)} for t in ({', '.join(names)}){right}")


def _mapped(sketch: Sketch, page: Page, scope: Scope, names: Sequence[str], floats: bool) -> None:
    page.say(f"{', '.join(names)} = map(lambda t: {moved(sketch, scope, 't', floats)}, ({', '.join(names)}))")


def _under_flag(sketch: Sketch, page: Page, scope: Scope, names: Sequence[str], floats: bool) -> None:
    sketch.mark("conditional move", "branch under a guard")
    with page.block(f"if {scope.scheme.flag}:"):
        if len(names) > 1 and sketch.dice.chance(50):
            page.say(f"{', '.join(names)} = {', '.join(f'{name}.cuda()' for name in names)}")
        else:
            page.say(
                *(
                    f"{name} = {name}.{sketch.dice.one_of('cuda()', 'to(' + chr(34) + 'cuda' + chr(34) + ')')}"
                    for name in names
                )
            )


def _by_helper(sketch: Sketch, page: Page, scope: Scope, names: Sequence[str], floats: bool) -> None:
    sketch.mark("move in a helper")
    dice = sketch.dice
    if scope.scheme.device is None and scope.scheme.flag is not None:
        helper = sketch.once("send", "send", SEND)
        page.say(*(f"{name} = {helper}({name}, {scope.scheme.flag})" for name in names))
    elif len(names) == 1:
        helper = sketch.once("plain", dice.one_of("put", "move"), PLAIN)
        page.say(f"{names[0]} = {helper}({names[0]}, {scope.where()})")
    else:
        helpers = {"to_device": TO_DEVICE, "send_all": SEND_ALL, "move_to": ASKING, "move_tensors": ONLY_TENSORS}
        name = dice.one_of(*helpers, "on")
        given, place = ", ".join(names), scope.where()
        if name == "on":
            helper = sketch.once(name, "on_device_all", BY_HASATTR)
            page.say(f"{given} = {helper}({given}, device={place})")
        else:
            page.say(f"{given} = {sketch.once(name, name, helpers[name])}([{given}], {place})")


def _by_nested(sketch: Sketch, page: Page, scope: Scope, names: Sequence[str], floats: bool) -> None:
    sketch.mark("nested function", "move in a helper")
    name = sketch.fresh("put", "send", "on_device")
    with page.block(f"def {name}(t):"):
        if scope.scheme.flag is not None and sketch.dice.chance(50):
            with page.block(f"if {scope.scheme.flag}:"):
                page.say("t = t.cuda()")
            page.say("return t")
        else:
            page.say(f"return {moved(sketch, scope, 't', floats)}")
    page.say("", *(f"{n} = {name}({n})" for n in names))


def _where_it_differs(sketch: Sketch, page: Page, scope: Scope, names: Sequence[str], floats: bool) -> None:
    sketch.mark("conditional move", "branch under a guard")
    other = sketch.dice.one_of(*scope.near)
    for name in names:
        with page.block(f"if {name}.device != {other}.device:"):
            page.say(f"{name} = {name}.to({other}.device)")


def _where_it_is_not(sketch: Sketch, page: Page, scope: Scope, names: Sequence[str], floats: bool) -> None:
    sketch.mark("conditional move", "branch under a guard")
    for name in names:
        if scope.scheme.flag is not None:
            with page.block(f"if {scope.scheme.flag} and not {name}.is_cuda:"):
                page.say(f"{name} = {name}.cuda()")
        else:
            text = moved(sketch, scope, name, floats)
            with page.block(f"if not {name}.is_cuda:"):
                page.say(f"{name} = {text}")


def _by_lambda(sketch: Sketch, page: Page, scope: Scope, names: Sequence[str], floats: bool) -> None:
    sketch.mark("move in a helper")
    name = sketch.fresh("send", "put", "there")
    page.say(f"{name} = lambda t: {moved(sketch, scope, 't', floats)}")
    page.say(*(f"{one} = {name}({one})" for one in names))


def _by_another_name(sketch: Sketch, page: Page, scope: Scope, names: Sequence[str], floats: bool) -> None:
    sketch.mark("alias")
    for name in names:
        other = sketch.fresh(f"{name}_dev", f"moved_{name}")
        page.say(f"{other} = {moved(sketch, scope, name, floats)}", f"{name} = {other}")


def _slip(sketch: Sketch, page: Page, scope: Scope, names: Sequence[str]) -> None:
    """Forget a move."""
    scheme, dice = scope.scheme, sketch.dice
    call = f"to({scheme.device})" if scheme.device is not None else "cuda()"
    kind = dice.one_of("nothing", "discarded", "half", "alias", "switch", "helper")
    guarded = scheme.device is None and scheme.flag is not None
    if kind == "half" and len(names) > 1:
        bring_rest = dice.one_of(names[:1], names[1:])
        for name in bring_rest:
            page.say(f"{name} = {moved(sketch, scope, name, False)}")
    elif kind == "alias" and not guarded:
        sketch.mark("alias")
        other = sketch.fresh(f"{names[0]}_dev", f"moved_{names[0]}")
        page.say(f"{other} = {names[0]}", f"{other} = {other}.{call}")
    elif kind == "switch" and scope.spare is not None:
        sketch.mark("conditional move", "branch under a guard")
        with page.block(f"if {scope.spare}:"):
            page.say(*(f"{name} = {moved(sketch, scope, name, False)}" for name in names))
    elif kind == "helper" and scheme.device is not None:
        sketch.mark("move in a helper", "discarded move")
        helper = sketch.once("forgets", "transfer", FORGETS)
        page.say(*(f"{name} = {helper}({name}, {scheme.device})" for name in names))
    elif kind != "nothing":
        sketch.mark("discarded move")
        if guarded:
            with page.block(f"if {scheme.flag}:"):
                page.say(*(f"{name}.cuda()" for name in names))
        else:
            page.say(*(f"{name}.{call}" for name in names))


def make(sketch: Sketch, page: Page, scope: Scope, name: str, factory: str, *given: str, floats: bool = True) -> None:
    """Write a statement that makes a tensor on the device: `name = factory(given, device=…)`, in one of many ways."""
    sketch.mark("factory")
    arguments = ", ".join(given)
    if sketch.slips():
        page.say(f"{name} = {factory}({arguments})")
        if sketch.dice.chance(20):
            _slip(sketch, page, scope, [name])
        return
    scheme, dice = scope.scheme, sketch.dice
    forms = [(6, "device"), (3, "moved")]
    if scope.near:
        forms.append((3, "near"))
    if scheme.flag is not None and scheme.device is None:
        forms.append((6, "flag"))
    match dice.weighted(*forms):
        case "device":
            page.say(f"{name} = {factory}({arguments}, device={scope.where()})")
        case "near":
            page.say(f"{name} = {factory}({arguments}, device={dice.one_of(*scope.near)}.device)")
        case "flag":
            page.say(f"{name} = {factory}({arguments})")
            _under_flag(sketch, page, scope, [name], floats)
        case _:
            call = f"{factory}({arguments})"
            text = moved(sketch, scope, call, floats)
            if f"else {call}" in text:
                page.say(f"{name} = {call}")
                text = f"{name}.cuda() if {scheme.flag} else {name}"
            page.say(f"{name} = {text}")


def move_module(sketch: Sketch, page: Page, scope: Scope, name: str) -> None:
    """Write a statement that moves a module."""
    scheme, dice = scope.scheme, sketch.dice
    sketch.mark("module moved")
    forms: list[tuple[int, str]] = []
    if scheme.device is not None:
        forms += [(5, f"{name}.to({scheme.device})"), (5, f"{name} = {name}.to({scheme.device})")]
    if scheme.flag is not None:
        forms += [(4, ""), (2, f"{name} = {name}.cuda() if {scheme.flag} else {name}")]
    if scheme.device is None and scheme.flag is None:
        forms += [(4, f"{name}.cuda()"), (2, f"{name} = {name}.cuda()"), (2, f'{name}.to("cuda")')]
    text = dice.weighted(*forms)
    if text:
        page.say(text)
        return
    sketch.mark("conditional move", "branch under a guard")
    with page.block(f"if {scheme.flag}:"):
        page.say(dice.one_of(f"{name}.cuda()", f"{name} = {name}.cuda()", f'{name}.to("cuda")'))
