"""Writes PyTorch's own samples of modules, losses and optimizers as short scripts."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import torch
from agreement_scripts import MOST_OPERANDS, Script, Written
from script_text import Operand, Unspeakable, runs, spell

HEAD = "import torch\nfrom torch import nn\n"


def module_scripts(info: Any, number: int) -> Written:
    """The scripts of an entry of `module_db`, of as many samples as are asked for."""
    written = Written()
    name = info.module_cls.__name__
    if getattr(torch.nn, name, None) is not info.module_cls:
        written.reason = "it is no class of `torch.nn`"
        return written
    seen: set[str] = set()
    for sample in itertools.islice(_samples(info), 4 * number):
        for literal in (False, True):
            try:
                found = [each for each in _placed(name, sample, literal) if each.text not in seen]
            except Unspeakable:
                continue
            seen.update(each.text for each in found)
            written.scripts += found
            if found:
                break
        if len({each.text for each in written.scripts if each.placement == "all on the device"}) >= number:
            break
    return written


def _samples(info: Any) -> Iterator[Any]:
    samples = info.module_inputs_func(info, device="cpu", dtype=torch.float32, requires_grad=False, training=True)
    return (sample for sample in samples if sample.forward_input is not None)


def _arguments(given: Any, operands: list[Operand], literal: bool) -> str:
    arguments = [spell(each, operands, literal) for each in given.args]
    return ", ".join(arguments + [f"{key}={spell(each, operands, literal)}" for key, each in given.kwargs.items()])


def _placed(name: str, sample: Any, literal: bool) -> Iterator[Script]:
    """The module on the device and all its inputs; each input in turn on the host; the module left there."""
    operands: list[Operand] = []
    constructor = _arguments(sample.constructor_input, operands, literal)
    weights = [each.name for each in operands]
    forward = _arguments(sample.forward_input, operands, literal)
    inputs = [each.name for each in operands[len(weights) :]]

    def text(host: frozenset[str], move: bool = True, scalars: frozenset[str] = frozenset()) -> str:
        made = "".join(
            each.line(on_device=each.name not in host, scalar=each.name in scalars) + "\n" for each in operands
        )
        moved = "layer = layer.cuda()\n" if move else ""
        return f"{HEAD}{made}layer = nn.{name}({constructor})\n{moved}result = layer({forward})\n"

    everything = frozenset(inputs + weights)
    operator = f"nn_{name}"
    if not runs(text(everything, move=False)):
        return
    yield Script(operator, "module", "all on the device", text(frozenset(weights)))
    yield Script(operator, "module", "not moved", text(frozenset(weights), move=False))
    if weights:
        yield Script(operator, "module", "weights made on the device", text(frozenset(), move=False))
    for each in inputs[:MOST_OPERANDS]:
        alone = frozenset([each])
        yield Script(operator, "module", f"{each} on the host", text(alone | frozenset(weights)))
        yield Script(operator, "module", f"{each} on the host, not moved", text(alone, move=False))
        if len(inputs) > 1:
            yield Script(operator, "module", f"only {each} on the device", text(everything - alone))
        operand = next(one for one in operands if one.name == each)
        if operand.tensor.dim() > 0 and runs(text(everything, False, alone)):
            placement = f"{each} without dimensions on the host"
            yield Script(operator, "module", placement, text(alone | frozenset(weights), True, alone))


OPTIMIZING = """\
x = torch.randn(4, 3, device="cuda")


def closure():
    optimizer.zero_grad()
    loss = model(x).pow(2).mean()
    loss.backward()
    return loss


optimizer.step(closure)
"""
BUILT = "optimizer = torch.optim.{name}(model.parameters(){options})\n"
MOVED = "model.cuda()\n"


def optimizer_scripts(info: Any) -> Written:
    """The scripts of an entry of `optim_db`: the orders in which it is built and the model moves."""
    written = Written()
    name = info.optim_cls.__name__
    if getattr(torch.optim, name, None) is not info.optim_cls:
        written.reason = "it is no class of `torch.optim`"
        return written
    seen: set[str] = set()
    for sample in info.optim_inputs_func("cpu"):
        operands: list[Operand] = []
        try:
            options = "".join(f", {key}={spell(each, operands, True)}" for key, each in sample.kwargs.items())
        except Unspeakable:
            continue
        made = "".join(each.line(on_device=False) + "\n" for each in operands)
        build = BUILT.format(name=name, options=options)
        start = f"{HEAD}{made}model = nn.Linear(3, 2)\n"
        host = start + build + OPTIMIZING.replace(', device="cuda"', "")
        if not runs(host):
            continue
        first = OPTIMIZING.replace(', device="cuda"', "").replace("x =", "start =").replace("model(x)", "model(start)")
        load = "optimizer.load_state_dict(state)\n"
        again = host + "state = optimizer.state_dict()\nmodel = nn.Linear(3, 2)\n"
        orders = {
            "moved first": start + MOVED + build + OPTIMIZING,
            "moved after it was built": start + build + MOVED + OPTIMIZING,
            "moved after a step": start + build + first + MOVED + OPTIMIZING,
            "state loaded after the move": again + MOVED + build + load + OPTIMIZING,
            "state loaded before the move": again + build + load + MOVED + OPTIMIZING,
        }
        for order, text in orders.items():
            if text not in seen:
                seen.add(text)
                written.scripts.append(Script(name, "optimizer", order, text))
    return written
