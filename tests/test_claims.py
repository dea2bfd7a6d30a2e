"""What a file tells of its values: by a test that others do not pass, and by comments."""

from __future__ import annotations

import pytest

from torchdevlint.claims import Claim, claim, misspelt
from torchdevlint.engine import analyse

HEAD = "import torch\n\nfrom mylib import get, model\n\n\n"


def found(text: str) -> list[str]:
    codes = ("TDL501", "TDL502")
    return [f"{d.line - 5} {d.code}" for d in analyse(HEAD + text) if d.code not in codes]


def after(test: str, last: str = "return x + torch.ones(3, 4)") -> str:
    return f"def f(x: torch.Tensor, w: torch.Tensor):\n    {test}\n    {last}\n"


@pytest.mark.parametrize(
    "test",
    [
        "assert x.is_cuda",
        "assert x.device.type == 'cuda', x.device",
        "assert x.device.type != 'cpu'",
        "assert x.is_cuda and w.is_cuda",
        "if not x.is_cuda: raise ValueError",
        "if x.device.type != 'cuda': return None",
        "if x.device.type == 'cpu': return None",
    ],
)
def test_what_a_test_lets_through_is_on_an_accelerator(test: str) -> None:
    assert found(after(test)) == ["3 TDL101"]
    [one] = analyse(HEAD + after(test))
    assert one.message == "`torch.ones(…)` is on cpu (line 8) but `x` is on an accelerator"
    assert found(after(test, "return torch.ones(3, 4) @ x")) == ["3 TDL101"]


@pytest.mark.parametrize(
    "text",
    [
        after("assert x.is_cuda", "return x + torch.tensor(3)"),
        after("assert x.is_cuda", "return x + w"),
        after("assert x.is_cuda", "return x + torch.ones(3, 4, device=x.device)"),
        after("assert x.is_cuda", "x = x.cpu(); return x + torch.ones(3, 4)"),
        after("assert x.is_cuda", "x = get(x); return x + torch.ones(3, 4)"),
        after("assert x.is_cuda or w.is_cuda"),
        after("assert x.device == w.device"),
        after("assert not x.is_cuda"),
        after("assert x.device.type == 'cpu'"),
        after("if x.is_cuda: return None"),
        after("if not x.is_cuda: print(x)"),
        after("assert w.is_cuda"),
    ],
)
def test_what_a_test_does_not_tell(text: str) -> None:
    assert found(text) == []


def test_a_branch_is_one_world() -> None:
    text = "def f(x: torch.Tensor):\n    if x.is_cuda:\n        {}\n    return x + torch.ones(3, 4)\n"
    assert found(text.format("x = x + torch.ones(3, 4)")) == ["3 TDL101"]
    assert found(text.format("x = x + torch.ones(3, 4).cuda()")) == ["4 TDL101"]  # where it is on cuda
    assert found(text.format("return x")) == []


# comments

CLAIMS = [
    ("x = get()  # tdl: x on cuda\ny = x[None] + torch.ones(3, 4)\n", ["2 TDL101"]),
    ("x = get()\n# tdl: x on cuda:1\ny = x[None] + torch.ones(3, 4).cuda(0)\n", ["3 TDL101"]),
    ("x = get()  # tdl: x on cpu\ny = x[None, None] + torch.ones(3, 4)\n", []),
    ("def f(x):  # tdl: x on cuda\n    return torch.ones(3, 4) + x\n", ["2 TDL101"]),
    ("def f(x): return torch.ones(3, 4) + x  # tdl: x on cuda\n", ["1 TDL002"]),
    ("for x in get():  # tdl: x on mps\n    print(torch.ones(3, 4) + x)\n", ["2 TDL101"]),
    ("d = torch.device('cuda')\nx = get()  # tdl: x on d\ny = x[None] + torch.ones(3, 4)\n", ["3 TDL101"]),
    ("d = get()\nx = get()  # tdl: x on d\ny = x[None] + torch.ones(3, 4)\n", []),
    ("x = torch.ones(3, 4)  # tdl: x on cuda (so)\n", ["1 TDL002"]),
    ("x = torch.ones(3, 4)  # tdl: x on cuda  # so\ny = x + torch.ones(3, 4)\n", ["2 TDL101"]),
    ("x = get()\nx.m = get()\n# tdl: x.m on cuda\ny = x.m[None] + torch.ones(3, 4)\n", ["4 TDL101"]),
    ("l = torch.nn.Linear(4, 2)\n# tdl: l on cuda\nl(torch.ones(8, 4))\n", ["3 TDL102"]),
    ("m = get()\n# tdl: m on cuda\nm.eval()\nm(torch.ones(8, 4))\n", ["4 TDL102"]),
    ("# tdl: model on cuda\nmodel(torch.ones(8, 4))\n", []),
    ("# tdl: get() on cuda\nx = get()\n", ["1 TDL002"]),
    ("# tdl: get.x on cuda\nx = get()\n", []),
    ("x = get()  # tdl: y on cuda\n", ["1 TDL002"]),
    ("x = get()  # noqa: E501  # tdl: x on cuda\ny = x[None] + torch.ones(3, 4)\n", ["2 TDL101"]),
    ("x = get()  #tdl :x on cuda\ny = x[None] + torch.ones(3, 4)\n", ["2 TDL101"]),
    ("x = get()  # TDL: x on cuda\ny = x[None] + torch.ones(3, 4)\n", ["2 TDL101"]),
    ("x = get()  # what it is  # tdl: x is on cuda\n", ["1 TDL002"]),
    ("x = get()  # tdl x on cuda\n", ["1 TDL002"]),
    ("# x = get()  # tdl: y on moon\n# print(x)  # tdl: so\n", []),
    ("# TDL: ask them\n# tdl is ours\n# TDL is on cuda\nx = 3  # see tdl: x on y\n", []),
    ("class A:  # tdl: x on cuda\n    x = get()\n", ["1 TDL002"]),
    ("x = get(\n    3,  # tdl: x on cuda\n)\n", ["2 TDL002"]),
    ("@get  # tdl: x on cuda\ndef f(x):\n    pass\n", ["1 TDL002"]),
    ("def f(x): return x  # tdl: x on cuda\n", ["1 TDL002"]),
    ("if get():\n    x = 3\n# tdl: x on cuda\nelse:\n    x = 4\n", ["3 TDL002"]),
    ("if get():\n    x = get()\n    # tdl: x on cuda\nx = 4\n", ["3 TDL002"]),
    ("x = get()\n# tdl: x on cuda\n", []),  # above what stands below
    ("if get():\n    x = 3\nelse:  # tdl: x on cuda\n    x = 4\n", []),
    ("class A:  # tdl: cpu-only\n    def f(self):  # tdl: cpu-only\n        pass\n", ["1 TDL002"]),
    ("async def f(self):  # tdl: cpu-only\n    x = 3  # tdl: cpu-only\n", ["2 TDL002"]),
    ("def f(x): return x  # tdl: cpu-only\n# tdl: cpu-only\n", ["1 TDL002", "2 TDL002"]),
    ("x = '''\n# tdl: y on moon\n'''\nx.to('cuda')\n", []),
]


