"""Runs one job in the process it is called in, which is of no use afterwards, and returns what was seen."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import random
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torchdevlint.harness import probes
from torchdevlint.harness.declarations import Backend
from torchdevlint.harness.jobs import Cost, Error, Job, Measures, Outcome
from torchdevlint.harness.meters import Meters
from torchdevlint.harness.scripts import Place, innermost, prepare, run_as_main

if TYPE_CHECKING:
    from torchdevlint.harness.simulator import Simulation

_LONGEST_OUTPUT = 100_000
_NO_MEMORY = "can't allocate memory"


class NoDevice(Exception):
    """The backend is not there, or has too few devices; the text says what is missing."""


def execute(job: Job) -> Outcome:
    """Run a job's script as `__main__` in the job's folder and return how it ended.

    Changes the working directory, `sys.path`, standard output and torch itself, for good. Raises nothing that the
    script does; an exception means that the harness is broken.
    """
    torch: Any = importlib.import_module("torch")
    os.chdir(job.folder)
    sys.dont_write_bytecode = True
    limit_memory(job)
    _seed(torch)
    try:
        device, simulation = set_up(torch, job)
    except NoDevice as missing:
        return Outcome("no device", torch=torch.__version__, note=str(missing))
    meters = Meters()
    meters.watch_steps()
    torch.__future__.set_overwrite_module_params_on_conversion(job.replaced)
    if job.optimizer is not None:
        replace_optimizers(torch, job.optimizer)
    probes.install(job.probes, meters)
    output = Path(job.folder, ".output")
    with _captured(output):
        error = _run(job)
    return Outcome(
        _ending(error),
        error,
        _measures(meters, simulation) if error is None or "MemoryError" not in error.types else Measures(),
        output.read_text("utf-8", "replace")[:_LONGEST_OUTPUT],
        torch.__version__,
        device,
    )


def _measures(meters: Meters, simulation: Simulation | None) -> Measures:
    """Return what was measured, and what the simulated devices were asked for."""
    found = meters.measures()
    if simulation is None:
        return found
    times = Counter((one.kind, one.file, one.line) for one in simulation.transfers)
    return replace(found, costs=tuple(Cost(*key, count) for key, count in times.items()))


def limit_memory(job: Job) -> None:
    """Limit what the process allocates, where the system can; CUDA claims more addresses than any limit has."""
    if job.backend == Backend.CUDA.value or importlib.util.find_spec("resource") is None:
        return
    resource: Any = importlib.import_module("resource")
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (job.megabytes * 2**20, hard))


def _seed(torch: Any) -> None:
    """Make runs repeatable, so that evidence is, and spare the other processes of the machine."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    random.seed(0)
    with contextlib.suppress(KeyError):
        sys.modules["numpy"].random.seed(0)


def set_up(torch: Any, job: Job) -> tuple[str, Simulation | None]:
    """Provide the backend and return the name of its device, and what is observed of a simulated one.

    Raises `NoDevice` where there is none.
    """
    match Backend(job.backend):
        case Backend.CPU:
            os.environ["CUDA_VISIBLE_DEVICES"] = ""
            return "CPU", None
        case Backend.SIM:
            from torchdevlint.harness.simulator import Machine, SimulationError, install

            try:
                simulation = install(Machine(devices=job.devices, asynchronous=job.asynchronous))
            except SimulationError as reason:
                raise NoDevice(str(reason)) from reason
            return f"{job.devices} simulated", simulation
        case Backend.CUDA:  # pragma: no branch (there is no other case)
            count = torch.cuda.device_count()
            if count < job.devices:
                raise NoDevice(f"needs {job.devices} CUDA devices, there are {count}")
            return str(torch.cuda.get_device_name(0)), None


def replace_optimizers(torch: Any, name: str) -> None:
    """Let every optimizer of `torch.optim` be the one of that name, built with its defaults and the script's rate."""
    chosen = getattr(torch.optim, name)

    def begin(self: Any, params: object, lr: float = 0.01, **_: object) -> None:
        chosen.__init__(self, params, lr=lr)

    replacement = type(name, (chosen,), {"__init__": begin})
    for other, value in list(vars(torch.optim).items()):
        if isinstance(value, type) and issubclass(value, torch.optim.Optimizer) and value is not torch.optim.Optimizer:
            setattr(torch.optim, other, replacement)


def _run(job: Job) -> Error | None:
    script = Path(job.script)
    prepare(script, [])
    try:
        run_as_main(probes.compile_script(job.script, job.probes), job.script)
    except SystemExit as end:
        return None if end.code in (None, 0) else _error(end, job)
    except BaseException as error:  # noqa: BLE001 (whatever the script raises is what is asked for)
        return _error(error, job)
    return None


def _error(error: BaseException, job: Job) -> Error:
    root = Path(job.root)
    place = innermost(error, lambda file: file == root or root in file.parents) or Place(root, 0, "")
    types = tuple(base.__name__ for base in type(error).__mro__ if base is not object)
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    return Error(types, str(error), str(place.file), place.line, place.source, missing)


def _ending(error: Error | None) -> Any:
    if error is None:
        return "ended"
    return "too much memory" if "MemoryError" in error.types or _NO_MEMORY in error.message else "raised"


@contextlib.contextmanager
def _captured(file: Path) -> Iterator[None]:
    """Send what the process and its children write to a file."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    with file.open("wb") as stream:
        os.dup2(stream.fileno(), 1)
        os.dup2(stream.fileno(), 2)
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for target, descriptor in zip((1, 2), kept, strict=True):
            os.dup2(descriptor, target)
            os.close(descriptor)
