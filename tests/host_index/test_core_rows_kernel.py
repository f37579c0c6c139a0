"""Rows of hosts by free cores name the host that a look at every open host names, however hosts change in between."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from loadmaster.host_index.core_rows_kernel import (
    BEST_CORES,
    BEST_MEMORY,
    RATED,
    WORSE_CORES,
    WORSE_MEMORY,
    empty_rows,
)
from loadmaster.host_index.scores_kernel import best_by_rule, changed, empty_scores
from loadmaster.host_index.shut_kernel import open_again, shut
from loadmaster.jit.by_reference import by_reference

RULES = {
    BEST_CORES: lambda free: free[0],
    WORSE_CORES: lambda free: -free[0],
    BEST_MEMORY: lambda free: free[-1],
    WORSE_MEMORY: lambda free: -free[-1],
}


@njit
def ask(given, rule, hosts, number, demand, free, closed):
    """The host for a demand, after those `hosts` have changed and these are `closed`."""
    scores = by_reference(given)
    for host in hosts:
        changed(scores, host)
    for host in range(closed.shape[0]):
        if closed[host] and not scores.shut.host[host]:
            shut(scores, host)
        elif scores.shut.host[host] and not closed[host]:
            open_again(scores, host)
    return best_by_rule(scores, rule, number, demand, free)


def expected(score, demand, free, closed):
    """The open host with the lowest score, the lowest index among equals; -1 if none fits."""
    fits = np.flatnonzero((free >= demand).all(axis=1) & ~closed)
    return min(fits, key=lambda host: (score(free[host]), host), default=-1)


@pytest.mark.parametrize("resources", [1, 2])
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_host_named_is_the_one_that_a_look_at_every_host_names(resources, seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, (rng.integers(1, 4), resources)).astype(float)
    kind = rng.integers(0, len(sizes), rng.integers(1, 80)).astype(np.int32)
    capacity, rules = sizes[kind], [*RULES]
    free, closed = capacity.copy(), np.zeros(len(kind), np.bool_)
    demands = np.unique(rng.integers(1, 5, (rng.integers(1, 40), resources)), axis=0).astype(float)
    scores = empty_scores((sizes, kind), demands, np.ones(len(demands)), len(rules))
    scores = scores._replace(rows=empty_rows(rules, len(kind), int(capacity[:, 0].max()), len(scores.owner)))
    for _ in range(80):
        hosts = rng.integers(0, len(kind), rng.choice([0, 1, 1, 2, 30])).astype(np.int32)
        free[hosts] = np.floor(capacity[hosts] * rng.choice([0.0, 0.5, 0.8, 1.0], (len(hosts), 1)))
        member = int(rng.integers(len(rules)))
        number = int(rng.integers(0, len(demands))) if rng.random() < 0.6 else 0
        closed ^= rng.random(len(kind)) < rng.choice([0.0, 0.0, 0.1, 0.9])
        asked = member * len(demands) + (0 if rules[member] == WORSE_MEMORY else number)
        host = ask(scores, rules[member], hosts, asked, demands[number], free, closed)
        assert host == expected(RULES[rules[member]], demands[number], free, closed)


def test_there_are_no_rows_where_each_member_is_rated():
    assert len(empty_rows([RATED, RATED], 10, 8, 3).row) == 0
    assert not empty_rows([RATED, BEST_CORES], 10, 8, 3).alone
    assert empty_rows([WORSE_CORES, BEST_CORES], 10, 8, 3).alone
