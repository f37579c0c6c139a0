"""The heap of promises has room for so many entries: a full one is made anew, whoever enters the next promise."""

import numpy as np
import pytest

from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.engine.profile import layout

ROOM = 8
"""Cells behind the heap that nobody may touch."""


def jobs_that_end_early(seed):
    """Two hosts, many jobs that wait for long, ends before what is expected: promises move again and again."""
    rng, jobs = np.random.default_rng(seed), 60
    submit_s = np.sort(rng.integers(0, 300, jobs)).astype(float)
    runtime_s, demand = rng.integers(1, 100, jobs).astype(float), rng.integers(1, 5, (jobs, 1)).astype(float)
    return Workload(("cores",), submit_s, runtime_s, demand, estimate_s=3.0 * runtime_s)


@pytest.mark.parametrize("early_end", ["kept", "now", "arrival", "start"])
def test_no_promise_is_entered_behind_the_end_of_the_heap(early_end, monkeypatch):
    made, wide = layout._kept_profile, []

    def with_the_least_room(requests):
        least = len(requests.kind) + 1
        due_s, due = np.full(least + ROOM, -1.0), np.full(least + ROOM, -1, np.int32)
        wide.append((due_s, due))
        return made(requests)._replace(due_s=due_s[:least], due=due[:least])

    workload, cluster = jobs_that_end_early(1), Cluster.uniform(2, cores=4)
    discipline = discipline_named(f"conservative(early_end={early_end})")
    plain = simulate(workload, cluster, POLICIES["first-fit"], discipline, interval_s=30.0, engine="reference")
    monkeypatch.setattr(layout, "_kept_profile", with_the_least_room)
    compiled = simulate(workload, cluster, POLICIES["first-fit"], discipline, interval_s=30.0, engine="planning")
    ((due_s, due),) = wide
    assert (due_s[-ROOM:] == -1.0).all()
    assert (due[-ROOM:] == -1).all()
    assert plain.start_s.tolist() == compiled.start_s.tolist()
