"""Moves of one side of a meeting to the other, in the statement where they meet; shared by several rules."""

from __future__ import annotations

import ast

from torchdevlint.mending.calls import applied, moved
from torchdevlint.mending.devices import sent_to
from torchdevlint.mending.edits import Repair, safe
from torchdevlint.mending.source import Source, is_plain
from torchdevlint.rule import Finding


def odd_moved(finding: Finding, source: Source) -> Repair | None:
    """Move a tensor to where another value of the same statement is, or was sent where that has no name."""
    if len(finding.about) < 2:
        return None
    odd, other = map(source.expression, finding.about)
    if other is None:
        return None
    if is_plain(other):
        device: str | None = f"{source.text_of(other)}.device"
    else:
        device = sent_to(source, finding.parts["other_place"], other)
    edits = moved(source, odd, device) if device is not None else None
    return safe(*edits) if edits is not None else None


def input_moved(finding: Finding, source: Source) -> Repair | None:
    """Move an input to where the module is that is called with it."""
    if len(finding.about) < 2:
        return None
    given, module = map(source.expression, finding.about)
    if module is None or not is_plain(module):
        return None
    there = sent_to(source, finding.parts["other_place"], module)
    edits = moved(source, given, there or f"next({source.text_of(module)}.parameters()).device")
    return safe(*edits) if edits is not None else None


def to_host(finding: Finding, source: Source) -> Repair | None:
    """Copy a tensor to the host where it is used, without its graph if that cannot be read; one that is there stays."""
    node = source.expression(finding.about[0]) if finding.about else None
    if node is None or isinstance(node, ast.Starred) or _fills(source, node):
        return None
    return safe(*applied(source, node, ".detach().cpu()" if finding.parts.get("graph") else ".cpu()"))


def _fills(source: Source, node: ast.expr) -> bool:
    """Tell whether a node is an index under which something is put that may be on the accelerator, too."""
    outer = source.scopes.parent(node)
    if not isinstance(outer, ast.Subscript) or isinstance(outer.ctx, ast.Load):
        return False
    return not isinstance(getattr(source.scopes.parent(outer), "value", None), ast.Constant)
