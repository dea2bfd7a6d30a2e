"""The command `check`: findings of files and folders, in the form that is asked for."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from torchdevlint.checking import (
    baseline,
    comments,
    discovery,
    documents,
    outcomes,
    running,
    selectors,
    settings,
    sources,
)
from torchdevlint.checking.outcomes import FAILURE, Outcome, Task
from torchdevlint.checking.settings import Settings
from torchdevlint.cli.failure import Failure
from torchdevlint.cli.writing import replace_bytes, write_whole
from torchdevlint.engine import all_rules
from torchdevlint.reports import FORMATS, Report
from torchdevlint.reports.report import name_of, severity_of
from torchdevlint.rule import Severity

STDIN = "-"
PATIENCE = 1.0
"""Seconds after which a terminal is told how far the work is."""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to those of the parser."""
    parser = commands.add_parser("check", help="find device bugs in files and folders")
    parser.add_argument("paths", nargs="*", metavar="path", default=["."], help="files, folders, or - (default: .)")
    add_settings(parser)
    parser.add_argument("--stdin-filename", metavar="FILE", default="stdin", help="what - is called in the report")
    parser.add_argument("-j", "--jobs", type=_jobs, metavar="N", help="processes (default: one a core)")
    parser.add_argument("-o", "--output-file", metavar="FILE", type=Path, help="write the report there")
    parser.add_argument("--statistics", action="store_true", help="count the findings of each rule instead")
    parser.add_argument("--disable-noqa", action="store_true", help="report what `# noqa` comments silence, too")
    parser.add_argument(
        "--report-unused-noqa", action="store_true", help="report `# noqa` comments that silence nothing"
    )
    parser.add_argument("--add-noqa", action="store_true", help="silence every finding with a comment")
    parser.add_argument("--reason", default="", metavar="TEXT", help="what --add-noqa writes after the codes")
    parser.add_argument(
        "--baseline", metavar="FILE", type=Path, help="report only findings that are not in the baseline"
    )
    parser.add_argument("--write-baseline", action="store_true", help="write all findings to the file of --baseline")
    parser.add_argument("--exit-zero", action="store_true", help="exit with 0 where there are findings, too")
    parser.set_defaults(execute=execute)


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add the options that the configuration has keys for, and those that say where it is."""
    group = parser.add_argument_group("settings, also in [tool.torchdevlint] of pyproject.toml")
    group.add_argument(
        "--select", action="append", metavar="CODES", help="codes, or beginnings of codes, and no others"
    )
    group.add_argument("--extend-select", action="append", metavar="CODES", help="further codes (TDL9 is advice)")
    group.add_argument("--ignore", action="append", metavar="CODES", help="codes to leave out")
    group.add_argument(
        "--exclude", action="append", metavar="PATTERN", help="what to leave out, instead of the default"
    )
    group.add_argument("--extend-exclude", action="append", metavar="PATTERN", help="what else to leave out")
    group.add_argument("--force-exclude", action="store_true", default=None, help="leave out named files, too")
    group.add_argument("--no-respect-gitignore", dest="respect_gitignore", action="store_false", default=None)
    group.add_argument("--fail-on", choices=[one.value for one in Severity], help="exit with 1 from there on")
    group.add_argument("--output-format", choices=[*FORMATS], help="default: full on a terminal, else concise")
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--config", metavar="FILE", type=Path, help="a pyproject.toml to read instead of the nearest")
    where.add_argument("--isolated", action="store_true", help="read no configuration")


def execute(arguments: argparse.Namespace) -> int:
    """Check, write the report, and return the exit status: 1 where there is a finding to fail on."""
    chosen = in_force(arguments)
    known = _known(arguments)
    found = _outcomes(arguments, chosen)
    if arguments.write_baseline:
        report = Report(tuple(found), Path.cwd())
        write_whole(arguments.baseline, baseline.render(report))
        return _say(f"{_count(len(list(report.findings())), 'finding')} written to {arguments.baseline}")
    if known is not None:
        found = list(baseline.without(Report(tuple(found), Path.cwd()), known))
    if arguments.add_noqa:
        return _add_noqa(found, arguments.reason)
    _tell(arguments, chosen, found)
    ranks = [*Severity]
    bad_enough = ranks.index(chosen.fail_on)
    failing = any(ranks.index(severity_of(d)) <= bad_enough for outcome in found for d in outcome.findings)
    return int(failing and not arguments.exit_zero)


def _known(arguments: argparse.Namespace) -> frozenset[str] | None:
    """Return what the baseline knows, or None where there is none to read. Raises `Failure`."""
    if arguments.write_baseline and arguments.baseline is None:
        raise Failure("--write-baseline needs --baseline FILE")
    if arguments.baseline is None or arguments.write_baseline:
        return None
    try:
        return baseline.load(arguments.baseline)
    except baseline.BadBaseline as reason:
        raise Failure(reason) from None


def _add_noqa(found: Sequence[Outcome], reason: str) -> int:
    """Silence all findings by comments; the exit status is 1 where a file could not be edited."""
    done = failed = 0
    for outcome in found:
        findings = [d for d in outcome.findings if d.code not in (FAILURE, comments.UNUSED)]
        if not findings:
            continue
        path = Path(outcome.path)
        try:
            replace_bytes(path, comments.added(documents.load(path), findings, reason).encode())
            done += len(findings)
        except (OSError, documents.NotEditable) as error:
            failed += 1
            print(f"torchdevlint: {path} is left as it is: {error}", file=sys.stderr)  # noqa: T201
    _say(f"{_count(done, 'finding')} silenced")
    return int(failed > 0)


def _say(text: str) -> int:
    print(text, file=sys.stderr)  # noqa: T201
    return 0


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def in_force(arguments: argparse.Namespace) -> Settings:
    """Return the settings of the configuration, and over them those of the command line. Raises `Failure`."""
    try:
        path = None if arguments.isolated else arguments.config or settings.nearest(Path.cwd())
        chosen = settings.load(path) if path is not None else Settings()
        codes = (FAILURE, *(rule.code for rule in all_rules()))
        given = {name: getattr(arguments, name) for name in _GIVEN if getattr(arguments, name) is not None}
        values: dict[str, object] = {}
        for name in ("select", "extend_select", "ignore"):
            option = given.get(name)
            where = f"--{name.replace('_', '-')}" if option is not None else f"{path}: `{name.replace('_', '-')}`"
            texts = option if option is not None else getattr(chosen, name)
            values[name] = None if texts is None else selectors.parse(texts, codes, where)
        values["per_file_ignores"] = tuple(
            replace(one, codes=selectors.parse(one.codes, codes, f"{path}: `per-file-ignores`"))
            for one in chosen.per_file_ignores
        )
    except (settings.BadSettings, selectors.UnknownCode) as reason:
        raise Failure(reason) from None
    for name in ("exclude", "extend_exclude"):
        if name in given:
            values[name] = tuple(part for text in given[name] for part in text.split(",") if part)
    for name in ("force_exclude", "respect_gitignore", "output_format"):
        if name in given:
            values[name] = given[name]
    if "fail_on" in given:
        values["fail_on"] = Severity(given["fail_on"])
    made = replace(chosen, **values, origins={**chosen.origins, **dict.fromkeys(given, "command line")})  # type: ignore[arg-type] # each is of its field's type
    if made.output_format is not None and made.output_format not in FORMATS:
        raise Failure(f"{path}: there is no `output-format` {made.output_format}; there are {', '.join(FORMATS)}")
    return made


_GIVEN = (
    "select", "extend_select", "ignore", "exclude", "extend_exclude", "force_exclude", "respect_gitignore", "fail_on",
    "output_format",
)  # fmt: skip


def _jobs(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def _outcomes(arguments: argparse.Namespace, chosen: Settings) -> list[Outcome]:
    codes = selectors.selection(chosen.select, chosen.extend_select, chosen.ignore)

    def task(path: str, text: str | None = None) -> Task:
        wants = selectors.wanted_in(path, codes, chosen.per_file_ignores, chosen.root)
        return Task(path, wants, text, not arguments.disable_noqa, arguments.report_unused_noqa)

    if arguments.paths == [STDIN]:
        return [outcomes.check(task(arguments.stdin_filename, sources.decode(sys.stdin.buffer.read())))]
    if STDIN in arguments.paths:
        raise Failure("- stands for standard input, and for nothing beside other paths")
    exclude = (*chosen.exclude, *chosen.extend_exclude)
    rules = discovery.Filter(chosen.root, exclude, chosen.respect_gitignore, chosen.force_exclude)
    try:
        files = discovery.find(arguments.paths, rules)
    except discovery.Missing as path:
        raise Failure(f"{path} is not there") from None
    with _progress(len(files)) as advance:
        return running.run([task(path) for path in files], arguments.jobs or running.jobs_by_default(), advance)


@contextmanager
def _progress(total: int) -> Iterator[Callable[[int], object]]:
    """Show how far the work is, on a terminal and where it takes time."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    # no thread of its own: processes may be forked while it shows
    bar = Progress(console=Console(stderr=True), transient=True, auto_refresh=False)
    task = bar.add_task("checking", total=total)
    began = time.monotonic()

    def advance(done: int) -> None:
        bar.advance(task, done)
        if time.monotonic() - began > PATIENCE:
            bar.start()
            bar.refresh()

    try:
        yield advance
    finally:
        bar.stop()


def _tell(arguments: argparse.Namespace, chosen: Settings, found: Sequence[Outcome]) -> None:
    """Write the report, to standard output or at once to a file."""
    terminal = arguments.output_file is None and sys.stdout.isatty()
    report = Report(tuple(found), Path.cwd(), colour=terminal)
    name = chosen.output_format or ("full" if terminal else "concise")
    text = _statistics(report) if arguments.statistics else FORMATS[name](report)
    if arguments.output_file is not None:
        write_whole(arguments.output_file, text)
    else:
        sys.stdout.write(text)


def _statistics(report: Report) -> str:
    """Return the number of findings of each rule, the most frequent first."""
    counts = Counter((finding.code, name_of(finding)) for _, finding in report.findings())
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    width = max((len(str(count)) for count in counts.values()), default=1)
    return "".join(f"{count:{width}}\t{code}\t{name}\n" for (code, name), count in ordered)
