"""Rows stand in the line by tier, then by key, then by number, however they stood before."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from loadmaster.backfilling.queue_view_kernel import sort_line
from loadmaster.jit.by_reference import by_reference
from loadmaster.sim.queue.engine.general_state import WaitingOrder


@njit
def sort(line, order, many):
    sort_line(by_reference(line), order, many)


@given(rows=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5)), max_size=40), seed=st.integers(0, 99))
def test_rows_are_sorted_by_tier_then_key_then_number(rows, seed):
    tier = np.array([one for one, _ in rows], np.int32)
    key = np.array([one for _, one in rows], np.float64)
    order = np.random.default_rng(seed).permutation(len(rows)).astype(np.int32)
    sort(WaitingOrder(np.ones(len(rows), bool), tier, key, np.zeros(len(rows), np.int32)), order, len(rows))
    assert order.tolist() == np.lexsort((np.arange(len(rows)), key, tier)).tolist()
