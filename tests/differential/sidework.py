"""What programs do with features beside training: noise, masks, statistics, containers, aliases, loops."""

from __future__ import annotations

from .moves import Scope, bring, make
from .sketch import Page, Sketch


def noise(s: Sketch, page: Page, scope: Scope, x: str) -> None:
    name = s.fresh("noise", "jitter")
    if s.dice.chance(20):
        page.say(f"{name} = torch.randn_like({x})")
    else:
        shape = s.dice.one_of([f"{x}.shape"], [f"{x}.size(0)", str(s.width)], [f"*{x}.shape"])
        make(s, page, scope, name, "torch.randn", *shape)
    page.say(f"{x} = {x} + 0.1 * {name}")


def mixup(s: Sketch, page: Page, scope: Scope, x: str) -> None:
    name = s.fresh("perm", "order")
    page.say(f"{name} = torch.randperm({x}.size(0))", f"{x} = 0.7 * {x} + 0.3 * {x}[{name}]")


def mask(s: Sketch, page: Page, scope: Scope, x: str) -> None:
    name = s.fresh("mask", "keep")
    make(s, page, scope, name, "torch.rand", f"{x}.size(0)", str(s.width))
    page.say(
        s.dice.one_of(
            f"{x} = {x} * ({name} > 0.1)",
            f"{x} = {x}.masked_fill({name} < 0.1, 0.0)",
            f"{x} = torch.where({name} > 0.1, {x}, 0.0)",
        )
    )


def views(s: Sketch, page: Page, scope: Scope, x: str) -> None:
    name = s.fresh("views", "crops")
    s.mark("container", "loop")
    match s.dice.below(4):
        case 0:
            page.say(f"{name} = [{x}, {x} + 0.01]", f"{x} = sum({name}) / len({name})")
        case 1:
            page.say(f'{name} = {{"a": {x}, "b": {x} * 0.9}}', f'{x} = {name}["a"] + {name}["b"]')
        case 2:
            s.mark("comprehension")
            page.say(f"{name} = [{x} * k for k in range(1, 3)]", f"{x} = torch.stack({name}).mean(0)")
        case _:
            page.say(f"{name} = []")
            with page.block("for k in range(2):"):
                make(s, page, scope, "offset", "torch.full", f"({s.width},)", "0.1")
                page.say(f"{name}.append({x} + k * offset)")
            page.say(f"{x} = torch.cat({name})[: {x}.size(0)]")


def carried(s: Sketch, page: Page, scope: Scope, x: str) -> None:
    name = s.fresh("state", "average", "ema")
    s.mark("loop")
    make(s, page, scope, name, "torch.zeros", str(s.width))
    if s.dice.chance(30):
        page.say("turns = 0")
        with page.block("while turns < 2:"):
            page.say(f"{name} = 0.5 * {name} + {x}.mean(0)", "turns += 1")
    else:
        with page.block("for _ in range(2):"):
            page.say(f"{name} = 0.5 * {name} + {x}.mean(0)")
    page.say(f"{x} = {x} + {name}.detach()")


def snapshot(s: Sketch, page: Page, scope: Scope, x: str) -> None:
    name = s.fresh("snapshot", "on_host", "kept")
    page.say(f"{name} = {x}.detach().cpu()")
    if s.slips():
        page.say(f"{x} = {x} - {name}.mean(0)")
    elif s.dice.chance(40):
        bring(s, page, scope, [name])
        page.say(f"{x} = {x} + 0.1 * {name}")
    else:
        page.say(
            s.dice.one_of(f"print({name}.mean().item())", f"print({name}.numpy().std())", f"{x} = {x} - {name}.mean()")
        )


def numbers(s: Sketch, page: Page, scope: Scope, x: str) -> None:
    name = s.fresh("values", "array", "stats")
    read = f"{x}.detach()" if s.slips() else s.dice.one_of(f"{x}.detach().cpu()", f"{x}.cpu().detach()")
    page.say(f"{name} = {read}.numpy()", f"print({name}.mean())")


