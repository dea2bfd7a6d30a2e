"""Context managers: no gradient, a default device, a current device; and what a framework's context yields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchdevlint.knowledge.rows import GradMode, NoGrad
from torchdevlint.lattice import ON_HOST
from torchdevlint.state import DEFAULT_DEVICE, Writes
from torchdevlint.transfers import casting, devices
from torchdevlint.values import Choice, Device, Imported, Opaque, Value

if TYPE_CHECKING:
    from torchdevlint.interpreter.run import Run


def is_grad_mode(value: Value) -> bool:
    """Tell whether a value is a context in which no graph is built, or perhaps none."""
    return type(value) is Imported and isinstance(value.row, (NoGrad, GradMode))


class Contexts:
    """The contexts that one ``with`` statement entered, to be left in one go."""

    __slots__ = ("_casting", "_default", "_graphs", "_run")

    def __init__(self, run: Run) -> None:
        self._run = run
        self._graphs = run.no_grad
        self._casting = run.casting
        self._default: object = None

    def enter(self, value: Value) -> None:
        """Enter a context: the value of the expression, or the function whose call it is."""
        match value:
            case Imported(row=NoGrad() | GradMode()):
                self._run.no_grad += 1
            case Choice() if any(is_grad_mode(option) for option, _ in value.options):
                self._run.no_grad += 1  # whether a graph is built is not known
            case Device():
                devices.named_literal(self._run, value)
                self._default = self._run.store.get(0, DEFAULT_DEVICE) or ON_HOST
                self._run.store.set(0, DEFAULT_DEVICE, value.placement)
            case _:
                casting.entered(self._run, value)

    def leave(self) -> None:
        """Restore what held before."""
        self._run.no_grad = self._graphs
        self._run.casting = self._casting
        if self._default is not None:
            self._run.store.set(0, DEFAULT_DEVICE, self._default)

    def leave_by(self, writes: Writes) -> None:
        """Restore what held before on a way that left the block early."""
        if self._default is not None and (0, DEFAULT_DEVICE) in writes:
            writes[0, DEFAULT_DEVICE] = self._default


def entered(run: Run, value: Value) -> Value:
    """Return what ``with value as name`` binds."""
    return value if isinstance(value, Opaque) else run.opaque("context")
