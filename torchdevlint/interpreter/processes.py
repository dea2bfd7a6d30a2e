"""What may differ between the processes of one training: a scan for what a rank reaches, without evaluation.

It is asked for few files, and where in doubt it says that a rank is there: scopes are not told apart.
"""

from __future__ import annotations

import libcst as cst

from torchdevlint.interpreter import reading
from torchdevlint.knowledge.rows import (
    DeviceType,
    Environment,
    EnvironmentRow,
    GeneratorType,
    Knowledge,
    ModuleType,
    Move,
    OfProcess,
    Replicas,
    Row,
    SetDevice,
)
from torchdevlint.lattice import ACCELERATORS
from torchdevlint.names import dotted, row_of
from torchdevlint.parallel import Fed
from torchdevlint.records import dataclass, field

_OWN = "<own>"
"""What stands for an answer that every process has of its own; other tokens are `name` and `.attribute`."""


@dataclass(slots=True)
class _Scan:
    """The tokens that are a process's own from the start, and which tokens reach which."""

    knowledge: Knowledge
    imports: dict[str, str] = field(default_factory=dict)
    parameters: dict[str, list[list[str]]] = field(default_factory=dict)
    own: set[str] = field(default_factory=lambda: {_OWN})
    edges: list[tuple[set[str], set[str]]] = field(default_factory=list)
    seeds: list[set[str]] = field(default_factory=list)  # what generators of random numbers are seeded with


def divided(knowledge: Knowledge, module: cst.Module, fed: list[Fed]) -> set[cst.CSTNode]:
    """Return the calls that made loaders of which something may give each process a part of its own."""
    scan = _Scan(knowledge)
    nodes = list(reading.walk(module))
    for node in nodes:
        _define(scan, node)
    for node in nodes:
        _scan(scan, node)
    _spread(scan)
    if any(seed & scan.own for seed in scan.seeds):
        return {one.node for one in fed}  # each draws an order of its own, on purpose
    return {one.node for one in fed if _is_divided(scan, one)}


def _is_divided(scan: _Scan, fed: Fed) -> bool:
    made_of = [*fed.data, fed.loop.iter] if isinstance(fed.loop, cst.For) else fed.data
    if any(_mentioned(scan, node) & scan.own for node in made_of):
        return True
    return any(_takes_part(scan, node) for node in reading.walk(fed.loop.body))


def _takes_part(scan: _Scan, node: cst.CSTNode) -> bool:
    """Tell whether a part of a loop leaves out batches, or takes parts of them, by something of the process."""
    match node:
        case cst.If():
            leaves = any(isinstance(inner, cst.Continue) for inner in reading.walk(node.body))
            return leaves and bool(_mentioned(scan, node.test) & scan.own)
        case cst.Subscript():
            return any(_mentioned(scan, element) & scan.own for element in node.slice)
        case _:
            return False


def _spread(scan: _Scan) -> None:
    """Follow the edges from what is a process's own until nothing more is."""
    changed = True
    while changed:
        changed = False
        for sources, targets in scan.edges:
            if sources & scan.own and not targets <= scan.own:
                scan.own |= targets
                changed = True


def _define(scan: _Scan, node: cst.CSTNode) -> None:
    match node:
        case cst.Import(names=names):
            for alias in names:
                name = dotted(alias.name)
                root = name.partition(".")[0]
                scan.imports[_alias(alias, root)] = name if alias.asname is not None else root
        case cst.ImportFrom(module=base, names=names) if base is not None and not isinstance(names, cst.ImportStar):
            for alias in names:
                scan.imports[_alias(alias, dotted(alias.name))] = f"{dotted(base)}.{dotted(alias.name)}"
        case cst.FunctionDef():
            scan.parameters.setdefault(node.name.value, []).append(_parameters(node))
        case cst.ClassDef():
            for part in node.body.body:
                if isinstance(part, cst.FunctionDef) and part.name.value == "__init__":
                    scan.parameters.setdefault(node.name.value, []).append(_parameters(part))
        case _:
            return


def _alias(alias: cst.ImportAlias, name: str) -> str:
    return alias.asname.name.value if alias.asname is not None and isinstance(alias.asname.name, cst.Name) else name


def _parameters(node: cst.FunctionDef) -> list[str]:
    """Return the names of parameters, but for that of the receiver."""
    names = [p.name.value for p in (*node.params.posonly_params, *node.params.params, *node.params.kwonly_params)]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def _row(scan: _Scan, node: cst.BaseExpression) -> Row | None:
    name = _full_name(scan, node)
    return row_of(name, scan.knowledge) if name else None


def _full_name(scan: _Scan, node: cst.BaseExpression) -> str:
    root, dot, rest = dotted(node).partition(".")
    return f"{scan.imports[root]}{dot}{rest}" if root in scan.imports else ""


