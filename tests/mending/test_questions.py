"""Fixes of questions that are asked wrongly, of what several devices need, and of advice."""

from __future__ import annotations

from textwrap import dedent

import pytest
from mending_scripts import HEAD, MODEL, MOVED, after, written


@pytest.mark.parametrize(
    ("use", "code", "fixed"),
    [
        ("print(model.device)", "TDL503", "print(next(model.parameters()).device)"),
        ("print([model][0].device)", "TDL503", ""),
        ("if device == 'cuda': print(1)", "TDL504", "if device.type == 'cuda': print(1)"),
        ("if device == 'cuda:0': print(1)", "TDL504", ""),
        ("x = torch.ones(3)\nif x.device == torch.device('cuda'): print(1)", "TDL504", "if x.device.type == 'cuda': print(1)"),
        ("if [device][0] == 'cuda': print(1)", "TDL504", ""),
        ("x = torch.ones(3)\nif hasattr(x, 'device') and x.device == torch.device('cuda'): print(1)", "TDL504", ""),
        ("name = 'cuda'\nif device == name: print(1)", "TDL504", ""),
        ("x = torch.ones(3)\nmodel.to(x.get_device())", "TDL505", "model.to(x.device)"),
        ("x = torch.ones(3)\nmodel.to(torch.Tensor.get_device(x))", "TDL505", ""),
        ("wrapper = nn.DataParallel(model)\nwrapper.in_features", "TDL605", "wrapper.module.in_features"),
        ("nn.DataParallel(model).in_features", "TDL605", ""),
        ("wrapper = nn.DataParallel(model)\ngetattr(wrapper, 'in_features')", "TDL605", ""),
    ],
)  # fmt: skip
def test_the_right_question_is_asked(use: str, code: str, fixed: str) -> None:
    assert "|".join(written(f"{MODEL}{use}\n", code)) == fixed


@pytest.mark.parametrize(
    ("cast", "fixed"),
    [
        ("torch.autocast(device)", "with torch.autocast(device.type):"),
        ("torch.autocast('cuda')", ""),
    ],
)
def test_the_type_of_a_device_is_asked_for(cast: str, fixed: str) -> None:
    assert "|".join(written(f"{MOVED}with {cast}:\n    model(torch.ones(2, 3).to(device))\n", "TDL116")) == fixed


REPLICAS = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(3, 3)

        def forward(self, x):
            return self.layer(x).mean()

    model = nn.DataParallel(Net().cuda())
    {}
"""


@pytest.mark.parametrize(
    ("use", "fixed"),
    [
        ("loss = model(torch.ones(2, 3))\n    loss.backward()", "loss = model(torch.ones(2, 3)).mean()"),
        ("model(torch.ones(2, 3)).backward()", ""),
        ("loss, _ = model(torch.ones(2, 3)), 1\n    loss.backward()", ""),
    ],
)
def test_the_losses_of_replicas_become_one(use: str, fixed: str) -> None:
    assert "|".join(written(HEAD + dedent(REPLICAS.format(use)), "TDL606")) == fixed


@pytest.mark.parametrize("given", ["model", "module=model", "  # why\n    model"])
def test_a_conversion_is_left_out(given: str) -> None:
    text = f"{MODEL}model = nn.SyncBatchNorm.convert_sync_batchnorm({given})\nmodel = nn.DataParallel(model)\n"
    text = text.replace("nn.Linear(3, 3)", "nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))")
    assert written(text, "TDL608") == (["model = model"] if given == "model" else [])


FED = """
    import torch.distributed as dist
    from torch.utils.data import DataLoader, TensorDataset
    dist.init_process_group("gloo")
    data = TensorDataset(torch.ones(8, 3))
    net = nn.parallel.DistributedDataParallel(nn.Linear(3, 3))
    f = DataLoader({})
    for (x,) in f:
        net(x).sum().backward()
