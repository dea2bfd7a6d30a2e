"""Routines around a training loop: accumulated gradients, a validation per epoch, resumed runs, `DataParallel`."""

from __future__ import annotations

from .moves import Scope, bring, move_module
from .networks import network
from .sketch import Page, Sketch


def accumulating(s: Sketch, scope: Scope) -> None:
    """Write a training that steps every other batch, validates after each epoch and keeps the best state."""
    main, w, dice = s.main, s.width, s.dice
    s.mark("loss", "loop", "optimizer", "container", "checkpoint")
    _build(s, scope)
    main.say(f"batches = [(torch.randn(4, {w}), torch.randn(4, 1)) for _ in range(4)]")
    main.say(f"held_out = (torch.randn(4, {w}), torch.randn(4, 1))", 'best, best_state = float("inf"), None')
    with main.block("for epoch in range(2):"):
        main.say("model.train()", "running = 0.0")
        with main.block("for i, (x, y) in enumerate(batches):"):
            bring(s, main, Scope(scope.scheme, model="model"), ["x", "y"])
            main.say("loss = F.mse_loss(model(x), y) / 2", "loss.backward()")
            main.say(dice.one_of("running += loss.item()", "running += loss.detach()", "running += float(loss)"))
            with main.block("if (i + 1) % 2 == 0:"):
                main.say("optimizer.step()", "optimizer.zero_grad()")
        _validate(s, scope)
        with main.block("if error < best:"):
            main.say("best = error")
            main.say(
                dice.one_of(
                    "best_state = copy.deepcopy(model.state_dict())",
                    "best_state = {k: v.cpu().clone() for k, v in model.state_dict().items()}",
                    "best_state = {k: v.detach().clone() for k, v in model.state_dict().items()}",
                )
            )
    main.say("model.load_state_dict(best_state)", "print(best)")
    _look_again(s, scope)


def resuming(s: Sketch, scope: Scope) -> None:
    """Write a training that saves its state after each epoch, and a second one that goes on where the first ended."""
    main, dice = s.main, s.dice
    s.mark("loss", "loop", "optimizer", "checkpoint")
    _write_save_and_load(s, scope)
    build = _build(s, scope)
    given = f", {scope.scheme.handed}" if scope.scheme.handed is not None else ""
    _train(s, scope)
    main.say("save(model, optimizer, 1)")
    again = dice.chance(60)
    if again:
        main.say(f"model = {build}")
        early = dice.chance(30)
        if early:
            main.say(f"epoch = load(model, None{given})")
        if not s.slips():
            move_module(s, main, scope, "model")
        main.say("optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)")
        if not early or dice.chance(50):
            main.say(f"epoch = load(model, optimizer{given})")
    else:
        main.say(f"epoch = load(model, optimizer{given})")
    main.say("print(epoch)")
    _train(s, scope)
    _look_again(s, scope)


def parallel(s: Sketch, scope: Scope) -> None:
    """Write a training of a model in `DataParallel`, whose state is that of the model in it."""
    main, w, dice = s.main, s.width, s.dice
    s.mark("loss", "loop", "optimizer")
    # of a class, a replica's own `parameters()` are none
    main.say(f"model = nn.Sequential(nn.Linear({w}, {w}), nn.{dice.one_of('ReLU', 'Tanh')}(), nn.Linear({w}, 1))")
    wraps = "model = nn.DataParallel(model)"
    first = dice.chance(50)
    if first and not s.slips():
        move_module(s, main, scope, "model")
    always = dice.chance(50)
    if always:
        main.say(wraps)
    else:
        s.mark("branch under a guard")
        with main.block("if torch.cuda.device_count() > 1:"):
            main.say(wraps)
    if not first and not s.slips():
        move_module(s, main, scope, "model")
    main.say("optimizer = torch.optim.SGD(model.parameters(), lr=0.1)")
    main.say(f"batches = [(torch.randn(4, {w}), torch.randn(4, 1)) for _ in range(3)]")
    _train(s, scope, batches=False)
    if always:
        main.say('torch.save(model.module.state_dict(), "model.pt")')
        main.say(f'model.module.load_state_dict(torch.load("model.pt", map_location={scope.where()}))')
    else:
        main.say('core = model.module if hasattr(model, "module") else model')
        main.say('torch.save(core.state_dict(), "model.pt")')
    _look_again(s, scope)


def _build(s: Sketch, scope: Scope) -> str:
    """Write the model and its optimizer, the model moved first; return the call that builds it."""
    build = network(s, 1, tokens=False).build
    s.main.say(f"model = {build}")
    if not s.slips():
        move_module(s, s.main, scope, "model")
    s.main.say("optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)")
    return build


def _train(s: Sketch, scope: Scope, *, batches: bool = True) -> None:
    main, w = s.main, s.width
    source = f"[(torch.randn(4, {w}), torch.randn(4, 1)) for _ in range(2)]" if batches else "batches"
    with main.block(f"for x, y in {source}:"):
        bring(s, main, Scope(scope.scheme, model=None), ["x", "y"])
        main.say("optimizer.zero_grad()", "loss = F.mse_loss(model(x), y)", "loss.backward()", "optimizer.step()")


def _validate(s: Sketch, scope: Scope) -> None:
    main = s.main
    main.say("model.eval()")
    with main.block("with torch.no_grad():"):
        main.say("x, y = held_out")
        bring(s, main, Scope(scope.scheme, model="model"), ["x", "y"])
        main.say(
            s.dice.one_of("error = F.mse_loss(model(x), y).item()", "error = ((model(x) - y) ** 2).mean().cpu().item()")
        )


def _look_again(s: Sketch, scope: Scope) -> None:
    """Write a last use of the model."""
    main = s.main
    main.say(f"probe = torch.randn(2, {s.width})")
    if s.dice.chance(30):
        main.say("model.cpu()" if not s.slips() else "pass", "print(model(probe).sum().item())")
        return
    bring(s, main, Scope(scope.scheme), ["probe"], floats=False)
    main.say("print(model(probe).sum().item())")


def _write_save_and_load(s: Sketch, scope: Scope) -> None:
    dice = s.dice
    page = Page(s.functions.lines)
    parameter = scope.scheme.parameter
    inner = Scope(scope.scheme.in_function())
    page.say("", "")
    with page.block("def save(model, optimizer, epoch):"):
        page.say('state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}')
        page.say('torch.save(state, "last.pt")')
    page.say("", "")
    names = ["model", "optimizer", *([parameter] if parameter is not None else [])]
    with page.block(f"def load({', '.join(names)}):"):
        page.say(f'state = torch.load("last.pt", map_location={dice.one_of(inner.where(), chr(34) + "cpu" + chr(34))})')
        page.say('model.load_state_dict(state["model"])')
        with page.block("if optimizer is not None:"):
            page.say('optimizer.load_state_dict(state["optimizer"])')
        page.say('return state["epoch"]')
