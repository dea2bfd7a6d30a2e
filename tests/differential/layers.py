"""Steps of a network's `forward`: what each keeps on the module, and how it changes the features at hand."""

from __future__ import annotations

from dataclasses import dataclass, field

from .sketch import Page, Sketch


@dataclass
class Draft:
    """A network that is written: its `__init__`, further methods, its `forward`, and the features there."""

    sketch: Sketch
    x: str
    init: Page = field(default_factory=lambda: Page(depth=2))
    methods: Page = field(default_factory=lambda: Page(depth=1))
    forward: Page = field(default_factory=lambda: Page(depth=2))
    method: bool = True

    def attribute(self, *names: str) -> str:
        return f"self.{self.sketch.fresh(*names)}"

    def made(self, factory: str, *given: str) -> str:
        """Return an expression that makes a tensor where the features are, or a mistaken one."""
        sketch, arguments = self.sketch, ", ".join(given)
        sketch.mark("factory")
        if sketch.slips():
            return f"{factory}({arguments})"
        return sketch.dice.weighted(
            (6, f"{factory}({arguments}, device={self.x}.device)"),
            (2, f"{factory}({arguments}).to({self.x}.device)"),
            (1, f"{factory}({arguments}).to({self.x})"),
            (1, f"{factory}({arguments}).type_as({self.x})"),
            (int(self.method), f"{factory}({arguments}, device=next(self.parameters()).device)"),
        )

    def kept(self, attribute: str, value: str) -> str:
        """Write a tensor of the module, and return the expression that it is used by."""
        sketch, name = self.sketch, attribute.removeprefix("self.")
        if sketch.slips():
            self.init.say(f"{attribute} = {value}")
            return attribute
        match sketch.dice.weighted((5, "buffer"), (3, "parameter"), (2, "at use"), (1, "buffer class")):
            case "buffer":
                self.init.say(f'self.register_buffer("{name}", {value})')
            case "parameter":
                self.init.say(f"{attribute} = nn.Parameter({value})")
            case "buffer class":
                self.init.say(f"{attribute} = nn.Buffer({value})")
            case _:
                self.init.say(f"{attribute} = {value}")
                return sketch.dice.one_of(f"{attribute}.to({self.x}.device)", f"{attribute}.to({self.x})")
        return attribute

    def listed(self, attribute: str, items: str) -> None:
        """Write a list of modules, registered or not."""
        if self.sketch.slips():
            self.init.say(f"{attribute} = {items}")
        else:
            self.init.say(f"{attribute} = nn.ModuleList({items})")


def linear(d: Draft) -> None:
    w, name = d.sketch.width, d.attribute("fc", "hidden", "proj")
    d.init.say(f"{name} = nn.Linear({w}, {w})")
    call = d.sketch.dice.one_of("torch.relu", "F.relu", "torch.tanh")
    d.forward.say(f"{d.x} = {call}({name}({d.x}))")


def sequential(d: Draft) -> None:
    w, name = d.sketch.width, d.attribute("body", "net", "features")
    inner = d.sketch.dice.one_of(
        "nn.ReLU()", f"nn.LayerNorm({w}), nn.ReLU()", "nn.Dropout(0.1)", f"nn.BatchNorm1d({w})"
    )
    d.init.say(f"{name} = nn.Sequential(nn.Linear({w}, {w}), {inner}, nn.Linear({w}, {w}))")
    d.forward.say(f"{d.x} = {name}({d.x})")


def listed_layers(d: Draft) -> None:
    w, name = d.sketch.width, d.attribute("layers", "blocks", "stages")
    d.sketch.mark("comprehension", "loop", "container")
    d.listed(name, f"[nn.Linear({w}, {w}) for _ in range(2)]")
    match d.sketch.dice.below(4):
        case 0:
            with d.forward.block(f"for layer in {name}:"):
                d.forward.say(f"{d.x} = torch.relu(layer({d.x}))")
        case 1:
            with d.forward.block(f"for i in range(len({name})):"):
                d.forward.say(f"{d.x} = {d.x} + {name}[i]({d.x})")
        case 2:
            d.forward.say(f"outs = [layer({d.x}) for layer in {name}]", f"{d.x} = torch.stack(outs).mean(0)")
        case _:
            d.forward.say("outs = []")
            with d.forward.block(f"for i, layer in enumerate({name}):"):
                with d.forward.block("if i == 0:"):
                    d.forward.say("continue")
                d.forward.say(f"outs.append(layer({d.x}))")
            d.forward.say(f"{d.x} = sum(outs)")


