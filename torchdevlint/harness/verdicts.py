"""Compares what a script declares with what was seen when it ran."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

from torchdevlint.harness.declarations import (
    BoundsGraph,
    BuildsGraph,
    Costs,
    Declaration,
    GrowsGraph,
    GrowsMemory,
    Kept,
    NeverUpdates,
    Prediction,
    Races,
    Raises,
    RunsClean,
    Stays,
    Warns,
)
from torchdevlint.harness.fixtures import Case, reports
from torchdevlint.harness.jobs import Error, Move, Outcome, Probe


class Verdict(Enum):
    """What a run says about a prediction."""

    CONFIRMED = "confirmed"
    REFUTED = "refuted"
    UNPROVEN = "unproven"
    SKIPPED = "skipped"
    UNDECLARED = "undeclared"


@dataclass(frozen=True, slots=True)
class Seen:
    """A verdict, and what it rests on, in a few words."""

    verdict: Verdict
    note: str


# what the simulator raises where it cannot tell what a GPU would do
_UNSUPPORTED = "SimulationError"

# so many visits in a row have to find more nodes than the one before
_GROWING = 3


def probes(case: Case, prediction: Prediction) -> tuple[Probe, ...]:
    """Return what has to be measured for a prediction."""
    match prediction:
        case BoundsGraph(name):
            return (Probe("name", str(case.script), name=name),)
        case GrowsGraph() | GrowsMemory() | BuildsGraph() | Stays() | NeverUpdates():
            empty = Probe("move" if isinstance(prediction, Stays | NeverUpdates) else "total", "")
            return tuple(
                replace(
                    empty,
                    file=str(report.file),
                    line=report.finding.line,
                    column=report.finding.column,
                    end_line=report.finding.end_line,
                    end_column=report.finding.end_column,
                )
                for report in reports(case)
            )
        case Raises() | RunsClean() | Races() | Costs() | Warns():  # pragma: no branch (there is no other case)
            return ()


def judge(case: Case, declaration: Declaration, outcomes: Sequence[Outcome]) -> Seen:
    """Return what the runs of a case say about one of its declarations.

    ``outcomes`` are one run, or for a race one without and one with copies that arrive late.
    """
    for outcome in outcomes:
        match outcome.ending:
            case "too long" | "too much memory" | "died" | "broken":
                return Seen(Verdict.UNPROVEN, _sentence(outcome.ending, outcome.note))
            case "no device":
                return Seen(Verdict.SKIPPED, outcome.note)
            case "ended" | "raised":  # pragma: no branch (there is no other case)
                pass
        if outcome.error is not None and _UNSUPPORTED in outcome.error.types:
            return Seen(Verdict.UNPROVEN, _told(outcome.error))
    outcome = outcomes[0]
    if outcome.error is not None and outcome.error.missing is not None and not _is_own(case, outcome.error.missing):
        return Seen(Verdict.SKIPPED, f"needs {outcome.error.missing}")
    if case.rule and is_about_a_finding(declaration.prediction) and not reports(case):
        return Seen(Verdict.REFUTED, "the rule reports nothing in it")
    match declaration.prediction:
        case RunsClean():
            return _clean(outcome)
        case Raises() as raises:
            return _raised(case, raises, outcome)
        case GrowsGraph():
            return _grown(outcome, outcome.measures.nodes, "nodes")
        case GrowsMemory():
            return _grown(outcome, outcome.measures.nbytes, "bytes")
        case BuildsGraph():
            return _built(outcome.measures.nodes)
        case Costs() as costs:
            return _cost(case, costs, outcome)
        case Warns(type_, pattern):
            return _warned(case, type_, pattern, outcome.output)
        case BoundsGraph():
            return _bounded(outcome)
        case Stays(kept):
            return _stayed(kept, outcome.measures.moves)
        case NeverUpdates():
            return _untrained(outcome)
        case Races():  # pragma: no branch (there is no other case)
            return _raced(outcomes)


def judge_earlier(outcome: Outcome) -> Seen:
    """Return what follows where the run that leaves files for another one did not end well."""
    error = outcome.error
    if error is None:
        verdict = Verdict.SKIPPED if outcome.ending == "no device" else Verdict.UNPROVEN
        return Seen(verdict, f"the run before it: {_sentence(outcome.ending, outcome.note)}")
    verdict = Verdict.SKIPPED if error.missing else Verdict.REFUTED
    return Seen(verdict, f"the run before it: {_told(error)} (line {error.line})")


def _is_own(case: Case, module: str) -> bool:
    """Tell whether a module that is missing would be a file of the fixture's folder: then the fixture is broken."""
    return module.partition(".")[0] in {path.stem for path in case.script.parent.iterdir()}


def _sentence(*words: str) -> str:
    return ": ".join(word for word in words if word)


def _told(error: Error) -> str:
    first = error.message.strip().partition("\n")[0]
    return _sentence(error.types[0], first if len(first) <= 160 else first[:159] + "…")


def _clean(outcome: Outcome) -> Seen:
    if outcome.error is None:
        return Seen(Verdict.CONFIRMED, "ran to its end")
    return Seen(Verdict.REFUTED, f"{_told(outcome.error)} (line {outcome.error.line})")


