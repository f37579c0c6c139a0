"""The jobs that already run when a run begins: their starts, hosts and ends."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from loadmaster.model.arrays import Floats, Ints, Longs, frozen_floats, frozen_ints, frozen_longs
from loadmaster.model.cluster import Cluster
from loadmaster.model.errors import InputError


@dataclass(frozen=True, eq=False)
class StartingState:
    """The moment at which a run begins, and N jobs of its workload that run then.

    The first decision is made at `now_s`. A job of the workload that has arrived before and is not named here waits.

    Attributes:
        now_s: the moment.
        job: int64[N], numbers of jobs in the workload, in ascending order.
        start_s: float64[N], when each started, `now_s` at the latest.
        host: int32[T], the hosts of their tasks, those of one job after those of the job before.
        expected_end_s: float64[N], the expected end of each, in the past for a late job; None: its start plus the
            expected runtime of its workload, on its slowest host.
        end_s: float64[N], the end of each, later than `now_s`; None: its start plus the runtime of its workload, or
            right after `now_s` if that has passed.
        last_host: the host that got the last task, -1 if none did; round-robin policies use it.
        first_task: int64[J], the number of the first task of each job of the workload for policies; None: its place in
            the workload.
        columns: the properties of each job for orders, `order.JobColumns`; None: those of the workload.

    Raises:
        InputError: a column of the wrong length, or the first value that breaks its rule.

    Example:
        >>> StartingState(60.0, job=[0], start_s=[0.0], host=[3]).jobs
        1
    """

    now_s: float
    job: Longs
    start_s: Floats
    host: Ints
    expected_end_s: Floats | None = None
    end_s: Floats | None = None
    last_host: int = -1
    first_task: Longs | None = None
    columns: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "job", frozen_longs(self.job))
        object.__setattr__(self, "host", frozen_ints(self.host))
        for name in ("start_s", "expected_end_s", "end_s"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, frozen_floats(getattr(self, name)))
        self._check()

    @property
    def jobs(self) -> int:
        """Number of jobs that run, N."""
        return len(self.job)

    def take(self, chosen: Longs, first_task: Longs) -> "StartingState":
        """The same for the jobs numbered `chosen` int64[M], which are numbered anew in that order from zero.

        Args:
            chosen: numbers of jobs that stay.
            first_task: int64[J + 1], of the workload that this state belongs to.
        """
        number = np.full(len(first_task) - 1, len(chosen))
        number[chosen] = np.arange(len(chosen))
        kept = np.argsort(number[self.job], kind="stable")[: int((number[self.job] < len(chosen)).sum())]
        many = first_task[self.job + 1] - first_task[self.job]
        tasks = np.split(self.host, np.cumsum(many)[:-1])
        return replace(
            self,
            job=number[self.job[kept]],
            start_s=self.start_s[kept],
            host=np.concatenate([self.host[:0], *(tasks[row] for row in kept)]),
            expected_end_s=None if self.expected_end_s is None else self.expected_end_s[kept],
            end_s=None if self.end_s is None else self.end_s[kept],
            first_task=None if self.first_task is None else self.first_task[chosen],
            columns=None if self.columns is None else type(self.columns)(*(each[chosen] for each in self.columns)),
        )

    def check_jobs(self, tasks: Ints) -> None:
        """Check that it fits a workload whose jobs have these `tasks` int32[J].

        Raises:
            InputError: it does not.
        """
        if ((self.job < 0) | (self.job >= len(tasks))).any():
            raise InputError(int(self.job.max(initial=-1)), f"a running job is one of the {len(tasks)} of the workload")
        wanted = int(tasks[self.job].sum(dtype=np.int64))
        if len(self.host) != wanted:
            raise InputError(len(self.host), f"the running jobs have {wanted} tasks, each of which has one host")

    def check_hosts(self, cluster: Cluster, demand: Floats) -> None:
        """Check that `cluster` holds its tasks, which request `demand` float64[T, R].

        Raises:
            InputError: it does not.
        """
        if ((self.host < 0) | (self.host >= cluster.hosts)).any():
            raise InputError(int(self.host.max(initial=-1)), f"a running job has hosts from 0 to {cluster.hosts - 1}")
        held = np.zeros_like(cluster.capacity)
        np.add.at(held, self.host, demand)
        over = (held > cluster.capacity).any(axis=1)
        if over.any():
            host = int(np.argmax(over))
            raise InputError(cluster.name(host), "the jobs that run on this host hold more than it has")

    def _check(self) -> None:
        for name in ("start_s", "expected_end_s", "end_s"):
            values = getattr(self, name)
            if values is not None and len(values) != len(self.job):
                raise InputError(len(values), f"{name} must have a value for each of the {len(self.job)} running jobs")
        if not (np.diff(self.job) > 0).all():
            raise InputError("job", "numbers of running jobs must rise, so that each runs once")
        if not np.isfinite(self.now_s):
            raise InputError(self.now_s, "a run begins at a moment that is a number")
        if not (self.start_s <= self.now_s).all():
            raise InputError(float(self.start_s.max()), f"a running job has started by {self.now_s:g}")
        if self.end_s is not None and not (self.end_s > self.now_s).all():
            raise InputError(float(self.end_s.min()), f"a running job ends after {self.now_s:g}")
