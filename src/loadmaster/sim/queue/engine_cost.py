"""Which of two engines that give the same schedule replays a log in less time."""

import time
from collections.abc import Callable
from typing import Literal

import numpy as np

from loadmaster.backfilling import Conservative
from loadmaster.backfilling.counting import hosts_are_one_pool
from loadmaster.model import Cluster, Workload
from loadmaster.scheduling import Discipline

FEW_JOBS = 50
"""With at most this many jobs, the plain engine ends before a compiled one is loaded: see `is_plain_quicker`."""
MANY_JOBS = 1000
"""From this many jobs on, a run begins in the engine over the compiled scheduling pass; most runs of fewer jobs end
before it is compiled."""
PLAIN_LIMIT_S = 30.0
"""CPU seconds after which the plain engine stops a run of fewer jobs, see `PlainLimit`: about as many as the other
engine takes to be compiled, so that a run never takes much more than twice as long as it must."""
MANY_HOSTS = 500
"""Hosts from which the engine over the compiled pass is the cheaper one under conservative backfilling, if jobs never
wait: the kept plan has a profile of each host."""


def is_plain_quicker(workload: Workload) -> bool:
    """Whether the plain engine ends a run of this log before the compiled one, which may have to be compiled, begins.

    Up to 50 jobs took at most 2 CPU seconds under every discipline, all of them waiting at once for 128 to 1,000 hosts.
    The first compilation for a rule takes tens of seconds. The schedules are equal.
    """
    return workload.jobs <= FEW_JOBS


def engine_for(workload: Workload) -> Literal["reference", "auto"]:
    """The engine of `simulate` that ends a run of this log first."""
    return "reference" if is_plain_quicker(workload) else "auto"


class PlainEngineTooSlow(Exception):
    """The plain engine has stopped a run that another engine serves."""


class PlainLimit:
    """Stops a run of the plain engine after `PLAIN_LIMIT_S` CPU seconds of its thread, if another engine serves it.

    The number of jobs does not tell how long a run lasts: a scheduler that passes over the queue every 30 s has
    thousands of passes for a few hundred jobs. The other engine makes the run from its beginning. The schedules are
    equal.

    Args:
        progress: called with the jobs started and the jobs in all, as the run calls this object.
        serves_other: whether another engine serves the run; asked once.
    """

    def __init__(self, progress: Callable[[int, int], None] | None, serves_other: Callable[[], bool]) -> None:
        self._progress, self._serves_other = progress, serves_other
        self._end_s = time.thread_time() + PLAIN_LIMIT_S

    def __call__(self, done: int, jobs: int) -> None:
        """Pass the progress on.

        Raises:
            TooSlow: the limit is reached.
        """
        if self._progress is not None:
            self._progress(done, jobs)
        if time.thread_time() > self._end_s:
            self._end_s = np.inf
            if self._serves_other():
                raise PlainEngineTooSlow


def is_cheaper_than_a_kept_plan(workload: Workload, cluster: Cluster, discipline: Discipline) -> bool:
    """Whether the general pass replays conservative backfilling in less time than the engine that keeps its plan.

    Measured on 1,200 to 3,000 jobs of each log, deciding at every event; CPU microseconds a job, the kept plan's and
    the general pass: wagap-2013 7 and 36. Where nothing waits: openb on its 1,523 hosts 36 and 10, on 762 of them 18
    and 9, on 191 of them 6 and 8; LCG on 3000x8c 66 and 16, on 188x8c 6 and 8. Jobs of many tasks, of which many wait,
    are far cheaper in the kept plan: 8,000 jobs of LANL-CM5 on 32x32c1g 337 and 5,695, each in a run of its own.
    """
    backfilling = discipline.backfilling
    if isinstance(backfilling, Conservative) and backfilling.early_end == "replan":
        return False
    if workload.jobs < MANY_JOBS or hosts_are_one_pool(workload.demand, cluster):
        return False
    return cluster.hosts >= MANY_HOSTS and _backlog(workload, cluster) == 0


def _backlog(workload: Workload, cluster: Cluster) -> float:
    """How far the peak demand exceeds the cluster if every job ran at its arrival, in clusters; at least 0."""
    asked = workload.demand * workload.task_count[:, None]
    moments_s = np.concatenate((workload.submit_s, workload.submit_s + workload.runtime_s))
    in_use = np.cumsum(np.concatenate((asked, -asked))[np.argsort(moments_s, kind="stable")], axis=0)
    capacity = cluster.capacity.sum(axis=0)
    offered = capacity > 0
    return max(0.0, float((in_use.max(axis=0)[offered] / capacity[offered]).max(initial=0.0)) - 1.0)
