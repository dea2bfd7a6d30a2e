"""Damaged sources, a thousand of them, the same each time; `python -m tests.fuzzing` tries any number of others."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from fuzzing.grammar import programs
from fuzzing.mutations import MUTATIONS, Mutation
from fuzzing.trying import attempt, mutated, read

SOURCES = read(sorted(Path(__file__).parents[1].glob("fixtures/*/bad*.py")), 2_500)
PARTS = 8


@pytest.mark.parametrize("part", range(PARTS))
def test_no_damaged_source_is_trouble(part: int) -> None:
    tried = [attempt(text) for text in mutated(part, 1000 // PARTS, SOURCES)]
    assert [one.trouble for one in tried if one.trouble is not None] == []
    assert sum(one.analysed for one in tried) > len(tried) // 4  # else little was asked


def test_no_program_of_the_grammar_is_trouble() -> None:
    tried = [attempt(text) for text in programs(1, 40)]
    assert [one.trouble for one in tried if one.trouble is not None] == []
    assert any(one.analysed for one in tried)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_every_mutation_changes_texts_and_takes_any(mutation: Mutation) -> None:
    assert any(mutation(Random(seed), SOURCES[0]) != SOURCES[0] for seed in range(20))
    for text in ("", "\n", "x", "\0", "def f(\n", "'''"):
        assert isinstance(mutation(Random(1), text), str)
