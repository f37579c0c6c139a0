"""The pool of hosts, compiled: names hosts for tasks as jobs start and end (`host_pool.py`).

The engine sees one host with all places. This module decides which real hosts a job gets: for each task the host with
the lowest score, and the lowest number among equals. A score depends only on a host's kind and its free places. So
hosts with equal scores form a class, kept as a row of bits, and classes stand in the order of their scores. Invariant:
each host with a free place is in the class of its free places. A host that takes a task moves to its next class.
"""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.jit.kernels import inlined, inner
from loadmaster.model.arrays import Ints, Longs

BITS = 64


class CountedHosts(NamedTuple):
    """C classes of H hosts of K kinds with at most P places; empty arrays where a run has no pool.

    Attributes:
        members: uint64[C, W], a bit for each host of a class.
        many: int64[C], the hosts of each class.
        lowest: int64[C], no word of a class before this one has a bit.
        left: int32[H], free places; kind: int32[H].
        class_of: int32[K, P + 1], the class of a host of a kind with so many free places; -1 with none.
        first_task: int64[J + 1]; host: int32[T], the host of each task.
    """

    members: NDArray[np.uint64]
    many: Longs
    lowest: Longs
    left: Ints
    kind: Ints
    class_of: Ints
    first_task: Longs
    host: Ints


@inner
def take_lowest(pool, job):
    """Give the tasks of `job` the hosts with the lowest scores; there are enough free places."""
    task, end = pool.first_task[job], pool.first_task[job + 1]
    while task < end:
        at = np.int64(0)
        while pool.many[at] == 0:
            at += 1
        host = _lowest_of(pool, at)
        _leave(pool, host, at)
        now = at
        while task < end and 0 <= now <= at:  # no other host has a lower score
            pool.host[task] = host
            task += 1
            pool.left[host] -= 1
            now = np.int64(pool.class_of[pool.kind[host], pool.left[host]])
        _join(pool, host, now)


@inner
def free_again(pool, job):
    """Free the places of `job`."""
    task, end = pool.first_task[job], pool.first_task[job + 1]
    while task < end:
        host, begin = np.int64(pool.host[task]), task
        while task < end and pool.host[task] == host:
            task += 1
        before = np.int64(pool.class_of[pool.kind[host], pool.left[host]])
        pool.left[host] += task - begin
        after = np.int64(pool.class_of[pool.kind[host], pool.left[host]])
        if after != before:
            _leave(pool, host, before)
            _join(pool, host, after)


@inlined
def _lowest_of(pool, at):
    """The lowest host of a class that has one."""
    word = pool.lowest[at]
    while pool.members[at, word] == np.uint64(0):
        word += 1
    pool.lowest[at] = word
    # `bits & -bits` keeps the lowest bit alone
    bits = pool.members[at, word]
    return word * BITS + _place_of(bits & (~bits + np.uint64(1)))


@inlined
def _leave(pool, host, at):
    if at >= 0:
        pool.members[at, host // BITS] ^= np.uint64(1) << np.uint64(host % BITS)
        pool.many[at] -= 1


@inlined
def _join(pool, host, at):
    if at >= 0:
        pool.members[at, host // BITS] |= np.uint64(1) << np.uint64(host % BITS)
        pool.many[at] += 1
        pool.lowest[at] = min(pool.lowest[at], host // BITS)


@inlined
def _place_of(one):
    """The number of the only bit that is set: the exponent of the number as a float, which needs no branch."""
    return (np.float64(one).view(np.int64) >> 52) - np.int64(1023)
