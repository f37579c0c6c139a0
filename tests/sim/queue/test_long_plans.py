"""Conservative plans of queues that are long beside the hosts: compiled plans equal those of the plain engine."""

import numpy as np
import pytest

from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate

NAMES, CAPACITY = ("cores", "memory", "gpus"), np.array([[6.0, 6.0, 2.0], [5.0, 3.0, 5.0]])


@pytest.mark.parametrize("early_end", ["now", "kept", "arrival", "start", "replan"])
@pytest.mark.parametrize("factors", [(1, 2, 3), (0.5, 1, 2)], ids=["too long", "too short as well"])
def test_a_long_queue_of_jobs_of_several_tasks_is_planned_as_in_plain_python(early_end, factors):
    rule = discipline_named(f"conservative(early_end={early_end})")
    for seed in range(6):
        rng = np.random.default_rng(seed)
        jobs = int(rng.integers(60, 90))
        wide = rng.random(jobs) < 0.55
        demand = np.where(wide[:, None], [2.0, 1.0, 1.0], [1.0, 0.0, 0.0])
        tasks = np.where(wide, rng.choice([1, 1, 2, 4], jobs), rng.choice([1, 2, 5], jobs)).astype(np.int32)
        runtime_s = rng.integers(1, 10, jobs).astype(float)
        estimate_s = np.maximum(np.ceil(runtime_s * rng.choice(factors, jobs)), 1.0)
        work = Workload(NAMES, np.zeros(jobs), runtime_s, demand, tasks=tasks, estimate_s=estimate_s)
        made, plain = (
            simulate(work, Cluster(NAMES, CAPACITY), POLICIES["first-fit"], rule, interval_s=0.0, engine=engine)
            for engine in ("planning", "reference")
        )
        assert made.start_s.tolist() == plain.start_s.tolist()
        assert made.host.tolist() == plain.host.tolist()


ONE_TASK = (
    [7, 9, 9, 7, 9, 8, 1, 5, 8, 6, 6, 4],
    [14, 18, 5, 7, 18, 8, 1, 5, 8, 6, 6, 4],
    [0, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0],
    [1] * 12,
)
SEVERAL_TASKS = (
    [8, 8, 4, 8, 7, 3, 6, 2, 4],
    [16, 16, 2, 4, 7, 2, 6, 1, 2],
    [1, 1, 1, 0, 1, 0, 1, 0, 1],
    [1, 2, 2, 5, 1, 2, 1, 2, 4],
)


@pytest.mark.parametrize("jobs", [ONE_TASK, SEVERAL_TASKS], ids=["one task", "several tasks"])
def test_a_job_without_gpus_starts_at_once_behind_jobs_that_ask_for_gpus(jobs):
    runtime_s, estimate_s, wide, tasks = (np.array(column) for column in jobs)
    work = Workload(
        NAMES,
        np.zeros(len(wide)),
        runtime_s.astype(float),
        np.where(wide[:, None] == 1, [2.0, 1.0, 1.0], [1.0, 0.0, 0.0]),
        tasks=tasks.astype(np.int32),
        estimate_s=estimate_s.astype(float),
    )
    rule = discipline_named("conservative(early_end=now)")
    made, plain = (
        simulate(work, Cluster(NAMES, CAPACITY), POLICIES["first-fit"], rule, interval_s=0.0, engine=engine)
        for engine in ("planning", "reference")
    )
    assert made.start_s.tolist() == plain.start_s.tolist()
    assert made.host.tolist() == plain.host.tolist()


@pytest.mark.parametrize("early_end", ["now", "kept", "arrival", "start", "replan"])
def test_jobs_without_an_expected_end_are_planned_as_in_plain_python(early_end):
    rule = discipline_named(f"conservative(early_end={early_end})")
    for seed in range(6):
        rng, jobs = np.random.default_rng(seed), 40
        estimate_s = np.where(rng.random(jobs) < 0.1, np.inf, rng.integers(1, 20, jobs))
        work = Workload(
            ("cores",),
            np.sort(rng.integers(0, 40, jobs)).astype(float),
            rng.integers(1, 10, jobs).astype(float),
            rng.integers(1, 4, (jobs, 1)).astype(float),
            estimate_s=estimate_s,
        )
        made, plain = (
            simulate(work, Cluster.uniform(3, cores=4), POLICIES["first-fit"], rule, interval_s=0.0, engine=engine)
            for engine in ("auto", "reference")
        )
        assert np.isfinite(plain.start_s).all()
        assert made.start_s.tolist() == plain.start_s.tolist()
        assert made.host.tolist() == plain.host.tolist()
