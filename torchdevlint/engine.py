"""The way data takes, on one screen: text, gate, parse, interpret, rules, settle, positions, diagnostics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial

import libcst as cst

import torchdevlint.rules
from torchdevlint import announced, claims, gate, knowledge, positions, rule, settle, traces, transfers
from torchdevlint.edits import Repair
from torchdevlint.facts import FileFacts
from torchdevlint.interpreter.driver import Interpretation, interpret
from torchdevlint.interpreter.run import Resolver, unresolved
from torchdevlint.knowledge.rows import Knowledge
from torchdevlint.lattice import Possibility
from torchdevlint.options import NotAnalysed, Options, on_by_default
from torchdevlint.positions import Span
from torchdevlint.project import knowledge_of
from torchdevlint.records import dataclass, replace
from torchdevlint.recursion import deep_recursion, uninterrupted
from torchdevlint.settle import Settled
from torchdevlint.traces import Step
from torchdevlint.why import Role


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding as users see it: lines from 1, columns from 0 in code points, the end exclusive.

    ``trace`` tells how each operand got to its device, in the order of the source, and ``repair`` what mends it, where
    `Options.details` asks for them.
    """

    code: str
    message: str
    line: int
    column: int
    end_line: int
    end_column: int
    trace: tuple[Step, ...] = ()
    repair: Repair | None = None
    places: int = 1


@cache
def all_rules() -> tuple[rule.Rule, ...]:
    """Return every rule there is, found by its stem."""
    return rule.discover(torchdevlint.rules)


@cache
def _rules_by_default() -> tuple[rule.Rule, ...]:
    """Return the rules that judge where nobody asks for advice: the others are not even imported."""
    return rule.discover(torchdevlint.rules, on_by_default)


@cache
def _advice() -> tuple[str, ...]:
    """Return the codes of advice."""
    return tuple(code for code in rule.stems(torchdevlint.rules) if not on_by_default(code))


def analyse(
    text: str,
    *,
    knowledge: Knowledge = knowledge.DEFAULT,
    options: Options = Options(),  # noqa: B008 (frozen)
    resolver: Resolver = unresolved,
) -> tuple[Diagnostic, ...]:
    """Return the findings in a source text, by position.

    ``resolver`` tells what a name means that is imported from a module no row knows; by default nothing does.
    Raises `NotAnalysed` for a text that is too large, nested too deeply, or that libcst cannot parse.
    """
    if not gate.may_find(text):
        return ()
    gate.check_size(text)
    with uninterrupted():
        # In a function of its own, so that the tree is gone when the garbage collector comes back and looks for it.
        return _analyse(text, knowledge_of(options.project, options.filename) or knowledge, options, resolver)


def _analyse(text: str, knowledge: Knowledge, options: Options, resolver: Resolver) -> tuple[Diagnostic, ...]:
    module = parse(text)
    try:
        with deep_recursion():
            found = interpret(module, text, knowledge, resolver, importable=options.importable)
            settled = find(found, options)
        diagnostics = tuple(diagnose(module, settled, options, text, found.facts)) if settled else ()
        return _with_misspelt(diagnostics, text, options) if claims.may_be_in(text) else diagnostics
    except RecursionError as error:
        raise NotAnalysed("nested too deeply") from error


def _with_misspelt(found: tuple[Diagnostic, ...], text: str, options: Options) -> tuple[Diagnostic, ...]:
    """Return findings, and beside them the comments that were meant to tell something."""
    if not options.wants(claims.CODE):
        return found
    wrong = (
        Diagnostic(claims.CODE, f"the comment {one.reason}", one.line, one.column, one.line, one.end)
        for one in claims.misspelt(text, lambda place: transfers.parse(place) is not None)
    )
    return tuple(sorted((*found, *wrong), key=lambda d: (d.line, d.column, d.code)))


def parse(text: str) -> cst.Module:
    """Parse a source text; raises `NotAnalysed` where libcst refuses it."""
    try:
        return cst.parse_module(text)
    except cst.ParserSyntaxError as error:
        raise NotAnalysed(f"libcst cannot parse line {error.raw_line}: {error.message}") from error
    except UnicodeError as error:
        raise NotAnalysed("the text cannot be encoded") from error


def find(interpretation: Interpretation, options: Options) -> list[Settled]:
    """Return the settled findings of the wanted rules."""
    rules = all_rules() if any(map(options.wants, _advice())) else _rules_by_default()
    judging = tuple(
        r
        for r in rules
        if (r.in_tests or not options.is_test_file) and (on_by_default(r.code) or options.wants(r.code))
    )
    settled = settle.settle(rule.judge(judging, interpretation.events, interpretation.facts))
    # A rule that is not wanted still speaks instead of those that it supersedes.
    return [one for one in settled if options.wants(one.rule.code)]


