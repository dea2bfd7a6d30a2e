"""Rules about several devices and processes, where a fixture would say little."""

from __future__ import annotations

import inspect
import re

import pytest

from torchdevlint.engine import analyse
from torchdevlint.knowledge import DEFAULT
from torchdevlint.knowledge.rows import ModuleType

HEAD = """
import torch
from torch import nn
from elsewhere import flag, given, unknown
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(2, 2)
    def forward(self, x):
        return self.head(x)
    def encode(self, x):
        return x
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Net().to(device)
"""


def codes(lines: str, *ignored: str) -> list[str]:
    return [d.code for d in analyse(HEAD + lines + "\n") if d.code not in ("TDL501", "TDL502", *ignored)]


ASKED = [
    pytest.param("nn.DataParallel(model).encode(1)", True, id="a method"),
    pytest.param("wrapped = nn.DataParallel(model)\nunknown(wrapped)\nwrapped.encode(1)", True, id="lent"),
    pytest.param("wrapped = nn.DataParallel(model)\nunknown(wrapped)\nwrapped.other", False, id="lent, and set there"),
    pytest.param("wrapped = nn.DataParallel(model)\nwrapped.other", True, id="an attribute that nobody has"),
    pytest.param("wrapped = nn.DataParallel(given)\nwrapped.other", True, id="around something unknown"),
    pytest.param("wrapped = nn.DataParallel(model)\nwrapped._private", False, id="a private one"),
    pytest.param(
        "wrapped = nn.DataParallel(model)\nsetattr(wrapped, flag, 1)\nwrapped.encode", False, id="set by name"
    ),
    pytest.param("wrapped = nn.DataParallel()\nwrapped.encode", False, id="around nothing"),
    pytest.param(
        "if flag:\n    model = nn.DataParallel(model)\n"
        "if given:\n    model.module.encode(1)\nelse:\n    model.encode(1)",
        False,
        id="told apart by another test",
    ),
    pytest.param(
        "if flag:\n    model = nn.DataParallel(model)\nif given:\n    model.module.encode(1)\nmodel.encode(1)",
        True,
        id="asked on either way",
    ),
    pytest.param(
        "either = nn.DataParallel(model) if flag else given\n"
        "if isinstance(either, nn.DataParallel):\n    either.module.encode(1)\nelse:\n    either.encode(1)",
        False,
        id="known to be no wrapper, though not what else",
    ),
    pytest.param(
        "either = nn.DataParallel(model) if flag else given\nif hasattr(either, 'encode'):\n    either.encode(1)",
        False,
        id="known to have it, though not what it is",
    ),
    pytest.param(
        "either = nn.DataParallel(model) if flag else given\nif hasattr(either, 'head') and either.head:\n    pass",
        False,
        id="known to have it in the same test",
    ),
]


@pytest.mark.parametrize(("lines", "found"), ASKED)
def test_wrappers_that_are_asked(lines: str, found: bool) -> None:
    assert codes(lines) == ["TDL605"] * found


@pytest.mark.needs_torch
@pytest.mark.parametrize("name", ["torch.nn.DataParallel", "torch.nn.parallel.DistributedDataParallel"])
def test_wrappers_have_what_their_rows_say(name: str) -> None:
    import torch

    kind = torch.nn.DataParallel if name.endswith("nn.DataParallel") else torch.nn.parallel.DistributedDataParallel
    row = DEFAULT.names[name]
    assert isinstance(row, ModuleType)
    assigned = re.findall(r"self\.([a-z]\w*) *(?::[^=\n]+)?=[^=]", inspect.getsource(kind))
    has = {one for one in (*dir(torch.nn.Module()), *dir(kind), *assigned) if not one.startswith("_")}
    assert has - row.own - set(DEFAULT.module) - {"device"} == set()


WORKER = """
import os
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.utils.data import DataLoader, Dataset
class Data(Dataset):
    def __init__(self, path, part=0):
        self.path, self.part = path, part
    def __getitem__(self, index):
        return torch.ones(3), torch.ones(3)
def helper(number):
    return number
def worker(RANK, args):
    dist.init_process_group("nccl", rank=RANK)
    model = nn.parallel.DistributedDataParallel(nn.Linear(3, 3).cuda(RANK), device_ids=[RANK])
    for x, y in LOADER:
        BODY
        nn.functional.mse_loss(model(x), y.cuda(RANK)).backward()
if flag:
    START
"""

