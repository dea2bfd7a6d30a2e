"""Whole programs: what a script consists of, in the order in which people write it."""

from __future__ import annotations

import re
from dataclasses import replace

from . import batches, devices, families, finishing, habits, losses, routines, training
from .drawing import Dice
from .moves import Scope, move_module
from .networks import network
from .sketch import Program, Sketch
from .training import Plan

IMPORTS = """\
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, TensorDataset
"""
TITLES = ("Train a small network.", "Fit a toy model on random data.", "An experiment.")

WRITTEN = {
    ".to(device)": r"\.to\((?:self\.|args\.)?(?:device|DEVICE)\b",
    ".cuda()": r"\.cuda\(",
    '.to("cuda")': r'\.to\("cuda',
    ".to(other.device)": r"\.to\((?!self\.|args\.)\w+\.device\)",
    ".to(other)": r"\.to\((?!device|DEVICE)[a-z_]+\)",
    ".type_as(other)": r"\.type_as\(",
    "device= of a factory": r"torch\.\w+\(.*device=",
    ".cpu()": r"\.cpu\(\)",
    "optimizer": r"optim\.",
    "argparse": r"argparse",
    "class of a module": r"\(nn\.Module\)",
}
"""Constructs that a program has where its text matches; the others are noted while they are written."""

CONSTRUCTS = (
    *WRITTEN,
    *("submodule", "nested function", "methods in several orders", "branch under a guard", "early exit", "loop"),
    *("comprehension", "container", "alias", "module moved", "move in a helper", "discarded move", "conditional move"),
    *("factory", "loss", "collate_fn", "no collate_fn", "checkpoint"),
)
"""What no run may be short of."""

MOVE = re.compile(r"\.to\(|\.cuda\(|\.cpu\(|\.type_as\(|device=")


def moves(program: Program) -> int:
    """Return how many moves and placed factories stand in a program."""
    return len(MOVE.findall(program.text))


def program(dice: Dice) -> Program:
    """Write a program."""
    # about one half of the programs is meant to be right
    s = Sketch(
        dice, dice.weighted((42, 0), (38, 10), (20, 22)), width=dice.one_of(4, 6, 8), classes=dice.one_of(2, 3, 5)
    )
    scope = Scope(devices.choose(s))
    if dice.chance(40):
        scope.spare = s.flag(dice.one_of("augment", "verbose", "extra"))
    if scope.scheme.device is not None and scope.scheme.parameter == "device" and dice.chance(12):
        scope.scheme = replace(
            scope.scheme, device=(place := habits.settings(s, s.main, scope.scheme.device)), handed=place
        )
    family = dice.weighted(
        (80, _write_main),
        (6, families.adversarial),
        (5, families.replay),
        (5, families.sequences),
        (6, families.copies),
        (5, routines.accumulating),
        (5, routines.resuming),
        (4, routines.parallel),
    )
    family(s, scope)
    return _assembled(s)


def _write_main(s: Sketch, scope: Scope) -> None:
    dice, main = s.dice, s.main
    tokens = dice.chance(20)
    target, outputs = losses.target_of(s)
    if dice.chance(50):
        source = batches.source(s, scope, target, tokens=tokens)
    else:
        source = None
    model, optimizer = s.fresh("model", "net"), s.fresh("optimizer", "opt")
    net = network(s, outputs, tokens=tokens)
    style = dice.weighted(
        (4, training.in_main), (6, training.in_function), (3, training.in_nested), (4, training.in_trainer)
    )
    moved = style is not training.in_trainer or dice.chance(50)
    _write_model(s, scope, model, optimizer, net.build, moved=moved)
    teacher = None
    if dice.chance(20) and not tokens:
        teacher = s.fresh("teacher", "target_net")
        main.say(f"{teacher} = {network(s, outputs, tokens=False).build}")
        if not s.slips():
            move_module(s, main, scope, teacher)
    loss = losses.build(s, scope, target)
    source = source or batches.source(s, scope, target, tokens=tokens)
    if source.form == "tuple" and not source.moved and (wrapped := habits.wrapped(s, scope, source.loader)) is not None:
        source = batches.Source(wrapped, "tuple", True)
    plan = Plan(model, optimizer, source, loss, target, tokens, teacher, moved)
    style(s, Scope(scope.scheme, spare=scope.spare), plan)
    for part in dice.some_of((finishing.evaluate, finishing.checkpoint, finishing.predict), 3):
        part(s, scope, plan)


def _write_model(s: Sketch, scope: Scope, model: str, optimizer: str, build: str, *, moved: bool) -> None:
    """Write the lines that build the model, move it, and build its optimizer, in one of their orders."""
    dice, main = s.dice, s.main
    kind = dice.weighted(
        (5, "SGD({}, lr=0.01)"),
        (4, "Adam({}, lr=1e-3)"),
        (2, "SGD({}, lr=0.01, momentum=0.9)"),
        (2, "AdamW({})"),
        (1, "Adagrad({}, lr=0.01)"),
    )
    given = dice.one_of(f"{model}.parameters()", f'[{{"params": {model}.parameters()}}]')
    build_optimizer = f"{optimizer} = torch.optim.{kind.format(given)}"
    inline = dice.chance(40) and scope.scheme.device is not None and moved
    main.say(f"{model} = {build}" + (f".to({scope.scheme.device})" if inline else ""))
    if inline or not moved:
        s.mark(*(["module moved"] if inline else []))
        main.say(build_optimizer)
        return
    early = dice.chance(20) and ("Adagrad" not in kind or s.slips())
    if early:
        main.say(build_optimizer)
    if not s.slips():
        move_module(s, main, scope, model)
    if not early:
        main.say(build_optimizer)


def _assembled(s: Sketch) -> Program:
    head = [f'"""{s.dice.one_of(*TITLES)}"""', ""]
    imports = IMPORTS.splitlines()
    body: list[str] = []
    written = "\n".join([*s.main.lines, *s.constants.lines])
    needed = [name for name in ("argparse", "copy") if f"{name}." in written or (name == "argparse" and s.arguments)]
    if needed:
        imports = [*(f"import {name}" for name in needed), "", *imports]
    if s.arguments:
        body = [
            "    parser = argparse.ArgumentParser()",
            *(f"    {line}" for line in s.arguments),
            "    args = parser.parse_args()",
        ]
    pages = [s.helpers, s.networks, s.data, s.functions]
    lines = [*head, *imports, *(["", *s.constants.lines] if s.constants.lines else [])]
    for page in pages:
        lines += page.lines
    lines += ["", "", "def main():", *body, *s.main.lines, "", "", 'if __name__ == "__main__":', "    main()", ""]
    text = "\n".join(lines)
    found = {name for name, pattern in WRITTEN.items() if re.search(pattern, text)}
    return Program(text, tuple(s.switches), frozenset(found | s.constructs))
