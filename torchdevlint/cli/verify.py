"""`torchdevlint verify`: run the fixtures and compare with what they declare."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torchdevlint.cli.failure import Failure

if TYPE_CHECKING:
    from torchdevlint.harness.verification import Row

_BACKENDS = ("cpu", "sim", "cuda")


def add_to(commands: Any) -> None:
    """Add the command to the subparsers of the command line."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "verify",
        help="run fixtures and compare what happens with what they declare",
        description="Run fixtures, each in a process of its own, and compare what happens with what they declare. "
        "The exit status is 1 where something is refuted or declares nothing.",
    )
    parser.add_argument(
        "--backend",
        action="append",
        choices=_BACKENDS,
        help="where to run them: the CPU, the simulator, a real GPU; may be given several times (default: cpu, sim)",
    )
    parser.add_argument("--output-format", choices=("text", "json"), default="text", help="default: text")
    parser.add_argument("--evidence", type=Path, metavar="FILE", help="write what was seen to this file, as JSON")
    parser.add_argument("--workers", type=_positive, default=2, help="how many run at a time (default: 2)")
    parser.add_argument("--seconds", type=_positive, default=20, help="the longest time of a run (default: 20)")
    parser.add_argument("--megabytes", type=_positive, default=4096, help="the most memory of a run (default: 4096)")
    parser.add_argument("paths", nargs="*", type=Path, default=[Path("fixtures")], help="default: fixtures")
    parser.set_defaults(execute=execute)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text} is no positive number")
    return int(text)


def execute(chosen: argparse.Namespace) -> int:
    """Verify, print the table and write the evidence; raises `Failure` where nothing can be verified."""
    from torchdevlint.harness import tables
    from torchdevlint.harness.declarations import Backend
    from torchdevlint.harness.fixtures import BadFixture
    from torchdevlint.harness.verdicts import Verdict
    from torchdevlint.harness.verification import Limits, verify
    from torchdevlint.harness.workers import HarnessError

    backends = tuple(dict.fromkeys(chosen.backend or _BACKENDS[:2]))
    limits = Limits(chosen.seconds, chosen.megabytes)
    try:
        rows = verify(chosen.paths, [Backend(name) for name in backends], limits, chosen.workers)
    except (BadFixture, HarnessError) as reason:
        raise Failure(str(reason)) from reason
    sys.stdout.write(tables.as_json(rows) if chosen.output_format == "json" else tables.as_text(rows))
    if chosen.evidence is not None:
        _keep(rows, chosen.evidence, backends)
    return int(any(row.seen.verdict in (Verdict.REFUTED, Verdict.UNDECLARED) for row in rows))


def _keep(rows: list[Row], file: Path, backends: tuple[str, ...]) -> None:
    from torchdevlint.harness import tables

    try:
        earlier = file.read_text("utf-8") if file.exists() else ""
        file.write_text(tables.as_evidence(rows, earlier, backends), "utf-8")
    except (OSError, ValueError) as reason:
        raise Failure(f"the evidence cannot be written to {file}: {reason}") from reason
