"""Losses: how a program builds one, and the statement that computes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .layers import Draft, write_class
from .moves import Scope, bring, make, move_module
from .sketch import Page, Sketch


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss: an object to hand around (or None), and what writes the statement that computes it."""

    write: Callable[[Sketch, Page, Scope, str, str, str], None]
    criterion: str | None = None


def target_of(sketch: Sketch) -> tuple[str, int]:
    """Return what kind of target the program learns, and the number of outputs for it."""
    return sketch.dice.weighted(
        (6, ("classes", sketch.classes)), (4, ("value", 1)), (1, ("contrast", sketch.width)), (1, ("real", 1))
    )


def build(sketch: Sketch, scope: Scope, target: str) -> Loss:
    """Write what builds the loss in `main`."""
    sketch.mark("loss")
    options = {
        "classes": ((6, _plain), (3, _functional), (4, _weighted), (3, _own_class), (3, _own_function)),
        "value": ((6, _plain), (3, _functional), (3, _own_class)),
        "contrast": ((1, _contrast),),
        "real": ((1, _real),),
    }[target]
    return sketch.dice.weighted(*options)(sketch, scope, target)


def _by_criterion(sketch: Sketch, page: Page, scope: Scope, loss: str, out: str, y: str) -> None:
    page.say(f"{loss} = CRITERION({out}, {y})")


def _plain(sketch: Sketch, scope: Scope, target: str) -> Loss:
    name = sketch.fresh("criterion", "loss_fn", "objective")
    kind = "CrossEntropyLoss" if target == "classes" else sketch.dice.one_of("MSELoss", "L1Loss", "SmoothL1Loss")
    sketch.main.say(f"{name} = nn.{kind}()")
    if sketch.dice.chance(20) and scope.scheme.device is not None:
        sketch.main.say(f"{name} = {name}.to({scope.scheme.device})")
    return Loss(_by_criterion, name)


def _functional(sketch: Sketch, scope: Scope, target: str) -> Loss:
    function = "F.cross_entropy" if target == "classes" else sketch.dice.one_of("F.mse_loss", "F.l1_loss")

    def write(sketch: Sketch, page: Page, scope: Scope, loss: str, out: str, y: str) -> None:
        page.say(f"{loss} = {function}({out}, {y})")

    return Loss(write)


def _weighted(sketch: Sketch, scope: Scope, target: str) -> Loss:
    name, main = sketch.fresh("criterion", "loss_fn"), sketch.main
    values = ", ".join("1.0" for _ in range(sketch.classes))
    make_it = sketch.dice.one_of(f"torch.tensor([{values}])", f"torch.ones({sketch.classes})")
    if sketch.dice.chance(60):
        weight = sketch.fresh("weight", "class_weights")
        main.say(f"{weight} = {make_it}")
        bring(sketch, main, scope, [weight])
        main.say(f"{name} = nn.CrossEntropyLoss(weight={weight})")
    else:
        main.say(f"{name} = nn.CrossEntropyLoss(weight={make_it})")
        if not sketch.slips():
            move_module(sketch, main, scope, name)
    return Loss(_by_criterion, name)


def _own_class(sketch: Sketch, scope: Scope, target: str) -> Loss:
    cls, name = sketch.fresh("FocalLoss", "WeightedLoss", "ScaledLoss"), sketch.fresh("criterion", "loss_fn")
    draft = Draft(sketch, "output")
    size = sketch.classes if target == "classes" else 1
    used = draft.kept(draft.attribute("alpha", "weight", "temperature"), f"torch.ones({size})")
    if target == "classes":
        draft.forward.say(f"output = F.cross_entropy(output * {used}, target)")
    else:
        draft.forward.say(f"output = ((output - target) ** 2 * {used}).mean()")
    write_class(sketch, cls, draft, "self", "output", "target")
    sketch.main.say(f"{name} = {cls}()")
    if not sketch.slips():
        move_module(sketch, sketch.main, scope, name)
    return Loss(_by_criterion, name)


def _own_function(sketch: Sketch, scope: Scope, target: str) -> Loss:
    name = sketch.fresh("smooth_loss", "soft_loss", "compute_loss")
    page, c = sketch.functions, sketch.classes
    page.say("", "")
    inner = Draft(sketch, "output", method=False)
    with page.block(f"def {name}(output, target):"):
        match sketch.dice.below(3):
            case 0:
                page.say(f"one_hot = {inner.made('torch.zeros', 'output.size(0)', str(c))}")
                page.say("one_hot.scatter_(1, target.unsqueeze(1), 1.0)")
            case 1:
                page.say(f"one_hot = F.one_hot(target, {c}).float()")
            case _:
                page.say(f"table = {inner.made('torch.eye', str(c))}", "one_hot = table[target]")
        page.say("log_probs = F.log_softmax(output, dim=1)", "return -(one_hot * log_probs).sum(dim=1).mean()")

    def write(sketch: Sketch, page: Page, scope: Scope, loss: str, out: str, y: str) -> None:
        page.say(f"{loss} = {name}({out}, {y})")

    return Loss(write)


def _contrast(sketch: Sketch, scope: Scope, target: str) -> Loss:
    def write(sketch: Sketch, page: Page, scope: Scope, loss: str, out: str, y: str) -> None:
        page.say(f"similarity = {out} @ {out}.t()")
        make(sketch, page, scope, "own", "torch.arange", f"{out}.size(0)", floats=False)
        page.say(f"{loss} = F.cross_entropy(similarity, own)")

    return Loss(write)


def _real(sketch: Sketch, scope: Scope, target: str) -> Loss:
    name = sketch.fresh("criterion", "bce")
    sketch.main.say(f"{name} = nn.BCEWithLogitsLoss()")

    def write(sketch: Sketch, page: Page, scope: Scope, loss: str, out: str, y: str) -> None:
        make(sketch, page, scope, "real", "torch.ones", f"{out}.size(0)", "1")
        page.say(f"{loss} = CRITERION({out}, real)")

    return Loss(write, name)
