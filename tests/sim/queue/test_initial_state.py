"""The arrays of the compiled engine have room for all that one cycle can start."""

from dataclasses import replace

import numpy as np
import pytest
from bursts import bursts
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.model import Cluster, Workload
from loadmaster.model.errors import OutOfRoom
from loadmaster.model.exact_amounts import exact_demand
from loadmaster.place import POLICIES
from loadmaster.scheduling.notation import discipline_named
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.engine import initial_state
from loadmaster.sim.queue.engine.arrays import jobs_of
from loadmaster.sim.queue.engine.initial_state import startable

FCFS = discipline_named("fcfs")


def room_for(workload, cluster):
    return startable(jobs_of(workload, cluster, FCFS), cluster)


def started_at_once(workload, cluster, rng):
    """How many tasks an empty cluster takes, filled in a random order, each on a random host that holds it."""
    free, kinds = cluster.capacity.copy(), np.repeat(np.arange(workload.jobs), workload.task_count)
    started = 0
    for job in rng.permutation(kinds):
        hosts = np.flatnonzero((free >= workload.demand[job]).all(axis=1))
        if hosts.size:
            free[rng.choice(hosts)] -= workload.demand[job]
            started += 1
    return started


@given(problem=bursts(), seed=st.integers(0, 2**32 - 1))
def test_no_way_to_fill_an_empty_cluster_starts_more_tasks_than_there_is_room_for(problem, seed):
    cluster, workload = problem
    workload = replace(workload, demand=exact_demand(workload.demand))  # as engines take it
    assert started_at_once(workload, cluster, np.random.default_rng(seed)) <= room_for(workload, cluster)


def test_kinds_that_need_different_resources_fit_side_by_side():
    cores, memory = np.tile([1.0, 0.0], 50), np.tile([0.0, 1.0], 50)
    workload = Workload.of(submit_s=np.zeros(100), runtime_s=np.ones(100), cores=cores, memory=memory)
    cluster = Cluster.uniform(1, cores=6, memory=6)
    assert room_for(workload, cluster) == 12
    for name in ("netbatch", "easy", "conservative", "slurm"):
        ran = simulate(workload, cluster, POLICIES["first-fit"], discipline_named(name), interval_s=0.0)
        assert ran.cycles.started[0] == 12, name


def test_jobs_that_ask_for_nothing_all_start_at_once():
    workload = Workload.of(submit_s=np.zeros(9), runtime_s=np.ones(9), cores=np.zeros(9), memory=np.tile([0, 0, 1], 3))
    assert room_for(workload, Cluster.uniform(1, cores=1, memory=1)) == 7


def test_where_all_ask_for_cores_the_room_is_what_the_cores_hold():
    cores = np.tile([2, 3], 450)
    workload = Workload.of(submit_s=np.zeros(900), runtime_s=np.ones(900), cores=cores, memory=np.ones(900))
    assert room_for(workload, Cluster.uniform(4, cores=9, memory=1000)) == 16


@pytest.mark.parametrize("discipline", ["netbatch", "easy", "selective"])
def test_where_the_room_is_too_small_a_run_stops_before_it_writes_and_says_so(monkeypatch, discipline):
    workload = Workload.of(submit_s=np.zeros(60), runtime_s=np.ones(60), cores=np.ones(60), memory=np.ones(60))
    monkeypatch.setattr(initial_state, "startable", lambda jobs, cluster: 5)
    with pytest.raises(OutOfRoom, match="an error in loadmaster: please report it"):
        simulate(
            workload,
            Cluster.uniform(1, cores=6, memory=6),
            POLICIES["first-fit"],
            discipline_named(discipline),
            interval_s=0.0,
            engine="compiled",
        )
