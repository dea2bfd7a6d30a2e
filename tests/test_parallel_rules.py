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
    pytest.param({"BODY": "args['part'] = RANK\n        x = args[0](x)(x)[args.part]"}, False, id="in a dict"),
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


ALIKE = """
import os
import torch.distributed as dist
import torch.multiprocessing as mp
class Trainer:
    def setup(self):
        pass
def work(rank, size, net):
    JOIN
    MOVE
mp.spawn(work, args=(2, given), nprocs=2)
"""
JOIN = "dist.init_process_group('nccl', rank=rank, world_size=size)"

PLACED = [
    pytest.param({}, True, id="spawned"),
    pytest.param({"MOVE": "net.train()\n    net.cuda()"}, True, id="proven a module"),
    pytest.param({"MOVE": "net.cuda()"}, False, id="perhaps a tensor"),
    pytest.param({"JOIN": "dist.init_process_group('nccl', rank=0, world_size=1)"}, False, id="one process"),
    pytest.param({"JOIN": "dist.init_process_group('nccl', rank=0)"}, False, id="a rank that is none"),
    pytest.param({"JOIN": "dist.init_process_group('nccl')"}, False, id="no rank"),
    pytest.param(
        {"JOIN": "dist.init_process_group('nccl')\n    print(dist.get_rank())"}, True, id="asked for its rank"
    ),
    pytest.param({"JOIN": JOIN + "\n    unknown(rank)"}, False, id="after code that is not seen"),
    pytest.param({"JOIN": "unknown(rank)\n    " + JOIN}, False, id="before that it joins"),
    pytest.param({"JOIN": JOIN + "\n    anything(rank)"}, False, id="after code of an unknown name"),
    pytest.param({"JOIN": JOIN + "\n    work(rank, size, net)"}, False, id="after a function that is not followed"),
    pytest.param({"JOIN": JOIN + "\n    torch.cuda.set_device(rank)"}, False, id="a device is set"),
    pytest.param({"JOIN": JOIN + "\n    os.environ[given] = '1'"}, False, id="perhaps a variable"),
    pytest.param({"JOIN": JOIN + "\n    d = torch.device('cuda', rank)"}, False, id="by an index"),
    pytest.param({"JOIN": JOIN + "\n    if rank == 0:\n        pass"}, True, id="after a test"),
    pytest.param({"MOVE": "if rank == 0:\n        nn.Linear(2, 2).cuda()"}, False, id="in one of them"),
    pytest.param({"MOVE": "nn.Linear(2, 2).cuda(rank)"}, False, id="moved by the rank"),
    pytest.param({"MOVE": "nn.Linear(2, 2).cpu()"}, False, id="on the host"),
    pytest.param({"mp.spawn(work, args=(2, given), nprocs=2)": ""}, False, id="perhaps one on each machine"),
    pytest.param(
        {"mp.spawn(work, args=(2, given), nprocs=2)": "number = os.environ['LOCAL_RANK']"}, True, id="a local rank"
    ),
    pytest.param(
        {"mp.spawn(work, args=(2, given), nprocs=2)": "number = os.getenv('LOCAL_RANK')"}, True, id="by a call"
    ),
    pytest.param({"mp.spawn(work, args=(2, given), nprocs=2)": "number = os.environ[1:]"}, False, id="not a variable"),
    pytest.param(
        {"mp.spawn(work, args=(2, given), nprocs=2)": "number = dist.get_node_local_rank()"}, True, id="by the library"
    ),
]


@pytest.mark.parametrize(("parts", "found"), PLACED)
def test_modules_that_all_processes_put_in_one_place(parts: dict[str, str], found: bool) -> None:
    lines = ALIKE
    for name, text in {"JOIN": JOIN, "MOVE": "nn.Linear(2, 2).cuda()", **parts}.items():
        lines = lines.replace(name, text)
    head = HEAD.replace('torch.device("cuda" if torch.cuda.is_available() else "cpu")', "torch.device('cpu')")
    assert [d.code for d in analyse(head + lines) if d.code not in ("TDL501", "TDL502")] == ["TDL604"] * found


REPLICAS = """
class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Net()
        self.parts = nn.ModuleList([Net()])
        self.plain = torch.ones(2, device=device)
        self.loss = nn.CrossEntropyLoss()
    def forward(self, x, y=None):
        RETURN
net = nn.DataParallel(Outer().to(device))
USE
"""

