"""Every order on one small log (starts worked out by hand and by three programs), and what each puts first."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.order import ORDERS, Job
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named as named
from loadmaster.sim.queue import simulate

LOG = [
    (100000, 8, 4800), (100600, 6, 10200), (100600, 4, 7800), (102400, 6, 4200), (102400, 3, 9600), (103000, 2, 4200),
    (103000, 5, 7800), (104800, 1, 9600),
]  # fmt: skip
"""Arrival, cores, runtime."""
STARTS = {
    "fcfs+none": [0, 4800, 4800, 15000, 15000, 19200, 19200, 23400],
    "fcfs+skip": [0, 4800, 15000, 16800, 7200, 3000, 21000, 4800],
    "fcfs+easy": [0, 4800, 7200, 15000, 15000, 3000, 19200, 15000],
    "sjf+easy": [0, 16800, 7200, 4800, 15000, 3000, 9000, 9000],
    "smallest+easy": [0, 20400, 4800, 30600, 4800, 3000, 12600, 4800],
    "largest+easy": [0, 4800, 16800, 15000, 7200, 3000, 19200, 4800],
    "area+easy": [0, 24600, 9000, 4800, 7200, 3000, 16800, 4800],
    "wfp3+easy": [0, 9000, 7200, 4800, 15000, 3000, 19200, 15000],
    "unicef+easy": [0, 24600, 4800, 12600, 7200, 3000, 16800, 7200],
    "f1+easy": [0, 12600, 4800, 30600, 4800, 3000, 22800, 4800],
    "f2+easy": [0, 16800, 4800, 12600, 4800, 3000, 27000, 4800],
    "f3+easy": [0, 7200, 4800, 17400, 12600, 3000, 21600, 12600],
    "f4+easy": [0, 22800, 7200, 4800, 9000, 3000, 15000, 9000],
}
"""Start - 100,000 s of every job."""


def log():
    submit, cores, runtime = zip(*LOG, strict=True)
    return Workload.of(submit_s=submit, runtime_s=runtime, cores=cores)


@pytest.mark.parametrize(("discipline", "starts"), STARTS.items())
def test_the_log_is_served_on_one_host_as_worked_out(discipline, starts):
    found = simulate(log(), Cluster.uniform(1, cores=10), POLICIES["first-fit"], named(discipline), interval_s=0)
    assert (found.start_s - 100000).tolist() == starts


@pytest.mark.parametrize(("discipline", "starts"), STARTS.items())
def test_ten_hosts_of_one_core_are_served_as_one_of_ten(discipline, starts):
    submit, tasks, runtime = zip(*LOG, strict=True)
    spread = Workload.of(submit_s=submit, runtime_s=runtime, cores=[1] * len(LOG), tasks=tasks)
    found = simulate(spread, Cluster.uniform(10, cores=1), POLICIES["first-fit"], named(discipline), interval_s=0)
    assert (found.start_s - 100000).tolist() == starts


def job(**given):
    zero = dict.fromkeys(Job._fields, 0)
    return Job(**{**zero, "expected_s": 60.0, "cores": 4.0, "tasks": 1, **given})


@pytest.mark.parametrize(
    ("order", "first", "second", "now"),
    [
        ("priority", {"priority": 7.0, "submit_s": 9.0}, {"priority": -1.0}, 10.0),
        ("ljf", {"expected_s": 61.0}, {}, 10.0),
        ("srf", {"expected_s": 90.0, "cores": 8.0}, {}, 10.0),
        ("lxf", {"expected_s": 30.0}, {}, 10.0),
        ("wfp3", {"cores": 8.0}, {}, 10.0),
        ("wfp3", {"expected_s": 30.0}, {"cores": 31.0}, 10.0),
        ("unicef", {"cores": 1.0, "expected_s": 1e6}, {"cores": 2.0, "expected_s": 1.0}, 10.0),
        ("unicef", {"cores": 1.0, "expected_s": 60.0}, {"cores": 1.0, "expected_s": 61.0}, 10.0),
        ("f1", {"submit_s": 10.0}, {"submit_s": 11.0}, 20.0),
    ],
)
def test_what_goes_first(order, first, second, now):
    rank = ORDERS[order].rank
    assert rank(job(**first), now) < rank(job(**second), now)


def test_jobs_of_less_than_a_second_are_stretched_as_if_they_took_one():
    rank = ORDERS["lxf"].rank
    assert rank(job(expected_s=0.25), 10.0) == rank(job(expected_s=1.0), 10.0) == -11.0


def test_in_the_form_of_cobalt_all_jobs_of_up_to_64_cores_and_a_minute_are_alike():
    rank = ORDERS["unicef"].in_form("cobalt").rank
    assert rank(job(cores=1.0, expected_s=1.0), 600.0) == rank(job(cores=64.0), 600.0) == -10.0
    assert rank(job(cores=65.0), 600.0) == -5.0


def test_the_form_is_a_parameter():
    assert named("unicef(form=cobalt)+easy").order == ORDERS["unicef"].in_form("cobalt")
    assert named("unicef").order is ORDERS["unicef"]
    for spec, says in (
        ("unicef(form=blue)", "log2 or cobalt"),
        ("unicef(heads=2)", "it has form"),
        ("sjf(form=log2)", "no param"),
    ):
        with pytest.raises(InputError, match=says):
            named(spec)


@given(wait=st.floats(0, 1e9), expected=st.floats(0, 1e9), cores=st.floats(0, 1e6), submit=st.floats(0, 1e9))
def test_no_job_is_without_a_rank(wait, expected, cores, submit):
    each = job(submit_s=submit, expected_s=expected, cores=cores)
    for order in ORDERS.values():
        for rank in (order.rank, *dict(order.forms).values()):
            assert np.isfinite(rank(each, submit + wait))


@given(st.floats(1, 1e6), st.floats(1, 1e4), st.floats(0, 1e6), st.floats(1, 1e6))
def test_a_rank_that_does_not_move_is_the_same_at_any_time_and_one_that_moves_falls(expected, cores, now, later):
    each = job(expected_s=expected, cores=cores)
    for order in ORDERS.values():
        early, late = order.rank(each, now), order.rank(each, now + later)
        assert early >= late if order.moves else early == late