FED = [
    pytest.param({}, True, id="nothing of a rank"),
    pytest.param({"DATA": "Data(args.path, RANK)"}, False, id="handed to the dataset"),
    pytest.param({"DATA": "Data(path=args.path, part=helper(RANK))"}, False, id="through a helper"),
    pytest.param({"DATA": "Data(os.environ['PART'])"}, False, id="out of the environment"),
    pytest.param({"DATA": "Data(os.getenv('PART'))"}, False, id="out of a variable"),
    pytest.param({"LOADER": "DataLoader(data, **args.more)"}, False, id="with arguments that are not seen"),
    pytest.param({"LOADER": "DataLoader(data, 4, False, args.sampler)"}, False, id="a sampler by position"),
    pytest.param({"LOADER": "DataLoader(args.data)"}, False, id="an unknown dataset"),
    pytest.param({"LOADER": "DataLoader()"}, False, id="no dataset"),
    pytest.param({"LOADER": "loader if args.one else DataLoader(data, sampler=args.sampler)"}, True, id="on one way"),
    pytest.param({"BODY": "part = [k for k in (c := x[RANK:])]"}, False, id="a part of the batch"),
    pytest.param({"BODY": "print(x[0] if RANK == 0 else 1)"}, True, id="another part"),
    pytest.param({"BODY": "pass\n        if RANK == 0:\n            print(1)"}, True, id="a rank that only tells"),
    pytest.param({"BODY": "k: int = RANK\n        k += 1\n        x = x[k]"}, False, id="by another name"),
    pytest.param({"BODY": "for i in [RANK]:\n            x = x[i]"}, False, id="in a loop"),
    pytest.param({"BODY": "if RANK:\n            j = 1\n        x = x[j]"}, False, id="by a test"),
    pytest.param({"RANK": "args.rank", "BODY": "x = x[args.rank]"}, False, id="an attribute"),
    pytest.param({"START": "mp.spawn(worker, args=(given,))", "RANK": "k", "BODY": "x = x[k]"}, False, id="spawned"),
    pytest.param(
        {
            "START": "for i in given:\n        mp.Process(target=worker, args=(i, flag)).start()",
            "NAMED": "k",
            "BODY": "x = x[k]",
        },
        False,
        id="started in a loop",
    ),
    pytest.param({"START": "mp.spawn(nn.Tanh, args=given)"}, True, id="something else is spawned"),
    pytest.param({"START": "mp.spawn(fn=worker, args=given)"}, True, id="spawned with what is not seen"),
    pytest.param({"BODY": "name = f'cuda:{args.k}'\n        x = x[args.k]"}, False, id="the index of a device"),
    pytest.param({"BODY": "name = f'model:{args.k}'\n        x = x[args.k]"}, True, id="another text"),
    pytest.param({"BODY": "y = y.to(device=RANK)\n        torch.manual_seed(0)"}, True, id="a seed of all"),
    pytest.param({"BODY": "torch.manual_seed(RANK)"}, False, id="a seed of each"),
]


@pytest.mark.parametrize(("parts", "found"), FED)
def test_loaders_that_nothing_divides(parts: dict[str, str], found: bool) -> None:
    lines = WORKER.replace("worker(RANK, args)", f"worker({parts.get('NAMED', 'RANK')}, args)")
    lines = lines.replace("for x, y in LOADER", "data = DATA\n    loader = DataLoader(data)\n    for x, y in LOADER")
    defaults = {"START": "worker(0, given)", "BODY": "pass", "LOADER": "loader", "DATA": "Data(args.path)"}
    for name, text in {**defaults, **parts, "RANK": parts.get("RANK", parts.get("NAMED", "rank"))}.items():
        if name != "NAMED":
            lines = lines.replace(name, text)
    lines = lines.replace("RANK", parts.get("RANK", "rank")).replace("worker(args.rank, args)", "worker(rank, args)")
    assert codes(lines) == ["TDL609"] * found
