"""Observations as plain data: built up again they are the same, and changes lead from one to the next."""

import json
from dataclasses import replace

import numpy as np
from bound_jobs import KINDS, bound_jobs
from hypothesis import given
from hypothesis import strategies as st
from listed_observation import observation_in

from loadmaster.live.queue.listing import applied, change, listing_of
from loadmaster.live.session.engine import HELD, NOWHERE, RUNNING, EndedJob, Observation, ObservedTasks
from loadmaster.model import Cluster, Constraints
from loadmaster.system.strict_json import to_json


def observed(seed: int, *kinds: str) -> Observation:
    """An observation of a made log in which everything that binds jobs may occur."""
    workload, cluster = bound_jobs(seed, *kinds)
    rng = np.random.default_rng(seed)
    names = tuple(f"node{host}" for host in range(cluster.hosts))
    count = int(workload.task_count.sum())
    job = np.repeat(np.arange(workload.jobs), workload.task_count)
    state = rng.choice([HELD, RUNNING], workload.jobs)[job].astype(np.int32)
    host = np.where(state == RUNNING, rng.integers(0, cluster.hosts, count), NOWHERE).astype(np.int32)
    task = np.concatenate([np.arange(n) for n in workload.task_count]).astype(np.int32)
    tasks = ObservedTasks(job, task, state, host, host, start_s=np.where(state == RUNNING, 3.25, np.nan))
    return Observation(
        float(seed),
        Cluster(cluster.resources, cluster.capacity, names, cluster.speed, cluster.rules),
        np.ones(cluster.hosts, bool),
        workload,
        tuple(f"j{j}" for j in range(workload.jobs)),
        tasks,
        (("odd", "wants a licence"),),
        (EndedJob("gone", 1.5, "failed"),),
        "t",
    )


@given(seed=st.integers(0, 10_000), kinds=st.sets(st.sampled_from(KINDS), max_size=4))
def test_an_observation_written_as_json_and_read_is_the_same(seed, kinds):
    listing = listing_of(observed(seed, *kinds))
    again = json.loads(to_json(listing))
    assert listing_of(observation_in(again)) == again == listing


@given(seeds=st.lists(st.integers(0, 50), min_size=2, max_size=4), kinds=st.sets(st.sampled_from(KINDS), max_size=2))
def test_changes_lead_from_each_observation_to_the_next(seeds, kinds):
    listings = [listing_of(observed(seed, *kinds)) for seed in seeds]
    now = {}
    for listing in listings:
        now = applied(now, json.loads(to_json(change(now, listing))))
        assert now == listing


def test_where_nothing_has_changed_only_the_time_is_said():
    seen = observed(3, "begin")
    assert change(listing_of(seen), listing_of(replace(seen, at_s=99.0))) == {"at_s": 99.0}


def test_a_limit_and_a_begin_time_may_be_infinite():
    seen = observed(3)
    jobs = replace(seen.jobs, constraints=Constraints(limit_s=np.full(seen.jobs.jobs, np.inf)))
    again = observation_in(json.loads(to_json(listing_of(replace(seen, jobs=jobs)))))
    assert again.jobs.constraints is not None
    assert np.isinf(again.jobs.constraints.limit_s).all()
