"""Promises that no longer fit: going through some hosts comes to the same as going through all of them."""

import numpy as np
import pytest

from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate


def late_starts(seed):
    """Seven unlike hosts, and jobs that end long before they are expected to, some of several tasks, some overdue."""
    rng = np.random.default_rng(seed)
    hosts, jobs = 7, 60
    capacity = rng.integers(2, 9, (hosts, 2)).astype(float)
    runtime_s = rng.integers(1, 300, jobs).astype(float)
    largest = capacity[rng.integers(0, hosts)]
    return Cluster(("cores", "memory"), capacity), Workload(
        ("cores", "memory"),
        np.sort(rng.integers(0, 900, jobs)).astype(float),
        runtime_s,
        np.minimum(rng.integers(1, 7, (jobs, 2)), largest).astype(float),
        estimate_s=np.floor(runtime_s * rng.choice([1.0, 2.0, 2.0, 3.0] if seed % 3 else [0.5, 1.0, 2.0], jobs)),
    )


@pytest.mark.parametrize("early_end", ["kept", "now", "arrival", "start"])
@pytest.mark.parametrize("seed", range(3))
def test_starts_that_come_late_push_those_behind_them_as_in_the_plain_engine(early_end, seed):
    cluster, workload = late_starts(seed)
    discipline = discipline_named(f"conservative(early_end={early_end})")
    plain, compiled = (
        simulate(workload, cluster, POLICIES["worse-fit-cores"], discipline, interval_s=30.0, engine=engine)
        for engine in ("reference", "planning")
    )
    assert plain.start_s.tolist() == compiled.start_s.tolist()
    assert plain.host.tolist() == compiled.host.tolist()
