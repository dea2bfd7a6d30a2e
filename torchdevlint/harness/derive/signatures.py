"""The functions and methods that PyTorch offers, under the names that scripts use, and their parameters."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from torchdevlint.harness.derive.schemas import Native, Overload, Parameter, by_name

METHODS = "torch.Tensor."
MODULES = ("torch", "torch.nn.functional", "torch.linalg", "torch.fft", "torch.special")


@dataclass(frozen=True, slots=True)
class Offer:
    """A function of PyTorch, with the parameters of each of its overloads."""

    name: str
    overloads: tuple[Overload, ...]

    @property
    def short(self) -> str:
        """The name without what stands before it: `addmm`, `linalg.solve`, `nn.functional.relu`, `add_`."""
        return self.name.removeprefix(METHODS).removeprefix("torch.")

    def parameters(self) -> Iterator[tuple[int, Parameter]]:
        """Yield the parameters of all overloads with their positions."""
        for overload in self.overloads:
            yield from enumerate(overload.parameters)

    def function(self) -> Callable[..., Any]:
        """Return the function itself, as it is now."""
        found: Callable[..., Any] = resolve(self.name)
        return found


def resolve(name: str) -> Any:
    """Return the object of a dotted name; raises AttributeError where there is none."""
    first, *others = name.split(".")
    found = importlib.import_module(first)
    for part in others:
        found = getattr(found, part)
    return found


def _python_overload(function: Any, is_method: bool) -> Overload | None:
    """The parameters of a function written in Python; None where it takes any number of arguments."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    if any(each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD) for each in parameters):
        return None
    made = [Parameter(each.name, "", each.kind is each.KEYWORD_ONLY) for each in parameters if each.name != "out"]
    if is_method and made:
        made[0] = Parameter("input", "Tensor")
    return Overload(tuple(made))


def _public(module: Any) -> Iterator[str]:
    for name in sorted(dir(module)):
        found = getattr(module, name, None)
        if not name.startswith("_") and callable(found) and not inspect.isclass(found):
            yield name


def _native_name(holder: str, short: str) -> tuple[str, str | None]:
    """The name of a function in the schemas, and the schemas' word for the module that holds it."""
    last = holder.rpartition(".")[2]
    if last in ("linalg", "fft", "special"):
        return f"{last}_{short}", last
    return short, "nn" if last == "functional" else None


def offers() -> list[Offer]:
    """Return all functions of the modules and all methods of tensors whose parameters are known."""
    found = [offer for holder in (*MODULES, METHODS[:-1]) for offer in offers_of(holder)]
    return sorted(found, key=lambda offer: offer.name)


def offers_of(holder: str) -> Iterator[Offer]:
    """Yield the functions of a module, or the methods of a class, whose parameters are known."""
    natives = by_name()
    is_method = holder == METHODS[:-1]
    for short in _public(resolve(holder)):
        name = f"{holder}.{short}"
        native_name, module = _native_name(holder, short)
        # a function written in Python hides a native one of its name
        python = _python_overload(resolve(name), is_method)
        fitting = [each for each in natives.get(native_name, []) if _fits(each, is_method, module)]
        overloads = (python,) if python is not None else tuple(each.overload for each in fitting)
        if overloads:
            yield Offer(name, overloads)


def _fits(native: Native, is_method: bool, module: str | None) -> bool:
    """Whether a native function is one of the module; those of `torch` are offered by `torch.nn.functional`, too."""
    if is_method:
        return native.is_method
    return native.is_function and native.module in ((module, None) if module == "nn" else (module,))