def by_name(d: Draft) -> None:
    w, name = d.sketch.width, d.attribute("heads", "experts", "branches")
    d.sketch.mark("container")
    items = f'{{"left": nn.Linear({w}, {w}), "right": nn.Linear({w}, {w})}}'
    d.init.say(f"{name} = {items}" if d.sketch.slips() else f"{name} = nn.ModuleDict({items})")
    if d.sketch.dice.chance(50):
        d.forward.say(f'{d.x} = {name}["left"]({d.x}) + {name}["right"]({d.x})')
    else:
        d.sketch.mark("comprehension", "loop")
        d.forward.say(f"{d.x} = sum(expert({d.x}) for expert in {name}.values())")


def scaled(d: Draft) -> None:
    w, name = d.sketch.width, d.attribute("scale", "mean", "gain", "shift")
    value = d.sketch.dice.one_of(
        f"torch.ones({w})", f"torch.zeros({w})", f"torch.linspace(0, 1, {w})", f"torch.tensor([0.5] * {w})"
    )
    used = d.kept(name, value)
    d.forward.say(f"{d.x} = {d.x} {d.sketch.dice.one_of('*', '-', '+')} {used}")


def noisy(d: Draft) -> None:
    noise = d.sketch.dice.one_of("noise", "eps")
    lines = [
        f"{noise} = {d.made('torch.randn', f'{d.x}.size(0)', str(d.sketch.width))}",
        f"{d.x} = {d.x} + 0.1 * {noise}",
    ]
    if d.sketch.dice.chance(25):
        lines[0] = f"{noise} = torch.randn_like({d.x})"
    if d.sketch.dice.chance(40):
        d.sketch.mark("branch under a guard")
        with d.forward.block("if self.training:"):
            d.forward.say(*lines)
    else:
        d.forward.say(*lines)


def masked(d: Draft) -> None:
    mask = d.sketch.dice.one_of("mask", "keep")
    d.forward.say(f"{mask} = {d.made('torch.ones', f'{d.x}.shape[1]')}")
    d.forward.say(
        d.sketch.dice.one_of(
            f"{d.x} = {d.x} * {mask}",
            f"{d.x} = {d.x}.masked_fill({mask} == 0, 0.0)",
            f"{d.x} = torch.where({mask} > 0, {d.x}, torch.zeros_like({d.x}))",
        )
    )


def helped(d: Draft) -> None:
    w = d.sketch.width
    name = d.sketch.fresh("encode", "normalise", "refine", "mix")
    layer = d.attribute("encoder", "inner", "mixer")
    d.init.say(f"{layer} = nn.Linear({w}, {w})")
    d.methods.say("")
    with d.methods.block(f"def {name}(self, t):"):
        if d.sketch.dice.chance(40):
            inner = Draft(d.sketch, "t", d.init, d.methods, d.methods)
            d.sketch.dice.one_of(masked, scaled)(inner)
        if d.sketch.dice.chance(30):
            d.sketch.mark("early exit")
            with d.methods.block("if not self.training:"):
                d.methods.say(f"return {layer}(t)")
        d.methods.say(f"return torch.relu({layer}(t))")
    d.forward.say(f"{d.x} = self.{name}({d.x})")


def recurrent(d: Draft) -> None:
    w, kind = d.sketch.width, d.sketch.dice.one_of("GRU", "LSTM", "RNN")
    name = d.attribute(kind.lower(), "rnn", "memory")
    d.init.say(f"{name} = nn.{kind}({w}, {w}, batch_first=True)")
    steps = f"{d.x}.unsqueeze(1)"
    if d.sketch.dice.chance(30):
        d.forward.say(f"{d.x}, _ = {name}({steps})")
    else:
        state = d.made("torch.zeros", "1", f"{d.x}.size(0)", str(w))
        d.forward.say(f"state = {state}")
        d.forward.say(f"{d.x}, _ = {name}({steps}, {'(state, state)' if kind == 'LSTM' else 'state'})")
    d.forward.say(f"{d.x} = {d.x}[:, -1]")


