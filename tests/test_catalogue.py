"""What holds for every rule and every module: nothing of the catalogue is missing, and torch's names are data."""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import libcst as cst
import pytest

from torchdevlint.engine import all_rules
from torchdevlint.interpreter import expressions, statements
from torchdevlint.knowledge import DEFAULT
from torchdevlint.rule import STEM

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "torchdevlint"
STEMS = sorted(path.stem for path in (PACKAGE / "rules").glob("tdl*.py"))
HEADINGS = ["What it does", "Why is this bad?", "Example", "Use instead", "References"]

every_rule = pytest.mark.parametrize("stem", STEMS)


def code_of(stem: str) -> str:
    return stem[:6].upper()


# rules


def test_every_stem_is_an_identity() -> None:
    assert STEMS
    assert [stem for stem in STEMS if not STEM.match(stem)] == []


def test_codes_and_names_are_unique() -> None:
    codes = [code_of(stem) for stem in STEMS]
    names = [stem[7:] for stem in STEMS]
    assert len(set(codes)) == len(codes)
    assert len(set(names)) == len(names)


def test_every_stem_is_discovered() -> None:
    assert [rule.code for rule in all_rules()] == [code_of(stem) for stem in STEMS]
    assert [rule.name for rule in all_rules()] == [stem[7:].replace("_", "-") for stem in STEMS]


@every_rule
def test_has_fixtures(stem: str) -> None:
    missing = [name for name in ("bad.py", "good.py", "fixed.py") if not (ROOT / "fixtures" / stem / name).is_file()]
    assert missing == []


@every_rule
def test_docstring(stem: str) -> None:
    doc = ast.get_docstring(ast.parse((PACKAGE / "rules" / f"{stem}.py").read_text("utf-8")))
    assert doc is not None
    first, *sections = re.split(r"^## ", doc, flags=re.MULTILINE)
    assert re.fullmatch(r"\S[^\n]*\.\n+", first), "one sentence comes first"
    titles = [section.partition("\n")[0] for section in sections]
    texts = {title: section.partition("\n")[2].strip() for title, section in zip(titles, sections, strict=True)}
    assert titles == HEADINGS
    for title in ("Example", "Use instead"):
        block = re.fullmatch(r"```python\n(.*)\n```", texts[title], flags=re.DOTALL)
        assert block is not None, f"{title} is one block of code"
        ast.parse(textwrap.dedent(block[1]))
    assert texts["Example"] != texts["Use instead"]
    assert re.search(r"https://\S+", texts["References"])
    assert all(texts.values())


@every_rule
def test_changelog_line(stem: str) -> None:
    name = stem[7:].replace("_", "-")
    lines = re.findall(rf"^- {code_of(stem)} {name}: \S.*$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert len(lines) == 1


def test_every_folder_of_fixtures_is_a_rule() -> None:
    assert [path.name for path in sorted((ROOT / "fixtures").iterdir()) if path.name not in STEMS] == []


def test_rules_supersede_rules() -> None:
    codes = {rule.code for rule in all_rules()}
    for rule in all_rules():
        assert set(rule.supersedes) <= codes - {rule.code}


def test_the_rule_that_the_documentation_shows_is_one() -> None:
    document = (ROOT / "docs" / "adding-a-rule.md").read_text("utf-8")
    (shown,) = re.findall(r"^```python\n(@rule.*?)^```$", document, re.MULTILINE | re.DOTALL)
    assert any(shown in (PACKAGE / "rules" / f"{stem}.py").read_text("utf-8") for stem in STEMS)


MESSAGES = {rule.code: (rule.message, rule.fix) for rule in all_rules()}


@pytest.mark.parametrize(("message", "fix"), MESSAGES.values(), ids=MESSAGES.keys())
def test_messages_state_a_fact_on_one_line(message: str, fix: str) -> None:
    assert "\n" not in message
    assert not message.endswith(".")
    assert not re.search(r":\d+:\d+: \w", message), "an editor's parser takes this for a position"
    assert fix
    assert not fix.endswith(".")
    assert fix[0].isupper()


# nodes


def concrete(base: type[cst.CSTNode]) -> set[type[cst.CSTNode]]:
    """Return the node types of libcst that can be made and are of a base."""
    return {
        kind
        for name, kind in inspect.getmembers(cst, inspect.isclass)
        if issubclass(kind, base) and not inspect.isabstract(kind) and not name.startswith(("Base", "_"))
    }


def test_every_statement_is_handled_or_inert() -> None:
    # lines of small statements and indented blocks are what a suite is made of
    found = concrete(cst.BaseCompoundStatement) | concrete(cst.BaseSmallStatement)
    handled = {*statements._HANDLERS, *statements.INERT}
    assert len(found) > 20
    assert found - handled == set()
    assert handled - found == set()


# what only Pythons after 3.13 accept, and libcst from 1.9: unknown, as every expression without a handler is
LATER = {"StarredDictComp", "TemplatedString"}


def test_every_expression_is_handled_or_inert() -> None:
    found = {kind.__name__ for kind in concrete(cst.BaseExpression)} - LATER
    handled = {kind.__name__ for kind in expressions._HANDLERS}
    assert len(found) > 20
    assert handled - LATER == found


# torch's names

# Python has these too, or they are devices: a comparison with them is about the language or the lattice
_PYTHON = {name for kind in (list, tuple, set, dict, str, int, float, complex, object) for name in dir(kind)}
_DEVICES = {"cpu", "cuda", "meta", "mps", "xpu", "hpu", "npu", "mlu", "ipu", "mtia", "musa"}
TORCH_NAMES = frozenset(
    {
        *DEFAULT.names,
        *DEFAULT.tensor,
        *DEFAULT.tensor_attributes,
        *DEFAULT.module,
        *DEFAULT.optimizer,
        *DEFAULT.tensor_only,
        *DEFAULT.module_only,
        *(name.rpartition(".")[2] for name in DEFAULT.names if name.startswith("torch.")),
    }
    - _PYTHON
    - _DEVICES
    - set(dir(builtins))
)
# the gate looks for words in a text; what only runs or tells of scripts that use torch may name it
_WORDS = ("gate.py", "knowledge/", "harness/", "checking/", "cli/", "reports/")
MODULES = [
    path for path in sorted(PACKAGE.rglob("*.py")) if not path.relative_to(PACKAGE).as_posix().startswith(_WORDS)
]
_TABLES = {"frozenset", "set", "tuple", "list", "fromkeys", "startswith", "endswith", "removeprefix", "removesuffix"}


def is_torch_name(node: ast.AST | None) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and (node.value in TORCH_NAMES or node.value.startswith(("torch.", "torch/", "libtorch")))
    )


