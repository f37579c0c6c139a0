"""The arrays of the compiled engine for fractional scheduling: allocated here, changed by the kernel alone."""

from typing import Any, NamedTuple

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.scheduling.fractional import SLACK
from loadmaster.sim.fractional.problem import FractionalProblem

NOW, LEAST_YIELD = 0, 1
"""Places in `FractionalWorld.real`."""
(
    ARRIVED,
    ENDED,
    FIRST,
    LAST,
    TRIED,
    LAST_TRIED,
    RUNNING,
    STARTED,
    EVENTS,
    TOUCHED,
    DIRTY,
    PHASE,
    MAY_REPACK,
    ASKING,
    REFUSED,
    MOVING,
) = range(16)
"""Places in `FractionalWorld.whole`: counters; FIRST, LAST and LAST_TRIED of the queue; the job ASKING for room and
whether it is REFUSED; how many tasks are MOVING."""
DONE, MORE, MAKE_ROOM, IMPROVE = 0, 1, 2, 3
"""What the kernel returns with."""

JOB = np.dtype(
    [
        ("submit_s", "f8"),
        ("start_s", "f8"),
        ("end_s", "f8"),
        ("left", "f8"),  # work left at since_s
        ("since_s", "f8"),  # when the rate last changed
        ("rate", "f8"),
        ("due", "f8"),  # when it ends, or has landed
        ("until", "f8"),  # when its memory has travelled
        ("need", "f8"),  # CPU that a task uses
        ("fluid", "f8"),  # CPU that decisions are told it uses
        ("pause_s", "f8"),
        ("first_task", "i8"),
        ("tasks", "i8"),
        ("following", "i8"),  # in the queue
        ("place", "i8"),  # in the heap
        ("moves", "i8"),
        ("standing", "?"),
        ("dirty", "?"),  # its rate is to be found anew
    ],
    align=True,
)
TASK = np.dtype([("job", "i8"), ("host", "i8"), ("last_host", "i8"), ("after", "i8"), ("before", "i8")])
HOST = np.dtype(
    [
        ("load", "f8"),  # CPU requested, as decisions are told
        ("need", "f8"),  # CPU requested in truth
        ("speed", "f8"),
        ("pace", "f8"),  # speed x yield
        ("head", "i8"),  # first task in the order in which they came
        ("tail", "i8"),
        ("touched", "?"),
        ("stale", "?"),  # a task left: the sums are to be made anew
    ],
    align=True,
)


class FractionalWorld(NamedTuple):
    """All that changes; J jobs, T tasks, H hosts, M rigid resources.

    A job is in `heap` from its start to its end, once. `touched` and `dirty` hold each host and each job once, since a
    flag in its record says whether it is there; `moving` holds a task once.
    """

    jobs: Any  # JOB[J]
    tasks: Any  # TASK[T]
    hosts: Any  # HOST[H]
    rigid: Floats  # [J, M]
    used: Floats  # [H, M]
    capacity: Floats  # [H, M]
    room: Floats  # [H, M], the capacity with slack for rounding
    cores: Floats  # [H]
    heap: Longs  # [J], running jobs by (due, job)
    touched: Longs  # [H]
    dirty: Longs  # [J]
    trial_load: Floats  # [H]
    trial_used: Floats  # [H, M]
    chosen: Longs  # [largest number of tasks], hosts for one job
    moving: Longs  # [T], tasks to move
    target: Longs  # [T], where to
    real: Floats  # NOW, LEAST_YIELD
    whole: Longs


class FractionalRules(NamedTuple):
    """The policy's numbers."""

    at_events: bool
    at_periods: bool
    period_s: float
    most_load: float
    gain: float
    lookahead: int


def rules_of(problem: FractionalProblem) -> FractionalRules:
    """The policy as the kernel reads it."""
    policy = problem.policy
    return FractionalRules(
        policy.repack == "events",
        policy.repack == "periods",
        float(policy.period_s),
        float(policy.most_load),
        float(policy.gain),
        int(policy.lookahead),
    )


def allocate(problem: FractionalProblem) -> FractionalWorld:
    """The state before the first event."""
    workload, cluster = problem.workload, problem.cluster
    capacity = np.array(cluster.capacity[:, 1:], order="C")
    hosts, rigid = capacity.shape
    tasks = np.full(int(workload.first_task[-1]), -1, [(name, "i8") for name in TASK.names or ()]).astype(TASK)
    tasks["job"] = np.repeat(np.arange(workload.jobs), workload.task_count)
    whole = np.zeros(16, np.int64)
    whole[[FIRST, LAST, LAST_TRIED, ASKING]] = -1
    return FractionalWorld(
        _jobs(problem),
        tasks,
        _hosts(problem),
        np.array(problem.seen[:, 1:], order="C"),
        np.zeros((hosts, rigid)),
        capacity,
        capacity * (1 + SLACK),
        np.array(cluster.capacity[:, 0], order="C"),
        np.zeros(workload.jobs, np.int64),
        np.zeros(hosts, np.int64),
        np.zeros(workload.jobs, np.int64),
        np.zeros(hosts),
        np.zeros((hosts, rigid)),
        np.zeros(int(workload.task_count.max(initial=1)), np.int64),
        np.zeros(len(tasks), np.int64),
        np.zeros(len(tasks), np.int64),
        np.array([0.0, 1.0]),
        whole,
    )


def _jobs(problem: FractionalProblem) -> Any:
    workload = problem.workload
    jobs = np.zeros(workload.jobs, JOB)
    jobs["submit_s"], jobs["left"] = workload.submit_s, workload.runtime_s
    jobs["start_s"] = jobs["end_s"] = np.nan
    jobs["need"], jobs["fluid"] = workload.demand[:, 0], problem.seen[:, 0]
    jobs["pause_s"] = problem.migration.of(workload.demand)
    jobs["first_task"], jobs["tasks"] = workload.first_task[:-1], workload.task_count
    jobs["following"] = -1
    return jobs


def _hosts(problem: FractionalProblem) -> Any:
    hosts = np.zeros(problem.cluster.hosts, HOST)
    hosts["speed"] = hosts["pace"] = problem.cluster.speed
    hosts["head"] = hosts["tail"] = -1
    return hosts
