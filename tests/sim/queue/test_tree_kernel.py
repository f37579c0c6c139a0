"""The tree of hosts says what a look at every host says."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from loadmaster.sim.queue.tree_kernel import (
    change,
    first_from,
    full_tree,
    least_cores,
    most_cores,
    most_memory,
    no_tree,
)


@njit
def asked(tree, host, cores, memory, start, low, high, least):
    """Change a host, then ask everything that a tree knows."""
    change(tree, host, cores, memory)
    found = first_from(tree, start, low, high, least)
    return found, least_cores(tree, low, least), most_cores(tree, low, least), most_memory(tree, low)


@settings(max_examples=50, deadline=None)
@given(hosts=st.integers(1, 100), seed=st.integers(0, 2**32 - 1))
def test_a_tree_names_the_hosts_that_a_look_at_every_host_names(hosts, seed):
    rng = np.random.default_rng(seed)
    whole = rng.integers(1, 9, hosts), rng.integers(1, 33, hosts)
    cores, memory = (amount.astype(np.int64) for amount in whole)
    tree = full_tree(cores, memory)
    for _ in range(40):
        host = int(rng.integers(hosts))
        taken = cores[host] - rng.integers(0, whole[0][host] + 1), memory[host] - rng.integers(0, whole[1][host] + 1)
        cores[host] -= taken[0]
        memory[host] -= taken[1]
        start, low, least = int(rng.integers(hosts)), int(rng.integers(0, 9)), int(rng.integers(0, 33))
        high = int(rng.integers(low, tree.most.shape[1] + 1)) if low < tree.most.shape[1] else low
        fits = (cores >= low) & (memory >= least)
        there = [h for h in range(start, hosts) if fits[h] and cores[h] < high]
        expected = (
            there[0] if there else -1,
            cores[fits].min(initial=99) if fits.any() else -1,
            cores[fits].max(initial=-1),
            memory[cores >= low].max(initial=-1),
        )
        assert asked(tree, host, *taken, start, low, high, least) == expected


def test_an_engine_without_a_tree_has_an_empty_one_of_the_same_layout():
    tree = full_tree(np.array([2]), np.array([3]))
    assert [column.dtype for column in no_tree()] == [column.dtype for column in tree]
    assert [column.size for column in no_tree()] == [0, 0, 0]
