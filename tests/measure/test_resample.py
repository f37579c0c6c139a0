"""Logs drawn from a log keep what its users do: how much, how large, on which weekday, at which hour."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.measure.resample import WEEK_S, long_term, shake, users, weeks, whole_weeks, without_interval
from loadmaster.model import InputError, Workload


def log(seed, jobs=60, weeks_=6, people=8):
    rng = np.random.default_rng(seed)
    submit_s = np.sort(np.round(rng.random(jobs) * (weeks_ * WEEK_S + 3600)))
    submit_s[0], submit_s[-1] = 0.0, weeks_ * WEEK_S + 3600
    return Workload.of(
        submit_s=submit_s,
        runtime_s=rng.integers(1, 5000, jobs),
        cores=rng.integers(1, 9, jobs),
        memory=rng.integers(0, 64, jobs),
        tasks=rng.integers(1, 3, jobs),
        estimate_s=rng.integers(5000, 9000, jobs),
        user=rng.integers(0, people, jobs),
        project=rng.integers(0, 3, jobs),
        recorded_wait_s=np.zeros(jobs),
    )


def kinds(workload, jobs):
    """What each job is, without the week in which it comes."""
    at = np.round(workload.submit_s[jobs] % WEEK_S)
    columns = (at, workload.runtime_s, workload.estimate_s, workload.tasks, workload.project, *workload.demand.T)
    return sorted(zip(*((column if column is at else column[jobs]).tolist() for column in columns), strict=True))


SEEDS = st.integers(0, 10_000)


@given(SEEDS, SEEDS)
@settings(max_examples=40, deadline=None)
def test_every_drawn_user_is_one_of_the_log_with_all_his_jobs_at_their_weekday_and_hour(log_seed, seed):
    workload = log(log_seed)
    within = np.flatnonzero(workload.submit_s < 6 * WEEK_S)
    known = [kinds(workload, within[workload.user[within] == user]) for user in np.unique(workload.user[within])]
    made = users(workload, np.random.default_rng(seed)).workload
    for user in np.unique(made.user):
        assert kinds(made, np.flatnonzero(made.user == user)) in known
    assert np.unique(made.user).size == len(known), "as many users as the log has"


@given(SEEDS)
@settings(max_examples=40, deadline=None)
def test_a_drawn_user_moves_by_whole_weeks_all_jobs_alike(seed):
    workload = log(3, people=1)
    made = users(workload, np.random.default_rng(seed)).workload
    at = workload.submit_s[workload.submit_s < 6 * WEEK_S]
    shifts = [np.sort((at + k * WEEK_S) % (6 * WEEK_S)) for k in range(6)]
    assert any(np.allclose(made.submit_s, shifted) for shifted in shifts)


@given(SEEDS, SEEDS)
@settings(max_examples=40, deadline=None)
def test_every_drawn_week_is_one_of_the_log_with_all_its_jobs_and_their_users(log_seed, seed):
    workload = log(log_seed)
    week = workload.submit_s // WEEK_S
    known = [(kinds(workload, week == k), sorted(workload.user[week == k])) for k in range(6)]
    made = weeks(workload, np.random.default_rng(seed)).workload
    for k in range(6):
        inside = made.submit_s // WEEK_S == k
        assert (kinds(made, inside), sorted(made.user[inside])) in known


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_shaken_jobs_are_the_same_jobs_at_most_ten_minutes_off(seed):
    workload = log(5)
    made = shake(workload, np.random.default_rng(seed)).workload
    assert made.jobs == workload.jobs
    assert np.abs(np.sort(made.submit_s) - workload.submit_s).max() <= 600
    assert sorted(made.runtime_s) == sorted(workload.runtime_s)


@pytest.mark.parametrize("draw", [users, weeks, shake])
def test_the_same_generator_draws_the_same_log_in_the_order_of_arrival_and_another_does_not(draw):
    first, again, other = (draw(log(1), np.random.default_rng(seed)).workload for seed in (7, 7, 8))
    assert np.array_equal(first.submit_s, again.submit_s)
    assert not np.array_equal(first.submit_s, other.submit_s)
    assert first.recorded_wait_s is None, "nobody knows what a drawn job would have waited"
    assert np.array_equal(first.job_id, np.arange(first.jobs))


def test_over_many_draws_every_user_comes_as_often_as_it_is_in_the_log():
    workload = log(2, people=4)
    within = workload.submit_s < 6 * WEEK_S
    rng = np.random.default_rng(0)
    jobs = np.array([users(workload, rng).workload.jobs for _ in range(400)])
    assert jobs.mean() == pytest.approx(within.sum(), abs=4 * jobs.std() / 20)


def test_over_many_draws_a_user_comes_in_every_week():
    one = Workload.of(submit_s=[0.0, 6 * WEEK_S + 3600], runtime_s=[1.0, 1.0], cores=[1, 1], user=[0, 0])
    rng = np.random.default_rng(0)
    drawn = {float(users(one, rng).workload.submit_s[0] // WEEK_S) for _ in range(200)}
    assert drawn == {0.0, 1.0, 2.0, 3.0, 4.0, 5.0}


def test_long_term_users_are_those_whose_jobs_span_half_of_the_weeks():
    at_s = np.array([0, 1, 2, 1.5, 3]) * WEEK_S
    assert long_term(np.array([0, 0, 1, 1, 1]), at_s, 5).tolist() == [False, True]


def test_the_rest_of_a_week_is_left_out():
    workload = log(1)
    assert whole_weeks(workload) == 6
    assert weeks(workload, np.random.default_rng(0)).workload.submit_s.max() < 6 * WEEK_S


@pytest.mark.parametrize(
    ("workload", "how", "words"),
    [
        (log(1, weeks_=3), "users", "3 whole weeks"),
        (log(1, weeks_=1), "weeks", "1 whole week,"),
        (log(1, people=2), "users", "2 users"),
        (log(1, people=1), "users", "1 user,"),
        (log(1), "shake", "chance"),
        (Workload.of(submit_s=[0, 9 * WEEK_S], runtime_s=[1, 1], cores=[1, 1]), "users", "name the users"),
        (log(1), "users", ""),
        (log(1, people=2), "weeks", "2 users"),
        (log(1), "weeks", ""),
    ],
)
def test_a_short_log_or_one_without_users_gives_no_interval_and_says_why(workload, how, words):
    reason = without_interval(workload, how)
    assert words in reason
    assert bool(reason) == bool(words)


@pytest.mark.parametrize("draw", [users, weeks])
def test_less_than_a_week_cannot_be_drawn_from(draw):
    with pytest.raises(InputError, match="whole week"):
        draw(log(1, weeks_=0), np.random.default_rng(0))


def test_users_cannot_be_drawn_where_the_log_has_none():
    with pytest.raises(InputError, match="name the users"):
        users(Workload.of(submit_s=[0, 9 * WEEK_S], runtime_s=[1, 1], cores=[1, 1]), np.random.default_rng(0))
