"""Every row of a table is the one whose number it has, however the rows follow each other."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.model.distinct import FEW, distinct_rows

RUNS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 400)), min_size=1, max_size=12)


@given(runs=RUNS, rest=st.integers(0, 2 * FEW))
def test_every_row_is_the_one_that_its_number_names_and_no_two_are_alike(runs, rest):
    alike = np.repeat([run[:2] for run in runs], [run[2] for run in runs], axis=0)
    table = np.concatenate((alike, np.random.default_rng(rest).integers(0, 3, (rest, 2)))).astype(float)
    rows, kind = distinct_rows(table)
    assert kind.dtype == np.int32
    assert (rows[kind] == table).all()
    assert sorted(map(tuple, rows)) == sorted({tuple(row) for row in table})
