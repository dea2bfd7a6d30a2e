"""Networks: classes of modules, or a sequence of layers without a class."""

from __future__ import annotations

from dataclasses import dataclass

from . import habits
from .layers import STEPS, Draft, write_class
from .sketch import Sketch


@dataclass(frozen=True, slots=True)
class Network:
    """How a network is built, and whether it takes token numbers instead of features."""

    build: str
    tokens: bool = False


def network(sketch: Sketch, outputs: int, *, tokens: bool) -> Network:
    """Write a network from features, or token numbers, to so many outputs."""
    w, dice = sketch.width, sketch.dice
    if not tokens and dice.chance(12):
        middle = dice.one_of("nn.ReLU()", f"nn.LayerNorm({w}), nn.Tanh()")
        return Network(f"nn.Sequential(nn.Linear({w}, {w}), {middle}, nn.Linear({w}, {outputs}))")
    name = sketch.fresh("Net", "Classifier", "Model", "Encoder", "Student", "Backbone")
    x = "x" if not tokens else dice.one_of("h", "x")
    draft = Draft(sketch, x)
    given, parent = x, "nn.Module"
    if tokens:
        given = "tokens"
        draft.init.say(f"self.embed = nn.Embedding(20, {w})")
        parent = habits.base_class(sketch, draft, given, floats=False)
        draft.forward.say(f"{x} = self.embed(tokens).mean(1)")
    elif dice.chance(20):
        x = dice.one_of("h", "out", "features")
        draft.forward.say(f"{x} = {given}")
        draft.x = x
        sketch.mark("alias")
    elif draft.x == given:
        parent = habits.base_class(sketch, draft, given, floats=True)
    for _ in range(1 + dice.below(3)):
        dice.weighted(*STEPS)(draft)
    head = draft.attribute("head", "out", "classifier")
    draft.init.say(f"{head} = nn.Linear({w}, {outputs})")
    if dice.chance(12):
        sketch.mark("early exit")
        with draft.forward.block("if not self.training:"):
            draft.forward.say(f"return {head}({draft.x})")
    draft.forward.say(f"{draft.x} = {head}({draft.x})")
    write_class(sketch, name, draft, "self", given, base=parent)
    return Network(f"{name}()", tokens)
