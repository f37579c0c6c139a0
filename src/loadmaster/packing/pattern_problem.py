"""What the pattern program works on: kinds of tasks that request the same, kinds of hosts that have the same."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from loadmaster.model.arrays import Floats, Ints, Longs
from loadmaster.packing.common_unit import common_unit
from loadmaster.packing.instance import TOLERANCE, Instance

MOST_UNITS = 1e6
"""A resource is counted in whole units where the largest host has no more of them."""

Pattern = tuple[int, Longs]
"""A kind of host, and int64[N], how many tasks of each kind stand together on one such host."""


@dataclass(frozen=True, eq=False)
class PatternProblem:
    """N kinds of tasks, K kinds of hosts, R resources; all demands are met in full.

    Attributes:
        demand: float64[N, R], in whole units where a resource has a unit, else in fractions of the largest host.
        count: int64[N], tasks of each kind.
        capacity: float64[K, R], rounded down to whole units; fractions have the tolerance of a host added.
        hosts: int64[K], hosts of each kind.
        price: float64[K], the price of one host of each kind; 1 where hosts are counted.
        kind_of_task: int64[T]; kind_of_host: int64[H].
    """

    demand: Floats
    count: Longs
    capacity: Floats
    hosts: Longs
    price: Floats
    kind_of_task: Longs
    kind_of_host: Longs

    @property
    def kinds(self) -> int:
        """Number of kinds of hosts, K."""
        return len(self.hosts)

    def most_on(self, kind: int) -> Longs:
        """int64[N]: how many tasks of each kind one host of this kind holds at most."""
        with np.errstate(divide="ignore", invalid="ignore"):
            held = np.where(self.demand > 0, np.floor(self.capacity[kind] / self.demand), np.inf)
        most: Longs = np.minimum(held.min(axis=1, initial=np.inf), self.count).astype(np.int64)
        return most

    def fits(self, pattern: Pattern) -> bool:
        """One host of the kind holds the pattern."""
        kind, tasks = pattern
        return bool((tasks @ self.demand <= self.capacity[kind]).all())

    def without(self, tasks: Longs, hosts: Longs) -> "PatternProblem":
        """The problem without int64[N] tasks and int64[K] hosts of each kind; tasks are 0 at least."""
        return replace(self, count=np.maximum(self.count - tasks, 0), hosts=self.hosts - hosts)

    def placed(self, patterns: Sequence[Pattern]) -> Ints | None:
        """int32[T]: the hosts of all tasks where each pattern fills one host; tasks beyond their number are left out.

        None if a task is in no pattern or there are too few hosts.
        """
        free_hosts = [np.flatnonzero(self.kind_of_host == k).tolist() for k in range(self.kinds)]
        waiting = [np.flatnonzero(self.kind_of_task == n).tolist() for n in range(len(self.count))]
        host = np.full(len(self.kind_of_task), -1, np.int32)
        for kind, pattern in patterns:
            taken = [waiting[n].pop() for n in np.flatnonzero(pattern) for _ in range(pattern[n]) if waiting[n]]
            if taken:
                if not free_hosts[kind]:
                    return None
                host[taken] = free_hosts[kind].pop(0)
        return None if (host < 0).any() else host


def in_full(instance: Instance, price: Floats) -> PatternProblem:
    """The problem of the fewest or cheapest hosts: every task gets its guaranteed yield, or all it asks without one.

    Args:
        instance: tasks and hosts.
        price: float64[H], what a host in use costs.
    """
    share = instance.task_guarantee if instance.guaranteed else np.ones(instance.tasks)
    return _grouped(instance, share, price)


def at_level(instance: Instance, level: float) -> PatternProblem:
    """The problem of a mapping at `level`: every task has max(guarantee, weight x level) of what it asks."""
    share = np.maximum(instance.task_guarantee, instance.task_weight * level)
    return _grouped(instance, share, np.ones(instance.hosts))


def _grouped(instance: Instance, share: Floats, price: Floats) -> PatternProblem:
    scaled = instance.scaled
    barred = slice(instance.rigid.shape[1], scaled.fixed)
    demand = np.hstack((instance.fluid * share[:, None], instance.rigid, scaled.hard[:, barred]))
    capacity = np.hstack((instance.fluid_capacity, instance.rigid_capacity, scaled.hard_room[:, barred]))
    for r in range(demand.shape[1]):
        unit, largest = common_unit(demand[:, r]), capacity[:, r].max()
        if unit > 0 and largest / unit <= MOST_UNITS:
            demand[:, r] = np.rint(demand[:, r] / unit)
            capacity[:, r] = np.floor(capacity[:, r] / unit + 1e-9)
        elif largest > 0:
            demand[:, r] /= largest
            capacity[:, r] = capacity[:, r] / largest + TOLERANCE
    kinds, kind_of_host, hosts = np.unique(
        np.column_stack((price, capacity)), axis=0, return_inverse=True, return_counts=True
    )
    tasks, kind_of_task, count = np.unique(demand, axis=0, return_inverse=True, return_counts=True)
    return PatternProblem(
        np.ascontiguousarray(tasks),
        count.astype(np.int64),
        np.ascontiguousarray(kinds[:, 1:]),
        hosts.astype(np.int64),
        kinds[:, 0],
        kind_of_task.reshape(-1).astype(np.int64),
        kind_of_host.reshape(-1).astype(np.int64),
    )
