"""Writes PyTorch's own samples of operators as short scripts, with their tensors on one device or on two."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from script_text import Operand, Unspeakable, runs, spell

HEADS = {"F.": "import torch.nn.functional as F\n", "nn.": "from torch import nn\n"}
MOST_OPERANDS = 6
FACTORY = "<the device>"
"""Stands where a call that makes a tensor out of none says where."""
RESULT_FORMS = ("function", "method", "index")
SYMBOLS = {
    "add": "+",
    "and_": "&",
    "eq": "==",
    "floordiv": "//",
    "ge": ">=",
    "gt": ">",
    "iadd": "+=",
    "iand": "&=",
    "ifloordiv": "//=",
    "ilshift": "<<=",
    "imatmul": "@=",
    "imod": "%=",
    "imul": "*=",
    "ior": "|=",
    "ipow": "**=",
    "irshift": ">>=",
    "isub": "-=",
    "itruediv": "/=",
    "ixor": "^=",
    "le": "<=",
    "lshift": "<<",
    "lt": "<",
    "matmul": "@",
    "mod": "%",
    "mul": "*",
    "ne": "!=",
    "or_": "|",
    "pow": "**",
    "rshift": ">>",
    "sub": "-",
    "truediv": "/",
    "xor": "^",
}
REVERSED = {
    "__radd__": "+",
    "__rand__": "&",
    "__rdiv__": "/",
    "__rmatmul__": "@",
    "__rmod__": "%",
    "__rmul__": "*",
    "__ror__": "|",
    "__rpow__": "**",
    "__rsub__": "-",
    "__rxor__": "^",
}
DTYPES = (torch.float32, torch.int64, torch.bool, torch.complex64, torch.float64)


@dataclass(frozen=True, slots=True)
class Script:
    """A script of one operator: how it is called, where its tensors are, and the text."""

    operator: str
    form: str
    placement: str
    text: str


@dataclass(slots=True)
class Written:
    """The scripts of an operator, and why there are none if there are none."""

    scripts: list[Script] = field(default_factory=list)
    reason: str = "no sample is what a script can write"


def place(
    operator: str, form: str, operands: Sequence[Operand], body: Callable[[], str], host: frozenset[str] = frozenset()
) -> Iterator[Script]:
    """The scripts of one call: all its operands on the device, each in turn on the host or alone on the device.

    The body is the text after the tensors were made. Nothing is yielded for what does not run on the CPU.
    """
    names = [operand.name for operand in operands]
    head = _head(body())

    def text(on_host: frozenset[str], scalars: frozenset[str] = frozenset(), made: str = "") -> str:
        lines = [
            operand.line(on_device=operand.name not in on_host, scalar=operand.name in scalars) for operand in operands
        ]
        return head + "".join(f"{line}\n" for line in lines) + body().replace(FACTORY, made)

    everything = frozenset(names)
    scope: dict[str, Any] = {}
    if not runs(text(everything), scope):
        return
    if names:
        yield Script(operator, form, "all on the device", text(frozenset()))
    if form in RESULT_FORMS:
        yield from _met(
            operator, form, scope.get("result"), text(everything), text(frozenset(), made=', device="cuda"')
        )
    for name in names[:MOST_OPERANDS] if len(names) > 1 else ():
        alone = frozenset([name])
        yield Script(operator, form, f"{name} on the host", text(alone))
        if len(names) > 2:
            yield Script(operator, form, f"only {name} on the device", text(everything - alone))
        operand = next(each for each in operands if each.name == name)
        if operand.tensor.dim() > 0 and runs(text(everything, alone)):
            yield Script(operator, form, f"{name} without dimensions on the host", text(alone, alone))
            yield Script(
                operator, form, f"only {name} on the device, without dimensions", text(everything - alone, alone)
            )


def _met(operator: str, form: str, result: Any, host: str, on_device: str) -> Iterator[Script]:
    """The scripts in which a result meets another tensor: they tell where it is, and whether it has dimensions."""
    results = [("result", result)] if isinstance(result, torch.Tensor) else []
    if isinstance(result, (tuple, list)):
        results = [(f"result[{index}]", each) for index, each in enumerate(result[:2])]
    for name, each in results:
        if not isinstance(each, torch.Tensor) or each.layout != torch.strided or each.numel() == 0:
            continue
        shape = tuple(each.shape) or (2,)
        meeting = f"meeting = {name} == torch.zeros({{}}{{}})\n".format(", ".join(map(str, shape)), "{}")
        for made, text in (("device", on_device), ("host", host)):
            for other, place_of_other in (("device", ', device="cuda"'), ("host", "")):
                if (made, other) != ("host", "host"):
                    placement = f"{name} of the {made} meets the {other}"
                    yield Script(operator, form, placement, text + meeting.format(place_of_other))


def _head(body: str) -> str:
    return "import torch\n" + "".join(line for start, line in HEADS.items() if start in body)


def operator_scripts(info: Any, number: int) -> Written:
    """The scripts of an entry of `op_db`, of as many samples as are asked for."""
    written = Written()
    samples = list(_samples(info, number))
    private = any(part.startswith("_") for part in info.name.split("."))
    if private and info.name not in REVERSED and info.name != "__getitem__":
        return Written(reason="it is private")
    if not info.dtypesIfCUDA:
        return Written(reason="PyTorch has no kernel of it for CUDA")
    if not list(_forms(info)):
        written.reason = "it is neither a function of `torch` nor a method under this name"
    seen: set[str] = set()
    written.reason = "no sample is what a script can write" if samples else "there is no sample that CUDA would take"
    for sample in samples:
        for form, write in _forms(info):
            for given, literal in itertools.product(_orders(sample), (False, True)):
                found = []
                for script in _written(info, given, form, write, literal):
                    if script.text not in seen:
                        seen.add(script.text)
                        found.append(script)
                written.scripts += found
                if found:
                    break
    return written


def _orders(sample: Any) -> Iterator[Any]:
    """The sample, and with its first two arguments exchanged: some entries call the operator in this way."""
    yield sample
    if sample.args:
        yield type(sample)(sample.args[0], args=(sample.input, *sample.args[1:]), kwargs=sample.kwargs)


def _written(info: Any, sample: Any, form: str, write: Writer, literal: bool) -> Iterator[Script]:
    operands: list[Operand] = []
    try:
        call = write(sample, operands, literal)
    except Unspeakable:
        return
    yield from place(info.formatted_name, form, operands, lambda: call + "\n")


def _samples(info: Any, number: int) -> Iterator[Any]:
    """Samples of different structure: kinds and numbers of dimensions of their arguments."""
    dtype = next((each for each in DTYPES if each in info.dtypes and each in info.dtypesIfCUDA), None)
    if dtype is None:
        return
    seen: set[object] = set()
    try:
        for sample in itertools.islice(info.sample_inputs("cpu", dtype, requires_grad=False), 200):
            given = (sample.input, sample.args, sorted(sample.kwargs.items()))
            tensors = _tensors(given)
            shape = _structure(given) if tensors else str(given)
            # PyTorch leaves calls with tensors without elements early, before it compares devices.
            if shape not in seen and all(each.numel() for each in tensors) and (tensors or not _has_zero(given)):
                seen.add(shape)
                yield sample
            if len(seen) == number:
                return
    except (RuntimeError, ValueError, NotImplementedError, TypeError):
        return  # samples that need what is not here


def _has_zero(value: Any) -> bool:
    """Whether a factory may be asked for no elements."""
    from torch.utils._pytree import tree_leaves

    return any(type(each) is int and each == 0 for each in tree_leaves(value))


def _tensors(value: Any) -> list[torch.Tensor]:
    from torch.utils._pytree import tree_leaves

    return [each for each in tree_leaves(value) if isinstance(each, torch.Tensor)]


def _structure(value: Any) -> object:
    if isinstance(value, torch.Tensor):
        return ("tensor", min(value.dim(), 2), value.dtype)
    if isinstance(value, (list, tuple)):
        return tuple(_structure(each) for each in value)
    return type(value).__name__ if not isinstance(value, str) else value


Writer = Callable[[Any, list[Operand], bool], str]


def _forms(info: Any) -> Iterator[tuple[str, Writer]]:
    """How the operator can be called."""
    name = info.name
    if name == "__getitem__":
        yield "index", _index
        return
    if name in REVERSED:
        yield "operator", _infix(REVERSED[name], backwards=True)
        return
    for each in (name, *(alias.name.removeprefix("torch.") for alias in info.aliases)):
        path = _resolve(each)
        if path is not None:
            yield f"function {each}" if each != name else "function", _function(path)
            if each == name:
                yield "keywords", _keywords(path, each)
                if info.supports_out:
                    yield "out", _out(path)
        last = each.rpartition(".")[2]
        if (info.method_variant is not None or path is None) and callable(getattr(torch.Tensor, last, None)):
            yield f"method {last}" if each != name else "method", _method(last)
        if info.inplace_variant is not None and hasattr(torch.Tensor, last + "_"):
            yield f"in place {last}_" if each != name else "in place", _method(last + "_")
    for variant in (info.operator_variant, info.inplace_operator_variant):
        symbol = SYMBOLS.get(getattr(variant, "__name__", ""))
        if symbol is not None:
            yield f"operator {symbol}", _infix(symbol)


def _resolve(name: str) -> str | None:
    """The name under which a script calls the operator, or None if there is no such function."""
    value: Any = torch
    for part in name.split("."):
        value = getattr(value, part, None)
    if value is None or not callable(value):
        return None
    return "F." + name.removeprefix("nn.functional.") if name.startswith("nn.functional.") else f"torch.{name}"


def _arguments(sample: Any, operands: list[Operand], literal: bool) -> list[str]:
    given = [spell(each, operands, literal) for each in sample.args]
    for key, value in sample.kwargs.items():
        if key != "device":  # the tensors say where
            given.append(f"{key}={spell(value, operands, literal)}")
    if "device" in sample.kwargs and not operands:
        given.append(FACTORY)
    return given


def _function(path: str) -> Writer:
    def write(sample: Any, operands: list[Operand], literal: bool) -> str:
        first = spell(sample.input, operands, literal)
        arguments = _arguments(sample, operands, literal)
        return f"result = {path}({', '.join([first, *(each for each in arguments if each)])})".replace(
            f", {FACTORY}", FACTORY
        )

    return write


def _keywords(path: str, name: str) -> Writer:
    """The function with every tensor after the first as a keyword."""

    def write(sample: Any, operands: list[Operand], literal: bool) -> str:
        names = parameters(name, len(sample.args) + 1)
        if not any(isinstance(each, torch.Tensor) for each in sample.args) or names is None:
            raise Unspeakable
        first = [spell(sample.input, operands, literal)]
        given = [f"{key}={spell(each, operands, literal)}" for key, each in zip(names[1:], sample.args, strict=False)]
        others = [f"{key}={spell(value, operands, literal)}" for key, value in sample.kwargs.items()]
        return f"result = {path}({', '.join(first + given + others)})"

    return write


def parameters(name: str, number: int) -> list[str] | None:
    """The names of the first parameters of a function, out of its schema or signature."""
    import inspect

    last = name.rpartition(".")[2]
    if name.startswith("nn.functional."):
        try:
            found = list(inspect.signature(getattr(torch.nn.functional, last)).parameters)
        except ValueError:
            return None
        return found if len(found) >= number else None
    for start in ("aten::", "aten::" + name.rpartition(".")[0] + "_"):
        for schema in torch._C._jit_get_schemas_for_operator(start + last):
            arguments = [argument for argument in schema.arguments if not argument.kwarg_only]
            if len(arguments) >= number and all("Tensor" in str(argument.type) for argument in arguments[:1]):
                return ["input" if argument.name == "self" else argument.name for argument in arguments]
    return None


def _out(path: str) -> Writer:
    """The function with `out=`: a tensor like its result, an operand as the others are."""

    def write(sample: Any, operands: list[Operand], literal: bool) -> str:
        call = _function(path)(sample, operands, literal)
        scope: dict[str, Any] = {}
        text = _head(call) + "".join(f"{each.line(on_device=False)}\n" for each in operands) + call
        if not runs(text, scope) or not isinstance(scope["result"], torch.Tensor):
            raise Unspeakable
        out = Operand.of("out", scope["result"], literal=False)
        operands.append(out)
        return call.removeprefix("result = ")[:-1] + ", out=out)"

    return write


def _method(name: str) -> Writer:
    def write(sample: Any, operands: list[Operand], literal: bool) -> str:
        if not isinstance(sample.input, torch.Tensor):
            raise Unspeakable
        receiver = spell(sample.input, operands, literal)
        call = f"{receiver}.{name}({', '.join(_arguments(sample, operands, literal))})"
        return call if name.endswith("_") else f"result = {call}"

    return write


def _infix(symbol: str, backwards: bool = False) -> Writer:
    def write(sample: Any, operands: list[Operand], literal: bool) -> str:
        if len(sample.args) != 1 or sample.kwargs:
            raise Unspeakable
        left, right = (spell(each, operands, literal) for each in (sample.input, sample.args[0]))
        if backwards:
            left, right = right, left
        if symbol.endswith("=") and symbol not in ("==", ">=", "<=", "!="):
            return f"{left} {symbol} {right}"
        return f"result = {left} {symbol} {right}"

    return write


def _index(sample: Any, operands: list[Operand], literal: bool) -> str:
    receiver = spell(sample.input, operands, literal)
    given = sample.args[0]
    parts = [_part(each, operands, literal) for each in (given if isinstance(given, tuple) and given else (given,))]
    return f"result = {receiver}[{', '.join(parts)}]"


def _part(value: Any, operands: list[Operand], literal: bool) -> str:
    """The text of a part of an index."""
    if not isinstance(value, slice):
        return spell(value, operands, literal)
    parts = ["" if each is None else spell(each, operands, literal) for each in (value.start, value.stop, value.step)]
    return ":".join(parts if value.step is not None else parts[:2])
