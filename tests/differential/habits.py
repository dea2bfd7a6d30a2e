"""Habits of people who write networks: base classes, a device of their own, inputs that are moved inside."""

from __future__ import annotations

from .devices import AVAILABLE
from .layers import Draft
from .moves import Scope
from .sketch import Page, Sketch

BASE = """
class NAME(nn.Module):
    @property
    def device(self):
        return next(self.parameters()).device

    def count(self):
        return sum(p.numel() for p in self.parameters())
"""
MOVING_BASE = """
class NAME(nn.Module):
    def on_own_device(self, *tensors):
        device = next(self.parameters()).device
        moved = tuple(t.to(device) for t in tensors)
        return moved if len(moved) > 1 else moved[0]
"""


def base_class(sketch: Sketch, draft: Draft, given: str, *, floats: bool) -> str:
    """Return the name of the base of a network; one of the program's own gives it a device to use."""
    dice = sketch.dice
    match dice.weighted((6, "module"), (2, "property"), (1, "moving")):
        case "property":
            name = base(sketch, "base", "BaseModel", BASE)
            if dice.chance(50):
                noise = sketch.fresh("noise", "jitter") if floats else ""
                if floats:
                    draft.forward.say(
                        f"{noise} = torch.rand({given}.shape, device=self.device)",
                        f"{given} = {given} + 0.01 * {noise}",
                    )
                else:
                    draft.forward.say(f"{given} = {given}.to(self.device)")
            return name
        case "moving":
            name = base(sketch, "moving base", "MovingModule", MOVING_BASE)
            draft.forward.say(f"{given} = self.on_own_device({given})")
            return name
        case _:
            return "nn.Module"


def base(sketch: Sketch, key: str, name: str, text: str) -> str:
    """Write a base class where it was not written yet, and return its name."""
    if key not in sketch.written:
        sketch.written[key] = sketch.fresh(name)
        sketch.networks.say("", "", *text.replace("NAME", sketch.written[key]).strip("\n").split("\n"))
    return sketch.written[key]


PREFETCHER = """
class NAME:
    def __init__(self, loader, device):
        self.loader = loader
        self.device = device

    def __len__(self):
        return len(self.loader)

    def __iter__(self):
        for batch in self.loader:
            yield [item.to(self.device) for item in batch]
"""
BATCHES = """
def NAME(loader, device):
    for x, y in loader:
        yield x.to(device), y.to(device)
"""


def wrapped(sketch: Sketch, scope: Scope, loader: str) -> str | None:
    """Wrap a loader of pairs in one that moves them; return its name, or None where this is not done here."""
    dice = sketch.dice
    if scope.scheme.device is None or not dice.chance(12):
        return None
    sketch.mark("move in a helper")
    text, name = dice.one_of((PREFETCHER, "DeviceLoader"), (BATCHES, "device_batches"))
    helper = sketch.once(name, name, text)
    if text is BATCHES:
        return f"{helper}({loader}, {scope.scheme.device})"
    made = sketch.fresh("moving_loader", "feed")
    sketch.main.say(f"{made} = {helper}({loader}, {scope.scheme.device})")
    return made


def settings(sketch: Sketch, page: Page, expression: str) -> str:
    """Write an object that holds the device, and return the expression that reads it there."""
    match sketch.dice.below(3):
        case 0:
            sketch.mark("container")
            page.say(f'config = {{"device": {expression}, "lr": 0.01}}')
            return 'config["device"]'
        case 1:
            if "config" not in sketch.written:
                sketch.written["config"] = "Config"
                sketch.constants.say(
                    "",
                    "",
                    "class Config:",
                    f"    device = torch.device('cuda' if {AVAILABLE} else 'cpu')",
                    "    lr = 0.01",
                )
            return "Config.device"
        case _:
            page.say("settings = argparse.Namespace()", f"settings.device = {expression}")
            return "settings.device"