def is_about_a_parameter(node: ast.Compare) -> bool:
    """Tell whether a comparison asks whether a call names a parameter: `"device" in call.keywords`."""
    asked = node.comparators[0]
    return isinstance(node.ops[0], ast.In | ast.NotIn) and isinstance(asked, ast.Attribute) and asked.attr == "keywords"


def elements(node: ast.AST | None) -> Iterator[ast.AST | None]:
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        for element in node.elts:
            yield from elements(element)
    else:
        yield node


def arguments_of_message(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Call(func=ast.Name(id="Finding")):
            yield from node.args
        case _:
            return


def compared_or_tabled(tree: ast.AST) -> Iterator[ast.AST | None]:
    """Yield what is compared with, matched against, a key or element of a table, or a prefix or suffix asked for."""
    messages = {id(part) for node in ast.walk(tree) for part in arguments_of_message(node)}
    for node in ast.walk(tree):
        match node:
            case ast.Compare() if not is_about_a_parameter(node):
                for side in (node.left, *node.comparators):
                    yield from elements(side)
            case ast.MatchValue():
                yield node.value
            case ast.MatchMapping():
                yield from node.keys
            case ast.Dict() if id(node) not in messages:
                yield from node.keys
            case ast.Set():
                yield from node.elts
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _TABLES:
                for argument in node.args:
                    yield from elements(argument)
            case _:
                continue


def test_there_are_names_to_look_for() -> None:
    assert {"torch.zeros", "zeros_like", "backward", "numpy", "Linear", "SGD", "state_dict"} <= TORCH_NAMES
    assert PACKAGE / "interpreter" / "statements.py" in MODULES


FORBIDDEN = [
    "if name == 'torch.zeros': pass",
    "if name in ('backward', 'x'): pass",
    "if 'numpy' != name: pass",
    "match name:\n  case 'backward': pass",
    "{'zeros_like': 1}",
    "{'Linear'}",
    "frozenset(['zeros_like'])",
    "dict.fromkeys(('zeros_like',))",
    "name.startswith('torch.')",
    "name.endswith(('.x', 'torch.nn'))",
]
ALLOWED = [
    "if 'device' in call.keywords: pass",
    "if device.type == 'cuda': pass",
    "{'append': 1, 'index': 2}",
    "call.get(0, 'data')",
    "Finding(node, {'device': 'cuda'})",
    "'''torch.zeros'''",
]


@pytest.mark.parametrize("source", FORBIDDEN)
def test_a_comparison_or_table_is_seen(source: str) -> None:
    assert any(is_torch_name(node) for node in compared_or_tabled(ast.parse(source)))


@pytest.mark.parametrize("source", ALLOWED)
def test_nothing_else_is(source: str) -> None:
    assert not any(is_torch_name(node) for node in compared_or_tabled(ast.parse(source)))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_torch_names_are_data_of_the_knowledge(path: Path) -> None:
    found = compared_or_tabled(ast.parse(path.read_text("utf-8")))
    named = [(node.lineno, node.value) for node in found if isinstance(node, ast.Constant) and is_torch_name(node)]
    assert named == []
