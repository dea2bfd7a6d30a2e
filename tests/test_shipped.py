"""Which paths begin with that of the file itself."""

from __future__ import annotations

import libcst as cst
import pytest

from torchdevlint.interpreter import reading, shipped


@pytest.mark.parametrize(
    ("source", "lies_beside"),
    [
        ("load(__file__ + '.pt')", True),
        ("load(Path(__file__).parent / 'a.pt')", True),
        ("load(os.path.join(os.path.dirname(__file__), 'a.pt'))", True),
        ("here: str = __file__\nfolder = join(here, 'data')\nload(folder + 'a.pt')", True),
        ("self.folder = dirname(__file__)\nload(self.folder + '/a.pt')", True),
        ("load(os.path.basename(__file__) + '.pt')", False),
        ("load(Path(__file__).stem + '.pt')", False),
        ("name = basename(__file__)\nload('runs/' + name)", False),
        ("here: str\nload(here)", False),
        ("load('a.pt')", False),
    ],
)
def test_a_path_lies_beside_the_code(source: str, lies_beside: bool) -> None:
    module = cst.parse_module(source)
    calls = (node for node in reading.walk(module) if isinstance(node, cst.Call))
    path = next(node.args[0].value for node in calls if isinstance(node.func, cst.Name) and node.func.value == "load")
    assert shipped.beside(module, [path]) == ({path} if lies_beside else set())
