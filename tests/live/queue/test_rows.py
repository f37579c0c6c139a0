"""One job of a listing, understood: where it is, how long it should take, when it came."""

import numpy as np

from loadmaster.live.queue.rows import (
    alike,
    as_asked,
    as_known,
    expected_s,
    hosts_in,
    row_on_run_clock,
    state_of,
    what_it_is,
)
from loadmaster.live.session.engine import CLAIMED, ENDING, HELD, RUNNING
from loadmaster.model import Cluster

NAMES = ["a", "b", "c"]


def test_a_job_does_what_its_furthest_task_does_and_one_that_ends_counts_as_running():
    assert [state_of({"state": states}) for states in ([HELD, CLAIMED], [HELD, RUNNING], [ENDING])] == [1, 2, 2]


def test_a_task_is_where_it_runs_else_where_it_is_pinned_else_with_the_others():
    row = {"host": [1, -1, -1], "pin": [0, 2, -1]}
    assert hosts_in(row, NAMES) == ("b", "c", "b")
    assert hosts_in(row, NAMES, pinned=True) == ("a", "c", "a")


def test_the_slowest_host_says_how_long_a_job_takes():
    cluster = Cluster(("cores",), [[1.0]] * 3, ("a", "b", "c"), np.array([1.0, 0.5, 2.0]))
    assert expected_s({"estimate_s": 60.0, "runtime_s": 1.0}, ("c",), cluster) == 30.0
    assert expected_s({"runtime_s": 60.0}, ("c", "b"), cluster) == 120.0


def test_what_came_while_a_cycle_was_at_work_came_as_it_began_and_nothing_came_before_the_origin():
    came = [row_on_run_clock({"submit_s": at_s}, 1000.0, 30.0)["submit_s"] for at_s in (990.0, 1020.0, 1031.0)]
    assert came == [0.0, 20.0, 30.0]
    assert row_on_run_clock({"submit_s": 1000.0, "eligible_s": 1050.0}, 1000.0, 30.0)["eligible_s"] == 50.0


def test_what_a_job_is_leaves_out_what_it_does():
    assert what_it_is({"tasks": 2, "state": [0, 0], "host": [-1, -1]}) == {"tasks": 2}
    assert what_it_is(None) is None


def test_a_cluster_without_a_calendar_is_the_same_on_any_clock():
    cluster = Cluster.uniform(1, cores=1)
    assert cluster.calendar_moved(-1000.0) is cluster


WAITS = {"state": [HELD], "submit_s": 0.0, "eligible_s": 0.0, "priority": 0.0, "demand": [8.0], "exclusive": 2}


def test_rows_of_several_listings_say_nothing_of_what_their_own_left_out():
    several = {"submit_s": 0.0, "runtime_s": 5.0, "tasks": 2, "min_hosts": 2, "features": "big", "state": [0, 0]}
    first, second = alike([{"submit_s": 1.0, "runtime_s": 9.0, "limit_s": "inf", "eligible_s": 3.0}, several])
    assert first == {
        "submit_s": 1.0,
        "runtime_s": 9.0,
        "limit_s": "inf",
        "eligible_s": 3.0,
        "tasks": 1,
        "min_hosts": 0,
        "features": None,
    }
    assert (second["eligible_s"], second["limit_s"], second["min_hosts"]) == (0.0, np.inf, 2)


def test_a_job_that_runs_is_known_by_what_it_asked_for_as_it_waited():
    runs = WAITS | {"state": [RUNNING], "priority": 5.0, "demand": [3.0], "exclusive": 0}
    assert as_asked(WAITS, runs, 9.0) == WAITS | {"state": [RUNNING]}
    assert as_asked(None, runs, 9.0) == runs


def test_a_job_may_begin_when_that_was_first_seen():
    waits = WAITS | {"eligible_s": np.inf}
    freed = as_asked(waits, WAITS, 20.0)
    assert (as_asked(waits, waits, 20.0)["eligible_s"], freed["eligible_s"]) == (np.inf, 20.0)
    assert as_asked(freed, WAITS, 30.0)["eligible_s"] == 20.0
    assert as_asked(WAITS | {"hold": 1}, WAITS | {"hold": 0}, 20.0)["eligible_s"] == 20.0


def test_what_was_held_later_waited_before_and_a_limit_of_an_array_is_kept():
    found = as_asked(WAITS | {"hold": 0, "throttle": 2}, WAITS | {"hold": 1, "throttle": 0}, 9.0)
    assert (found["hold"], found["throttle"]) == (0, 2)


def test_a_job_that_was_sent_back_came_when_it_was_submitted_first():
    """Slurm counts its submission anew."""
    before, back = {"state": [0], "submit_s": 10.0}, {"state": [0], "submit_s": 70.0}
    assert as_known(before, back, 70.0, waited=True)["submit_s"] == 10.0
    assert as_asked(before, back, 70.0)["submit_s"] == 10.0
