"""The training loop: in `main`, in a function, in a nested function, or in the methods of a trainer."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .batches import Source
from .losses import Loss
from .moves import Scope, bring, move_module
from .sidework import side_work
from .sketch import Page, Sketch


@dataclass(frozen=True, slots=True)
class Plan:
    """What is trained with what: the names in `main`, and how the data comes."""

    model: str
    optimizer: str
    source: Source
    loss: Loss
    target: str
    tokens: bool
    teacher: str | None = None
    moved: bool = True

    def objects(self) -> dict[str, str]:
        """Return the objects that training needs, by the names that functions have for them."""
        found = {"model": self.model, "loader": self.source.loader, "optimizer": self.optimizer}
        if self.loss.criterion is not None:
            found["criterion"] = self.loss.criterion
        if self.teacher is not None:
            found["teacher"] = self.teacher
        return found


def write_step(s: Sketch, page: Page, scope: Scope, plan: Plan, names: dict[str, str], x: str, y: str) -> None:
    """Write one step: move the batch, run the model, compute the loss, update."""
    needed = [x, y] if plan.target in ("classes", "value") else [x]
    scope = replace(scope, near=[], model=names["model"])
    if not plan.source.moved:
        if len(needed) > 1 and s.dice.chance(25):
            bring(s, page, scope, [x], floats=not plan.tokens)
            bring(s, page, replace(scope, near=[] if plan.tokens else [x]), [y], floats=plan.target == "value")
        else:
            bring(s, page, scope, needed, floats=not plan.tokens and plan.target != "classes")
    if not plan.tokens:
        side_work(s, page, scope, x, 2)
    page.say(f"{names['optimizer']}.zero_grad()")
    out, loss = s.dice.one_of("outputs", "output", "logits", "pred"), "loss"
    page.say(f"{out} = {names['model']}({x})")
    inner = Page(depth=page.depth)
    plan.loss.write(s, inner, replace(scope, near=[out]), loss, out, y)
    page.lines += [line.replace("CRITERION", names.get("criterion", "")) for line in inner.lines]
    if plan.teacher is not None:
        with page.block("with torch.no_grad():"):
            page.say(f"soft = {names['teacher']}({x})")
        page.say(f"{loss} = {loss} + F.mse_loss({out}, soft)")
    if s.dice.chance(20):
        _penalty(s, page, scope, names["model"], loss)
    page.say(f"{loss}.backward()", f"{names['optimizer']}.step()")


def _penalty(s: Sketch, page: Page, scope: Scope, model: str, loss: str) -> None:
    name = s.fresh("penalty", "reg", "l2")
    s.mark("loop")
    if s.slips():
        start = s.dice.one_of("torch.zeros(1)", "torch.zeros(())")
    else:
        start = s.dice.one_of("torch.tensor(0.0)", "0.0", f"torch.zeros(1, device={scope.where()})")
    page.say(f"{name} = {start}")
    # a host tensor of one dimension mixes with nothing, and one without dimensions cannot be added to in place
    in_place = start == "torch.zeros(())" or ("device" in start and s.dice.chance(50))
    with page.block(f"for p in {model}.parameters():"):
        page.say(f"{name} += p.pow(2).sum()" if in_place else f"{name} = {name} + p.pow(2).sum()")
    page.say(f"{loss} = {loss} + 1e-4 * {name}" + (".sum()" if "(1" in start else ""))


def write_epochs(
    s: Sketch, page: Page, scope: Scope, plan: Plan, names: dict[str, str], *, step: str | None = None
) -> None:
    """Write the loop over epochs and batches; ``step`` is a function that trains on one batch, if there is one."""
    x, y = _batch_names(s, plan)
    s.mark("loop")
    with page.block(s.dice.one_of("for epoch in range(2):", "for epoch in range(1, 2):", "for _ in range(1):")):
        if s.dice.chance(40):
            page.say(f"{names['model']}.train()")
        total = s.dice.chance(40)
        if total:
            page.say("running = 0.0")
        with plan.source.loop(s, page, names["loader"], x, y):
            if step is not None:
                page.say(f"loss = {step}({x}, {y})")
            else:
                if s.dice.chance(8):
                    s.mark("early exit")
                    with page.block(f"if {x}.size(0) < 2:"):
                        page.say(s.dice.one_of("continue", "break"))
                write_step(s, page, scope, plan, names, x, y)
            if total:
                page.say("running += loss.item()")
        if total:
            page.say('print(f"loss {running:.4f}")')


def _batch_names(s: Sketch, plan: Plan) -> tuple[str, str]:
    if plan.tokens:
        return s.dice.one_of(("tokens", "labels"), ("ids", "y"))
    return s.dice.one_of(("x", "y"), ("inputs", "targets"), ("data", "target"), ("features", "labels"))


def in_main(s: Sketch, scope: Scope, plan: Plan) -> None:
    write_epochs(s, s.main, scope, plan, plan.objects())


def in_function(s: Sketch, scope: Scope, plan: Plan) -> None:
    """Write a function that trains, and its call."""
    name = s.fresh("train", "train_model", "fit", "train_epoch")
    objects, parameter = plan.objects(), scope.scheme.parameter
    inner = Scope(scope.scheme.in_function())
    s.functions.say("", "")
    names = list(objects) + ([parameter] if parameter is not None else [])
    with s.functions.block(f"def {name}({', '.join(names)}):"):
        if s.dice.chance(15):
            s.mark("early exit")
            with s.functions.block("if model is None:"):
                s.functions.say("return")
        write_epochs(s, s.functions, inner, plan, {key: key for key in objects})
    given = [*objects.values(), *([scope.scheme.handed] if scope.scheme.handed is not None else [])]
    s.main.say(f"{name}({', '.join(given)})")


def in_nested(s: Sketch, scope: Scope, plan: Plan) -> None:
    """Write a function in `main` that trains on one batch, and the loops that call it."""
    s.mark("nested function")
    name = s.fresh("train_step", "step_on", "update")
    x, y = _batch_names(s, plan)
    s.main.say("")
    with s.main.block(f"def {name}({x}, {y}):"):
        if s.dice.chance(15):
            s.mark("early exit")
            with s.main.block(f"if len({x}) == 0:"):
                s.main.say("return torch.tensor(0.0)")
        write_step(s, s.main, scope, plan, plan.objects(), x, y)
        s.main.say("return loss.detach()")
    s.main.say("")
    write_epochs(s, s.main, scope, plan, plan.objects(), step=name)


def in_trainer(s: Sketch, scope: Scope, plan: Plan) -> None:
    """Write a class that trains, whose methods are called in some order."""
    s.mark("methods in several orders")
    cls, name = s.fresh("Trainer", "Learner", "Runner"), s.fresh("trainer", "learner")
    objects, parameter = plan.objects(), scope.scheme.parameter
    inner = Scope(scope.scheme.in_class())
    own = {key: f"self.{key}" for key in objects}
    page = s.functions
    page.say("", "")
    with page.block(f"class {cls}:"):
        parameters = [*objects, *([parameter] if parameter is not None else [])]
        with page.block(f"def __init__(self, {', '.join(parameters)}):"):
            page.say(*(f"self.{one} = {one}" for one in parameters))
        page.say("")
        with page.block("def prepare(self):"):
            move_module(s, page, inner, "self.model")
        page.say("")
        with page.block("def fit(self):"):
            write_epochs(s, page, inner, plan, own)
        page.say("")
        with page.block("def export(self):"):
            page.say("self.model.cpu()", 'torch.save(self.model.state_dict(), "model.pt")')
            s.mark("checkpoint")
    given = [*objects.values(), *([scope.scheme.handed] if scope.scheme.handed is not None else [])]
    s.main.say(f"{name} = {cls}({', '.join(given)})")
    if s.slips():
        order = s.dice.one_of(
            ["fit"],
            ["fit", "prepare"],
            ["prepare", "export", "fit"],
            ["fit", "prepare", "fit"],
            ["prepare", "fit", "export", "fit"],
        )
    else:
        order = s.dice.one_of(
            ["prepare", "fit"],
            ["prepare", "fit", "prepare", "fit"],
            ["prepare", "fit", "export"],
            ["prepare", "fit", "export", "prepare"],
            ["prepare", "export", "prepare", "fit"],
        )
        order = order[plan.moved and order[1] == "fit" and s.dice.chance(40) :]
    s.main.say(*(f"{name}.{one}()" for one in order))
    if order[-1] == "export" and not s.slips():
        move_module(s, s.main, scope, plan.model)
