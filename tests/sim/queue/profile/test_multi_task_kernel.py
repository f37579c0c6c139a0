"""Jobs of many tasks are promised the moments and hosts that the plain engine promises them."""

import numpy as np
import pytest

from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate

VARIANTS = ["kept", "now", "arrival", "start", "replan"]


def wide(seed):
    """Jobs of up to all the tasks that a small cluster holds, of three demands, estimated too long or too short."""
    rng, jobs = np.random.default_rng(seed), 70
    capacity = rng.choice([4.0, 8.0], (5, 2)) if seed % 2 else np.full((5, 2), 8.0)
    demand = rng.integers(1, 4, (3, 2)).astype(float)
    held = np.floor(capacity[None] / demand[:, None]).min(axis=2).sum(axis=1).astype(int)
    kind = rng.integers(0, 3, jobs)
    tasks = 1 + (rng.random(jobs) ** 2 * held[kind]).astype(np.int32)
    runtime_s = rng.integers(1, 13, jobs) * 10.0
    workload = Workload(
        ("cores", "memory"),
        np.sort(rng.integers(0, 900, jobs)).astype(float),
        runtime_s,
        demand[kind],
        tasks=np.minimum(tasks, held[kind]).astype(np.int32),
        estimate_s=runtime_s * rng.choice([0.5, 1.0, 2.0, 3.0], jobs),
    )
    return workload, Cluster(("cores", "memory"), capacity)


@pytest.mark.parametrize("early_end", VARIANTS)
@pytest.mark.parametrize("policy", ["first-fit", "worse-fit-cores", "best-fit-cores", "round-robin"])
def test_wide_jobs_start_as_the_plain_engine_starts_them(early_end, policy):
    discipline = discipline_named(f"conservative(early_end={early_end})")
    for seed in range(4):
        given = *wide(seed), POLICIES[policy], discipline
        plain = simulate(*given, interval_s=30.0 * (seed == 3), engine="reference")
        compiled = simulate(*given, interval_s=30.0 * (seed == 3), engine="planning")
        np.testing.assert_array_equal(compiled.start_s, plain.start_s)
        np.testing.assert_array_equal(compiled.host, plain.host)
