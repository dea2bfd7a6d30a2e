"""What PyTorch's schemas say: the parameters of native functions, and who compares the devices of their operands."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from torchdevlint.harness.simulator import checks


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function: ``type`` is the schema's word for it, empty where Python's signature has none."""

    name: str
    type: str
    keyword_only: bool = False

    @property
    def is_tensor(self) -> bool:
        """Whether it takes a tensor and nothing else."""
        return self.type in ("Tensor", "Tensor?")

    @property
    def is_list(self) -> bool:
        """Whether it takes several tensors."""
        return self.type in ("Tensor[]", "Tensor?[]")


@dataclass(frozen=True, slots=True)
class Overload:
    """The parameters of an overload, and how many values it returns: -1 for a list, None where that is not known."""

    parameters: tuple[Parameter, ...]
    returns: int | None = None


@dataclass(frozen=True, slots=True)
class Native:
    """A native function: where scripts find it (``module`` is the schema's word), and what it takes."""

    name: str
    module: str | None
    is_function: bool
    is_method: bool
    overload: Overload


def _folder() -> Path:
    import torchgen

    return Path(torchgen.__file__).parent / "packaged" / "ATen" / "native"


@cache
def _parsed() -> Any:
    from torchgen.gen import parse_native_yaml

    folder = _folder()
    return parse_native_yaml(str(folder / "native_functions.yaml"), str(folder / "tags.yaml"))


def natives() -> list[Native]:
    """Return the functions of `native_functions.yaml` that scripts may call; the receiver is called `input`."""
    from torchgen.model import Variant

    found = []
    for function in _parsed().native_functions:
        schema = function.func
        name = str(schema.name.name)
        if schema.is_out_fn() or (name.startswith("_") and not name.startswith("__")):
            continue
        receiver = schema.arguments.self_arg
        parameters = tuple(
            Parameter(
                "input" if receiver is not None and argument.name == receiver.argument.name else argument.name,
                str(argument.type),
                keyword_only,
            )
            for keyword_only, group in (
                (False, schema.arguments.flat_positional),
                (True, schema.arguments.flat_kwarg_only),
            )
            for argument in group
        )
        is_list = any(str(each.type).endswith("[]") for each in schema.returns)
        overload = Overload(parameters, -1 if is_list else len(schema.returns))
        variants = function.variants
        found.append(
            Native(name, function.python_module, Variant.function in variants, Variant.method in variants, overload)
        )
    return found


@cache
def composed() -> frozenset[str]:
    """Return the operations that have no kernel of CUDA's and are made of other operations there."""
    from torchgen.model import DispatchKey

    kernels = _parsed().backend_indices[DispatchKey.CUDA]
    return frozenset(
        _full_name(str(function.func.name))
        for function in _parsed().native_functions
        if (
            function.has_composite_implicit_autograd_kernel
            or function.has_composite_explicit_autograd_kernel
            or function.has_composite_explicit_autograd_non_functional_kernel
        )
        and not kernels.has_kernel(function)
        and function.structured_delegate is None
        and str(function.func.name.name) not in checks.KNOWN
        and _full_name(str(function.func.name)) not in checks.COPIES
    )


@cache
def checked() -> frozenset[str]:
    """Return the operations of which it is certain who compares the devices of their operands.

    That is PyTorch's generated wrapper or copy, TensorIterator (the schemas say so in a comment, or by what a kernel
    inherits from), or a check of ATen's own that the simulator has.
    """
    blocks: dict[str, str] = {}
    for block in re.split(r"\n(?=- func:)", (_folder() / "native_functions.yaml").read_text(encoding="utf-8")):
        named = re.match(r"- func: ([\w.]+)\(", block)
        if named is not None:
            blocks[named[1]] = block
    found = set(checks.COPIES)
    for name, block in blocks.items():
        delegate = re.search(r"structured_delegate: ([\w.]+)", block)
        text = block + (blocks.get(delegate[1], "") if delegate is not None else "")
        if "TensorIterator" in text or _full_name(name) in checks.TABLED or name.split(".")[0] in checks.KNOWN:
            found.add(_full_name(name))
    return frozenset(found)


def _full_name(name: str) -> str:
    return name if "." in name else f"{name}.default"


@cache
def by_name() -> dict[str, list[Native]]:
    """Return the native functions by their names."""
    found: dict[str, list[Native]] = defaultdict(list)
    for native in natives():
        found[native.name].append(native)
    return found