@pytest.mark.parametrize(("text", "codes"), CLAIMS)
def test_comments(text: str, codes: list[str]) -> None:
    assert found(text + "\nprint(device)\n") == codes


def test_claims() -> None:
    assert claim("# tdl: a.b on cuda:0") == Claim("a.b", "cuda:0")
    assert claim("#tdl:x on  device # so") == Claim("x", "device")
    for comment in ("# x on cuda", "# tdl: x cuda", "# tdl: 3x on cuda", "# tdl: x on", "# tdl x on cuda"):
        assert claim(comment) is None
    assert claim("# noqa: E501  # TDL : a on cuda") == Claim("a", "cuda")
    assert claim("# a = b  # tdl: a on cuda") is None


def test_a_comment_at_the_end_of_a_file_tells_nothing() -> None:
    text = "import torch\nx = torch.ones(3).cuda()\n# tdl: x on cpu\n"
    [one] = [one for one in analyse(text) if one.code == "TDL002"]
    assert (one.line, one.message) == (3, "the comment stands above no statement, where it tells nothing")


def test_what_is_misspelt_is_told_with_what_may_be_meant() -> None:
    text = "labels = 3  # tdl: lables on cuda\n# tdl: labels on devise\n# tdl: labels at cuda\n# tdl: zzz on cuda\n"
    assert [(one.line, one.column, one.reason) for one in misspelt(text, "cuda".__eq__)] == [
        (1, 12, "names `lables`, which is not in the file: `labels`?"),
        (2, 0, "names `devise`, which is not in the file"),
        (3, 0, "is no `# tdl: NAME on DEVICE`, and no `# tdl: cpu-only`"),
        (4, 0, "names `zzz`, which is not in the file"),
    ]
    assert list(misspelt("(", "cuda".__eq__)) == []


def test_a_misspelt_comment_may_be_unwanted() -> None:
    from torchdevlint.options import Options

    text = f"{HEAD}x = torch.ones(3).cuda()  # tdl: y on cuda\n"
    assert "TDL002" in [d.code for d in analyse(text)]
    assert "TDL002" not in [d.code for d in analyse(text, options=Options(wants="TDL101".__eq__))]


HOST_ONLY = """\
import torch


def f(x):{}
    y = torch.ones(3, 4) + torch.ones(3, 4).cuda()
    return x.numpy()


def g():
    f(3)
    return torch.ones(3, 4) + torch.ones(3, 4).cuda()
"""


def codes(text: str) -> list[str]:
    return [f"{d.line} {d.code}" for d in analyse(text) if d.code != "TDL502"]


def test_what_runs_on_the_host_only() -> None:
    assert codes(HOST_ONLY.format("")) == ["5 TDL101", "11 TDL101"]
    assert codes(HOST_ONLY.format("  # tdl: cpu-only")) == ["11 TDL101"]
    for head in ("# tdl: cpu-only\n", "# so\n# tdl: cpu-only  # so\n\n"):
        assert codes(head + HOST_ONLY.format("")) == []
    assert codes("x = 1\n# tdl: cpu-only\n" + HOST_ONLY.format("")) == ["2 TDL002", "7 TDL101", "13 TDL101"]
    assert codes("import torch\n\n\ndef f(x): return x.cuda() + torch.ones(3, 4)  # tdl: cpu-only\n") == [
        "4 TDL101",
        "4 TDL002",
    ]
