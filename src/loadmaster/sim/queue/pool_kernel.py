"""Hosts of a pool, named as jobs start and end: a count of them says all else (`backfilling.counting`).

Equal hosts that hold one task each are one host to the engine, which offers as many units as there are hosts. What is
left is to say which hosts a job has: under every policy that is not told their numbers, the lowest free ones.
"""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.kernels import inner
from loadmaster.model.arrays import Ints, Longs

BITS = 64


class CountedHosts(NamedTuple):
    """The hosts of a pool; arrays of nothing where hosts are what they are.

    Attributes:
        free: uint64[W], a bit for each host, set while it is free.
        lowest: int64[1], no word before it has a bit.
        first_task: int64[J + 1]; host: int32[T], the host of each task.
    """

    free: NDArray[np.uint64]
    lowest: Longs
    first_task: Longs
    host: Ints


def no_pool() -> CountedHosts:
    """Hosts are what they are."""
    nothing = np.zeros(0, np.int64)
    return CountedHosts(np.zeros(0, np.uint64), np.zeros(1, np.int64), nothing, np.zeros(0, np.int32))


def free_pool(hosts: int, first_task: Longs, host: Ints) -> CountedHosts:
    """So many hosts, all free; `host` is written into."""
    bits = np.zeros(-(-hosts // BITS) * BITS, np.uint8)
    bits[:hosts] = 1
    return CountedHosts(np.packbits(bits, bitorder="little").view(np.uint64), np.zeros(1, np.int64), first_task, host)


@inner
def take_lowest(pool, job):
    """The tasks of `job` get the lowest free hosts; there are enough."""
    word = pool.lowest[0]
    for task in range(pool.first_task[job], pool.first_task[job + 1]):
        while pool.free[word] == np.uint64(0):
            word += 1
        one = pool.free[word] & (~pool.free[word] + np.uint64(1))
        pool.free[word] ^= one
        pool.host[task] = word * BITS + _place_of(one)
    pool.lowest[0] = word


@inner
def free_again(pool, job):
    """The hosts of `job` are free."""
    for task in range(pool.first_task[job], pool.first_task[job + 1]):
        word = pool.host[task] // BITS
        pool.free[word] |= np.uint64(1) << np.uint64(pool.host[task] % BITS)
        pool.lowest[0] = min(pool.lowest[0], word)


@inner
def _place_of(one):
    """Which bit is the only one set."""
    place, step = np.int64(0), np.uint64(32)
    while step > np.uint64(0):
        if one >> step != np.uint64(0):
            one >>= step
            place += np.int64(step)
        step >>= np.uint64(1)
    return place
