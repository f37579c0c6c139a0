"""Needs learned from the use of earlier tasks: nothing of the future is looked at, and users are told apart."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.model import Workload
from loadmaster.sharing.learned_needs import learned_needs


def jobs_of(seed, count=30):
    rng = np.random.default_rng(seed)
    return Workload(
        ("cores", "memory"),
        np.cumsum(rng.exponential(10.0, count)),
        rng.exponential(10.0, count) + 1,
        rng.uniform(0.1, 4.0, (count, 2)),
        user=rng.integers(0, 4, count).astype(np.int32),
    )


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(0, 29))
def test_what_is_believed_of_a_job_does_not_depend_on_it_or_on_later_ones(seed, job):
    jobs = jobs_of(seed)
    demand = jobs.demand.copy()
    demand[job:] *= 7.0
    other = Workload(jobs.resources, jobs.submit_s, jobs.runtime_s, demand, user=jobs.user)
    prior = np.array([1.0, 2.0])
    assert np.array_equal(learned_needs(jobs, prior)[: job + 1], learned_needs(other, prior)[: job + 1])


def test_a_user_with_jobs_of_one_size_is_known_after_the_first():
    jobs = Workload.of(submit_s=[0, 1, 2, 3], runtime_s=[1] * 4, cores=[1, 8, 1, 8], user=[0, 1, 0, 1])
    assert learned_needs(jobs, np.array([2.0]))[:, 0].tolist() == [2.0, 1.0, 1.0, 8.0]


def test_use_counts_only_after_it_was_watched():
    jobs = Workload.of(submit_s=[0, 10, 20], runtime_s=[100] * 3, cores=[4, 4, 4])
    assert learned_needs(jobs, np.array([1.0]), observe_s=15.0)[:, 0].tolist() == [1.0, 1.0, 4.0]


def test_the_belief_converges_to_the_mean():
    jobs = jobs_of(1, 5000)
    believed = learned_needs(jobs, np.zeros(2))[-1]
    assert believed == pytest.approx(jobs.demand[jobs.user == jobs.user[-1]].mean(axis=0), rel=0.02)
