"""The best exchange between two hosts, and the division of tasks among a few hosts, in plain Python."""

from itertools import product

import numpy as np


def peak_of(instance, tasks, host):
    """The largest relative load of a host with these tasks."""
    scaled = instance.scaled
    return float((scaled.need[tasks].sum(axis=0) / scaled.room[host]).max(initial=0.0))


def holds(instance, tasks, host):
    """The host holds the rigid demands of these tasks."""
    scaled = instance.scaled
    return bool((scaled.hard[tasks].sum(axis=0) <= scaled.hard_room[host] + 1e-9).all())


def least_after_exchange(instance, mapping, top, other):
    """The least larger peak of two hosts after a move off `top`, or a swap; that of `top` now if nothing helps."""
    ours, theirs = np.flatnonzero(mapping == top), np.flatnonzero(mapping == other)
    best = peak_of(instance, ours, top)
    for task in ours:
        for back in (None, *theirs):
            here = [t for t in ours if t != task] + ([] if back is None else [back])
            there = [t for t in theirs if t != back] + [task]
            if holds(instance, here, top) and holds(instance, there, other):
                best = min(best, max(peak_of(instance, here, top), peak_of(instance, there, other)))
    return best


def can_divide(instance, mapping, hosts, limit):
    """Whether the tasks of these hosts can be divided among them with no peak above `limit`."""
    tasks = np.flatnonzero(np.isin(mapping, hosts))
    for choice in product(hosts, repeat=len(tasks)):
        parts = [tasks[np.array(choice) == host] for host in hosts]
        pairs = list(zip(parts, hosts, strict=True))
        if all(peak_of(instance, part, host) <= limit and holds(instance, part, host) for part, host in pairs):
            return True
    return False
