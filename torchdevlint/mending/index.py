"""Where a file uses which names: each question about it is answered without another walk through the file."""

from __future__ import annotations

import ast
from bisect import bisect_left, bisect_right
from functools import cached_property

from torchdevlint.mending.scopes import Scope, Scopes

_Reads = dict[tuple[Scope, str], list[ast.Name]]


class Index:
    """The uses of names and attributes in a file, by the scopes that they are in, at any depth."""

    def __init__(self, tree: ast.Module, scopes: Scopes) -> None:
        """Take a tree; it is walked when something is first asked."""
        self._tree = tree
        self._scopes = scopes

    @cached_property
    def _names(self) -> tuple[_Reads, _Reads]:
        """Return where names are read, and where they are bound."""
        found: tuple[_Reads, _Reads] = ({}, {})
        names = [one for one in ast.walk(self._tree) if isinstance(one, ast.Name)]
        for one in sorted(names, key=lambda name: (name.lineno, name.col_offset)):
            for scope in self._scopes.around(one):
                found[not isinstance(one.ctx, ast.Load)].setdefault((scope, one.id), []).append(one)
        return found

    def reads(self, scope: Scope, name: str) -> list[ast.Name]:
        """Return where a name is read in a scope, in the order of the source."""
        return self._names[0].get((scope, name), [])

    def is_read(self, scope: Scope, name: str, first: int, last: int) -> bool:
        """Tell whether a name is read in some lines of a scope, both included."""
        return _is_in(self.reads(scope, name), first, last)

    def is_bound(self, scope: Scope, name: str, first: int, last: int) -> bool:
        """Tell whether a name is bound in some lines of a scope, both included."""
        return _is_in(self._names[1].get((scope, name), []), first, last)

    @cached_property
    def _set(self) -> dict[tuple[Scope, str], list[ast.expr]]:
        found: dict[tuple[Scope, str], list[ast.expr]] = {}
        for one in ast.walk(self._tree):
            if isinstance(one, ast.Name | ast.Attribute) and not isinstance(one.ctx, ast.Load):
                for scope in self._scopes.around(one):
                    found.setdefault((scope, ast.unparse(one)), []).append(one)
        return found

    def setting(self, scope: Scope, target: ast.expr) -> list[ast.expr]:
        """Return where a scope binds the name or attribute that an expression asks for."""
        return self._set.get((scope, ast.unparse(target)), [])

    @cached_property
    def _attributes(self) -> dict[tuple[Scope, str], list[ast.Attribute]]:
        found: dict[tuple[Scope, str], list[ast.Attribute]] = {}
        for one in ast.walk(self._tree):
            if isinstance(one, ast.Attribute):
                for scope in self._scopes.around(one):
                    found.setdefault((scope, one.attr), []).append(one)
        return found

    def attributes(self, scope: Scope, name: str) -> list[ast.Attribute]:
        """Return where a scope asks any object for an attribute of a name, or binds it."""
        return self._attributes.get((scope, name), [])

    @cached_property
    def _called(self) -> dict[tuple[int, int], ast.Call]:
        methods = (one for one in ast.walk(self._tree) if isinstance(one, ast.Call))
        return {
            (one.func.end_lineno or 0, one.func.end_col_offset or 0): one
            for one in methods
            if isinstance(one.func, ast.Attribute)
        }

    def call_of_method(self, line: int, offset: int) -> ast.Call | None:
        """Return the call of a method whose name ends at a place, an offset in bytes."""
        return self._called.get((line, offset))

    @cached_property
    def _asked(self) -> dict[tuple[Scope, str], int]:
        found: dict[tuple[Scope, str], int] = {}
        for one in ast.walk(self._tree):
            if isinstance(one, ast.Attribute):
                key = (self._scopes.around(one)[0], one.attr)
                found[key] = min(one.lineno, found.get(key, one.lineno))
        return found

    def first_line_of_attribute(self, scope: Scope, name: str) -> int | None:
        """Return the line in which a scope first asks an object for an attribute of a name."""
        return self._asked.get((scope, name))


def _is_in(names: list[ast.Name], first: int, last: int) -> bool:
    start = bisect_left(names, first, key=lambda one: one.lineno)
    return start < bisect_right(names, last, key=lambda one: one.lineno)
