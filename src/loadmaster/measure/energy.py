"""The energy that hosts draw in a run, its cost and its carbon (rule N5)."""

import math
from typing import NamedTuple

import numpy as np

from loadmaster.measure.task_intervals import task_intervals
from loadmaster.measure.timeline import running_sum
from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.cluster import Cluster
from loadmaster.model.energy import HostPower, until_now
from loadmaster.model.schedule import Schedule
from loadmaster.model.workload import Workload

JOULES_PER_KWH = 3.6e6
GRAMS_PER_KG = 1000.0


class Energy(NamedTuple):
    """Of a whole run; NaN where it is not known."""

    kwh: float
    cost: float
    carbon_kg: float


NO_ENERGY = Energy(math.nan, math.nan, math.nan)


def energy(workload: Workload, cluster: Cluster, schedule: Schedule) -> Energy:
    """What all hosts draw from the first arrival until the last end, idle hosts too.

    The load of a host is the part of its cores that tasks hold.
    """
    rules = cluster.rules
    if rules is None or not rules.power or not workload.jobs:
        return NO_ENERGY
    from_s, until_s, watts = _spans(workload, cluster, schedule, rules.power)
    joules = float((watts * (until_s - from_s)).sum())
    cost = carbon_kg = math.nan
    if rules.energy_price:
        cost = float((watts * (until_now(rules.energy_price, until_s) - until_now(rules.energy_price, from_s))).sum())
        cost /= JOULES_PER_KWH
    if rules.carbon:
        grams = float((watts * (until_now(rules.carbon, until_s) - until_now(rules.carbon, from_s))).sum())
        carbon_kg = grams / JOULES_PER_KWH / GRAMS_PER_KG
    return Energy(joules / JOULES_PER_KWH, cost, carbon_kg)


def power_over_time(workload: Workload, cluster: Cluster, schedule: Schedule) -> tuple[Floats, Floats]:
    """What all hosts draw together.

    Returns:
        float64[N], moments in seconds, ascending; float64[N], watts from each of them on; none where the power of the
        hosts is not known.
    """
    rules = cluster.rules
    if rules is None or not rules.power or not workload.jobs:
        return np.zeros(0), np.zeros(0)
    from_s, until_s, watts = _spans(workload, cluster, schedule, rules.power)
    return running_sum(np.concatenate((from_s, until_s)), np.concatenate((watts, -watts)))


def _spans(
    workload: Workload, cluster: Cluster, schedule: Schedule, powers: tuple[HostPower, ...]
) -> tuple[Floats, Floats, Floats]:
    """Spans in which the power of one host stays: from when, until when, watts."""
    host, from_s, until_s, load = _loads(workload, cluster, schedule)
    watts = np.empty(len(host))
    for power in powers:
        mine = np.isin(host, power.hosts)
        watts[mine] = power.watts(load[mine])
    return from_s, until_s, watts


def _loads(workload: Workload, cluster: Cluster, schedule: Schedule) -> tuple[Longs, Floats, Floats, Floats]:
    """Spans in which the load of a host stays: the host, from when, until when, the load; all hosts, all the time."""
    times = task_intervals(workload, schedule)
    first_s = float(workload.submit_s[0])
    last_s = float(times.end_s.max(initial=first_s))
    cores = workload.demand[times.job, 0]
    host: Longs = np.concatenate((np.arange(cluster.hosts), times.host, times.host)).astype(np.int64)
    at_s = np.concatenate((np.full(cluster.hosts, first_s), times.start_s, times.end_s))
    used = np.concatenate((np.zeros(cluster.hosts), cores, -cores))
    order = np.lexsort((at_s, host))
    host, at_s, held = host[order], at_s[order], np.cumsum(used[order])  # what a host lent, it has back in the end
    until_s = np.append(np.where(host[1:] == host[:-1], at_s[1:], last_s), last_s)
    load: Floats = np.clip(held / cluster.capacity[host, 0], 0.0, 1.0)
    return host, at_s, until_s, load
