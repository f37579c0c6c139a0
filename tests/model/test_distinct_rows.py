"""Every row of a table is the one whose number it has, however the rows follow each other."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.model.distinct_rows import FEW, MIX, _by_library, _by_numbers, distinct_rows

RUNS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 400)), min_size=1, max_size=12)


@given(runs=RUNS, rest=st.integers(0, 2 * FEW))
def test_every_row_is_the_one_that_its_number_names_and_no_two_are_alike(runs, rest):
    alike = np.repeat([run[:2] for run in runs], [run[2] for run in runs], axis=0)
    table = np.concatenate((alike, np.random.default_rng(rest).integers(0, 3, (rest, 2)))).astype(float)
    rows, kind = distinct_rows(table)
    assert kind.dtype == np.int32
    assert (rows[kind] == table).all()
    assert sorted(map(tuple, rows)) == sorted({tuple(row) for row in table})


@given(columns=st.integers(1, 4), levels=st.integers(1, 2 * FEW), seed=st.integers(0, 99))
def test_numbers_made_of_rows_find_what_a_library_of_tables_does(columns, levels, seed):
    table = (
        np.random.default_rng(seed).integers(-levels, levels, (FEW, columns)) / 8.0 * [-1.0, 1.0, 3.0, 0.1][:columns]
    )
    found = _by_numbers(table)
    assert found is not None
    for ours, theirs in zip(found, _by_library(table), strict=True):
        assert ours.tolist() == theirs.tolist()


def test_unlike_rows_that_come_to_one_number_are_told_apart():
    table = np.random.default_rng(1).random((FEW, 2))
    mixed = np.array([1.0, 2.0]).view(np.uint64) * MIX
    mixed ^= mixed >> np.uint64(32)
    second = (mixed[0] ^ mixed[1] ^ np.array([5.0]).view(np.uint64)).view(np.float64)
    assert np.isfinite(second[0])
    table[7], table[300] = (1.0, 5.0), (2.0, second[0])
    assert _by_numbers(table) is None
    rows, kind = distinct_rows(table)
    assert len(rows) == FEW
    assert (rows[kind] == table).all()
