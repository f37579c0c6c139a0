"""Which of two engines that give the same schedule replays a log in less time."""

import numpy as np

from loadmaster.backfilling import Conservative, Easy
from loadmaster.backfilling.counting import hosts_are_one_pool
from loadmaster.model import Cluster, Workload
from loadmaster.schedule import Discipline

MANY_JOBS = 1000
"""From so many on a run takes the engine over the compiled board: fewer are over before it is compiled."""
SEVERAL_TASKS = 2.0
"""Mean tasks a job from which tasks are placed in bulk."""
WIDE_TASKS = 4.0
"""Mean tasks a job below which the general engine is taken whatever waits."""
WIDE_BACKLOG = 5.0
"""Tasks a job times the backlog from which the engine over the compiled board is the cheaper one under EASY."""

VERY_WIDE_TASKS = 40.0
"""Mean tasks a job from which the engine over the compiled board is the cheaper one under conservative backfilling."""
MANY_HOSTS = 500
"""Hosts from which it is so, too, where jobs never wait: the kept plan has a profile of each host."""


def has_wide_jobs(workload: Workload) -> bool:
    """Whether jobs have so many tasks that they are placed in bulk, by the engine made for that, where it serves them.

    CPU microseconds a job under EASY with first-fit, at every event, of that engine, the board's and the general one:
    CTC-SP2 (10 tasks a job) on 338x1c 3, 28 and 118; LANL-CM5 (100) on 32x32c1g 4, 65 and 73; HPC2N (5) on 120x2c2g
    1.3, 12 and 6. Jobs of one task are up to 4 times dearer there than in the general engine.
    """
    return workload.tasks is not None and float(workload.task_count.mean()) >= SEVERAL_TASKS


def is_cheaper_at_desk(workload: Workload, cluster: Cluster, discipline: Discipline) -> bool:
    """Whether the engine over the compiled board replays these jobs in less time than the general engine.

    The general engine finds the shadow time of EASY task by task whenever jobs wait, so its cost grows with the tasks
    of a job and with the queue. Measured under EASY on 2,000 to 10,000 jobs of each log, deciding at every event; CPU
    microseconds a job, the general engine's and the board's:

    - LANL-CM5 (100 tasks a job) on 1024x1c: 2,184 and 83; on 128x8c0.25g: 348 and 76; on 32x32c1g: 73 and 52;
    - CTC-SP2 (10) on 338x1c: 118 and 33; on 43x8c: 33 and 21;
    - HPC2N (5) on 80x2c4g, where many jobs wait: 63 and 38; on 120x2c4g, where few do: 6 and 8;
    - LCG on 300x1c and wagap-2013 (one task a job): 1 and 39, 1 and 21.

    SJF and WFP3 before EASY have like ratios. Under `none`, `skip` and `netbatch` the general engine is the cheaper
    one on all of these, but for NetBatch's walk over LANL-CM5 on hosts of one core: 1,170 and 770. The board takes a
    minute to compile, so short logs keep the general engine.
    """
    if type(discipline.backfilling) is not Easy or workload.tasks is None or workload.jobs < MANY_JOBS:
        return False
    tasks = float(workload.task_count.mean())
    return tasks >= WIDE_TASKS and tasks * _backlog(workload, cluster) >= WIDE_BACKLOG


def is_cheaper_than_a_kept_plan(workload: Workload, cluster: Cluster, discipline: Discipline) -> bool:
    """Whether the board replays conservative backfilling in less time than the engine that keeps its plan.

    Measured on 1,200 to 3,000 jobs of each log, deciding at every event; CPU microseconds a job, the kept plan's and
    the board's: LANL-CM5 (120 tasks a job) on 128x8c0.25g 1,364 and 690, on 32x32c1g 1,550 and 844; CTC-SP2 (11) on
    43x8c 200 and 423; HPC2N (3) on 120x2c4g 19 and 29; wagap-2013 (1) 7 and 36. Where a count of hosts is exact, the
    plan is one of a single host: 23 and 51 for LANL-CM5 on 1024x1c. Where nothing waits: openb on its 1,523 hosts 36
    and 10, on 762 of them 18 and 9, on 191 of them 6 and 8; LCG on 3000x8c 66 and 16, on 188x8c 6 and 8.
    """
    backfilling = discipline.backfilling
    if isinstance(backfilling, Conservative) and backfilling.early_end == "replan":
        return False
    if workload.jobs < MANY_JOBS or hosts_are_one_pool(workload.demand, cluster):
        return False
    wide = float(workload.task_count.mean()) >= VERY_WIDE_TASKS
    return wide or (cluster.hosts >= MANY_HOSTS and _backlog(workload, cluster) == 0)


def _backlog(workload: Workload, cluster: Cluster) -> float:
    """How far the peak demand exceeds the cluster if every job ran at its arrival, in clusters; at least 0."""
    asked = workload.demand * workload.task_count[:, None]
    moments_s = np.concatenate((workload.submit_s, workload.submit_s + workload.runtime_s))
    in_use = np.cumsum(np.concatenate((asked, -asked))[np.argsort(moments_s, kind="stable")], axis=0)
    capacity = cluster.capacity.sum(axis=0)
    offered = capacity > 0
    return max(0.0, float((in_use.max(axis=0)[offered] / capacity[offered]).max(initial=0.0)) - 1.0)