def _mentioned(scan: _Scan, node: cst.CSTNode) -> set[str]:
    """Return the tokens in an expression or a statement."""
    found: set[str] = set()
    for part in reading.walk(node):
        match part:
            case cst.Name():
                found.add(part.value)
            case cst.Attribute():
                found.add("." + part.attr.value)
            case _:
                continue
        if isinstance(_row(scan, part), OfProcess | Environment):
            found.add(_OWN)
    return found


def _bound(node: cst.CSTNode) -> set[str]:
    """Return the tokens that an assignment to a target binds, or that stand for a device: the last of each chain."""
    match node:
        case cst.Name():
            return {node.value}
        case cst.Attribute():
            return {"." + node.attr.value}
        case cst.Subscript():
            return _bound(node.value)
        case _:
            return {token for child in reading.children(node) for token in _bound(child)}


def _scan(scan: _Scan, node: cst.CSTNode) -> None:
    """Note the edges of a node, and what it shows to be a process's own."""
    match node:
        case cst.Assign():
            targets = {token for target in node.targets for token in _bound(target.target)}
            scan.edges.append((_mentioned(scan, node.value), targets))
        case cst.AnnAssign(value=cst.BaseExpression() as value) | cst.AugAssign(value=value):
            scan.edges.append((_mentioned(scan, value), _bound(node.target)))
        case cst.NamedExpr():
            scan.edges.append((_mentioned(scan, node.value), _bound(node.target)))
        case cst.For() | cst.CompFor():
            scan.edges.append((_mentioned(scan, node.iter), _bound(node.target)))
            if isinstance(node, cst.For) and any(_starts(scan, part) for part in reading.walk(node.body)):
                scan.own |= _bound(node.target)
        case cst.If():
            bound = (part for part in reading.walk(node.body) if isinstance(part, cst.AssignTarget))
            scan.edges.append((_mentioned(scan, node.test), {token for part in bound for token in _bound(part.target)}))
        case cst.FunctionDef():
            returned = [part.value for part in reading.walk(node.body) if isinstance(part, cst.Return) and part.value]
            for value in returned:
                scan.edges.append((_mentioned(scan, value), {node.name.value, "." + node.name.value}))
        case cst.Call():
            _scan_call(scan, node)
        case cst.FormattedString(parts=[cst.FormattedStringText(value=prefix), *parts]):
            if prefix.partition(":")[0] in ACCELERATORS:
                scan.own |= {token for part in parts for token in _bound(part)}
        case _:
            return


def _starts(scan: _Scan, node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Call) and _full_name(scan, node.func).startswith(scan.knowledge.processes)


def _scan_call(scan: _Scan, node: cst.Call) -> None:
    row = _row(scan, node.func)
    plain = [argument.value for argument in node.args if argument.keyword is None]
    named = {argument.keyword.value: argument.value for argument in node.args if argument.keyword is not None}
    match row:
        case SetDevice() | DeviceType():
            shown = [*plain, *named.values()]
        case EnvironmentRow(rank=rank):
            shown = [named[rank]] if rank in named else []
        case ModuleType(replicas=Replicas.MADE):
            shown = [*plain[1:3], *(named[name] for name in ("device_ids", "output_device") if name in named)]
        case GeneratorType():
            shown = []
            scan.seeds.extend(_mentioned(scan, value) for value in plain)
        case _:
            moves = isinstance(node.func, cst.Attribute) and scan.knowledge.module.get(node.func.attr.value)
            shown = plain[:1] if isinstance(moves, Move) else []
    scan.own |= {token for value in shown for token in _bound(value)}
    if _starts(scan, node):
        _scan_start(scan, plain, named)
    elif isinstance(node.func, cst.Name | cst.Attribute):
        name = node.func.value if isinstance(node.func, cst.Name) else node.func.attr.value
        assert isinstance(name, str)
        _hand_over(scan, name, plain, named)


def _scan_start(scan: _Scan, plain: list[cst.BaseExpression], named: dict[str, cst.BaseExpression]) -> None:
    """Note what a function is given that runs in processes: `spawn` gives it the number of the process first."""
    target = named.get("target")
    function = target if target is not None else plain[0] if plain else named.get("fn")
    if not isinstance(function, cst.Name):
        return
    given = named.get("args", plain[1] if len(plain) > 1 and target is None else None)
    values = [element.value for element in given.elements] if isinstance(given, cst.Tuple | cst.List) else []
    if target is None:
        for parameters in scan.parameters.get(function.value, ()):
            scan.own.update(parameters[:1])
    _hand_over(scan, function.value, values, {}, 0 if target is not None else 1)


def _hand_over(
    scan: _Scan, name: str, plain: list[cst.BaseExpression], named: dict[str, cst.BaseExpression], first: int = 0
) -> None:
    """Note that the parameters of a function of the file are what it is given."""
    for parameters in scan.parameters.get(name, ()):
        for parameter, value in zip(parameters[first:], plain, strict=False):
            scan.edges.append((_mentioned(scan, value), {parameter}))
        for keyword, value in named.items():
            scan.edges.append((_mentioned(scan, value), {keyword}))
