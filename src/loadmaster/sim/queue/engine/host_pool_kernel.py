"""Hosts of which a count of free places says all but their names (`host_pool.py`): named as jobs start and end.

To the engine they are one host, which offers as many places as there are. What is left to say is which hosts a job
has: for one task after another the lowest rated, and of hosts rated alike the lowest number. How a policy rates a host
depends on its kind and on its places left alone. So hosts rated alike are a class, as a row of bits; the classes stand
in the order of the ratings, and a host that has taken a task goes on to the class of what it has left.
"""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.jit.kernels import inlined, inner
from loadmaster.model.arrays import Ints, Longs

BITS = 64


class CountedHosts(NamedTuple):
    """C classes of H hosts of K kinds with at most P places; arrays of nothing where hosts are what they are.

    Attributes:
        members: uint64[C, W], a bit for each host of a class.
        many: int64[C], how many these are.
        lowest: int64[C], no word of a class before it has a bit.
        left: int32[H], places left; kind: int32[H].
        class_of: int32[K, P + 1], where a host of a kind belongs that has so many places left; -1 with none.
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
    """The tasks of `job` get the lowest rated hosts; there are enough."""
    task, end = pool.first_task[job], pool.first_task[job + 1]
    while task < end:
        at = np.int64(0)
        while pool.many[at] == 0:
            at += 1
        host = _lowest_of(pool, at)
        _leave(pool, host, at)
        now = at
        while task < end and 0 <= now <= at:  # no other host is rated as low
            pool.host[task] = host
            task += 1
            pool.left[host] -= 1
            now = np.int64(pool.class_of[pool.kind[host], pool.left[host]])
        _join(pool, host, now)


@inner
def free_again(pool, job):
    """The places of `job` are free."""
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
