"""What meets in a call: results written to, scalars, weights that are asked for; where rules speak and where not."""

from __future__ import annotations

import pytest

from torchdevlint.engine import analyse

HEAD = """\
import torch
import torch.nn.functional as F
from torch import nn
from elsewhere import given
a = torch.randn(3, device="cuda")
b = torch.randn(3, device="cuda")
m = torch.randn(3, 3, device="cuda")
host = torch.empty(3)
scalar = torch.tensor(1.0)
index = torch.tensor([0, 1, 2], device="cuda")
"""

MET = [
    pytest.param("torch.sin(a, out=host)", True, id="a result on the host"),
    pytest.param("torch.sin(a, out=scalar)", True, id="a result without dimensions on the host"),
    pytest.param("torch.sin(scalar, out=a)", False, id="a scalar on the host, the result on the device"),
    pytest.param("torch.sin(a, out=None)", False, id="no result is given"),
    pytest.param("torch.sin(a, out=given)", False, id="the result is unknown"),
    pytest.param("torch.sin(a, out=b)", False, id="both on the device"),
    pytest.param("torch.sin(a, out=b) + torch.zeros(3)", True, id="what was written to is returned"),
    pytest.param("torch.add(a, b, out=host)", True, id="a sum on the host"),
    pytest.param("torch.add(host, host, out=a)", True, id="operands on the host"),
    pytest.param("torch.cat([a, b], out=torch.empty(6))", True, id="a sequence into the host"),
    pytest.param("torch.sort(a, out=(b, index))", False, id="two results on the device"),
    pytest.param("torch.sort(a, out=(b, index.cpu()))", True, id="one of two on the host"),
    pytest.param("torch.max(a, other=host)", True, id="a keyword makes it a combination"),
    pytest.param("torch.clamp(a, None, scalar)", True, id="one limit without dimensions"),
    pytest.param("torch.clamp(a, 0.0, scalar)", False, id="the other limit is a number"),
    pytest.param("torch.clamp(a, scalar, b)", True, id="a limit without dimensions"),
    pytest.param("torch.clamp(a, scalar, b, out=b)", False, id="the same, written to a result"),
    pytest.param("F.linear(a, m, scalar)", False, id="a bias without dimensions"),
    pytest.param("F.linear(a, m, host)", True, id="a bias on the host"),
    pytest.param("F.l1_loss(a, scalar)", True, id="a target without dimensions is expanded"),
    pytest.param("F.l1_loss(a.sum(), scalar)", False, id="the prediction has no dimensions either"),
    pytest.param("nn.MSELoss()(scalar, a)", True, id="a prediction without dimensions is expanded"),
    pytest.param("torch.block_diag(m, host)", True, id="every argument is an operand"),
    pytest.param("torch.block_diag([m, a])", False, id="a list of operands, all on the device"),
    pytest.param("torch.meshgrid(a, host, indexing='ij')", True, id="the axes of a grid"),
    pytest.param("torch.meshgrid([a, scalar])", True, id="the axes of a grid in a list, one without dimensions"),
    pytest.param("torch.meshgrid(a, b)[1] + host", True, id="an axis of a grid"),
    pytest.param("torch.meshgrid(a, b)[1] + a", False, id="an axis of a grid on the device"),
    pytest.param("torch.meshgrid(given, given)[0] + host", False, id="a grid that is unknown"),
    pytest.param("torch.einsum('i,i->', [a, host])", True, id="operands in a list"),
    pytest.param("torch.searchsorted(a, b, sorter=index.cpu())", True, id="an operand by keyword"),
    pytest.param("torch.searchsorted(a, b, sorter=index)", False, id="it is on the device"),
    pytest.param("torch.polygamma(1, a) + host", True, id="the tensor is the second argument"),
    pytest.param("a.polygamma(1) + host", True, id="the tensor is the receiver"),
    pytest.param("torch.linalg.lstsq(m, m)[0] + host", True, id="one of several results"),
    pytest.param("torch.linalg.lstsq(m, m.cpu())", True, id="operands of several results"),
    pytest.param("torch.linalg.lstsq(given, given)[0] + host", False, id="operands that are unknown"),
    pytest.param("a + torch.matmul(host, host)", False, id="a product of vectors is a number"),
    pytest.param("a + torch.matmul(m.cpu(), host)", True, id="a product of a matrix and a vector is none"),
    pytest.param("a + torch.matmul(given, host)", False, id="a product with something unknown"),
    pytest.param("a + host.gather(0, torch.tensor(0))", False, id="gathered at one place"),
    pytest.param("a + host.gather(0, torch.tensor([0, 1, 2]))", True, id="gathered at several"),
    pytest.param("a + torch.kthvalue(host, 1)[0]", False, id="a value of a vector"),
    pytest.param("a + torch.kthvalue(m.cpu(), 1)[0]", True, id="values of a matrix"),
    pytest.param("a + torch.tile(scalar, ())", False, id="repeated in no dimension"),
    pytest.param("a + torch.tile(host, (1,))", True, id="repeated"),
    pytest.param("a + torch.masked_scatter(host, host > 0, host)", True, id="scattered by a mask"),
    pytest.param("torch.slice_scatter(a, b, out=host)", False, id="a result that is copied"),
    pytest.param("torch.linalg.tensorsolve(m, a, out=host)", False, id="a result of two operands that is copied"),
    pytest.param("torch.linalg.tensorsolve(m, host, out=host)", True, id="the operands are compared all the same"),
    pytest.param("a + F.margin_ranking_loss(scalar, scalar, scalar, reduction='none')", False, id="a loss of numbers"),
    pytest.param("F.scaled_dot_product_attention(m, m, m, attn_mask=m.cpu())", True, id="a mask on the host"),
    pytest.param("nn.LayerNorm(3, 1e-5, False)(a)", False, id="no weights, by position"),
    pytest.param("nn.LayerNorm(3, elementwise_affine=given)(a)", False, id="perhaps no weights"),
    pytest.param("nn.LayerNorm(3)(a)", True, id="weights"),
    pytest.param("nn.BatchNorm1d(3, affine=False)(m)", True, id="no weights, but statistics"),
    pytest.param("nn.InstanceNorm1d(3)(m)", False, id="none unless it is asked for"),
    pytest.param("nn.InstanceNorm1d(3, affine=True)(m)", True, id="asked for"),
]


@pytest.mark.parametrize(("text", "found"), MET)
def test_what_meets(text: str, found: bool) -> None:
    diagnostics = [one for one in analyse(HEAD + text + "\n") if one.code in ("TDL101", "TDL102", "TDL103")]
    assert bool(diagnostics) is found, diagnostics


STATE = """\
import torch
from torch import nn
model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1{options})
optimizer.load_state_dict(torch.load("state.pt", map_location="cpu"))
model.cuda()
x = torch.randn(3, 2, device="cuda")
model(x).sum().backward()
optimizer.step()
"""


@pytest.mark.parametrize(("options", "found"), [(", momentum=0.9", True), ("", False)])
def test_only_an_optimizer_with_state_leaves_it_behind(options: str, found: bool) -> None:
    assert any(one.code == "TDL303" for one in analyse(STATE.format(options=options))) is found
