"""The command `check`: findings of files and folders, in the form that is asked for, and their fixes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from torchdevlint.checking import baseline, discovery, fixing, outcomes, running, selectors
from torchdevlint.checking.documents import NotEditable
from torchdevlint.checking.editing import parse
from torchdevlint.checking.fixing import FixTask
from torchdevlint.checking.notebooks import BadNotebook
from torchdevlint.checking.outcomes import Outcome, Task
from torchdevlint.checking.settings import Settings
from torchdevlint.checking.sources import Refusal
from torchdevlint.cli import clean, editing, telling
from torchdevlint.cli.chosen import add_settings, in_force
from torchdevlint.cli.failure import Failure
from torchdevlint.reports import FORMATS, Report
from torchdevlint.reports.report import severity_of
from torchdevlint.rule import Severity

STDIN = "-"


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to those of the parser."""
    parser = commands.add_parser("check", help="find device bugs in files and folders")
    parser.add_argument("paths", nargs="*", metavar="path", default=["."], help="files, folders, or - (default: .)")
    add_settings(parser)
    parser.add_argument(
        "--stdin-filename", type=_name, metavar="FILE", default="stdin", help="what - is called in the report"
    )
    parser.add_argument("-j", "--jobs", type=_jobs, metavar="N", help="processes; 0, the default, is one a core")
    parser.add_argument("-o", "--output-file", metavar="FILE", type=Path, help="write the report, or the diff, there")
    parser.add_argument("--no-cache", action="store_true", help="check every file anew, and keep nothing")
    clean.add_cache_dir(parser)
    parser.add_argument("--statistics", action="store_true", help="count the findings of each rule instead")
    parser.add_argument("--exit-zero", action="store_true", help="exit with 0 where there are findings, too")
    fixes = parser.add_argument_group("fixes")
    fixes.add_argument("--fix", action="store_true", help="mend what can be mended safely")
    fixes.add_argument("--unsafe-fixes", action="store_true", help="mend what may change a program that is right, too")
    fixes.add_argument("--fix-only", action="store_true", help="mend, and report nothing of what is left")
    fixes.add_argument("--diff", action="store_true", help="show what would be mended; exit with 1 where there is any")
    fixes.add_argument("--show-fixes", action="store_true", help="tell what was mended, by file and rule")
    known = parser.add_argument_group("findings that are known")
    known.add_argument("--disable-noqa", action="store_true", help="report what `# noqa` comments silence, too")
    known.add_argument("--report-unused-noqa", action="store_true", help="report `# noqa` comments without effect")
    known.add_argument("--add-noqa", action="store_true", help="silence every finding with a comment")
    known.add_argument("--reason", default="", metavar="TEXT", help="what --add-noqa writes after the codes")
    known.add_argument("--baseline", metavar="FILE", type=Path, help="report only what is not in the baseline")
    known.add_argument("--write-baseline", action="store_true", help="write all findings to the file of --baseline")
    parser.set_defaults(execute=execute)


def _name(text: str) -> str:
    return text or "stdin"  # an editor's buffer that was never saved has no name


def _jobs(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text} is no number of processes")
    return int(text)


def execute(arguments: argparse.Namespace) -> int:
    """Check, mend where asked, write the report; return 1 where there is a finding to fail on, else 0."""
    settings = in_force(arguments)
    known = _known(arguments)
    _no_contradiction(arguments)
    if arguments.fix or arguments.fix_only or arguments.diff:
        return _mend(arguments, settings)
    jobs = arguments.jobs or running.jobs_by_default()
    tasks = _tasks(arguments, settings)
    with telling.progress(len(tasks)) as advance:
        found = running.run(clean.checker(arguments, settings.root), tasks, jobs, advance)
    if arguments.write_baseline:
        made = Report(tuple(found), Path.cwd())
        telling.write(baseline.render(made, arguments.baseline), arguments.baseline)
        telling.say(f"{telling.count(len(list(made.findings())), 'finding')} written to {arguments.baseline}")
        return 0
    if known is not None:
        made = Report(tuple(found), Path.cwd())
        missing = len(baseline.gone(made, known, tasks))
        if missing:
            telling.say(f"{telling.count(missing, 'finding')} of {arguments.baseline} no longer there")
        found = list(baseline.without(made, known))
    if arguments.add_noqa:
        return editing.add_noqa(found, arguments.reason)
    return _tell(arguments, settings, found)


def _tell(arguments: argparse.Namespace, settings: Settings, found: Sequence[Outcome]) -> int:
    """Write the report and return the exit status."""
    terminal = arguments.output_file is None and sys.stdout is not None and sys.stdout.isatty()
    made = Report(tuple(found), Path.cwd(), colour=terminal)
    telling.report(made, settings.output_format, statistics=arguments.statistics, to=arguments.output_file)
    ranks = [*Severity]
    failing = any(ranks.index(severity_of(d)) <= ranks.index(settings.fail_on) for _, d in made.findings())
    return int(failing and not arguments.exit_zero)


