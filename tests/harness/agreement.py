"""Compares the linter with PyTorch, operator by operator: agreement.py [--json] [--sample N] [OPERATOR ...]

Every entry of PyTorch's own lists of operators, modules and optimizers becomes short scripts. Each is run on the
simulated GPU and linted: a finding in a script that runs is a false alarm, a device error without one is missed.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

import torch
from agreement_missed import MISSED
from agreement_modules import module_scripts, optimizer_scripts
from agreement_scripts import Script, Written, operator_scripts
from script_text import execute

from torchdevlint.engine import analyse
from torchdevlint.harness.simulator import Machine, SimulationError, install, is_device_error

FIXTURES = Path(__file__).parents[2] / "fixtures"
SAMPLES = 3


class Verdict(Enum):
    """What a run and a lint of one script say together."""

    CLEAN = "runs, no finding"
    FOUND = "device error, found"
    FALSE_ALARM = "runs, but a finding"
    MISSED = "device error, no finding"
    NOT_SIMULATED = "cannot be simulated"
    OTHER = "another error"


@dataclass(frozen=True, slots=True)
class Compared:
    """A script, what became of it, and the error and the findings that tell so."""

    script: Script
    verdict: Verdict
    error: str
    findings: tuple[str, ...]


@dataclass(slots=True)
class Agreement:
    """All that was compared, and the entries of which there is no script, with the reason."""

    compared: list[Compared] = field(default_factory=list)
    unwritten: dict[str, str] = field(default_factory=dict)

    def totals(self) -> Counter[Verdict]:
        return Counter(each.verdict for each in self.compared)

    def by_operator(self) -> dict[str, Counter[Verdict]]:
        table: dict[str, Counter[Verdict]] = {}
        for each in self.compared:
            table.setdefault(each.script.operator, Counter())[each.verdict] += 1
        return table

    def of(self, verdict: Verdict) -> list[Compared]:
        return [each for each in self.compared if each.verdict is verdict]

    def unlisted(self) -> dict[str, int]:
        """The operators of which more alarms are missed than it is known, with their number."""
        return {
            name: counts[Verdict.MISSED]
            for name, counts in self.by_operator().items()
            if counts[Verdict.MISSED] > MISSED.get(name, (0, ""))[0]
        }

    def agrees(self) -> bool:
        return not self.of(Verdict.FALSE_ALARM) and not self.unlisted()


def device_codes() -> frozenset[str]:
    """The rules about errors of devices: those of which a `bad` fixture raises on the simulated GPU as it is."""
    declared = re.compile(r"^# runtime: sim raises (?!.*\b(optimizer|parameters|after)=)", re.MULTILINE)
    return frozenset(
        path.parent.name.partition("_")[0].upper()
        for path in FIXTURES.glob("tdl*/bad*.py")
        if declared.search(path.read_text(encoding="utf-8"))
    )


def entries() -> Iterator[tuple[str, Written]]:
    """The name of each entry of PyTorch's lists, and its scripts; nothing is simulated yet."""
    from torch.testing._internal.common_methods_invocations import op_db
    from torch.testing._internal.common_modules import module_db
    from torch.testing._internal.common_optimizers import optim_db

    for operator in op_db:
        yield operator.formatted_name, lambda each=operator: operator_scripts(each, SAMPLES)
    for module in module_db:
        yield module.formatted_name, lambda each=module: module_scripts(each, SAMPLES)
    for optimizer in optim_db:
        yield optimizer.optim_cls.__name__, lambda each=optimizer: optimizer_scripts(each)


def compare(names: Sequence[str] = (), sample: int | None = None, seed: int = 0) -> Agreement:
    """Compare the named operators (all if there are none, or so many of them by chance) in this process.

    It is changed by that: the simulator is installed in it.
    """
    chosen = [(name, write) for name, write in entries() if not names or any(_matches(name, each) for each in names)]
    if sample is not None and sample < len(chosen):
        chosen = random.Random(seed).sample(chosen, sample)  # noqa: S311 -- no secret
    agreement = Agreement()
    scripts: list[Script] = []
    for name, write in chosen:
        written = write()
        scripts += written.scripts
        if not written.scripts:
            agreement.unwritten[name] = written.reason
    install(Machine())
    codes = device_codes()
    agreement.compared = [_compare(script, codes) for script in scripts]
    return agreement


