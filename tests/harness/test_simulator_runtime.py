"""The functions of `torch.cuda` and `torch.accelerator`, visible devices, forks, and the installation itself."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from types import SimpleNamespace

import pytest
import torch
from simulated import run, simulated

from torchdevlint.harness.simulator import Machine, Simulation, SimulationError, install

pytestmark = pytest.mark.needs_torch


def test_a_machine_has_no_negative_number_of_devices() -> None:
    with pytest.raises(ValueError, match="a machine cannot have -1 devices"):
        Machine(-1)


@simulated()
def test_is_installed_once(simulation: Simulation) -> None:
    assert simulation.transfers == ()
    with pytest.raises(SimulationError, match=r"in this process already: Machine\(devices=1"):
        install()


@simulated(None)
def test_is_not_installed_beside_a_device_that_is_there() -> None:
    torch.cuda.is_available = lambda: True
    with pytest.raises(SimulationError, match="this machine has a CUDA device of its own"):
        install()


@simulated(None)
def test_older_versions_lack_what_is_newer() -> None:
    del torch.accelerator
    del torch._functorch.eager_transforms._wrap_for_grad
    del torch.AcceleratorError
    install()
    assert torch.zeros(2, device=0).device.type == "cuda"
    with pytest.raises(RuntimeError, match="invalid device ordinal") as caught:
        torch.zeros(2, device="cuda:3")
    assert type(caught.value) is RuntimeError


@simulated(None)
def test_builds_may_lack_process_groups() -> None:
    native = torch.distributed.init_process_group
    torch.distributed.is_available = lambda: False
    install()
    assert torch.distributed.init_process_group is native


@simulated(Machine(2))
def test_devices() -> None:
    cuda = torch.cuda
    assert (cuda.is_available(), cuda.device_count(), cuda.current_device()) == (True, 2, 0)
    assert cuda.get_device_name(1) == "Simulated CUDA device"
    assert cuda.get_device_capability() == (8, 0)
    assert cuda.get_device_properties("cuda:1").total_memory == 1 << 34
    assert cuda.can_device_access_peer(0, 1)
    assert not cuda.can_device_access_peer(0, 0)
    assert cuda.is_bf16_supported()
    assert cuda.is_tf32_supported()
    assert cuda.get_arch_list() == ["sm_80"]
    assert torch.backends.cuda.is_built()
    assert not cuda.is_current_stream_capturing()
    assert cuda.nvtx.range_push("x") == 0
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        cuda.get_device_name(2)
    with pytest.raises(ValueError, match="Expected a cuda device, but got: cpu"):
        cuda.set_device("cpu")


@simulated(Machine(3))
def test_current_devices() -> None:
    def made() -> int | None:
        return torch.zeros(1, device="cuda").device.index

    torch.cuda.set_device(1)
    torch.cuda.set_device(-1)
    assert made() == 1
    with torch.cuda.device(2):
        assert made() == torch.ones(1).cuda().device.index == 2
        with torch.cuda.device(-1), torch.cuda.device(None):
            assert made() == 2
        with torch.cuda.device_of(torch.zeros(1, device="cuda:0")):
            assert made() == 0
        with torch.cuda.device_of(torch.zeros(1)):
            assert made() == 2
    assert made() == 1
    found: list[int | None] = []
    thread = threading.Thread(target=lambda: found.append(made()))
    thread.start()
    thread.join()
    assert found == [0]  # the current device is the thread's
    for rank in (torch.device("cuda", 2), "cuda:0", torch.zeros(1, device="cuda:2")):
        torch.cuda.set_device(rank)
    assert made() == 2


@simulated(Machine(2))
def test_accelerators() -> None:
    accelerator = torch.accelerator
    assert accelerator.is_available()
    assert accelerator.current_accelerator() == torch.device("cuda")
    assert torch._C._get_accelerator() == torch.device("cuda")
    accelerator.set_device_index(1)
    assert accelerator.current_device_index() == 1
    with accelerator.device_index(0):
        assert torch.zeros(1, device="cuda").device.index == 0
    accelerator.synchronize()
    assert accelerator.memory_allocated(0) == 0


@simulated(Machine(visible=False))
def test_machines_without_a_visible_device() -> None:
    assert (torch.cuda.is_available(), torch.cuda.device_count()) == (False, 0)
    assert torch.accelerator.current_accelerator(check_available=True) is None
    calls: list[Callable[[], object]] = [
        lambda: torch.zeros(1, device="cuda"),
        lambda: torch.zeros(1).cuda(),
        torch.cuda.current_device,
        torch.cuda.init,
        torch.cuda.synchronize,
        torch.zeros(1).pin_memory,
    ]
    for call in calls:
        with pytest.raises(RuntimeError, match="No CUDA GPUs are available"):
            call()
    assert not torch.cuda.is_initialized()


VISIBLE = {"0": 1, "1,0": 2, "": 0, "-1": 0, "0,9,1": 1, "1,1": 0, "0, 1": 2, "GPU-1": 0}


@pytest.mark.parametrize("value", VISIBLE)
@simulated(Machine(2))
def test_the_environment_says_what_is_visible(value: str) -> None:
    os.environ["CUDA_VISIBLE_DEVICES"] = value
    assert torch.cuda.device_count() == VISIBLE[value]
    assert torch.cuda.is_available() is (VISIBLE[value] > 0)


@simulated(Machine(2))
def test_the_environment_is_read_until_the_driver_is_initialised() -> None:
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    assert torch.cuda.device_count() == 1
    os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"
    assert torch.cuda.is_available()  # initialises it
    os.environ["CUDA_VISIBLE_DEVICES"] = "0"
    assert torch.cuda.device_count() == 2


@simulated()
def test_initialisation_happens_at_the_first_use() -> None:
    assert not torch.cuda.is_initialized()
    assert torch.cuda.default_generators == ()
    torch.cuda.init()
    assert torch.cuda.is_initialized()
    assert len(torch.cuda.default_generators) == 1


def _in_child(function: Callable[[], object]) -> str:
    """The message of what the function raises in a forked process."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            message = f"no error: {function()}"
        except RuntimeError as error:
            message = str(error)
        os.write(writer, message.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        message = pipe.read()
    os.waitpid(child, 0)
    return message


@simulated()
def test_forked_processes_cannot_use_the_parents_devices() -> None:
    assert _in_child(lambda: torch.zeros(1).cuda().device) == "no error: cuda:0"
    tensor = torch.ones(1, device="cuda")
    assert _in_child(lambda: torch.zeros(1).cuda()).startswith("Cannot re-initialize CUDA in forked subprocess.")
    assert _in_child(lambda: tensor + 1).startswith("CUDA error: initialization error")
    assert _in_child(tensor.cpu).startswith("CUDA error: initialization error")
    assert _in_child(lambda: torch.cuda._is_in_bad_fork() and not torch.cuda.is_initialized()) == "no error: True"


class Moves(torch.utils.data.Dataset[torch.Tensor]):
    """Moves its items in the worker."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.ones(1).cuda()


@simulated()
def test_workers_of_a_loader_cannot_use_devices() -> None:
    torch.cuda.init()
    loader = torch.utils.data.DataLoader(Moves(), num_workers=1, multiprocessing_context="fork")
    with pytest.raises(RuntimeError, match=r"(?s)Caught RuntimeError in DataLoader worker.*Cannot re-initialize CUDA"):
        next(iter(loader))


@simulated()
def test_memory() -> None:
    tensor = torch.ones(256, device="cuda")
    cuda = torch.cuda
    assert cuda.memory_allocated() == cuda.memory_reserved("cuda:0") == tensor.nbytes
    assert cuda.memory_stats()["allocated_bytes.all.peak"] == tensor.nbytes
    assert cuda.mem_get_info() == ((1 << 34) - tensor.nbytes, 1 << 34)
    assert "1024 bytes in use" in cuda.memory_summary()
    cuda.empty_cache()
    del tensor
    cuda.reset_peak_memory_stats()
    assert cuda.max_memory_allocated() == 0


@simulated(Machine(2))
def test_memory_of_a_device_without_tensors() -> None:
    assert torch.cuda.memory_allocated() == torch.cuda.max_memory_allocated(1) == 0
    torch.cuda.reset_peak_memory_stats(1)
    assert not torch.cuda.is_initialized() or torch.cuda.device_count() == 2


@simulated(Machine(2))
def test_random_numbers_are_those_of_the_cpu() -> None:
    torch.manual_seed(1)
    expected = torch.rand(2)
    torch.manual_seed(1)
    torch.cuda.manual_seed_all(7)
    state = torch.cuda.get_rng_state()
    assert torch.rand(2, device="cuda").tolist() == expected.tolist()
    torch.cuda.set_rng_state(state)
    assert torch.rand(2, device="cuda").tolist() == expected.tolist()
    torch.cuda.set_rng_state_all([state, state])
    assert len(torch.cuda.get_rng_state_all()) == 2
    assert torch.rand(2).tolist() == expected.tolist()
    assert torch.cuda.initial_seed() == 1


@simulated(Machine(2))
def test_streams() -> None:
    stream = torch.cuda.Stream(device=1)
    assert (stream.device, stream.cuda_stream) == (torch.device("cuda", 1), 0)
    before = torch.cuda.current_stream()
    with torch.cuda.stream(stream):
        assert torch.cuda.current_stream() is stream
        assert torch.cuda.current_stream(0) is not stream
        assert torch.zeros(1, device="cuda").device.index == 1
    with stream:
        assert torch.cuda.current_device() == 1
    with torch.cuda.stream(None):
        assert torch.cuda.current_device() == 0
    stream.wait_stream(before)
    stream.wait_event(stream.record_event())
    assert not stream.is_capturing()
    torch.cuda.set_stream(None)
    torch.cuda.set_stream(stream)
    assert torch.cuda.current_stream() is stream
    assert torch.cuda.default_stream(0).device.index == 0


@simulated()
def test_events() -> None:
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    with pytest.raises(ValueError, match="Both events must be recorded"):
        start.elapsed_time(end)
    start.record()
    torch.cuda.current_stream().record_event(end)
    end.wait()
    assert torch.Event("cuda", enable_timing=True).query()
    assert torch.Stream("cuda").device == torch.device("cuda", 0)
    assert end.query()
    assert start.elapsed_time(end) >= 0
    with pytest.raises(ValueError, match="enable_timing=True"):
        start.elapsed_time(torch.cuda.Event())


@simulated()
def test_the_device_class_passes_for_the_real_one() -> None:
    real = type(torch.zeros(1).device)
    assert isinstance(torch.device("cpu"), real)
    assert isinstance(real("cpu"), torch.device)
    assert not isinstance("cpu", torch.device)
    assert issubclass(real, torch.device)
    assert issubclass(torch.device, torch.device)
    assert torch.device(0) == torch.device("cuda", 0) == torch.device("cuda:0")
    assert torch.device(type="cpu").type == "cpu"
    assert torch.device.type is real.type


def script_line() -> tuple[str, int]:
    from torchdevlint.harness.simulator import report

    frame = SimpleNamespace(f_code=SimpleNamespace(co_filename=report.__file__), f_back=None, f_lineno=1)
    report.sys = SimpleNamespace(_getframe=lambda depth: frame)
    return report.line_of_script()


def test_lines_are_unknown_where_no_script_runs() -> None:
    assert run(script_line, None) == ("?", 0)
