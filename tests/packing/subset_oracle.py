"""Exact packing by dynamic programming over subsets: an oracle for tests, for at most 14 tasks."""

import numpy as np
from numba import njit

from loadmaster.packing.instance import TOLERANCE, Instance
from loadmaster.packing.packing import Attempt

MOST_TASKS = 14


def subset_oracle(instance: Instance) -> Attempt:
    """The optimum by trying every split of the tasks over the hosts; no pruning, no bounds, no tolerance tricks."""
    assert instance.tasks <= MOST_TASKS
    assert not instance.guaranteed
    scaled = instance.scaled
    members = (np.arange(2**instance.tasks)[:, None] >> np.arange(instance.tasks)) & 1
    load, used = members @ scaled.need, members @ scaled.hard
    alone = np.empty((instance.hosts, len(members)))
    for h in range(instance.hosts):
        with np.errstate(divide="ignore", invalid="ignore"):
            relative = np.where(load > 0, load / scaled.room[h], 0.0).max(axis=1, initial=0.0)
        alone[h] = np.where((used <= scaled.hard_room[h] + TOLERANCE).all(axis=1), relative, np.inf)
    choice = np.zeros(alone.shape, np.int32)
    peak = least_peak(alone, choice)
    if not np.isfinite(peak):
        return Attempt(None, "infeasible", "subset-oracle", 0.0, True, reason="no split of the tasks fits")
    host, rest = np.empty(instance.tasks, np.int32), len(members) - 1
    for h in range(instance.hosts - 1, -1, -1):
        taken = int(choice[h, rest])
        host[[t for t in range(instance.tasks) if taken >> t & 1]] = h
        rest ^= taken
    return Attempt(host, "ok", "subset-oracle", float(min(1.0, 1.0 / peak)) if peak > 0 else 1.0, True)


@njit(error_model="numpy")
def least_peak(alone, choice):
    """best[h, S] = min over T in S of max(best[h - 1, S - T], alone[h, T]) (rule K6); the least for all tasks.

    Args:
        alone: float64[H, 2^T], the relative load of host h with the tasks of a set, infinite where they do not fit.
        choice: int32[H, 2^T], written: the set that host h takes.
    """
    hosts, sets = alone.shape
    before = alone[0].copy()
    for s in range(sets):
        choice[0, s] = s
    for h in range(1, hosts):
        after = np.full(sets, np.inf)
        for s in range(sets):
            part = s
            while True:
                value = max(before[s ^ part], alone[h, part])
                if value < after[s]:
                    after[s] = value
                    choice[h, s] = part
                if part == 0:
                    break
                part = (part - 1) & s
        before = after
    return before[sets - 1]