REPLICATED = [
    pytest.param("return self.loss(self.inner(x), y)", "net(given, given).backward()", ["TDL606"], id="a scalar"),
    pytest.param(
        "return self.loss(self.inner(x), y)", "net(given, y=(flag, given)).backward()", ["TDL606"], id="named"
    ),
    pytest.param(
        "return self.loss(self.inner(x), y)",
        "s = torch.cuda.amp.GradScaler()\ns.scale(net(given, given)).backward()",
        ["TDL606"],
        id="scaled",
    ),
    pytest.param("return self.loss(self.inner(x), y)", "net(given).relu_().backward()", ["TDL606"], id="in place"),
    pytest.param("return self.loss(self.inner(x), y)", "a = net(given)\na.backward(a)", [], id="with a gradient"),
    pytest.param("return self.loss(self.inner(x), y)", "net(given)[0].backward()", [], id="one of them"),
    pytest.param(
        "return [self.loss(self.inner(x), y), x]",
        "a, b = net(given)\nb.backward()\na.backward()",
        ["TDL606"],
        id="a list",
    ),
    pytest.param("return [x, y]", "a, b = net(given)\na.backward()", [], id="a list of others"),
    pytest.param("return [self.loss(x, y) for i in x]", "net(given)[0].backward()", [], id="a list of any length"),
    pytest.param(
        "return self.loss(self.inner(x), y)",
        "a = net(given) if flag else net(flag)\na.backward()",
        ["TDL606"],
        id="either of two",
    ),
    pytest.param(
        "return self.loss(self.inner(x), y)",
        "a = net(given)\nif flag:\n    a = a.mean()\na.backward()",
        [],
        id="reduced on one way",
    ),
    pytest.param(
        "return self.loss(self.inner(x), y)",
        "if flag:\n    a = net(given)\nelse:\n    a = torch.ones(())\nif not flag:\n    a.backward()",
        [],
        id="another one on this way",
    ),
    pytest.param("return self.parts[0](x * self.plain)", "net(given)", ["TDL607"], id="a plain attribute"),
    pytest.param(
        "return self.parts[0](x * self.plain)", "nn.DataParallel(given)(given)", [], id="of something unknown"
    ),
    pytest.param("return self.parts[0](x) * self.plain", "net(given if flag else None)", ["TDL607"], id="a choice"),
    pytest.param("return self.plain * self.parts[0](x)", "net(given)", ["TDL607"], id="the first operand"),
    pytest.param("return self.parts[0](x) + torch.ones(2)", "net(given)", ["TDL104"], id="on the host"),
    pytest.param("return self.parts[0](x)", "unknown(net)", [], id="not called"),
    pytest.param(
        "return x", "m = nn.DataParallel(nn.Linear(2, 2).cuda(), device_ids=[0, 1])\nm(given)", [], id="a layer"
    ),
]


@pytest.mark.parametrize(("body", "use", "found"), REPLICATED)
def test_replicas(body: str, use: str, found: list[str]) -> None:
    assert codes(REPLICAS.replace("RETURN", body).replace("USE", use), "TDL101") == found


DDP = "nn.parallel.DistributedDataParallel"
TOLD = [
    pytest.param(f"{DDP}(given, device_ids=[0, 1])", True, id="something unknown and two devices"),
    pytest.param(f"{DDP}(given, device_ids=[0])", False, id="something unknown"),
    pytest.param(f"{DDP}(Net().cuda(1), device_ids=[0])", True, id="another device"),
    pytest.param(f"{DDP}(Net().cuda(1), device_ids=[given])", False, id="an unknown device"),
    pytest.param(f"{DDP}(Net().cuda(1), device_ids=given)", False, id="unknown devices"),
    pytest.param(f"{DDP}(Net().to(given), device_ids=[0])", False, id="a module that may be anywhere"),
    pytest.param(f"net = Net()\nunknown(net)\n{DDP}(net, device_ids=[0])", False, id="a module that was lent"),
    pytest.param("nn.DataParallel(Net(), device_ids=[given, flag])(given)", False, id="replicas that may be anywhere"),
    pytest.param(f"{DDP}(Net().cuda(1), device_ids=list(given))", False, id="any number of devices"),
    pytest.param(f"{DDP}(Net().cuda(1), **given)", False, id="arguments that are not seen"),
    pytest.param(
        f"net = Net()\nnet.head.cuda(0)\nnet.other = nn.Linear(2, 2).cuda(1)\n{DDP}(net)", False, id="over two, untold"
    ),
]


@pytest.mark.parametrize(("lines", "found"), TOLD)
def test_wrappers_that_are_told_devices(lines: str, found: bool) -> None:
    assert codes(lines) == ["TDL603"] * found


CONVERT = "net = torch.nn.SyncBatchNorm.convert_sync_batchnorm(model)\n"
CONVERTED = [
    pytest.param(CONVERT + "nn.DataParallel(net)", True, id="replicated"),
    pytest.param(CONVERT + "nn.DataParallel(net)\nnet(given)", True, id="replicated and called"),
    pytest.param(
        "net = torch.nn.SyncBatchNorm.convert_sync_batchnorm(given)\nnn.DataParallel(net)", False, id="unknown"
    ),
    pytest.param(
        "x = unknown().net\nnet = nn.SyncBatchNorm.convert_sync_batchnorm(x)\nnn.DataParallel(net)",
        True,
        id="a part of something",
    ),
    pytest.param(CONVERT + "net(given)", True, id="called"),
    pytest.param(CONVERT + "unknown(net)\nnet(given)", False, id="lent"),
    pytest.param("unknown()\n" + CONVERT + "net(given)", False, id="after code that is not seen"),
    pytest.param("torch.distributed.init_process_group()\n" + CONVERT + "net(given)", False, id="in a group"),
    pytest.param(
        "torch.distributed.init_process_group(world_size=1)\n" + CONVERT + "net(given)", False, id="in a group of one"
    ),
    pytest.param("def f(model):\n    model = Net()\n    " + CONVERT + "    net(given)", False, id="perhaps in a group"),
]


@pytest.mark.parametrize(("lines", "found"), CONVERTED)
def test_layers_that_synchronise(lines: str, found: bool) -> None:
    assert codes(lines, "TDL102", "TDL601") == ["TDL608"] * found
