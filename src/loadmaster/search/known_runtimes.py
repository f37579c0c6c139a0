"""Schedules of disciplines that know every runtime: where the search begins with jobs of several tasks (rule D10)."""

from collections.abc import Iterator
from itertools import product

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.schedule.foresight import Foresight
from loadmaster.schedule.notation import discipline_named
from loadmaster.search.greedy import Planned
from loadmaster.search.rigid import Rigid
from loadmaster.sim.queue import simulate

DISCIPLINES = ("sjf+easy", "lxf+easy", "area+easy", "srf+easy")
"""Short and small jobs first, with a place kept for the first that finds none."""


def foreseen(workload: Workload, cluster: Cluster, queue: Rigid) -> Iterator[Planned]:
    """A schedule for each discipline and each usual way to take hosts, made as it is asked for.

    Args:
        workload: the jobs, of which `queue` has those that can run.
        cluster: the hosts, each by itself in `queue`.
        queue: the same.
    """
    policies = [name for name in ("first-fit", *(f"best-fit-{each}" for each in cluster.resources)) if name in POLICIES]
    tasks = np.isin(np.repeat(np.arange(workload.jobs), workload.task_count), queue.row)
    for discipline, policy in product(DISCIPLINES, policies):
        rule = POLICIES[policy], discipline_named(discipline)
        ran = simulate(workload, cluster, *rule, interval_s=0.0, foresight=Foresight(estimates="exact"))
        if np.isfinite(ran.start_s[queue.row]).all():
            yield Planned(ran.start_s[queue.row], ran.ends_s(workload)[queue.row], ran.host[tasks])
