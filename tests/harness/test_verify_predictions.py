"""Each kind of prediction is confirmed by a script that does it and refuted by one that does not."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from torchdevlint.harness.declarations import Backend
from torchdevlint.harness.jobs import Outcome
from torchdevlint.harness.verdicts import judge_earlier
from torchdevlint.harness.verification import Limits, Row, verify

pytestmark = pytest.mark.needs_torch

HEAD = 'import torch\nfrom torch import nn\ndevice = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
MIXED = HEAD + "x = torch.zeros(3)\nw = torch.zeros(3).to(device)\nprint(x + w)\n"
LATER = (
    HEAD
    + "weight = torch.ones(3)\ncriterion = nn.CrossEntropyLoss(weight=weight)\nmodel = nn.Linear(2, 3).to(device)\n"
)
LATER += "loss = criterion(model(torch.zeros(1, 2, device=device)), torch.tensor([0], device=device))\n"
DISCARDED = HEAD + "x = torch.zeros(3)\nx.to(device)\nprint(x.device)\n"
UNMADE = HEAD + "x = torch.zeros(3)\nif x.sum() > 1:\n    x.to(device)\nprint(x)\n"
CAST = HEAD + "x = torch.zeros(3)\nx.double()\nprint(x)\n"
BACK = HEAD + "x = torch.zeros(3, device=device)\nx.cpu()\nprint(x)\n"
LOOP = HEAD + "w = torch.ones(3, requires_grad=True)\ntotal = 0.0\nfor i in range({steps}):\n"
LOOP += "    loss = (w * i).sum()\n    loss.backward()\n    {add}\nprint(float(total))\n"
LIST = LOOP.replace("total = 0.0", 'total = {{"loss": [], "name": "x", "step": 0}}').replace(
    "float(total)", "len(total)"
)
QUIET = HEAD + "torch._C._set_grad_enabled(False)\nmodel = nn.Linear(2, 1).to(device)\ntotal = 0.0\n"
QUIET += (
    "for x in torch.zeros(4, 1, 2):\n    total += nn.functional.mse_loss(model(x.to(device)), x)\nprint(total / 4)\n"
)
PUT = HEAD + "model = nn.Sequential(nn.Linear(2, 2))\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n{put}\n"
PUT += "for _ in range(2):\n    model(torch.ones(1, 2)).sum().backward()\n    optimizer.step()\n"
TRAIN = HEAD + "with torch.device('meta'):\n    model = nn.Linear(2, 2)\n"
TRAIN += "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\nmodel.to_empty(device=device)\n"
TRAIN += "{then}\nfor _ in range(2):\n    loss = model(torch.ones(1, 2, device=device)).sum()\n"
TRAIN += "    loss.backward()\n    optimizer.step()\n"
COPIED = HEAD + 'x = torch.ones(3, device=device)\ny = x.to("cpu", non_blocking={late})\nprint(y)\n'
SAVED = HEAD + 'import os\nif os.path.exists("x.pt"):\n    x = torch.load("x.pt").to(device)\n'
SAVED += 'torch.save(torch.zeros(2, device=device), "x.pt")\n'
MOVED = HEAD + "model = nn.Linear(2, 2)\noptimizer = torch.optim.Adam(model.parameters(), lr=0.1, betas=(0.9, 0.99))\n"
MOVED += "model.to(device)\nmodel(torch.ones(1, 2, device=device)).sum().backward()\noptimizer.step()\n"

SUMMED = HEAD + "from torch.utils.data import DataLoader, TensorDataset\nmodel = nn.Linear(2, 1).to(device)\n"
SUMMED += "total = 0.0\nfor (x,) in DataLoader(TensorDataset(torch.ones(4, 2))):\n"
SUMMED += "    loss = model(x.to(device, non_blocking=True)).sum()\n    total += loss.item()\n"
KEPT = LIST.format(steps=5, add='total["loss"].append(loss)').replace("(3, req", "(3, device=device, req")
WARNED = MIXED.replace("print(x + w)", "import warnings\nprint(x + w, warnings.warn('be careful'))")
ELSEWHERE = MIXED.replace("print(x + w)", "import warnings\nwarnings.warn('be careful')\nprint((x + w).dim())")


@dataclass(frozen=True)
class Tiny:
    """A script, what it declares, and what is seen: a verdict and a part of the note."""

    rule: str
    declared: str
    source: str
    verdict: str
    note: str


R101, R107, R201, R301 = "tdl101_mixed", "tdl107_weight", "tdl201_discarded", "tdl301_order"
R305 = "tdl305_replaced_parameter"
NONE = "elsewhere"
R302, R304, R401 = "tdl302_order", "tdl304_graph", "tdl401_load"
R905 = "tdl905_sync"
CASES = {
    "raises": Tiny(R101, 'sim raises RuntimeError "same device"', MIXED, "confirmed", "(line 7)"),
    "raises_base_class": Tiny(R101, 'sim raises Exception "same device"', MIXED, "confirmed", "RuntimeError: "),
    "raises_nothing": Tiny(R101, "cpu raises RuntimeError", MIXED, "refuted", "ran to its end"),
    "raises_another_type": Tiny(R101, "sim raises TypeError", MIXED, "refuted", "RuntimeError: Expected"),
    "raises_another_text": Tiny(R101, 'sim raises RuntimeError "numpy"', MIXED, "refuted", "RuntimeError: Expected"),
    "raises_at": Tiny(R107, 'sim raises RuntimeError "device" at "loss = crit"', LATER, "confirmed", "RuntimeError"),
    "raises_elsewhere": Tiny(R107, 'sim raises RuntimeError "device"', LATER, "refuted", "not where it was predicted"),
    "raises_not_at": Tiny(R107, 'sim raises RuntimeError at "model ="', LATER, "refuted", "not where it was"),
    "raises_exit": Tiny(NONE, 'cpu raises SystemExit "3" at "exit"', "import sys\nsys.exit(3)\n", "confirmed", ""),
    "ok": Tiny(R101, "cpu ok", MIXED, "confirmed", "ran to its end"),
    "ok_exit": Tiny(R101, "cpu ok", "raise SystemExit\n", "confirmed", "ran to its end"),
    "ok_not": Tiny(R101, "sim ok", MIXED, "refuted", "(line 7)"),
    "ok_long_message": Tiny(R101, "cpu ok", "raise ValueError('x' * 999)\n", "refuted", "x… (line"),
    "ok_no_message": Tiny(R101, "cpu ok", "assert False\n", "refuted", "AssertionError (line 2)"),
    "grows": Tiny(R304, "cpu grows graph", LOOP.format(steps=5, add="total += loss"), "confirmed", "in 5 visits"),
    "grows_list": Tiny(
        R304,
        "cpu grows graph",
        LIST.format(steps=4, add='total["loss"].append(loss)'),
        "confirmed",
        "from 3 to 9 nodes",
    ),
    "grows_few": Tiny(R304, "cpu grows graph", LOOP.format(steps=2, add="total += loss"), "unproven", "ran 2 times"),
    "grows_refuted": Tiny(R304, "cpu grows graph", QUIET, "refuted", "at most 0 nodes, and they do not grow"),
    "bounds": Tiny(
        R304, "cpu bounds graph total", LOOP.format(steps=5, add="total += loss.item()"), "confirmed", "at most 0 nodes"
    ),
    "bounds_assigned": Tiny(
        R304, "cpu bounds graph total", LOOP.format(steps=5, add="total = loss"), "confirmed", "at most 3 nodes"
    ),
    "bounds_not": Tiny(R304, "cpu bounds graph total", LOOP.format(steps=5, add="total += loss"), "refuted", "from "),
    "bounds_container": Tiny(
        R304, 'cpu bounds graph "total"', LIST.format(steps=5, add='total["x"] = loss; total = total'), "confirmed", ""
    ),
    "bounds_few": Tiny(R304, "cpu bounds graph total", "total = 1\n", "unproven", "ran 1 times"),
    "bounds_raising": Tiny(R304, "cpu bounds graph total", "total = 1 / 0\n", "refuted", "ZeroDivisionError"),
    "bounds_many": Tiny(
        R304, "cpu bounds graph total", LOOP.format(steps=99, add="total += loss.item()"), "confirmed", "in 64 visits"
    ),
    "stays_host": Tiny(R201, "sim stays host", DISCARDED, "confirmed", "stays cpu, the result is cuda:0"),
    "stays_host_not": Tiny(R201, "cpu stays host", DISCARDED, "refuted", "from cpu to cpu, the result is cpu"),
    "stays_host_unmoved": Tiny(R201, "sim stays host", UNMADE, "refuted", "the reported move was never made"),
    "stays_accelerator": Tiny(R201, "sim stays accelerator", BACK, "confirmed", "stays cuda:0, the result is cpu"),
    "stays_accelerator_not": Tiny(R201, "sim stays accelerator", DISCARDED, "refuted", "the result is cuda:0"),
    "stays_dtype": Tiny(R201, "cpu stays dtype", CAST, "confirmed", "stays torch.float32"),
    "stays_dtype_not": Tiny(R201, "sim stays dtype", DISCARDED, "refuted", ""),
    "never_updates": Tiny(R301, "sim never updates", TRAIN.format(then="model"), "confirmed", "none of 2 steps"),
    "never_updates_untrained": Tiny(
        R301, "sim never updates", TRAIN.format(then="").replace("loss.backward()", "pass"), "unproven", "no step"
    ),
    "never_updates_raising": Tiny(R301, "sim never updates", TRAIN.format(then="1 / 0"), "refuted", "ZeroDivision"),
    "races": Tiny(NONE, "sim races", COPIED.format(late=True), "confirmed", "another output"),
    "races_not": Tiny(NONE, "sim races", COPIED.format(late=False), "refuted", "the same output"),
    "builds": Tiny(R304, "cpu builds graph", LOOP.format(steps=2, add="total += loss"), "confirmed", "at least 4"),
    "builds_not": Tiny(R304, "cpu builds graph", QUIET, "refuted", "there is no graph"),
    "builds_never": Tiny(R101, "cpu builds graph", MIXED, "unproven", "never ran"),
    "grows_memory": Tiny(R304, "sim grows memory", KEPT, "confirmed", "bytes in 5 visits"),
    "grows_memory_not": Tiny(
        R304, "cpu grows memory", LOOP.format(steps=5, add="total += loss"), "refuted", "at most 0 bytes"
    ),
    "syncs": Tiny(R905, "sim syncs 4", SUMMED, "confirmed", "4 syncs"),
    "syncs_too_few": Tiny(R905, "sim syncs 5", SUMMED, "refuted", "4 syncs"),
    "syncs_on_the_host": Tiny(R905, "cpu syncs 1", SUMMED, "refuted", "0 syncs"),
    "syncs_at_most": Tiny(R905, "sim syncs at most 7", SUMMED + "print(loss)\n", "confirmed", "7 syncs"),
    "syncs_too_often": Tiny(R905, "sim syncs at most 4", SUMMED + "print(loss)\n", "refuted", "7 syncs"),
    "copies_at_most": Tiny(R905, "sim copies at most 9", SUMMED, "confirmed", "6 copies"),
    "syncs_raising": Tiny(R905, "sim syncs 4", SUMMED + "1 / 0\n", "refuted", "ZeroDivisionError"),
    "warns": Tiny(R101, 'cpu warns UserWarning "careful"', WARNED, "confirmed", "be careful"),
    "warns_otherwise": Tiny(R101, 'cpu warns UserWarning "careless"', WARNED, "refuted", "does not warn with a User"),
    "warns_elsewhere": Tiny(R101, 'cpu warns UserWarning "careful"', ELSEWHERE, "refuted", "does not warn"),
    "devices": Tiny(R101, "sim ok devices=2", "import torch\ntorch.zeros(1).to('cuda:1')\n", "confirmed", ""),
    "devices_not": Tiny(R101, "sim ok", "import torch\ntorch.zeros(1).to('cuda:1')\n", "refuted", ""),
    "after": Tiny(R401, 'cpu raises RuntimeError "deserialize" after=sim', SAVED, "confirmed", "RuntimeError"),
    "after_not": Tiny(R401, 'cpu raises RuntimeError "deserialize"', SAVED, "refuted", "ran to its end"),
    "after_failure": Tiny(R401, "cpu ok after=sim", MIXED, "refuted", "the run before it: RuntimeError"),
    "after_missing": Tiny(R401, "cpu ok after=sim", "import no_such_package\n", "skipped", "the run before it: Module"),
    "optimizer": Tiny(
        R302, 'sim raises RuntimeError "same device" at "step()" optimizer=Adagrad', MOVED, "confirmed", "RuntimeError"
    ),
    "optimizer_not": Tiny(R302, "sim ok", MOVED, "confirmed", ""),
    "put_in": Tiny(R305, "cpu never updates", PUT.format(put="model[0] = nn.Linear(2, 2)"), "confirmed", "none of 2"),
    "put_in_a_parameter": Tiny(
        R305,
        "cpu never updates",
        PUT.format(put="model[0].bias = nn.Parameter(torch.ones(2))"),
        "confirmed",
        "none of 2",
    ),
    "replaced": Tiny(R302, "sim never updates parameters=replaced", MOVED, "confirmed", "none of 1 steps"),
    "replaced_not": Tiny(R302, "sim never updates", MOVED, "refuted", "1 of 1 steps"),
    "unreported": Tiny(R201, "sim stays host", MIXED, "refuted", "the rule reports nothing in it"),
    "needs": Tiny(R101, "cpu ok", "import no_such_package.part\n", "skipped", "needs no_such_package"),
    "needs_own": Tiny(R101, "cpu ok", "import bad_ok.part\n", "refuted", "ModuleNotFoundError"),
    "needs_declared": Tiny(R101, "cpu ok needs=torch,no_such_package", "1 / 0\n", "unproven", "needs no_such_package"),
    "needs_nothing_more": Tiny(R101, "cpu ok needs=torch", "import torch\n", "confirmed", ""),
    "unsupported": Tiny(
        R101,
        "sim ok",
        "from torchdevlint.harness.simulator import SimulationError\nraise SimulationError('no')\n",
        "unproven",
        "SimulationError: no",
    ),
    "exempt": Tiny(R101, 'none "needs a network"', "1 / 0\n", "unproven", "needs a network"),
    "undeclared": Tiny(R101, "", "1 / 0\n", "undeclared", "declares nothing"),
    "memory": Tiny(R101, "cpu ok", "x = bytearray(3 * 2**30)\n", "unproven", "too much memory"),
    "tensor_memory": Tiny(R101, "cpu ok", "import torch\nx = torch.ones(2**30)\n", "unproven", "too much memory"),
    "time": Tiny(R101, "cpu ok", "while True: pass\n", "unproven", "too long: still running after 9 s"),
    "died": Tiny(R101, "cpu ok", "import os\nos.abort()\n", "unproven", "died: the process ended with status -6"),
    "left_behind": Tiny(
        R101,
        "cpu ok",
        "import os, time\nif os.fork() == 0:\n    time.sleep(60)\n    os._exit(0)\n",
        "confirmed",
        "ran to its end",
    ),
    "cuda_only": Tiny(R101, "cuda ok", "import torch\ntorch.zeros(1).cuda()\n", "skipped", "needs 1 CUDA devices"),
}


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Row]:
    folder = tmp_path_factory.mktemp("fixtures")
    for name, tiny in CASES.items():
        path = folder / f"{tiny.rule}_x" / f"bad_{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text((f"# runtime: {tiny.declared}\n" if tiny.declared else "") + tiny.source, "utf-8")
    found = verify([folder], list(Backend), Limits(seconds=9, megabytes=2000), workers=2)
    # what is declared for the simulator is tried on a GPU too
    return {
        row.fixture.rpartition("/bad_")[2][:-3]: row for row in found if row.backend != "cuda" or "cuda" in row.fixture
    }


@pytest.mark.parametrize("name", CASES)
def test_a_prediction_is_judged(rows: dict[str, Row], name: str) -> None:
    seen = rows[name].seen
    assert (seen.verdict.value, seen.note) == (CASES[name].verdict, seen.note)
    assert CASES[name].note in seen.note


def test_what_is_predicted_of_the_simulator_is_predicted_of_a_gpu(tmp_path: Path) -> None:
    for name, declared in {"plain": "sim ok", "race": "sim races", "own": "sim ok\n# runtime: cuda ok"}.items():
        (tmp_path / f"good_{name}.py").write_text(f"# runtime: {declared}\n", "utf-8")
    found = verify([tmp_path], [Backend.CUDA])
    assert [(Path(row.fixture).name, row.backend, row.seen.verdict.value) for row in found] == [
        ("good_own.py", "cuda", "skipped"),
        ("good_plain.py", "cuda", "skipped"),
    ]


def test_a_reported_statement_of_an_imported_file_is_measured(tmp_path: Path) -> None:
    folder = tmp_path / "tdl304_graph_x" / "bad_project"
    folder.mkdir(parents=True)
    body = LOOP.format(steps=5, add="total += loss").split("\n", 3)[3]
    indented = "".join(f"    {line}\n" for line in body.splitlines())
    (folder / "training.py").write_text(f"{HEAD}def train():\n{indented}", "utf-8")
    (folder / "train.py").write_text("# runtime: cpu grows graph\nimport training\n\ntraining.train()\n", "utf-8")
    (row,) = verify([folder], [Backend.CPU])
    assert (row.seen.verdict.value, row.seen.note) == ("confirmed", "from 4 to 16 nodes in 5 visits")


def test_a_run_that_leaves_no_files_proves_nothing() -> None:
    late = judge_earlier(Outcome("too long", note="still running after 9 s"))
    assert (late.verdict.value, late.note) == ("unproven", "the run before it: too long: still running after 9 s")
    assert judge_earlier(Outcome("no device", note="needs it")).verdict.value == "skipped"
