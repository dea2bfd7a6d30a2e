"""What the interpreter infers, with no rule in between: the cases in `interpreter_cases/` say it line by line.

A comment `# reveal: …` behind an assignment states where the assigned value is:

- `cpu`, `cuda:1`, `device`, `the device of x`: a tensor, module or device on a concrete or symbolic device;
- `cpu if not flag | cuda if flag and cuda`: several possibilities, sorted, each with its condition (`cuda` as a
  guard says that CUDA is there); `device (cpu if not cuda | cuda if cuda)` is a name with what it expands to;
- `unknown`: nothing is known; `None`, `True`, `'cuda'`: a literal; `flag cuda`: a boolean that stands for a guard;
- `list of cpu, cuda`, `tuple of cpu, …`: a container, `…` for any number of the element before it;
- `cpu [2]`, `cpu [1-3]`, `cpu [0-]`: the rank of a tensor too, where the comment asks for it;
- `cpu; cuda`: what the line assigned, in order, where it ran more than once with different values;
- `never`: the line is not reached.
"""

from __future__ import annotations

import re
from pathlib import Path

import libcst as cst
import pytest

from torchdevlint import positions
from torchdevlint.interpreter.driver import interpret
from torchdevlint.interpreter.frames import MAX_EXITS
from torchdevlint.interpreter.run import MAX_WORK, Run
from torchdevlint.knowledge import DEFAULT
from torchdevlint.lattice import ANY, ANYWHERE, Condition, Device, Placement, Symbol
from torchdevlint.values import (
    Choice,
    Const,
    Container,
    Flag,
    Function,
    Loader,
    Module,
    Object,
    Opaque,
    Tensor,
    Value,
)
from torchdevlint.values import Device as DeviceValue

CASES = sorted((Path(__file__).parent / "interpreter_cases").glob("*.py"))
_REVEAL = re.compile(r"#\s*reveal:\s*(?P<text>.*\S)\s*$")
_RANK = re.compile(r" \[\d+(?:-\d*)?\]")
_IDENTITY = re.compile(r"[#?]\d+")


def condition_text(condition: Condition) -> str:
    literals = sorted((_IDENTITY.sub("", guard), truth) for guard, truth in condition)
    return " and ".join(guard if truth else f"not {guard}" for guard, truth in literals)


def device_text(device: Device) -> str:
    if device == ANYWHERE:
        return "unknown"
    text = str(device).replace("`", "")
    if isinstance(device, Symbol) and device.expansion is not None:
        return f"{text} ({placement_text(device.expansion)})"
    return text


def placement_text(placement: Placement) -> str:
    return " | ".join(
        sorted(device_text(p.device) + (f" if {condition_text(p.condition)}" if p.condition else "") for p in placement)
    )


def rank_text(low: int, high: int | None) -> str:
    return f" [{low}]" if low == high else f" [{low}-{'' if high is None else high}]"


def text_of(run: Run, value: Value) -> str:
    """Return what a comment says of a value."""
    match value:
        case Tensor():
            return placement_text(value.placement) + rank_text(*value.rank)
        case DeviceValue():
            return placement_text(value.placement)
        case Opaque() if value.placement != ANY:
            return placement_text(value.placement)
        case Module() | Opaque():
            placement = run.module_placement(value)
            return "unknown" if placement is None else placement_text(placement)
        case Object():
            return placement_text(run.placement_of(value))
        case Const():
            return repr(value.value)
        case Flag():
            return f"flag {condition_text(value.when_true)}"
        case Container():
            items = run.items(value)
            parts = [text_of(run, item) for _, item in items.exact]
            if items.rest is not None or items.lost:
                parts += ["unknown" if items.lost or items.rest is None else text_of(run, items.rest), "…"]
            return f"{value.kind} of {', '.join(parts)}".replace(", …", " …")
        case Choice():
            texts = {
                text_of(run, option) + (f" if {condition_text(condition)}" if condition else "")
                for option, condition in value.options
            }
            return " | ".join(sorted(texts))
        case Loader():
            return f"loader of {text_of(run, value.item)}"
        case Function():
            return "function"
        case _:
            return "unknown"


def reveal(source: str) -> dict[int, list[str]]:
    """Return what each line assigned, in order, without repeats."""
    seen: list[tuple[cst.CSTNode, str]] = []
    module = cst.parse_module(source)
    interpret(module, source, DEFAULT, probe=lambda run, node, value: seen.append((node, text_of(run, value))))
    spans = positions.locate(module, {node for node, _ in seen})
    lines: dict[int, list[str]] = {}
    for node, text in seen:
        texts = lines.setdefault(spans[node].line, [])
        if text not in texts:
            texts.append(text)
    return lines


def expected(source: str) -> dict[int, str]:
    found = {}
    for number, line in enumerate(source.splitlines(), 1):
        match = _REVEAL.search(line)
        if match is not None:
            found[number] = match["text"]
    return found


def asked_for(texts: list[str], wanted: str) -> str:
    """Return what a line assigned, with ranks only where the comment has them."""
    if not texts:
        return "never"
    kept = texts if _RANK.search(wanted) else list(dict.fromkeys(_RANK.sub("", text) for text in texts))
    return "; ".join(kept)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_reveals(path: Path) -> None:
    source = path.read_text("utf-8")
    wanted = expected(source)
    assert wanted
    found = reveal(source)
    assert {line: asked_for(found.get(line, []), text) for line, text in wanted.items()} == wanted


def test_calls_of_one_function_have_a_budget() -> None:
    long = "def move(x):\n" + "    y = x\n" * MAX_WORK + "    return x.cuda()\n"
    short = "def brief(x):\n    return x.cuda()\n"
    calls = "x = torch.ones(3)\na = move(x)\nb = move(x)\nc = brief(x)\n"
    found = reveal(f"import torch\n{long}{short}{calls}")
    moved, again, other = list(found.values())[-3:]
    assert moved == other
    assert moved[0].startswith("cuda")
    assert again != moved


@pytest.mark.parametrize(("way", "many", "told"), [("break", 0, True), ("break", 2, False), ("continue", 2, False)])
def test_a_loop_with_too_many_ways_out_tells_nothing_of_what_they_wrote(way: str, many: int, told: bool) -> None:
    end = f"        t = torch.ones(2)\n        items.append(t)\n        net.cpu()\n        {way}\n"
    ways = "".join(f"    if x.shape[0] == {i}:\n{end}" for i in range(MAX_EXITS + many if many else 2))
    start = "import torch\nfrom elsewhere import loader\nt = torch.ones(2)\nitems = [t]\nnet = torch.nn.Linear(2, 2)\n"
    found = reveal(f"{start}kept = torch.ones(3)\nfor x in loader:\n{ways}a = t\nb = net\nc = kept\nd = items\n")
    tensor, module, kept, items = (asked_for(texts, "") for texts in list(found.values())[-4:])
    assert kept == "cpu"
    assert (tensor, module) == (("cpu", "cpu") if told else ("unknown", "unknown"))
    assert ("unknown" in items) is not told
