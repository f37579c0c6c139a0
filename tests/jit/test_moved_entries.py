"""Entries move as NumPy moves a copy of them, overlapping or not."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from loadmaster.backfilling.pass_arrays import END
from loadmaster.jit.moved_entries import move_entries


@njit
def move(entries, one, other, many):
    move_entries(entries, one, other, many)


@pytest.mark.parametrize("kind", [np.dtype(np.int32), np.dtype(np.float64), END])
@given(one=st.integers(0, 9), other=st.integers(0, 9), many=st.integers(0, 8))
def test_entries_stand_at_their_new_places(kind, one, other, many):
    entries = np.frombuffer(np.random.default_rng(1).bytes(17 * kind.itemsize), kind).copy()
    expected = entries.copy()
    expected[other : other + many] = entries[one : one + many]
    records = entries.view(np.recarray) if kind.names else entries
    move(records, one, other, many)
    assert entries.tobytes() == expected.tobytes()
