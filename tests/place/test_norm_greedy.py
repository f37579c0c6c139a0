"""Norm-greedy on hosts small enough to work out by hand."""

import numpy as np
import pytest

from loadmaster.place import POLICIES

HOST = np.array([4.0, 32.0])


def rated(free, demand=(1.0, 8.0), capacity=HOST):
    return POLICIES["norm-greedy"].score(np.array(demand), np.array(free), np.asarray(capacity))


def test_what_is_left_is_measured_in_fractions_of_the_host():
    assert rated(free=(3.0, 24.0)) == pytest.approx(0.5**2 + 0.5**2)


def test_a_host_that_the_task_fills_is_rated_zero():
    assert rated(free=(1.0, 8.0)) == 0.0


def test_memory_counts_where_best_fit_cores_sees_a_tie():
    assert rated(free=(2.0, 8.0)) < rated(free=(2.0, 32.0))


def test_a_resource_that_a_host_does_not_have_does_not_count():
    without = rated(free=(3.0, 24.0, 0.0), demand=(1.0, 8.0, 0.0), capacity=(4.0, 32.0, 0.0))
    assert without == rated(free=(3.0, 24.0))
