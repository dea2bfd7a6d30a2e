"""How a program chooses its device, and what the choice is called in `main`, in functions and in classes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .sketch import Page, Sketch, Switch

AVAILABLE = "torch.cuda.is_available()"


@dataclass(frozen=True, slots=True)
class Scheme:
    """What stands for the device: an expression, a flag under which things move to the GPU, or neither (always).

    Functions are handed ``handed`` under the name ``parameter``, where they need anything.
    """

    device: str | None = None
    flag: str | None = None
    parameter: str | None = None
    handed: str | None = None

    def in_function(self) -> Scheme:
        """Return the scheme as it reads where only the parameter is known."""
        if self.parameter is None:
            return self
        if self.parameter == "args":
            return self
        if self.parameter == "device":
            return replace(self, device="device", flag=None, handed="device")
        return replace(self, device=None, flag=self.parameter, handed=self.parameter)

    def in_class(self) -> Scheme:
        """Return the scheme as it reads in methods of an object that was handed it."""
        if self.parameter is None:
            return self
        inner = self.in_function()
        device = f"self.{inner.device}" if inner.device is not None else None
        flag = f"self.{inner.flag}" if inner.flag is not None else None
        return replace(inner, device=device, flag=flag, handed=f"self.{self.parameter}")

    def where(self) -> str:
        """Return an expression for the device."""
        if self.device is not None:
            return self.device
        return f'"cuda" if {self.flag} else "cpu"' if self.flag is not None else '"cuda"'


def choose(sketch: Sketch) -> Scheme:
    """Write the lines that choose the device, and return how it is referred to in `main`."""
    write = sketch.dice.weighted(
        (8, _object),
        (4, _text),
        (5, _constant),
        (5, _flag_and_device),
        (5, _flag),
        (5, _switch),
        (5, _no_cuda),
        (4, _args_cuda),
        (6, _args_device),
        (4, _function),
        (4, _branches),
        (4, _default_then_better),
        (3, _gpu_number),
        (5, _always),
        (4, _early_exit),
        (4, _asked_each_time),
    )
    return write(sketch, sketch.main)


def _object(sketch: Sketch, main: Page) -> Scheme:
    text = sketch.dice.one_of(
        f'torch.device("cuda" if {AVAILABLE} else "cpu")', f'torch.device("cuda:0" if {AVAILABLE} else "cpu")'
    )
    main.say(f"device = {text}")
    return Scheme("device", parameter="device", handed="device")


def _text(sketch: Sketch, main: Page) -> Scheme:
    main.say(f'device = "cuda" if {AVAILABLE} else "cpu"')
    return Scheme("device", parameter="device", handed="device")


def _constant(sketch: Sketch, main: Page) -> Scheme:
    name = sketch.dice.one_of("DEVICE", "device")
    sketch.constants.say(f'{name} = torch.device("cuda" if {AVAILABLE} else "cpu")')
    return Scheme(name)


def _flag_and_device(sketch: Sketch, main: Page) -> Scheme:
    main.say(f"use_cuda = {AVAILABLE}", 'device = torch.device("cuda" if use_cuda else "cpu")')
    return Scheme("device", sketch.dice.one_of("use_cuda", None), "device", "device")


def _flag(sketch: Sketch, main: Page) -> Scheme:
    name = sketch.dice.one_of("use_cuda", "cuda")
    main.say(f"{name} = {AVAILABLE}")
    return Scheme(None, name, name, name)


def _switch(sketch: Sketch, main: Page) -> Scheme:
    name = sketch.dice.one_of("USE_CUDA", "USE_GPU")
    sketch.constants.say(f"{name} = True")
    sketch.switches.append(Switch("constant", f"{name} = True", f"{name} = False"))
    if sketch.dice.chance(50):
        return Scheme(None, name)
    main.say(f'device = torch.device("cuda" if {name} and {AVAILABLE} else "cpu")')
    return Scheme("device", parameter="device", handed="device")


def _no_cuda(sketch: Sketch, main: Page) -> Scheme:
    flag = sketch.flag(sketch.dice.one_of("no-cuda", "cpu"))
    main.say(f"use_cuda = not {flag} and {AVAILABLE}")
    if sketch.dice.chance(40):
        return Scheme(None, "use_cuda", "use_cuda", "use_cuda")
    main.say('device = torch.device("cuda" if use_cuda else "cpu")')
    return Scheme("device", parameter="device", handed="device")


def _args_cuda(sketch: Sketch, main: Page) -> Scheme:
    flag = sketch.flag("no-cuda")
    main.say(f"args.cuda = not {flag} and {AVAILABLE}")
    return Scheme(None, "args.cuda", "args", "args")


def _args_device(sketch: Sketch, main: Page) -> Scheme:
    sketch.arguments.append(f'parser.add_argument("--device", default="cuda" if {AVAILABLE} else "cpu")')
    sketch.switches.append(Switch("argument", "", "--device cpu"))
    if sketch.dice.chance(40):
        return Scheme("args.device", None, "args", "args")
    main.say(sketch.dice.one_of("device = torch.device(args.device)", "device = args.device"))
    return Scheme("device", parameter="device", handed="device")


def _function(sketch: Sketch, main: Page) -> Scheme:
    name = sketch.fresh("get_device", "pick_device", "default_device")
    page = sketch.helpers
    page.say("", "")
    with page.block(f"def {name}():"):
        with page.block(f"if {AVAILABLE}:"):
            page.say('return torch.device("cuda")')
        page.say('return torch.device("cpu")')
    sketch.mark("early exit")
    main.say(f"device = {name}()")
    return Scheme("device", parameter="device", handed="device")


def _branches(sketch: Sketch, main: Page) -> Scheme:
    with main.block(f"if {AVAILABLE}:"):
        main.say('device = torch.device("cuda")')
    with main.block("else:"):
        main.say('device = torch.device("cpu")')
    return Scheme("device", parameter="device", handed="device")


def _default_then_better(sketch: Sketch, main: Page) -> Scheme:
    main.say('device = "cpu"')
    with main.block(f"if {AVAILABLE}:"):
        main.say(sketch.dice.one_of('device = "cuda"', 'device = "cuda:0"'))
    return Scheme("device", parameter="device", handed="device")


def _gpu_number(sketch: Sketch, main: Page) -> Scheme:
    sketch.arguments.append('parser.add_argument("--gpu", type=int, default=0)')
    sketch.switches.append(Switch("argument", "", "--gpu -1"))
    main.say(f'device = torch.device(f"cuda:{{args.gpu}}" if args.gpu >= 0 and {AVAILABLE} else "cpu")')
    return Scheme("device", parameter="device", handed="device")


def _always(sketch: Sketch, main: Page) -> Scheme:
    if sketch.dice.chance(50):
        return Scheme()
    main.say('device = torch.device("cuda")')
    return Scheme("device", parameter="device", handed="device")


def _early_exit(sketch: Sketch, main: Page) -> Scheme:
    sketch.mark("early exit")
    with main.block(f"if not {AVAILABLE}:"):
        main.say('print("this script needs a GPU")', "return")
    return Scheme()


def _asked_each_time(sketch: Sketch, main: Page) -> Scheme:
    return Scheme(None, AVAILABLE)
