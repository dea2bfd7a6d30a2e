"""A device error is explained by the finding at its line, by one that names the line, or by its kind."""

from __future__ import annotations

from pathlib import Path

import pytest

from torchdevlint.harness import scripts, traffic
from torchdevlint.harness.explanation import explain, kind
from torchdevlint.harness.scripts import Place
from torchdevlint.harness.traffic import Traffic

SOURCE = """\
import torch
mean = torch.tensor([0.4, 0.5])
images = torch.zeros(3, 2).cuda()
images = images - mean
print(images)
"""
MISMATCH = RuntimeError("Expected all tensors to be on the same device, but found at least two devices")
MESSAGE = "TDL101 `mean` is on cpu (line 2) but `images` is on cuda (line 3)"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "train.py"
    path.write_text(SOURCE, "utf-8")
    return path


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (4, f"line 4: {MESSAGE}"),
        (2, f"line 4, which fails at line 2: {MESSAGE}"),
        (5, "line 5: operands are on different devices; no rule reports this line"),
    ],
)
def test_a_finding_explains(script: Path, line: int, said: str) -> None:
    assert explain(MISMATCH, [Place(script, line, "")]) == f"torchdevlint: train.py, {said}"


MEETING = """\
import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
    def forward(self, x):
        bias = torch.zeros(4)
        return self.layer(x) + bias
Net().cuda()(torch.ones(4).cuda())
"""


def test_a_finding_elsewhere_explains_where_its_operands_meet(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    path.write_text(MEETING, "utf-8")
    said = explain(MISMATCH, [Place(path, 9, ""), Place(path, 8, "")])
    assert said is not None
    assert said.startswith("torchdevlint: net.py, line 7, which fails at line 8: TDL104 made by `torch.zeros` on cpu")


def test_without_a_line_or_a_file_the_kind_is_told(script: Path) -> None:
    assert explain(MISMATCH, []) == "torchdevlint: operands are on different devices"
    script.unlink()
    said = explain(MISMATCH, [Place(script, 4, "")])
    assert said == "torchdevlint: train.py, line 4: operands are on different devices; no rule reports this line"


class SimulationError(RuntimeError):
    """Stands for the simulator's."""


def test_what_cannot_be_simulated_is_no_fault_of_the_script(script: Path) -> None:
    said = explain(SimulationError("torch.empty_strided on a device cannot be simulated"), [Place(script, 4, "")])
    assert said == "torchdevlint: train.py, line 4: this cannot be simulated, and a GPU may do it"


def test_the_finding_may_be_at_an_outer_line(script: Path, tmp_path: Path) -> None:
    helper = tmp_path / "helper.py"
    helper.write_text("def minus(a, b):\n    return a - b\n", "utf-8")
    within = explain(MISMATCH, [Place(script, 4, ""), Place(script, 1, "")])
    assert within == f"torchdevlint: train.py, line 4, which fails at line 1: {MESSAGE}"
    beyond = explain(MISMATCH, [Place(script, 4, ""), Place(helper, 2, "")])
    assert beyond == f"torchdevlint: train.py, line 4, which fails at helper.py, line 2: {MESSAGE}"


def test_a_device_that_is_not_there_is_explained_by_portability(script: Path) -> None:
    absent = RuntimeError("No CUDA GPUs are available")
    said = explain(absent, [Place(script, 3, "")])
    assert said == "torchdevlint: train.py, line 3: TDL502 `.cuda` needs CUDA and nothing guards it"
    assert explain(absent, [Place(script, 4, "")]) == (
        "torchdevlint: train.py, line 4: there is no such device; no rule reports this line"
    )


def test_how_many_devices_there_are_is_no_finding(script: Path) -> None:
    said = explain(RuntimeError("CUDA error: invalid device ordinal"), [Place(script, 4, "")])
    assert said == (
        "torchdevlint: train.py, line 4: there are not so many devices; `--devices` sets how many are simulated"
    )


def test_a_package_of_another_environment_is_no_user_s(tmp_path: Path) -> None:
    path = tmp_path / "site-packages" / "module.py"
    path.parent.mkdir()
    path.touch()
    assert not scripts.is_users(path)


KINDS = {
    "an accelerator tensor is read on the host": TypeError("can't convert cuda:0 device type tensor to numpy."),
    "a tensor on the host is indexed by one on an accelerator": RuntimeError("indices should be either on cpu or on"),
    "a checkpoint is loaded to a device that is not there": RuntimeError("Attempting to deserialize object on a CUDA"),
    "there is no such device": AssertionError("Torch not compiled with CUDA enabled"),
    "there are not so many devices": RuntimeError("CUDA error: invalid device ordinal"),
    "only tensors on the host can be pinned": RuntimeError("cannot pin 'torch.cuda.FloatTensor'"),
    "CUDA is used in a forked process": RuntimeError("Cannot re-initialize CUDA in forked subprocess"),
    "operands are on different devices": RuntimeError("Input and hidden tensors are not at the same device"),
    "lengths are read on the host and are on an accelerator": RuntimeError("'lengths' argument should be a 1D CPU"),
    "this cannot be simulated, and a GPU may do it": SimulationError("sparse tensors"),
    None: RuntimeError("shape mismatch"),
}


@pytest.mark.parametrize("said", KINDS)
def test_the_kinds_of_device_errors(said: str | None) -> None:
    error = KINDS[said]
    assert kind(error) == said


def test_other_exceptions_are_not_explained(script: Path) -> None:
    assert explain(KeyError("same device"), [Place(script, 4, "")]) is None


def test_a_user_s_file_is_not_installed(script: Path) -> None:
    assert scripts.is_users(script)
    assert not scripts.is_users(Path(pytest.__file__))
    assert not scripts.is_users(Path(scripts.__file__))
    assert not scripts.is_users(Path("<string>"))


def test_an_error_without_own_lines_has_no_place() -> None:
    assert scripts.innermost(ValueError(), scripts.is_users) is None


def test_the_table_of_the_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = [
        Traffic("device to host", str(tmp_path / "a.py"), 3, 2, 8),
        Traffic("synchronisation", "/elsewhere/b.py", 4, 1, 0),
    ]
    assert traffic.as_text(found) == (
        "kind             times  bytes  where\n"
        "device to host   2      8      a.py:3\n"
        "synchronisation  1             /elsewhere/b.py:4\n"
    )
