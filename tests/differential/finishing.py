"""What follows the training: evaluation, checkpoints, predictions."""

from __future__ import annotations

from dataclasses import replace

from .moves import Scope, bring, move_module
from .sketch import Page, Sketch
from .training import Plan


def evaluate(s: Sketch, scope: Scope, plan: Plan) -> None:
    """Write an evaluation, in a function or in `main`."""
    if s.dice.chance(60):
        name, parameter = s.fresh("evaluate", "validate", "test"), scope.scheme.parameter
        names = ["model", "loader", *([parameter] if parameter is not None else [])]
        s.functions.say("", "")
        if s.dice.chance(50):
            s.functions.say("@torch.no_grad()")
        with s.functions.block(f"def {name}({', '.join(names)}):"):
            inner = Scope(scope.scheme.in_function(), model="model")
            _measure(s, s.functions, inner, plan, "model", "loader", returned=True)
        given = [plan.model, plan.source.loader, *([scope.scheme.handed] if scope.scheme.handed is not None else [])]
        s.main.say(f"print({name}({', '.join(given)}))")
    else:
        _measure(
            s, s.main, replace(scope, near=[], model=plan.model), plan, plan.model, plan.source.loader, returned=False
        )


def _measure(s: Sketch, page: Page, scope: Scope, plan: Plan, model: str, loader: str, *, returned: bool) -> None:
    x, y = ("tokens", "labels") if plan.tokens else s.dice.one_of(("x", "y"), ("inputs", "labels"))
    page.say(f"{model}.eval()")
    kind = (
        s.dice.one_of("counted", "collected", "arrays")
        if plan.target == "classes"
        else s.dice.one_of("error", "arrays")
    )
    page.say(*{"counted": ["correct = 0"], "error": ["total = 0.0"]}.get(kind, ["preds, truth = [], []"]))
    if kind in ("collected", "arrays"):
        s.mark("container")
    with page.block("with torch.no_grad():"), plan.source.loop(s, page, loader, x, y):
        both = kind in ("counted", "error") and plan.target in ("classes", "value")
        if not plan.source.moved:
            bring(s, page, scope, [x, y] if both else [x], floats=False)
        out = s.dice.one_of("outputs", "out")
        page.say(f"{out} = {model}({x})")
        _read(s, page, plan, kind, out, y)
    if kind == "collected":
        truth = "torch.cat(truth)"
        page.say(f"correct = (torch.cat(preds) == {truth}).sum().item()")
    result = {"counted": "correct", "collected": "correct", "error": "total"}.get(kind, "len(preds)")
    page.say(f"return {result}" if returned else f"print({result})")


def _read(s: Sketch, page: Page, plan: Plan, kind: str, out: str, y: str) -> None:
    at = y if not plan.source.moved else f"{y}.cpu()"
    match kind:
        case "counted":
            page.say(
                s.dice.one_of(
                    f"correct += ({out}.argmax(1) == {y}).sum().item()",
                    f"correct += {out}.argmax(1).eq({y}).sum().item()",
                )
            )
        case "error" if plan.target == "value":
            page.say(f"total += (({out} - {y}) ** 2).mean().item()")
        case "error":
            page.say(f"total += {out}.pow(2).mean().item()")
        case "collected":
            kept = (
                f"{out}.argmax(1)"
                if s.slips()
                else s.dice.one_of(f"{out}.argmax(1).cpu()", f"{out}.cpu().argmax(1)", f"{out}.argmax(1).to('cpu')")
            )
            page.say(f"preds.append({kept})", f"truth.append({at})")
        case _:
            read = (
                f"{out}.numpy()"
                if s.slips()
                else s.dice.one_of(f"{out}.cpu().numpy()", f"{out}.detach().cpu().numpy()", f"{out}.tolist()")
            )
            page.say(f"preds.append({read})", f"truth.append({at}.numpy())")


def checkpoint(s: Sketch, scope: Scope, plan: Plan) -> None:
    """Write a checkpoint and what is done with it."""
    s.mark("checkpoint")
    main, model = s.main, plan.model
    match s.dice.below(5):
        case 0:
            main.say(f'torch.save({model}.state_dict(), "model.pt")')
            main.say(f'{model}.load_state_dict(torch.load("model.pt", map_location={scope.where()}))')
        case 1:
            main.say(f"{model}.cpu()", f'torch.save({model}.state_dict(), "model.pt")')
            if not s.slips():
                move_module(s, main, scope, model)
        case 2:
            s.mark("comprehension")
            main.say(
                f"state = {{key: value.cpu() for key, value in {model}.state_dict().items()}}",
                'torch.save(state, "model.pt")',
            )
        case 3:
            main.say(f'torch.save({{"model": {model}.state_dict(), "mean": torch.zeros({s.width})}}, "checkpoint.pt")')
            place = s.dice.one_of(scope.where(), '"cpu"')
            main.say(f'checkpoint = torch.load("checkpoint.pt", map_location={place})')
            main.say(f'{model}.load_state_dict(checkpoint["model"])')
        case _:
            optimizer = plan.optimizer
            main.say(
                f'torch.save({{"model": {model}.state_dict(), "optimizer": {optimizer}.state_dict()}}, "checkpoint.pt")'
            )
            main.say('checkpoint = torch.load("checkpoint.pt", map_location="cpu")')
            main.say(
                f'{model}.load_state_dict(checkpoint["model"])', f'{optimizer}.load_state_dict(checkpoint["optimizer"])'
            )


def predict(s: Sketch, scope: Scope, plan: Plan) -> None:
    """Write a prediction for one sample."""
    main, name = s.main, s.fresh("sample", "example", "probe")
    if s.dice.chance(30):
        s.mark("early exit")
        with main.block(f"if {s.flag('skip-demo')}:"):
            main.say("return")
    main.say(f"{name} = torch.zeros(2, 5, dtype=torch.long)" if plan.tokens else f"{name} = torch.randn(2, {s.width})")
    scope = replace(scope, near=[], model=plan.model)
    if s.dice.chance(15):
        bring(s, main, replace(scope, model=None), [name], floats=False)
        main.say(f"{plan.model}.eval()", f"result = {plan.model}({name})")
    else:
        bring(s, main, scope, [name], floats=False)
        main.say(f"{plan.model}.eval()", f"result = {plan.model}({name})")
    read = (
        "result.detach().numpy()"
        if s.slips()
        else s.dice.one_of(
            "result.detach().cpu().numpy()", "result.shape", "result.cpu().tolist()", "result.mean().item()"
        )
    )
    main.say(f"print({read})")