def alias(s: Sketch, page: Page, scope: Scope, x: str) -> None:
    name = s.fresh("inputs", "clean", "before")
    s.mark("alias")
    page.say(f"{name} = {x}")
    s.dice.one_of(noise, mask)(s, page, scope, x)
    page.say(
        s.dice.one_of(f"{x} = {x} - {name}.mean()", f"{x}, {name} = {name}, {x}", f"{x} = torch.lerp({x}, {name}, 0.5)")
    )


def lookup(s: Sketch, page: Page, scope: Scope, x: str) -> None:
    name = s.fresh("table", "prototypes", "codebook")
    make(s, page, scope, name, "torch.eye", str(s.width))
    page.say(f"{x} = {x} + {name}[{x}.argmax(1)]")


def optional(s: Sketch, page: Page, scope: Scope, x: str) -> None:
    if scope.spare is None:
        return
    s.mark("branch under a guard")
    with page.block(f"if {scope.spare}:"):
        s.dice.one_of(noise, mask, lookup)(s, page, scope, x)


def filled(s: Sketch, page: Page, scope: Scope, x: str) -> None:
    name = s.fresh("filled", "buffer")
    make(s, page, scope, name, "torch.empty", f"{x}.size(0)", str(s.width))
    match s.dice.below(3):
        case 0:
            page.say(f"{name}[:] = {x}", f"{x} = {x} + {name}")
        case 1:
            page.say(f"{name}.copy_({x})", f"{x} = {name} * 2")
        case _:
            s.mark("loop")
            with page.block(f"for row in range({x}.size(0)):"):
                page.say(f"{name}[row] = {x}[row]")
            page.say(f"{x} = 0.5 * ({x} + {name})")


def nested(s: Sketch, page: Page, scope: Scope, x: str) -> None:
    name = s.fresh("centre", "standardise")
    s.mark("nested function")
    with page.block(f"def {name}(t):"):
        inner = Scope(scope.scheme, ["t"], None, None)
        s.dice.one_of(noise, carried)(s, page, inner, "t")
        page.say("return t - t.mean(0)")
    page.say("", f"{x} = {name}({x})")


def guarded_exit(s: Sketch, page: Page, scope: Scope, x: str) -> None:
    s.mark("early exit", "nested function")
    name = s.fresh("clip", "trim", "limit")
    with page.block(f"def {name}(t, most=3.0):"):
        with page.block("if t.abs().max() < most:"):
            page.say("return t")
        make(s, page, Scope(scope.scheme, ["t"]), "bound", "torch.full_like", "t", "most")
        page.say("return torch.minimum(t, bound)")
    page.say("", f"{x} = {name}({x})")


def by_key(s: Sketch, page: Page, scope: Scope, x: str) -> None:
    name = s.fresh("record", "sample", "item")
    s.mark("container")
    page.say(f'{name} = {{"x": {x}, "raw": torch.randn({x}.size(0), {s.width})}}')
    if s.slips():
        page.say(f'{x} = {name}["x"] + {name}["raw"]')
        return
    match s.dice.below(3):
        case 0:
            s.mark("comprehension")
            page.say(f"{name} = {{k: v.to({scope.where()}) for k, v in {name}.items()}}")
        case 1:
            s.mark("loop")
            with page.block(f"for key in {name}:"):
                page.say(f"{name}[key] = {name}[key].to({scope.where()})")
        case _:
            page.say(f'{name}["raw"] = {name}["raw"].to({name}["x"].device)')
    page.say(f'{x} = {name}["x"] + {name}["raw"]')


SIDE = (
    (4, noise),
    (2, mixup),
    (3, mask),
    (3, views),
    (3, carried),
    (3, snapshot),
    (2, numbers),
    (3, alias),
    (2, lookup),
    (2, optional),
    (2, filled),
    (2, nested),
    (2, guarded_exit),
    (3, by_key),
)


def side_work(sketch: Sketch, page: Page, scope: Scope, x: str, most: int) -> None:
    """Write up to so many pieces of side work on float features of the device."""
    for _ in range(sketch.dice.below(most + 1)):
        sketch.dice.weighted(*SIDE)(sketch, page, Scope(scope.scheme, [x], scope.model, scope.spare), x)
