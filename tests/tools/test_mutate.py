"""The script that breaks the code on purpose: its mutants are sound Python, each another program, drawn by a seed."""

import ast
import random
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = '''"""A module."""
LEAST = 2


def clipped(values: list[float], low: float = 0.5) -> float:
    """The smallest value that is at least `low`."""
    total = 0
    for value in values:
        if value >= low and not value == LEAST:
            total += value
    return min(total, 3 * low) if -total < low else max(values)
'''


@pytest.fixture
def mutate(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import mutate

    return mutate


def test_mutants_parse_differ_from_the_source_and_keep_docstrings_and_annotations(mutate):
    every = mutate.mutants(SOURCE, 1000, random.Random(1))
    sound = ast.unparse(ast.parse(SOURCE))
    texts = {mutant.text for mutant in every}
    assert len(texts) == len(every) >= 15
    assert sound not in texts
    for mutant in every:
        ast.parse(mutant.text)
        assert "The smallest value" in mutant.text
        assert "values: list[float]" in mutant.text
    changes = {mutant.change for mutant in every}
    assert {"value >= low  ->  value > low", "total += value  ->  total -= value", "3 * low  ->  3 / low"} <= changes
    assert {"2  ->  3", "min  ->  max", "max  ->  min", "-total  ->  +total"} <= changes
    assert any("pass" in text and "total = 0" not in text for text in texts)


def test_the_same_seed_draws_the_same_mutants(mutate):
    one, same = (mutate.mutants(SOURCE, 5, random.Random(3)) for _ in range(2))
    assert one == same
    assert len(one) == 5


def test_every_file_in_the_table_exists_and_names_tests_that_do(mutate):
    for target in mutate.table():
        assert (ROOT / target.path).is_file()
        assert target.tests
        for test in target.tests:
            assert (ROOT / test.partition("::")[0]).is_file(), test
