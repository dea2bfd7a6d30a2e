"""The verdicts as a table, as JSON, and as the evidence that is kept beside the documentation."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from torchdevlint.harness.verdicts import Verdict
from torchdevlint.harness.verification import Row

_HEADS = ("rule", "fixture", "backend", "predicted", "seen")


def as_text(rows: Sequence[Row]) -> str:
    """Return the table, then totals for each rule and backend, then the sum; ends in a line break."""
    lines = [(row.rule, row.fixture.rpartition("/")[2], row.backend, row.predicted, _seen(row)) for row in rows]
    # a folder's script is told with its folder
    lines = [(row.rule, row.fixture.partition("/")[2], *line[2:]) for row, line in zip(rows, lines, strict=True)]
    return f"{_table([_HEADS, *lines])}\n{totals(rows)}\n{summary(rows)}\n"


def totals(rows: Iterable[Row]) -> str:
    """Return how many of each verdict there are for each rule and backend."""
    counts: dict[tuple[str, str], Counter[Verdict]] = {}
    for row in rows:
        counts.setdefault((row.rule, row.backend), Counter())[row.seen.verdict] += 1
    heads = ("rule", "backend", *(verdict.value for verdict in Verdict))
    lines = [(*key, *(str(count[verdict]) for verdict in Verdict)) for key, count in sorted(counts.items())]
    return _table([heads, *lines])


def summary(rows: Iterable[Row]) -> str:
    """Return all verdicts, counted, on one line."""
    counted = Counter(row.seen.verdict for row in rows)
    return ", ".join(f"{counted[verdict]} {verdict.value}" for verdict in Verdict)


def as_json(rows: Iterable[Row]) -> str:
    """Return the rows as a JSON list, one object each."""
    return json.dumps([_fields(row) for row in rows], indent=2, ensure_ascii=False) + "\n"


def as_evidence(rows: Iterable[Row], earlier: str, backends: Collection[str]) -> str:
    """Return the rows as evidence, in a stable order.

    Of the evidence there was before, what was not tried now is kept: what was seen on other backends, or with packages
    that are missing here. Raises `ValueError` where that is no evidence.
    """
    told = [(row, _fields(row)) for row in rows]
    tried = [fields for row, fields in told if row.torch]
    untried = [_key(fields) for row, fields in told if not row.torch]
    kept = [one for one in _load(earlier) if one["backend"] not in backends or _key(one) in untried] if earlier else []
    ordered = sorted([*kept, *tried], key=lambda fields: [str(fields[name]) for name in (*_HEADS[:4], "note")])
    return json.dumps(ordered, indent=1, ensure_ascii=False) + "\n"


def _load(text: str) -> list[dict[str, Any]]:
    loaded = json.loads(text)
    names = {*_HEADS, "note"}
    if not (isinstance(loaded, list) and all(isinstance(one, dict) and names <= one.keys() for one in loaded)):
        raise ValueError("it is no list of what was seen")
    return loaded


def _key(fields: dict[str, Any]) -> list[Any]:
    """Return what tells one declaration of one fixture from all others."""
    return [fields[name] for name in _HEADS[:4]]


def _fields(row: Row) -> dict[str, str]:
    values = (row.rule, row.fixture, row.backend, row.predicted, row.seen.verdict.value)
    return {**dict(zip(_HEADS, values, strict=True)), "note": row.seen.note, "torch": row.torch, "device": row.device}


def _seen(row: Row) -> str:
    return f"{row.seen.verdict.value}: {row.seen.note}"


def _table(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "".join("  ".join(map(str.ljust, line, widths)).rstrip() + "\n" for line in lines)
