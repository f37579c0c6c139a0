"""Very many hosts in a tree by index: a node knows, for each number of free cores, the most free memory below it.

The first host that fits, the next one after another, and those with fewest or most free cores or with most free memory
are found by one walk down; a change goes up only as far as it changes a node.
"""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.kernels import inlined, inner
from loadmaster.model.arrays import Longs

LEAF = 16
"""Hosts below a leaf."""
NONE = np.int64(-1)
"""The most free memory where there is no host."""


class HostTree(NamedTuple):
    """H hosts below N nodes of L lanes: lane c of a node stands for hosts with c free cores.

    Attributes:
        most: int64[N, L], the most free memory, `NONE` without a host; node 1 is the root, n has 2n and 2n + 1 below
            it, and the leaves are the latter half.
        memory: int64[H], what is free.
        cores: int32[H].
    """

    most: NDArray[np.int64]
    memory: NDArray[np.int64]
    cores: NDArray[np.int32]


def no_tree() -> HostTree:
    """The tree of an engine that does without."""
    return HostTree(np.zeros((0, 1), np.int64), np.zeros(0, np.int64), np.zeros(0, np.int32))


def full_tree(cores: Longs, memory: Longs) -> HostTree:
    """All hosts empty of tasks: cores and memory int64[H]."""
    hosts = len(cores)
    leaves = 1 << max(0, (-(-hosts // LEAF) - 1).bit_length())
    most = np.full((2 * leaves, int(cores.max()) + 1), NONE)
    np.maximum.at(most, (leaves + np.arange(hosts) // LEAF, cores), memory)
    first = leaves // 2
    while first > 0:
        most[first : 2 * first] = np.maximum(most[2 * first : 4 * first : 2], most[2 * first + 1 : 4 * first : 2])
        first //= 2
    return HostTree(most, memory.astype(np.int64), cores.astype(np.int32))


@inner
def change(tree, host, cores, memory):
    """Take `cores` and `memory` from `host`, or give them back where negative."""
    before, lane = tree.memory[host], np.int64(tree.cores[host])
    tree.memory[host] = before - memory
    tree.cores[host] = lane - cores
    leaf = tree.most.shape[0] // 2 + host // LEAF
    if tree.most[leaf, lane] == before:
        _lower(tree, leaf, lane, host // LEAF * LEAF)
    _raise(tree, leaf, lane - cores, before - memory)


@inlined
def _lower(tree, node, lane, first):
    """A host that had the most memory of a lane has left it."""
    most = NONE
    for host in range(first, min(first + LEAF, tree.cores.shape[0])):
        if tree.cores[host] == lane:
            most = max(most, tree.memory[host])
    while tree.most[node, lane] != most:
        tree.most[node, lane] = most
        node //= 2
        if node == 0:
            break
        most = max(tree.most[2 * node, lane], tree.most[2 * node + 1, lane])


@inlined
def _raise(tree, node, lane, memory):
    while node > 0 and tree.most[node, lane] < memory:
        tree.most[node, lane] = memory
        node //= 2


@inner
def first_from(tree, start, low, high, memory):
    """The first host from `start` on with from `low` to under `high` free cores and at least `memory`, -1 if none."""
    if start == 0:
        return _first_below(tree, 1, low, high, memory) if _reaches(tree, 1, low, high, memory) else np.int64(-1)
    node = tree.most.shape[0] // 2 + start // LEAF
    host = _first_of_leaf(tree, start, low, high, memory)
    while host < 0 and node > 1:
        if node % 2 == 0 and _reaches(tree, node + 1, low, high, memory):
            return _first_below(tree, node + 1, low, high, memory)
        node //= 2
    return host


@inlined
def _first_below(tree, node, low, high, memory):
    leaves = tree.most.shape[0] // 2
    while node < leaves:
        node *= 2
        node += not _reaches(tree, node, low, high, memory)
    return _first_of_leaf(tree, (node - leaves) * LEAF, low, high, memory)


@inner
def _first_of_leaf(tree, start, low, high, memory):
    for host in range(start, min(start // LEAF * LEAF + LEAF, tree.cores.shape[0])):
        if low <= tree.cores[host] < high and tree.memory[host] >= memory:
            return np.int64(host)
    return np.int64(-1)


@inlined
def _reaches(tree, node, low, high, memory):
    """Whether a host below the node has so many cores and so much memory."""
    yes = False
    for lane in range(low, high):
        yes |= tree.most[node, lane] >= memory
    return yes


@inner
def least_cores(tree, low, memory):
    """The fewest free cores, `low` or more, of a host with at least `memory`; -1 if there is none."""
    for lane in range(low, tree.most.shape[1]):
        if tree.most[1, lane] >= memory:
            return np.int64(lane)
    return np.int64(-1)


@inner
def most_cores(tree, low, memory):
    """The most free cores, `low` or more, of a host with at least `memory`; -1 if there is none."""
    for lane in range(tree.most.shape[1] - 1, low - 1, -1):
        if tree.most[1, lane] >= memory:
            return np.int64(lane)
    return np.int64(-1)


@inner
def most_memory(tree, low):
    """The most free memory of a host with at least `low` free cores; `NONE` if there is none."""
    most = NONE
    for lane in range(low, tree.most.shape[1]):
        most = max(most, tree.most[1, lane])
    return most
