"""What a test says: the conditions of its two outcomes, and where a test of a device puts that device."""

from __future__ import annotations

import libcst as cst

from torchdevlint import lattice
from torchdevlint.incidents import DeviceCompared
from torchdevlint.interpreter import expressions
from torchdevlint.interpreter.run import Run
from torchdevlint.lattice import ALWAYS, Concrete, Condition, Symbol
from torchdevlint.names import text_of
from torchdevlint.records import dataclass
from torchdevlint.values import Const, Container, Device, Form, Opaque, Tensor, Value


@dataclass(frozen=True, slots=True)
class Test:
    """The conditions under which a test is true and false; ``known`` where it has one answer."""

    when_true: Condition
    when_false: Condition
    known: bool | None = None


def guard(name: str) -> Test:
    """Return the test that a guard stands for."""
    return Test(frozenset({(name, True)}), frozenset({(name, False)}))


ALWAYS_TRUE = Test(ALWAYS, ALWAYS, True)
ALWAYS_FALSE = Test(ALWAYS, ALWAYS, False)


def is_main_guard(test: cst.BaseExpression) -> bool:
    """Tell whether a test asks if the file is the program (`__name__ == "__main__"`)."""
    return isinstance(test, cst.Comparison) and isinstance(test.left, cst.Name) and test.left.value == "__name__"


def is_offered(run: Run, test: cst.BaseExpression) -> bool:
    """Tell whether a test is of a switch that a function has for its callers (`def predict(x, use_cuda=True)`)."""
    frame = run.frame
    if not isinstance(test, cst.Name) or frame.function is None or not isinstance(frame.function.node, cst.FunctionDef):
        return False
    if run.versions.get((frame.key, test.value), 0) > frame.begun:
        return False  # the function has bound it itself
    given = frame.function.node.params
    switches = (one for one in (*given.params, *given.kwonly_params) if isinstance(one.default, cst.Name))
    return any(one.name.value == test.value for one in switches)


def device_is(device: Device, name: str) -> Test | None:
    """Test a device against a name: the condition of its possibility, or a guard on its symbol; None without both."""
    possibilities = [
        inner
        for p in device.placement
        for inner in ((p.device.expansion or (p,)) if isinstance(p.device, Symbol) else (p,))
    ]
    wanted, _, index = name.partition(":")
    hits = [p for p in possibilities if isinstance(p.device, Concrete) and p.device.type == wanted]
    misses = [p for p in possibilities if p not in hits]
    if index and all(isinstance(p.device, Concrete) and p.device.index is not None for p in hits):
        hits = [p for p in hits if isinstance(p.device, Concrete) and str(p.device.index) == index]
        misses = [p for p in possibilities if p not in hits]
        index = ""
    if possibilities and not hits and all(isinstance(p.device, Concrete) for p in misses):
        return ALWAYS_FALSE
    if index and hits:
        return None  # which of several devices of one type it is, is not followed
    if len(hits) == 1 and len(misses) == 1 and isinstance(misses[0].device, Concrete):
        return Test(hits[0].condition, misses[0].condition)
    if hits and not misses:
        return ALWAYS_TRUE
    return _is_type(lattice.host_guards(device.placement), wanted)


def is_on(run: Run, value: Value, name: str) -> Test | None:
    """Test where a value is against the name of an accelerator; None where it may be no tensor, or nothing tells."""
    match value:
        case Opaque() if value.placement == lattice.ANY:
            return _is_type(_host_guards(run, value), name)
        case Tensor() | Opaque():
            return device_is(Device(value.placement), name)
        case _:
            return None


def _is_type(guards: frozenset[str], wanted: str) -> Test | None:
    """Test symbols against a type of device: one of another type is taken for the host, on which nothing differs."""
    if not guards:
        return None
    host = frozenset((guard, True) for guard in guards)
    elsewhere = frozenset((guard, False) for guard in guards)
    return Test(host, elsewhere) if wanted == lattice.HOST.type else Test(elsewhere, host)


def note_comparison(run: Run, node: cst.Comparison, left: Value, right: Value) -> None:
    """Record a comparison that has one outcome only: of an object with a text, or with a device without an index."""
    target = node.comparisons[0]
    if type(target.operator) not in (cst.Equal, cst.NotEqual):
        return
    equal = type(target.operator) is cst.Equal
    for device, other, shown, against in (
        (left, right, node.left, target.comparator),
        (right, left, target.comparator, node.left),
    ):
        if not isinstance(device, Device) or device.form in (Form.UNKNOWN, Form.TYPE):
            continue
        if isinstance(other, Const) and isinstance(other.value, str):
            why = "a device is no text"
        elif equal and device.form is Form.ASKED and _is_bare(other):
            why = "the device of a tensor has an index"
        else:
            continue
        texts = text_of(shown), text_of(against)
        run.emit(DeviceCompared(node, run.world, *texts, equal, why, device.proof, (shown, against)))


def _is_bare(value: Value) -> bool:
    """Tell whether a value is the object of an accelerator without an index."""
    return (
        isinstance(value, Device)
        and value.form is Form.OBJECT
        and value.literal is not None
        and all(isinstance(p.device, Concrete) and p.device.index is None for p in value.placement)
    )


def told(run: Run, symbol: str, left: Value, right: Value) -> Test | None:
    """Test what may be a device against names of devices, or against another device; None for anything else."""
    if symbol not in ("==", "in", "is"):
        return None
    for named, other in ((left, right), (right, left)):
        wanted, guards = _type_named(run, named), _host_guards(run, other)
        if wanted is not None and guards:
            return _is_type(guards, wanted)
    return None


def asked(run: Run, value: Value, node: cst.BaseExpression) -> Test | None:
    """Test what may be a device by a method that is given the name of one (`device.startswith("cuda")`)."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return None
    texts = (expressions.evaluate(run, a.value) for a in node.args if isinstance(a.value, cst.SimpleString))
    wanted = next((found for text in texts if (found := _type_named(run, text)) is not None), None)
    if wanted is None:
        return None
    asked_of = _without_text(node.func.value)
    receiver = expressions.evaluate(run, asked_of) if isinstance(asked_of, cst.Name | cst.Attribute) else value
    return device_is(receiver, wanted) if isinstance(receiver, Device) else _is_type(_host_guards(run, value), wanted)


def _without_text(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return what is written as a text (`x.device` of `str(x.device)`), else the expression itself."""
    match node:
        case cst.Call(func=cst.Name(value="str"), args=[cst.Arg(value=written, keyword=None, star="")]):
            return written
        case _:
            return node


def _type_named(run: Run, value: Value) -> str | None:
    """Return the type of device that a text names, or of several that are no host the first; None for anything else."""
    if isinstance(value, Device):
        return lattice.HOST.type if all(lattice.is_host(p.device) for p in value.placement) else None
    if isinstance(value, Container):
        named = [_type_named(run, item) for _, item in run.items(value).exact if isinstance(item, Const)]
        return None if lattice.HOST.type in named else next((found for found in named if found is not None), None)
    if not isinstance(value, Const) or not isinstance(value.value, str):
        return None
    name = value.value.partition(":")[0]
    return name if name in lattice.ACCELERATORS or name == lattice.HOST.type else None


def _host_guards(run: Run, value: Value) -> frozenset[str]:
    """Return the guards that a value stands for the host: of the device, or of the object that it is a part of."""
    if isinstance(value, Device):
        return lattice.host_guards(value.placement)
    guards: set[str] = set()
    key = value.key if isinstance(value, Opaque) else None
    while key is not None:
        guards.add(lattice.host_guard(key))
        key = run.part_of.get(key)
    return frozenset(guards)