def _mend(arguments: argparse.Namespace, settings: Settings) -> int:
    """Mend the files, or show how they would be mended; return 1 where something is left to fail on or to mend."""
    if arguments.paths == [STDIN]:
        return _mend_input(arguments, settings)
    # a file of two names is mended once
    files = {Path(task.path).resolve(): task for task in reversed(_tasks(arguments, settings))}
    jobs = [_job(arguments, task) for task in reversed(files.values())]
    with telling.progress(len(jobs)) as advance:
        done = running.run(fixing.mend, jobs, arguments.jobs or running.jobs_by_default(), advance)
    editing.tell_fixes(done, diff=arguments.diff, show=arguments.show_fixes, to=arguments.output_file)
    reported = not (arguments.diff or arguments.fix_only)
    failed = 0 if reported else sum(editing.tell_failures(one.outcome) for one in done)
    if failed or any(one.problem is not None for one in done):
        return 1
    if arguments.diff:
        return int(any(one.mended for one in done) and not arguments.exit_zero)
    return 0 if arguments.fix_only else _tell(arguments, settings, [one.outcome for one in done])


def _job(arguments: argparse.Namespace, task: Task) -> FixTask:
    return FixTask(task, arguments.unsafe_fixes, not arguments.diff)


def _mend_input(arguments: argparse.Namespace, settings: Settings) -> int:
    """Mend standard input to standard output, as formatters do; what is left is told on standard error."""
    name, data = arguments.stdin_filename, _standard_input()
    job = _job(arguments, _task(arguments, settings, name, data))
    try:
        done = fixing.mended(job, parse(name, data))
        after = done.document.encode()
    except NotEditable as reason:
        raise Failure(f"{name}: {reason}") from None
    if arguments.diff:
        editing.tell_fixes([done], diff=True, show=False, to=arguments.output_file)
        return int(bool(done.mended) and not arguments.exit_zero)
    telling.hand_over(after)
    left = Report((done.outcome,), Path.cwd())
    if not arguments.fix_only:
        sys.stderr.write(FORMATS["concise"](left))
    return int(bool(done.outcome.findings) and not arguments.fix_only and not arguments.exit_zero)


def _no_contradiction(arguments: argparse.Namespace) -> None:
    """Raise `Failure` for options of which one would be forgotten."""
    mends = arguments.fix or arguments.fix_only or arguments.diff
    if arguments.add_noqa and (mends or arguments.write_baseline):
        raise Failure("--add-noqa silences what is there; give it without --fix, --diff and --write-baseline")
    if arguments.add_noqa and STDIN in arguments.paths:
        raise Failure("--add-noqa writes into files, and - is none")
    if len(arguments.reason.splitlines()) > 1 or not arguments.reason.isprintable():
        raise Failure("--reason is one line of a comment")


def _known(arguments: argparse.Namespace) -> baseline.Baseline | None:
    """Return what the baseline knows, or None where there is none to read. Raises `Failure`."""
    if arguments.write_baseline and arguments.baseline is None:
        raise Failure("--write-baseline needs --baseline FILE")
    if arguments.baseline is None or arguments.write_baseline:
        return None
    try:
        return baseline.load(arguments.baseline)
    except baseline.BadBaseline as reason:
        raise Failure(reason) from None


def _standard_input() -> bytes:
    """Return what standard input holds. Raises `Failure` where there is none."""
    if sys.stdin is None:
        raise Failure("there is no standard input")
    return sys.stdin.buffer.read()


def _tasks(arguments: argparse.Namespace, settings: Settings) -> list[Task]:
    """Return what is to be checked. Raises `Failure` for a path that cannot be checked."""
    if arguments.paths == [STDIN]:
        return [_task(arguments, settings, arguments.stdin_filename, _standard_input())]
    if STDIN in arguments.paths:
        raise Failure("- stands for standard input, and for nothing beside other paths")
    exclude = (*settings.exclude, *settings.extend_exclude)
    rules = discovery.Filter(settings.root, exclude, settings.respect_gitignore, settings.force_exclude)
    try:
        return [_task(arguments, settings, path) for path in discovery.find(arguments.paths, rules)]
    except discovery.BadPath as reason:
        raise Failure(reason) from None


def _task(arguments: argparse.Namespace, settings: Settings, path: str, data: bytes | None = None) -> Task:
    codes = selectors.selection(settings.select, settings.extend_select, settings.ignore)
    wants = selectors.wanted_in(path, codes, settings.per_file_ignores, settings.root)
    noqa, unused, width = not arguments.disable_noqa, arguments.report_unused_noqa, settings.line_length
    text, refusal = _decoded(path, data) if data is not None else (None, None)
    return Task(path, wants, text, noqa, unused, settings.project, width, refusal)


def _decoded(name: str, data: bytes) -> tuple[str, Refusal | None]:
    """Return the text of standard input, as of a file of that name, and why Python refuses it. Raises `Failure`."""
    try:
        return outcomes.decoded(name, data)
    except BadNotebook as reason:
        raise Failure(f"{name}: {reason}") from None