def _matches(name: str, asked: str) -> bool:
    return asked in (name, name.removeprefix("nn_functional_"), name.removeprefix("nn_"), name.replace("_", "."))


def _compare(script: Script, codes: frozenset[str]) -> Compared:
    findings = tuple(f"{each.code} {each.message}" for each in analyse(script.text) if each.code in codes)
    try:
        execute(script.text)
    except SimulationError as error:
        return Compared(script, Verdict.NOT_SIMULATED, _first_line(error), findings)
    except Exception as error:  # noqa: BLE001 -- it is shown
        verdict = (Verdict.FOUND if findings else Verdict.MISSED) if is_device_error(error) else Verdict.OTHER
        return Compared(script, verdict, _first_line(error), findings)
    return Compared(script, Verdict.FALSE_ALARM if findings else Verdict.CLEAN, "", findings)


def _first_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".partition("\n")[0]


def show(agreement: Agreement) -> None:
    """Print a table by operator, those that agree left out, and the totals."""
    columns = (Verdict.FALSE_ALARM, Verdict.MISSED, Verdict.FOUND, Verdict.CLEAN)
    print(f"{'operator':50}{'false':>8}{'missed':>8}{'found':>8}{'clean':>8}")
    for name, counts in sorted(agreement.by_operator().items()):
        if counts[Verdict.FALSE_ALARM] or counts[Verdict.MISSED]:
            reason = MISSED.get(name, (0, ""))[1] if counts[Verdict.MISSED] else ""
            print(f"{name:50}" + "".join(f"{counts[each]:8}" for each in columns) + f"  {reason}".rstrip())
    totals = agreement.totals()
    errors = totals[Verdict.FOUND] + totals[Verdict.MISSED]
    print(f"{len(agreement.by_operator())} operators, {len(agreement.compared)} scripts")
    print(f"false alarms: {totals[Verdict.FALSE_ALARM]} in {totals[Verdict.CLEAN] + totals[Verdict.FALSE_ALARM]}")
    print(f"missed: {totals[Verdict.MISSED]} in {errors} ({100 * totals[Verdict.MISSED] / max(errors, 1):.1f} in 100)")
    print(f"left out: {totals[Verdict.NOT_SIMULATED]} not simulated, {totals[Verdict.OTHER]} with another error")
    print(f"without a script: {len(agreement.unwritten)}")


def show_scripts(compared: Iterable[Compared]) -> None:
    """Print the scripts, each with its verdict."""
    for each in compared:
        print(f"# {each.script.operator}, {each.script.form}, {each.script.placement}: {each.verdict.value}")
        for line in (each.error, *each.findings):
            if line:
                print(f"#   {line}")
        print(each.script.text)


def as_json(agreement: Agreement) -> dict[str, object]:
    """All of it as plain data."""
    return {
        "torch": torch.__version__,
        "totals": {verdict.name.lower(): number for verdict, number in agreement.totals().items()},
        "operators": {
            name: {verdict.name.lower(): number for verdict, number in counts.items()}
            for name, counts in sorted(agreement.by_operator().items())
        },
        "unwritten": agreement.unwritten,
        "disagreements": [
            {
                "operator": each.script.operator,
                "form": each.script.form,
                "placement": each.script.placement,
                "verdict": each.verdict.name.lower(),
                "error": each.error,
                "findings": each.findings,
                "text": each.script.text,
            }
            for each in agreement.compared
            if each.verdict not in (Verdict.CLEAN, Verdict.FOUND)
        ],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("operators", nargs="*", metavar="OPERATOR", help="print the scripts of these only")
    parser.add_argument("--json", action="store_true", help="print one object instead of the table")
    parser.add_argument("--sample", type=int, metavar="N", help="compare so many operators, drawn by chance")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    arguments = parser.parse_args()
    agreement = compare(arguments.operators, arguments.sample, arguments.seed)
    if arguments.json:
        print(json.dumps(as_json(agreement), indent=1))
    else:
        if arguments.operators:
            show_scripts(agreement.compared)
        show(agreement)
    sys.exit(0 if agreement.agrees() else 1)


if __name__ == "__main__":
    main()
