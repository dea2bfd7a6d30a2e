"""Operations that are meant to fail, and tests that leave before them: what fails there is no finding."""

from __future__ import annotations

import textwrap

import pytest

from torchdevlint.engine import analyse

HEAD = """\
import unittest
import pytest
import torch
x = torch.ones(3, device="cuda" if torch.cuda.is_available() else "meta")
host = torch.ones(3)
"""

TRIED = [
    pytest.param("try:\n    x + host\nexcept RuntimeError:\n    pass", True, id="nothing comes of it"),
    pytest.param("try:\n    x + host\nexcept RuntimeError:\n    print(1)", True, id="somebody is told"),
    pytest.param("try:\n    x + host\nexcept RuntimeError as e:\n    print(e)", False, id="it is shown"),
    pytest.param("try:\n    x + host\nexcept Exception as e:\n    print(e)", True, id="whatever happens"),
    pytest.param("try:\n    x + host\nexcept RuntimeError as e:\n    print(1)", True, id="it is not shown"),
    pytest.param("try:\n    x + host\nexcept RuntimeError as e:\n    raise OSError(e)", True, id="it goes on"),
    pytest.param("try:\n    if x: x + host\nexcept RuntimeError as e:\n    print(e)", True, id="more than lines"),
    pytest.param(
        "try:\n    x + host\nexcept RuntimeError as e:\n    print(e)\nexcept OSError:\n    pass",
        True,
        id="many reasons",
    ),
    pytest.param(
        "try:\n    x + host\n    1\n    2\n    3\n    4\nexcept RuntimeError as e:\n    print(e)", True, id="many lines"
    ),
    pytest.param(
        "try:\n    x + host\nexcept RuntimeError as e:\n    print(e)\nelse:\n    raise ValueError",
        False,
        id="it has to",
    ),
    pytest.param(
        "try:\n    x + host\n    raise ValueError\nexcept Exception as e:\n    print(e)", False, id="in the body"
    ),
    pytest.param(
        "try:\n    x + host\nexcept (OSError, KeyError) as e:\n    print(e)\nelse:\n    raise ValueError",
        True,
        id="another error",
    ),
    pytest.param(
        "def f():\n    try:\n        x + host\n    except RuntimeError:\n        return\n    raise ValueError\nf()",
        False,
        id="behind it",
    ),
    pytest.param(
        "def f():\n    try:\n        x + host\n    except RuntimeError:\n        return\n    pytest.fail()\nf()",
        False,
        id="behind it by a call",
    ),
    pytest.param(
        "def f():\n    try:\n        x + host\n    except RuntimeError:\n        return\n    if x: pass\nf()",
        True,
        id="behind it is something else",
    ),
    pytest.param(
        "def f():\n    try:\n        x + host\n    except RuntimeError:\n        return\nf()",
        True,
        id="nothing behind it",
    ),
    pytest.param(
        "def f():\n    if x:\n        try: x + host\n        except RuntimeError: return\n    raise OSError\nf()",
        True,
        id="within",
    ),
    pytest.param("@pytest.mark.xfail\ndef test():\n    x + host", False, id="a test that has to fail"),
    pytest.param("@pytest.mark.xfail(strict=True)\ndef test():\n    x + host", False, id="strictly"),
    pytest.param("@pytest.mark.xfail(x, reason='')\ndef test():\n    x + host", True, id="where something holds"),
    pytest.param("@pytest.mark.xfail(raises=OSError)\ndef test():\n    x + host", True, id="with another error"),
    pytest.param("@unittest.expectedFailure\ndef test():\n    x + host", False, id="of the standard library"),
    pytest.param("@pytest.mark.slow\ndef test():\n    x + host", True, id="another mark"),
]


@pytest.mark.parametrize(("lines", "found"), TRIED)
def test_what_is_meant_to_fail(lines: str, found: bool) -> None:
    assert [one.code for one in analyse(f"{HEAD}{lines}\n")] == ["TDL101"] * found


SAID = [
    ("x + host  # this will error", False),
    ("# This will raise an error: two devices\nprint(1)\nx + host", False),
    ("# An error will happen\nx + host", False),
    ("# it fails\n\nx + host", True),
    ("# it fails\n1\n2\n3\n4\n5\n6\nx + host", True),
    ("1  # it fails\nx + host", True),
    ("'''\f\f'''\nx + host  # it fails", False),
    ("# without a GPU it fails\nx + host", True),
    ("# TODO: this crashes\nx + host", True),
    ("# a failure\nx + host", True),
]


@pytest.mark.parametrize(("lines", "found"), SAID)
def test_what_a_comment_says_will_fail(lines: str, found: bool) -> None:
    assert [one.code for one in analyse(f"{HEAD}{lines}\n")] == ["TDL101"] * found


def test_a_comment_that_says_so_is_no_reason_to_pass_over_other_faults() -> None:
    text = f"{HEAD}# this will error\nx + host\n\nprint(x + host.float())\ntorch.ones(3, device='cuda')  # it raises\n"
    assert [(one.code, one.line) for one in analyse(text)] == [("TDL101", 9), ("TDL501", 10)]


CASE = """\
import unittest
import torch

class Case(unittest.TestCase):
    def setUp(self):
        {before}

    def test(self):
        {first}
        self.assertTrue(torch.ones(2).cuda().is_cuda)

unittest.main()
"""
ABSENT = "if not torch.cuda.is_available(): {}"


@pytest.mark.parametrize(
    ("before", "first", "found"),
    [
        ("pass", ABSENT.format("self.skipTest('')"), False),
        (ABSENT.format("self.skipTest('')"), "pass", False),
        ("pass", ABSENT.format("self.fail('')"), False),
        ("pass", ABSENT.format("self.assertTrue(True)"), True),
    ],
)
def test_a_test_that_leaves(before: str, first: str, found: bool) -> None:
    told = analyse(CASE.format(before=before, first=first))
    assert [one.code for one in told] == ["TDL502"] * found


BANK = """\
    import torch
    from torch import nn

    class Bank(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 4)
            self.bank = torch.randn(8, 4)

        def forward(self, x):
            return self.layer(x) @ self.bank.t()

        def update(self, x):
            {update}
"""


@pytest.mark.parametrize(
    ("update", "found"),
    [
        ("self.bank[:2] = x", True),
        ("self.bank[0][1] = x", True),
        ("self.other[:2] = x", True),
        ("self.bank = x", False),
        ("self.bank, self.last[0] = x", False),
    ],
)
def test_what_is_written_into_a_tensor_does_not_move_it(update: str, found: bool) -> None:
    assert [one.code for one in analyse(textwrap.dedent(BANK).format(update=update))] == ["TDL105"] * found


@pytest.mark.parametrize(
    ("asked", "found"),
    [("str(x.device)", False), ("x.device.type", False), ("repr(x)", True), ("str(x.shape, 1)", True)],
)
def test_the_text_of_a_device_is_asked(asked: str, found: bool) -> None:
    lines = f"def f():\n    if {asked}.startswith('cuda'):\n        return x\n    return x + host\nf()\n"
    assert [one.code for one in analyse(f"{HEAD}{lines}")] == ["TDL101"] * found