def positions(d: Draft) -> None:
    w, name = d.sketch.width, d.attribute("positions", "pos", "slots")
    d.init.say(f"{name} = nn.Embedding({w}, {w})")
    sketch = d.sketch
    if sketch.slips():
        where = f"torch.arange({w})"
    else:
        where = sketch.dice.one_of(f"torch.arange({w}, device={d.x}.device)", f"torch.arange({w}).to({d.x}.device)")
    sketch.mark("factory")
    d.forward.say(f"where = {where}", f"{d.x} = {d.x} + {name}(where).mean(0)")


def reordered(d: Draft) -> None:
    w, name = d.sketch.width, d.attribute("order", "permutation")
    d.init.say(f"{name} = {d.sketch.dice.one_of(f'torch.randperm({w})', f'torch.arange({w})', f'list(range({w}))')}")
    d.forward.say(f"{d.x} = {d.x}[:, {name}]")


def nested(d: Draft) -> None:
    name = d.sketch.dice.one_of("squash", "soft")
    d.sketch.mark("nested function")
    with d.forward.block(f"def {name}(t):"):
        inner = Draft(d.sketch, "t", d.init, d.methods, d.forward)
        d.sketch.dice.one_of(scaled, masked)(inner)
        d.forward.say("return torch.tanh(t)")
    d.forward.say("", f"{d.x} = {name}({d.x})")


def skipped(d: Draft) -> None:
    d.sketch.mark("alias")
    other = d.sketch.dice.one_of("residual", "skip", "kept")
    d.forward.say(f"{other} = {d.x}")
    d.sketch.dice.one_of(linear, scaled, sequential)(d)
    d.forward.say(f"{d.x} = {d.x} + {other}")


def cached(d: Draft) -> None:
    w, name = d.sketch.width, d.attribute("cache", "weights")
    d.init.say(f"{name} = None")
    with d.forward.block(f"if {name} is None:"):
        d.forward.say(f"{name} = {d.made('torch.ones', str(w))}")
    d.forward.say(f"{d.x} = {d.x} * {name}")


def block(d: Draft) -> None:
    """Use a module of another class of the program."""
    sketch, w = d.sketch, d.sketch.width
    d.sketch.mark("submodule")
    if "block" not in sketch.written:
        sketch.written["block"] = sketch.fresh("Block", "Residual", "FeedForward")
        inner = Draft(sketch, "x")
        linear(inner)
        sketch.dice.one_of(scaled, masked, noisy, linear)(inner)
        write_class(sketch, sketch.written["block"], inner, "self", "x")
    name = d.attribute("block", "first", "middle", "last")
    if sketch.dice.chance(40):
        sketch.mark("comprehension")
        d.init.say(f"{name} = nn.Sequential(*[{sketch.written['block']}() for _ in range({sketch.dice.one_of(1, 2)})])")
    else:
        d.init.say(f"{name} = {sketch.written['block']}()")
    d.forward.say(f"{d.x} = {name}({d.x})")
    assert w


STEPS = (
    (4, linear),
    (3, sequential),
    (4, listed_layers),
    (2, by_name),
    (5, scaled),
    (3, noisy),
    (3, masked),
    (3, helped),
    (3, recurrent),
    (3, positions),
    (2, reordered),
    (2, nested),
    (3, skipped),
    (2, cached),
    (4, block),
)


def write_class(sketch: Sketch, name: str, draft: Draft, *parameters: str, base: str = "nn.Module") -> None:
    """Write the class of a draft whose features begin as what `forward` is given and are what it returns."""
    page = sketch.networks
    page.say("", "")
    with page.block(f"class {name}({base}):"):
        with page.block("def __init__(self):"):
            page.say("super().__init__()")
        page.lines.extend(draft.init.lines)
        page.lines.extend(draft.methods.lines)
        page.say("")
        with page.block(f"def forward({', '.join(parameters)}):"):
            page.lines.extend(draft.forward.lines)
            page.say(f"return {draft.x}")
