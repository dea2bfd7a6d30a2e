"""From fixtures to verdicts: which jobs prove what is declared, run, judged."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from torchdevlint.harness import fixtures, verdicts
from torchdevlint.harness.declarations import Backend, Costs, Declaration, Exemption, Races
from torchdevlint.harness.fixtures import Case
from torchdevlint.harness.jobs import Job, Outcome
from torchdevlint.harness.verdicts import Seen, Verdict
from torchdevlint.harness.workers import run_jobs


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may take."""

    seconds: float = 20.0
    megabytes: int = 4096


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: what was predicted of a fixture on a backend, and what was seen, where."""

    rule: str
    fixture: str
    backend: str
    predicted: str
    seen: Seen
    torch: str = ""
    device: str = ""


@dataclass(frozen=True, slots=True)
class _Task:
    """A declaration with the backend it is tried on and its jobs: ``before`` leaves files for ``jobs``."""

    case: Case
    declaration: Declaration
    backend: Backend
    before: tuple[Job, ...]
    jobs: tuple[Job, ...]


def verify(
    paths: Iterable[Path],
    backends: Collection[Backend],
    limits: Limits = Limits(),
    workers: int = 2,
) -> list[Row]:
    """Run the fixtures under the paths on the backends and return a row for each declaration, in their order.

    What is declared for the simulator is predicted for a real GPU too. Raises `BadFixture` for a path or a
    declaration that cannot be read, and `HarnessError` where nothing can be run.
    """
    cases = [*fixtures.find(paths)]
    with tempfile.TemporaryDirectory(prefix="torchdevlint-") as folder:
        plan = [one for case in cases for one in _plan(case, backends, limits, Path(folder))]
        tasks = [one for one in plan if isinstance(one, _Task)]
        earlier = [job for task in tasks for job in task.before]
        first = iter(run_jobs(earlier, workers))
        spoiled = {job.folder: outcome for job in earlier if (outcome := next(first)).ending != "ended"}
        outcomes = iter(run_jobs([job for task in tasks for job in task.jobs], workers))
        return [one if isinstance(one, Row) else _row(one, outcomes, spoiled) for one in plan]


def _plan(case: Case, backends: Collection[Backend], limits: Limits, folder: Path) -> Iterator[_Task | Row]:
    if not case.declarations:
        yield Row(case.rule, case.name, "", "", Seen(Verdict.UNDECLARED, "declares nothing about its run"))
    for declaration in case.declarations:
        match declaration:
            case Exemption(reason):
                yield Row(case.rule, case.name, "none", "", Seen(Verdict.UNPROVEN, reason))
            case Declaration():  # pragma: no branch (there is no other case)
                missing = [name for name in declaration.setting.needs if importlib.util.find_spec(name) is None]
                for backend in _tried(case, declaration, backends):
                    if missing:
                        seen = Seen(Verdict.UNPROVEN, f"needs {', '.join(missing)}")
                        yield Row(case.rule, case.name, backend.value, _predicted(declaration), seen)
                    else:
                        yield _task(case, declaration, backend, limits, folder)


def _tried(case: Case, declaration: Declaration, backends: Collection[Backend]) -> Iterator[Backend]:
    """Yield the backends a declaration is tried on: its own, and for the simulator's a real GPU without its own.

    Copies that arrive late are of the simulator alone, and so are costs, which no real one counts by line.
    """
    if declaration.backend in backends:
        yield declaration.backend
    own = any(isinstance(other, Declaration) and other.backend is Backend.CUDA for other in case.declarations)
    simulated = declaration.backend is Backend.SIM and not isinstance(declaration.prediction, Races | Costs)
    if Backend.CUDA in backends and simulated and not own:
        yield Backend.CUDA


def _task(case: Case, declaration: Declaration, backend: Backend, limits: Limits, folder: Path) -> _Task:
    setting = declaration.setting
    job = Job(
        script=str(case.script),
        root=str(case.root),
        backend=backend.value,
        folder=tempfile.mkdtemp(dir=folder),
        devices=setting.devices,
        optimizer=setting.optimizer,
        replaced=setting.replaced,
        probes=verdicts.probes(case, declaration.prediction),
        seconds=limits.seconds,
        megabytes=limits.megabytes,
    )
    before = () if setting.after is None else (replace(job, backend=setting.after.value, probes=()),)
    late = replace(job, asynchronous=True, folder=tempfile.mkdtemp(dir=folder))
    return _Task(case, declaration, backend, before, (job, late) if _races(declaration) else (job,))


def _races(declaration: Declaration) -> bool:
    return isinstance(declaration.prediction, Races)


def _predicted(declaration: Declaration) -> str:
    """Return what is predicted, as it is declared: the text behind the backend."""
    return declaration.text.partition(" ")[2]


def _row(task: _Task, outcomes: Iterator[Outcome], spoiled: dict[str, Outcome]) -> Row:
    seen_runs: Sequence[Outcome] = [next(outcomes) for _ in task.jobs]
    earlier = spoiled.get(task.jobs[0].folder)
    if earlier is not None:
        seen = verdicts.judge_earlier(earlier)
    else:
        seen = verdicts.judge(task.case, task.declaration, seen_runs)
    predicted, last = _predicted(task.declaration), seen_runs[-1]
    return Row(task.case.rule, task.case.name, task.backend.value, predicted, seen, last.torch, last.device)
