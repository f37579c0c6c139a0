"""Hosts that sleep while they are idle, compiled: as `loadmaster.sim.queue.plain.sleeping_hosts` (rule C17)."""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.jit.kernels import inner
from loadmaster.model import Cluster
from loadmaster.model.arrays import frozen_floats

FOR_EVER = float(np.finfo(np.float64).max)
"""No host is idle for longer; only one that has not run a job yet."""


class SleepingHostArrays(NamedTuple):
    """Of each of H hosts; all are empty where no host sleeps, so that the engine is not compiled for these apart.

    Attributes:
        lasts_s, idle_s: float64[H], how long its start lasts; for how long it is idle before it sleeps.
        tasks: int64[H], how many run there.
        since_s, up_s: float64[H], since when none runs there, and when it was or will be up.
    """

    lasts_s: NDArray[np.float64]
    idle_s: NDArray[np.float64]
    tasks: NDArray[np.int64]
    since_s: NDArray[np.float64]
    up_s: NDArray[np.float64]


def sleeping_hosts(cluster: Cluster) -> SleepingHostArrays:
    """The hosts of the cluster before any job runs."""
    start_ups = () if cluster.rules is None else cluster.rules.start_up
    hosts = cluster.hosts if start_ups else 0
    lasts_s, idle_s = np.zeros(hosts), np.full(hosts, np.inf)
    for each in start_ups:
        lasts_s[list(each.hosts)] = each.lasts_s
        idle_s[list(each.hosts)] = FOR_EVER if each.idle_s is None else each.idle_s
    never, nothing = np.full(hosts, -np.inf), np.zeros(hosts, np.int64)
    return SleepingHostArrays(frozen_floats(lasts_s), frozen_floats(idle_s), nothing, never.copy(), never)


@inner
def take_hosts(sleeping, hosts, first, tasks, now):
    """Let a job take hosts[first : first + tasks] now; returns how long it waits until all are up.

    Those that sleep start now.
    """
    start_up_s = 0.0
    if sleeping.tasks.shape[0] == 0:
        return start_up_s
    for at in range(first, first + tasks):
        host = hosts[at]
        if sleeping.tasks[host] == 0 and now - sleeping.since_s[host] > sleeping.idle_s[host]:
            sleeping.up_s[host] = now + sleeping.lasts_s[host]
        start_up_s = max(start_up_s, sleeping.up_s[host] - now)
    for at in range(first, first + tasks):
        sleeping.tasks[hosts[at]] += 1
    return start_up_s


@inner
def leave_hosts(sleeping, hosts, first, tasks, time_s):
    """Let a job leave hosts[first : first + tasks]."""
    if sleeping.tasks.shape[0] == 0:
        return
    for at in range(first, first + tasks):
        sleeping.tasks[hosts[at]] -= 1
        sleeping.since_s[hosts[at]] = time_s