def _raised(case: Case, expected: Raises, outcome: Outcome) -> Seen:
    error = outcome.error
    if error is None:
        return Seen(Verdict.REFUTED, "ran to its end")
    told = f"{_told(error)} (line {error.line})"
    if not set(expected.types) & set(error.types):
        return Seen(Verdict.REFUTED, told)
    if not re.search(expected.pattern, error.message):
        return Seen(Verdict.REFUTED, told)
    if expected.at is not None:
        stands = expected.at in error.source
    else:
        lines = [(report.file, span) for report in reports(case) for span in (report.statement, *report.partners)]
        stands = any(Path(error.file) == file and error.line in span for file, span in lines)
    if not stands:
        return Seen(Verdict.REFUTED, f"{told}, which is not where it was predicted")
    return Seen(Verdict.CONFIRMED, told)


def is_about_a_finding(prediction: Prediction) -> bool:
    """Tell whether a prediction is about what the rule reports, and not about the script as a whole."""
    return not isinstance(prediction, RunsClean | BoundsGraph | Costs) or (
        isinstance(prediction, Costs) and not prediction.most
    )


def _grown(outcome: Outcome, counts: Sequence[int], what: str) -> Seen:
    run = longest_growth(counts)
    if len(run) >= _GROWING:
        return Seen(Verdict.CONFIRMED, f"from {run[0]} to {run[-1]} {what} in {len(run)} visits")
    if len(counts) < _GROWING:
        return Seen(Verdict.UNPROVEN, f"the statement ran {len(counts)} times, too few to tell")
    return Seen(Verdict.REFUTED, f"at most {max(counts)} {what}, and they do not grow")


def _built(nodes: Sequence[int]) -> Seen:
    if not nodes:
        return Seen(Verdict.UNPROVEN, "the statement never ran, or assigns nothing")
    if min(nodes) > 0:
        return Seen(Verdict.CONFIRMED, f"at least {min(nodes)} nodes in {len(nodes)} visits")
    return Seen(Verdict.REFUTED, "there is no graph")


_KINDS = {"syncs": ("synchronisation",), "copies": ("host to device",)}


def _cost(case: Case, expected: Costs, outcome: Outcome) -> Seen:
    """Compare how often something was done: by the reported statements, or by the whole script."""
    if outcome.error is not None:
        return _clean(outcome)
    lines = [(str(report.file), line) for report in reports(case) for line in report.statement]
    times = sum(
        cost.times
        for cost in outcome.measures.costs
        if cost.kind in _KINDS[expected.kind] and (expected.most or (cost.file, cost.line) in lines)
    )
    holds = times <= expected.times if expected.most else times >= expected.times
    return Seen(Verdict.CONFIRMED if holds else Verdict.REFUTED, f"{times} {expected.kind}")


def _warned(case: Case, type_: str, pattern: str, output: str) -> Seen:
    lines = [(report.file.name, line) for report in reports(case) for line in report.statement]
    for file, line, message in re.findall(rf"^(.*):(\d+): {type_}: (.*)$", output, re.MULTILINE):
        if (Path(file).name, int(line)) in lines and re.search(pattern, message):
            return Seen(Verdict.CONFIRMED, message[:160])
    return Seen(Verdict.REFUTED, f"the reported statement does not warn with a {type_} of that kind")


def _bounded(outcome: Outcome) -> Seen:
    if outcome.error is not None:
        return _clean(outcome)
    if len(outcome.measures.nodes) < _GROWING:
        return Seen(Verdict.UNPROVEN, f"the statement ran {len(outcome.measures.nodes)} times, too few to tell")
    run = longest_growth(outcome.measures.nodes)
    if len(run) >= _GROWING:
        return Seen(Verdict.REFUTED, f"from {run[0]} to {run[-1]} nodes in {len(run)} visits")
    return Seen(
        Verdict.CONFIRMED, f"at most {max(outcome.measures.nodes)} nodes in {len(outcome.measures.nodes)} visits"
    )


def longest_growth(counts: Sequence[int]) -> list[int]:
    """Return the longest stretch in which each count is greater than the one before."""
    best: list[int] = []
    run: list[int] = []
    for count in counts:
        run = [*run, count] if run and count > run[-1] else [count]
        best = max(best, run, key=len)
    return best


def _stayed(kept: Kept, moves: Sequence[Move]) -> Seen:
    if not moves:
        return Seen(Verdict.REFUTED, "the reported move was never made")
    for move in moves:
        before, after, result = (
            (move.before[1], move.after[1], move.result[1])
            if kept == "dtype"
            else (move.before[0], move.after[0], move.result[0])
        )
        is_there = kept == "dtype" or (after == "cpu") == (kept == "host")
        if before == after != result and is_there:
            return Seen(Verdict.CONFIRMED, f"stays {after}, the result is {result}")
    return Seen(
        Verdict.REFUTED, f"from {moves[0].before[0]} to {moves[0].after[0]}, the result is {moves[0].result[0]}"
    )


def _untrained(outcome: Outcome) -> Seen:
    if outcome.error is not None:
        return _clean(outcome)
    trained, updated = outcome.measures.trained, outcome.measures.updated
    if not trained:
        return Seen(Verdict.UNPROVEN, "no step was made with gradients of the moved module")
    if updated:
        return Seen(Verdict.REFUTED, f"{updated} of {trained} steps changed its parameters")
    return Seen(Verdict.CONFIRMED, f"none of {trained} steps changed its parameters")


def _raced(outcomes: Sequence[Outcome]) -> Seen:
    first, *others = ((outcome.error, outcome.output) for outcome in outcomes)
    if all(other == first for other in others):
        return Seen(Verdict.REFUTED, "the same output whether copies arrive late or not")
    return Seen(Verdict.CONFIRMED, "another output when copies arrive late")
