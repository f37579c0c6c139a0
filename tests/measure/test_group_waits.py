"""Waits by user, account, size and hour add up to the whole, and Jain's index is what it says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.measure import waits
from loadmaster.measure.group_waits import fairness, group_waits, jain
from loadmaster.model import Constraints, Cycles, Named, Schedule, Workload
from loadmaster.model.constraints import STATUSES


def run(wait_s, **more):
    jobs = len(wait_s)
    submit_s = 3600.0 * np.arange(jobs)
    none = np.array([], np.int64)
    log = Workload.of(submit_s=submit_s, runtime_s=np.full(jobs, 100.0), **({"cores": np.ones(jobs)} | more))
    cycles = Cycles(none.astype(float), none, none, none)
    return log, Schedule(submit_s + np.array(wait_s, float), np.zeros(jobs, np.int32), cycles)


def by(groups, name):
    return next(each for each in groups if each.by == name)


@given(st.lists(st.floats(0, 1e5), min_size=1, max_size=40))
def test_every_grouping_holds_every_job_once(wait_s):
    jobs = len(wait_s)
    log, schedule = run(wait_s, user=np.arange(jobs) % 3, project=np.arange(jobs) % 2, cores=1 + np.arange(jobs) % 9)
    mean = float(waits(log, schedule).mean())
    for groups in group_waits(log, schedule):
        assert groups.jobs.sum() == jobs
        assert float(groups.jobs @ groups.mean_wait_s) / jobs == pytest.approx(mean, abs=1e-6)
        assert groups.longest_wait_s.max() == pytest.approx(float(waits(log, schedule).max()))


def test_sizes_go_up_to_the_next_power_of_two_of_the_whole_jobs_cores():
    log, schedule = run([0, 0, 0, 0], cores=[1, 2, 3, 4], tasks=[1, 1, 1, 2])
    assert by(group_waits(log, schedule), "size").names == ("1", "2", "3-4", "5-8")


def test_hours_are_those_of_the_arrival():
    log, schedule = run([0.0] * 25)
    hours = by(group_waits(log, schedule), "hour")
    assert hours.names[:3] == ("0", "1", "2")
    assert hours.jobs.tolist() == [2] + [1] * 23


def test_users_have_their_names_and_the_worst_is_the_one_slowed_down_most():
    bound = Constraints(user_names=("ann", "bob"))
    log, schedule = run([0, 300, 300, 900], user=[0, 1, 1, -1], constraints=bound)
    found = fairness(group_waits(log, schedule))
    assert (found.worst_user, found.worst_user_slowdown, found.users) == ("unknown", 10.0, 3)
    assert by(group_waits(log, schedule), "user").names == ("unknown", "ann", "bob")
    assert found.jain == pytest.approx((1 + 4 + 10) ** 2 / (3 * (1 + 16 + 100)))


def test_a_log_without_users_has_no_fairness_between_them():
    groups = group_waits(*run([0.0, 1.0]))
    assert [each.by for each in groups] == ["size", "hour"]
    assert fairness(groups) is None


def test_jobs_that_never_start_are_counted_apart_and_have_no_wait():
    log, schedule = run([60.0, np.nan], user=[0, 1])
    users = by(group_waits(log, schedule), "user")
    assert (users.names, users.jobs.tolist(), users.unstarted.tolist()) == (("0", "1"), [1, 0], [0, 1])
    rows = list(users.rows())
    assert (rows[0]["mean_wait_s"], rows[1]["mean_wait_s"], rows[1]["p95_wait_s"]) == (60.0, None, None)
    assert fairness(group_waits(log, schedule)).users == 1


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1e4)), min_size=1, max_size=60))
def test_quantiles_of_a_group_are_those_of_its_waits_alone(rows):
    user, wait_s = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    log, schedule = run(wait_s, user=user)
    users = by(group_waits(log, schedule), "user")
    for name, p95_s, longest_s in zip(users.names, users.p95_wait_s, users.longest_wait_s, strict=True):
        own = waits(log, schedule)[user == int(name)]
        assert p95_s == pytest.approx(np.quantile(own, 0.95), abs=1e-6)
        assert longest_s == own.max()


def test_use_is_in_core_and_gpu_seconds_and_killed_and_lost_also_come_from_the_log():
    status = [STATUSES.index(word) for word in ("ok", "timeout", "node_fail")]
    bound = Constraints(partition=Named.of(["a", "b", "b"]), status=np.array(status, np.int32))
    log, schedule = run([0, 0, 0], cores=[1, 2, 4], gpus=[0, 1, 0], tasks=[2, 1, 1], constraints=bound)
    parts = by(group_waits(log, schedule), "partition")
    assert parts.names == ("a", "b")
    assert parts.core_s.tolist() == [200.0, 600.0]
    assert parts.gpu_s.tolist() == [0.0, 100.0]
    assert (parts.killed.tolist(), parts.lost_core_s.tolist()) == ([0, 1], [0.0, 400.0])


@given(st.lists(st.floats(0.1, 100), min_size=1, max_size=20), st.floats(0.1, 10))
def test_jain_is_between_one_over_n_and_one_and_has_no_unit(values, factor):
    index = jain(np.array(values))
    assert 1 / len(values) - 1e-9 <= index <= 1 + 1e-9
    assert index == pytest.approx(jain(factor * np.array(values)))
