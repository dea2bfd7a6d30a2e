"""Which names are variables where, under which names modules are imported, and what can be used at a place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

Scope = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_SCOPES = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_INNER = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Scopes:
    """The scopes of a tree: what is around a node, and where a name is bound."""

    def __init__(self, tree: ast.Module) -> None:
        """Note what is around each node."""
        self._tree = tree
        self._parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        self._bindings: dict[Scope, dict[str, list[int]]] = {}

    def parent(self, node: ast.AST) -> ast.AST | None:
        """Return what a node is a part of."""
        return self._parents.get(node)

    def statement(self, node: ast.AST) -> ast.stmt | None:
        """Return the innermost statement around a node."""
        return next((one for one in self._outwards(node) if isinstance(one, ast.stmt)), None)

    @cached_property
    def _blocks(self) -> dict[ast.stmt, tuple[list[ast.stmt], int]]:
        fields = (value for node in ast.walk(self._tree) for _, value in ast.iter_fields(node))
        lists = (value for value in fields if isinstance(value, list))
        return {one: (block, n) for block in lists for n, one in enumerate(block) if isinstance(one, ast.stmt)}

    def block(self, statement: ast.stmt) -> tuple[list[ast.stmt], int]:
        """Return the statements that a statement stands among, and its number among them."""
        return self._blocks[statement]

    def around(self, node: ast.AST) -> list[Scope]:
        """Return the scopes around a node, the innermost first; those of comprehensions do not count."""
        found: list[Scope] = []
        outer = self.parent(node)
        while outer is not None:
            # decorators and defaults are evaluated outside, and are nothing that fixes write
            if isinstance(outer, _SCOPES):
                found.append(outer)
            outer = self.parent(outer)
        return found

    def bindings(self, scope: Scope) -> dict[str, list[int]]:
        """Return the names that a scope binds, each with the lines of its bindings, sorted; a parameter has 0."""
        if scope not in self._bindings:
            self._bindings[scope] = {name: sorted(lines) for name, lines in _bound(scope).items()}
        return self._bindings[scope]

    def home(self, name: str, node: ast.AST) -> Scope | None:
        """Return the scope whose variable a name is at a node, None where the file binds none."""
        for depth, scope in enumerate(self.around(node)):
            if isinstance(scope, ast.ClassDef) and depth > 0:
                continue
            if name in self.bindings(scope):
                return scope
        return None

    def is_bound(self, name: str, node: ast.AST) -> bool:
        """Tell whether a name has its value where a node stands: it is bound above, or by the time that it runs."""
        home = self.home(name, node)
        if home is None:
            return False
        if self.around(node)[0] is not home:
            lines = (line for line in self.bindings(home)[name] if line not in self._guarded)
            return home is not self._tree or self._is_there(next(lines, None), node)
        return self.bindings(home)[name][0] < getattr(node, "lineno", 0)

    def _is_there(self, line: int | None, node: ast.AST) -> bool:
        """Tell whether what the file binds at a line is there when a function or class around a node is first used."""
        outer = next(one for one in self._outwards(node) if self.parent(one) is self._tree)
        first = getattr(outer, "lineno", 0)
        if line is None or line < first:
            return line is not None
        return not any(first < used <= line for used in self._used.get(getattr(outer, "name", ""), ()))

    @cached_property
    def _used(self) -> dict[str, list[int]]:
        """The lines of the statements of the file's first level in which each name stands."""
        found: dict[str, list[int]] = {}
        for statement in self._tree.body:
            for name in {one.id for one in ast.walk(statement) if isinstance(one, ast.Name)}:
                found.setdefault(name, []).append(statement.lineno)
        return found

    def _outwards(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield a node and what is around it, to the tree itself."""
        found: ast.AST | None = node
        while found is not None:
            yield found
            found = self.parent(found)

    @cached_property
    def _guarded(self) -> set[int]:
        """The lines that only run where the file is the program: what they bind is not there for who imports it."""
        guards = (one for one in self._tree.body if isinstance(one, ast.If) and "__name__" in ast.unparse(one.test))
        return {line for one in guards for line in range(one.lineno, (one.body[-1].end_lineno or 0) + 1)}

    def owner(self, scope: Scope | None) -> ast.ClassDef | None:
        """Return the class of which a scope is a method."""
        owner = self.parent(scope) if isinstance(scope, ast.FunctionDef) else None
        return owner if isinstance(owner, ast.ClassDef) else None

    @cached_property
    def _imports(self) -> dict[str, str]:
        """Return what the file imports on its first level, by dotted name, and what it is called in the file."""
        found: dict[str, str] = {}
        for statement in self._tree.body:
            match statement:
                case ast.Import(names=names):
                    for one in names:
                        if one.asname:
                            found[one.name] = one.asname
                        else:
                            found[one.name.partition(".")[0]] = one.name.partition(".")[0]
                case ast.ImportFrom(module=str(module), names=names, level=0):
                    found |= {f"{module}.{one.name}": one.asname or one.name for one in names}
                case _:
                    pass
        return found

    @property
    def imported(self) -> set[str]:
        """The names of what the file imports on its first level."""
        return set(self._imports.values())

    def spelled(self, name: str, node: ast.AST) -> str | None:
        """Return how a dotted name can be written at a node with what the file imports, None where it cannot."""
        parts = name.split(".")
        for length in range(len(parts), 0, -1):
            called = self._imports.get(".".join(parts[:length]))
            if called is None:
                continue
            if self.home(called, node) is self._tree and self.is_bound(called, node):
                return ".".join((called, *parts[length:]))
        return None


def _bound(scope: Scope) -> dict[str, list[int]]:
    names: dict[str, list[int]] = {}
    if not isinstance(scope, ast.Module | ast.ClassDef):
        arguments = scope.args
        every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
        names = {one.arg: [0] for one in every if one is not None}
    todo: list[ast.AST] = [*scope.body] if isinstance(scope.body, list) else [scope.body]
    while todo:
        node = todo.pop()
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.setdefault(name, []).append(node.lineno)
                continue
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                names.setdefault(name, []).append(node.lineno)
            case ast.ExceptHandler(name=str(name)):
                names.setdefault(name, []).append(node.lineno)
            case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
                for one in aliases:
                    names.setdefault((one.asname or one.name).partition(".")[0], []).append(node.lineno)
            case _ if isinstance(node, _INNER):
                continue
            case _:
                pass
        todo.extend(ast.iter_child_nodes(node))
    return names
