"""What comments tell of values: `# tdl: x on cuda`, on the line of a statement or on lines above it."""

from __future__ import annotations

import libcst as cst

from torchdevlint import lattice, transfers
from torchdevlint.claims import claim, is_host_only
from torchdevlint.interpreter import conditions, expressions
from torchdevlint.interpreter.run import Run
from torchdevlint.lattice import ALWAYS, Condition, Placement
from torchdevlint.values import UNKNOWN, Device, Opaque, Tensor, Unknown
from torchdevlint.why import Role, Why


def world_of(run: Run, node: cst.Module | cst.BaseSuite) -> Condition:
    """Return what the comments at the head of a file or a function tell of the machine on which it runs."""
    if not run.claims:
        return ALWAYS
    match node:
        case cst.Module(header=lines):
            comments = [line.comment for line in lines]
        case cst.IndentedBlock(header=white):
            comments = [white.comment]
        case _:
            comments = []
    return lattice.HOST_ONLY if any(one is not None and is_host_only(one.value) for one in comments) else ALWAYS


def before(run: Run, node: cst.CSTNode) -> None:
    """Take the comments above a statement for facts."""
    for line in getattr(node, "leading_lines", ()):
        tell(run, line.comment)


def beside(run: Run, white: cst.TrailingWhitespace) -> None:
    """Take the comment at the end of a line for a fact."""
    tell(run, white.comment)


def tell(run: Run, comment: cst.Comment | None) -> None:
    """Bind what a comment tells, if it tells anything."""
    told = claim(comment.value) if comment is not None else None
    if comment is None or told is None:
        return
    node = cst.parse_expression(told.name)
    slot = conditions.slot_of(run, node)
    placement = _placement(run, told.place, comment)
    if slot is None or placement is None:
        return
    value = run.store.value(*slot) or UNKNOWN
    if not isinstance(value, Opaque | Unknown):
        run.store.set(*slot, transfers.placed(run, value, placement))
    elif isinstance(value, Opaque) and told.name.rpartition(".")[2] in run.called_names | run.called_attributes:
        transfers.move_module(run, value, placement)  # what is called is a module
    else:
        run.store.set(*slot, Tensor(placement))


def _placement(run: Run, place: str, comment: cst.Comment) -> Placement | None:
    """Return where a comment says that something is: on a device by its name, or by that of a variable."""
    why = Why(Role.PLACED, comment, "told by a comment")
    device = transfers.parse(place)
    if device is not None:
        run.facts.accelerated |= not lattice.is_host(device)
        return lattice.on(device, why)
    value = expressions.evaluate(run, cst.parse_expression(place))
    if not isinstance(value, Device):
        return None
    return frozenset(lattice.Possibility(p.device, p.condition, why) for p in value.placement)