def diagnose(
    module: cst.Module,
    settled: list[Settled],
    options: Options = Options(),  # noqa: B008 (frozen)
    text: str = "",
    facts: FileFacts | None = None,
) -> Iterable[Diagnostic]:
    """Return the findings with their positions and messages; where details are wanted, with traces and fixes."""
    details = _Details(module, settled, text, facts, options.width) if options.details and facts is not None else None
    spans = details.spans if details is not None else positions.locate(module, set(_nodes(settled)))
    said = announced.announced(text)
    meant = partial(_is_meant, fails=lambda line: line in said or options.fails(line), spans=spans)
    diagnostics = []
    for group in settled:
        places = tuple(f for f in (group.finding, *group.others) if not meant(group.rule, f))
        if not places:
            continue
        first = min(places, key=lambda f: (spans[f.node].line, spans[f.node].column) if f.node in spans else (0, 0))
        one = replace(group, finding=first, others=tuple(f for f in places if f is not first))
        span = spans.get(first.node, Span(1, 0, 1, 0))
        names = partial(_name, options.name_of, span.line)
        message = one.rule.message.format_map({k: _render(v, spans, names) for k, v in first.parts.items()})
        repeats = len(one.others) + len(one.further)
        if repeats:
            message += f", and {repeats} more"
        place = (span.line, span.column, span.end_line, span.end_column)
        steps = details.steps(one) if details is not None else ()
        repair = details.repair(one, first) if details is not None else None
        diagnostics.append(Diagnostic(one.rule.code, message, *place, steps, repair, 1 + repeats))
    return sorted(diagnostics, key=lambda d: (d.line, d.column, d.code))


class _Details:
    """What only some ask for: how each operand got to its device, and what mends a finding."""

    def __init__(self, module: cst.Module, settled: list[Settled], text: str, facts: FileFacts, width: int) -> None:
        from torchdevlint import mending  # only who asks for fixes needs it

        self._mending = mending
        told = {*_nodes(settled), *facts.places, *facts.copied, *facts.fed}
        told.update(*map(traces.nodes, settled), *(f.about for one in settled for f in (one.finding, *one.others)))
        self.spans = positions.locate(module, told)
        self._source = mending.Source(text, self.spans, facts)
        self._width = width

    def steps(self, one: Settled) -> tuple[Step, ...]:
        return tuple(traces.steps(one, self.spans))

    def repair(self, one: Settled, finding: rule.Finding) -> Repair | None:
        line = self._line(finding)
        beside = (f for f in (one.finding, *one.others) if f is not finding and self._line(f) == line)
        return self._mending.repair(one.rule, finding, self._source, self._width, beside)

    def _line(self, finding: rule.Finding) -> int | None:
        span = self.spans.get(finding.node)
        return span.line if span is not None else None


def _is_meant(
    rule_: rule.Rule, finding: rule.Finding, *, fails: Callable[[int], bool], spans: Mapping[cst.CSTNode, Span]
) -> bool:
    """Tell whether the program is meant to fail by a finding, at its place or where it fails."""
    places = (spans[node] for node in (finding.node, finding.fails) if node is not None and node in spans)
    lines = (line for place in places for line in range(place.line, place.end_line + 1))
    return rule_.severity is rule.Severity.ERROR and any(map(fails, lines))


def _nodes(settled: list[Settled]) -> Iterable[cst.CSTNode]:
    for one in settled:
        for finding in (one.finding, *one.others):
            yield finding.node
            if finding.fails is not None:
                yield finding.fails
            for part in finding.parts.values():
                if isinstance(part, cst.CSTNode):
                    yield part
                elif isinstance(part, Possibility) and part.why is not None:
                    yield part.why.node
                    yield part.why.root().node


def _name(name_of: Callable[[int, int], str], at: int, line: int) -> str:
    return name_of(line, at)


def _render(part: object, spans: Mapping[cst.CSTNode, Span], name_of: Callable[[int], str]) -> str:
    """Return the text of a message's argument: a node as its line, a possibility as device and line."""
    match part:
        case Possibility():
            return _place(part, spans, name_of)
        case cst.CSTNode():
            return name_of(spans[part].line) if part in spans else "another line"
        case _:
            return str(part)


def _place(possibility: Possibility, spans: Mapping[cst.CSTNode, Span], name_of: Callable[[int], str]) -> str:
    why = possibility.why
    device = str(possibility.device)
    if why is None or why.node not in spans:
        return device
    root = why.root()
    where = name_of(spans[why.node].line)
    if root.role is Role.BATCH and why is root:
        return f"{device} ({root.text}, {where})"
    return f"{device} ({where})"
