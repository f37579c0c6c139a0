"""Conservative plans of queues that are long beside the hosts: the engine that is chosen equals the plain one."""

import numpy as np
import pytest

from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate


@pytest.mark.parametrize("early_end", ["now", "kept", "arrival", "start", "replan"])
@pytest.mark.parametrize("factors", [(1, 2, 3), (0.5, 1, 2)], ids=["too long", "too short as well"])
def test_a_long_queue_of_jobs_of_several_tasks_is_planned_as_in_plain_python(early_end, factors):
    names, cluster = ("cores", "memory", "gpus"), np.array([[6.0, 6.0, 2.0], [5.0, 3.0, 5.0]])
    rule = discipline_named(f"conservative(early_end={early_end})")
    for seed in range(6):
        rng = np.random.default_rng(seed)
        jobs = int(rng.integers(60, 90))
        wide = rng.random(jobs) < 0.55
        demand = np.where(wide[:, None], [2.0, 1.0, 1.0], [1.0, 0.0, 0.0])
        tasks = np.where(wide, rng.choice([1, 1, 2, 4], jobs), rng.choice([1, 2, 5], jobs)).astype(np.int32)
        runtime_s = rng.integers(1, 10, jobs).astype(float)
        estimate_s = np.maximum(np.ceil(runtime_s * rng.choice(factors, jobs)), 1.0)
        work = Workload(names, np.zeros(jobs), runtime_s, demand, tasks=tasks, estimate_s=estimate_s)
        made, plain = (
            simulate(work, Cluster(names, cluster), POLICIES["first-fit"], rule, interval_s=0.0, engine=engine)
            for engine in ("auto", "reference")
        )
        assert made.start_s.tolist() == plain.start_s.tolist()
        assert made.host.tolist() == plain.host.tolist()