"""


@pytest.mark.parametrize(
    ("given", "fixed"),
    [
        ("data", "data, sampler=torch.utils.data.DistributedSampler(data, shuffle=False)"),
        ("data, shuffle=True", "data, sampler=torch.utils.data.DistributedSampler(data)"),
        ("data, shuffle=False", "data, sampler=torch.utils.data.DistributedSampler(data, shuffle=False)"),
        ("data, shuffle=bool(1)", ""),
        ("data, 4", ""),
        ("TensorDataset(torch.ones(8, 3))", ""),
    ],
)
def test_a_sampler_divides_the_data(given: str, fixed: str) -> None:
    found = written(HEAD + dedent(FED.format(given)), "TDL609")
    wanted = [f"f = DataLoader({fixed})"] if len(fixed) < 60 else ["f = DataLoader(", fixed, ")"]
    assert found == (wanted if fixed else [])


@pytest.mark.parametrize(
    ("above", "sampler"),
    [
        ("own = torch.utils.data.DistributedSampler(data)", "own"),
        ("own = torch.utils.data.DistributedSampler(data, shuffle=False)", ""),
        ("own = torch.utils.data.DistributedSampler(data)\ndata = TensorDataset(torch.ones(9, 3))", ""),
        ("own.it = torch.utils.data.DistributedSampler(data)", ""),
        ("own = torch.utils.data.DistributedSampler(net)", ""),
        ("own = torch.utils.data.RandomSampler(data)", ""),
        ("own = torch.utils.data.DistributedSampler(data)\nown = None", ""),
        ("if data:\n    own = torch.utils.data.DistributedSampler(data)", ""),
    ],
)
def test_a_sampler_that_was_made_is_given(above: str, sampler: str) -> None:
    text = HEAD + dedent(FED.format("data, shuffle=True")).replace("f = ", f"{above}\nf = ")
    given = sampler or "torch.utils.data.DistributedSampler(data)"
    assert written(text, "TDL609") == [f"f = DataLoader(data, sampler={given})"]


@pytest.mark.parametrize("made", ["make = lambda: DataLoader({})", "def make(f=DataLoader({})):\n    return f"])
def test_a_sampler_is_given_where_a_loader_is_made_later(made: str) -> None:
    above = "own = torch.utils.data.DistributedSampler(data)\n"
    text = HEAD + dedent(FED.replace("    f = DataLoader({})\n", "")).replace("in f:", "in make():")
    text = text.replace("for (x,)", f"{above}{made.format('data, shuffle=True')}\nfor (x,)")
    assert written(text, "TDL609")[0] == made.format("data, sampler=own").partition("\n")[0]


@pytest.mark.parametrize(
    ("use", "fixed"),
    [
        ("x = torch.zeros(3).to(device)", "x = torch.zeros(3, device=device)"),
        ("x = torch.zeros(3).to(device=device)", "x = torch.zeros(3, device=device)"),
        ("x = torch.zeros(3).to(device, torch.float16)", ""),
        ("x = torch.zeros(3).to(device=device, dtype=torch.float16)", ""),
        ("x = torch.zeros(3).to('cuda')", ""),
        ("x = torch.zeros(3).view(3).to(device)", ""),
        ("x = torch.zeros(3, requires_grad=True).to(device)", ""),
        ("y = torch.ones(3, device=device)\nx = torch.zeros(3).to(y)", ""),
        ("x = torch.zeros(3).to(  # why\n    device)", ""),
    ],
)
def test_a_tensor_is_made_where_it_goes(use: str, fixed: str) -> None:
    assert "|".join(written(f"{MOVED}{use}\n", "TDL903")) == fixed


EVALUATED = """
    def run(loader):
        model.eval()
        hits = 0
        {before}for x, y in loader:
            hits += (model(x).argmax(1) == y).sum().item()  {text}

        return hits

    run(torch.utils.data.DataLoader([(torch.ones(3), 1)]))
"""


@pytest.mark.parametrize(
    ("before", "text", "wraps"),
    [("", "# hits", True), ("pass; ", "", False), ("", "; '''a\n        b'''", False)],
)
def test_a_loop_runs_without_a_graph(before: str, text: str, wraps: bool) -> None:
    source = MODEL + dedent(EVALUATED.format(before=before, text=text))
    new = after(source, "TDL908")
    assert ("    with torch.no_grad():\n        for x, y in loader:\n            hits" in new) is wraps
    assert wraps or new == source


def test_a_loop_stays_where_torch_is_not_imported_as_such() -> None:
    source = MODEL + dedent(EVALUATED.format(before="", text=""))
    inside = source.replace("    model.eval()", "    torch = 1\n    model.eval()")
    assert after(inside, "TDL908") == inside


@pytest.mark.parametrize(
    ("use", "fixed"),
    [
        ("torch.cuda.amp.autocast(enabled=False)", 'with torch.amp.autocast("cuda", enabled=False):'),
        ("torch.cuda.amp.autocast()", 'with torch.amp.autocast("cuda"):'),
        ("torch.cuda.amp.autocast(True)", ""),
        ("autocast()", ""),
        ("(torch.cuda.amp.autocast)()", ""),
    ],
)
def test_the_name_of_today_is_used(use: str, fixed: str) -> None:
    text = (
        f'{HEAD}from torch.cuda.amp import autocast\n"", "", ""\nwith {use}:\n    x = torch.ones(3, device="cuda:0")\n'
    )
    assert "|".join(written(text, "TDL912")) == fixed


def test_what_is_gathered_is_copied() -> None:
    loop = "kept = []\nfor (x,) in torch.utils.data.DataLoader([(torch.ones(3),)]):\n    {}\nprint(torch.cat(kept).detach().cpu())\n"
    assert written(f"{MOVED}{loop.format('kept.append(model(x.to(device)))')}", "TDL904") == [
        "kept.append(model(x.to(device)).detach().cpu())"
    ]
    assert written(f"{MOVED}{loop.format('kept += [model(x.to(device))]')}", "TDL904") == []
