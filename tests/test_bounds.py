"""Past each bound a value is unknown and nothing is said; up to it, all is found."""

from __future__ import annotations

import pytest

from torchdevlint.engine import analyse

HEAD = "import torch\nfrom torch import nn\n"


def codes(source: str) -> list[str]:
    """Return the codes of faults that raise an error."""
    return [found.code for found in analyse(HEAD + source) if found.code.startswith("TDL1")]


@pytest.mark.parametrize(("guards", "found"), [(20, ["TDL101"]), (250, [])])
@pytest.mark.parametrize("guard", ["assert a{0} > {0}", "if a{0}: raise E"])
def test_where_too_much_holds_nothing_is_found(guard: str, guards: int, found: list[str]) -> None:
    before = "".join(f"    {guard.format(i)}\n" for i in range(guards))
    assert codes(f"def f():\n{before}    torch.ones(3) + torch.ones(3).cuda()\n") == found


WAYS = {
    "a tensor": ("x = torch.ones(3)", "x = x", "x + torch.ones(3).cuda()"),
    "where a module is": ("m = nn.Linear(3, 3).cuda()", "m.cpu()\n    m.cuda()", "m(torch.ones(3))"),
    "elements": ("x = [torch.ones(3)]", "x.append(torch.ones(3))", "x[0] + torch.ones(3).cuda()"),
    "which optimizer holds a module": (
        "m = nn.Linear(3, 3).cuda()",
        "o = torch.optim.Adam(m.parameters())",
        "m(torch.ones(3))",
    ),
}


@pytest.mark.parametrize("way", ["continue", "break"])
@pytest.mark.parametrize("what", WAYS)
def test_past_so_many_ways_out_of_a_loop_what_it_wrote_is_unknown(what: str, way: str) -> None:
    before, inside, after = WAYS[what]
    few, many = (
        f"{before}\nfor i in z:\n    {inside}\n" + f"    if a:\n        b = 1\n        {way}\n" * count + f"{after}\n"
        for count in (20, 250)
    )
    assert len(codes(few)) == 1
    assert codes(many) == (codes(few) if what == "which optimizer holds a module" else [])


def test_a_loop_that_only_ways_of_its_own_leave_may_leave_by_too_many() -> None:
    ways = "    if a:\n        break\n" * 250
    assert codes(f"x = torch.ones(3)\nwhile True:\n    x = x\n{ways}    x = x\nx + torch.ones(3).cuda()\n") == []
    endless = f"x = torch.ones(3)\nwhile True:\n{ways.replace('break', 'continue')}x + torch.ones(3).cuda()\n"
    assert codes(endless) == []


@pytest.mark.parametrize(("count", "found"), [(100, ["TDL101"]), (150, [])])
def test_of_an_object_with_too_many_attributes_the_last_are_unknown(count: int, found: list[str]) -> None:
    attributes = "".join(f"o.a{i} = torch.ones(3)\n" for i in range(count))
    source = f"class C:\n    pass\no = C()\n{attributes}o.a{count - 1} + torch.ones(3).cuda()\n"
    assert codes(source) == found


@pytest.mark.parametrize(("count", "found"), [(3, ["TDL301"]), (70, [])])
def test_of_a_module_so_many_optimizers_are_followed(count: int, found: list[str]) -> None:
    optimizers = "".join(f"o{i} = torch.optim.Adagrad(m.parameters())\n" for i in range(count))
    source = f"{HEAD}m = nn.Linear(3, 3)\n{optimizers}m.cuda()\nm(torch.ones(3).cuda())\no{count - 1}.step()\n"
    assert [each.code for each in analyse(source) if each.code == "TDL301"] == found


LEFT_TO_THE_NEXT = {
    "a value": "y = torch.ones(3).cuda()\nfor i in z:\n    y + torch.ones(3).cuda()\n    y = torch.ones(3)\n",
    "a name": "for i in z:\n    if i:\n        y + torch.ones(3).cuda()\n    y = torch.ones(3)\n",
    "an attribute": (
        "o = unseen()\nfor i in z:\n    if i:\n        o.y + torch.ones(3).cuda()\n    o.y = torch.ones(3)\n"
    ),
    "after a way out": (
        "y = torch.ones(3).cuda()\nfor i in z:\n    y + torch.ones(3).cuda()\n    y = torch.ones(3)\n"
        "    if i:\n        continue\n    y = y + 1\n"
    ),
}


@pytest.mark.parametrize("what", LEFT_TO_THE_NEXT)
def test_a_pass_of_a_loop_finds_what_the_one_before_left(what: str) -> None:
    assert codes(LEFT_TO_THE_NEXT[what]) == ["TDL101"]


def test_what_a_pass_makes_and_binds_is_its_own() -> None:
    source = "for x, y in z:\n    o = [torch.ones(3)]\n    o.append(x)\n    o[0] + torch.ones(3).cuda()\n    x = y\n"
    assert codes(source) == ["TDL101"]
    assert codes("for o.x in z:\n    torch.ones(3) + torch.ones(3).cuda()\n") == ["TDL101"]
