"""A listing and a log in one table: names stand for the same, times lie on one clock."""

import numpy as np
import pytest

from loadmaster.forecast.joined_workload import joined_workload
from loadmaster.model import Constraints, Named, Workload
from loadmaster.model.dependencies import Dependencies


def jobs(submit_s, user, **bound):
    many = len(submit_s)
    return Workload.of(
        submit_s=submit_s,
        runtime_s=[60.0] * many,
        cores=[1] * many,
        user=user,
        constraints=Constraints(**bound) if bound else None,
    )


def test_jobs_of_both_lie_on_one_clock_in_the_order_of_arrival():
    both = joined_workload(jobs([0, 50], [0, 1]), jobs([0, 100, 200], [0, 0, 0]), apart_s=120.0)
    assert both.workload.submit_s.tolist() == [0, 100, 120, 170, 200]
    assert both.listing.tolist() == [2, 3]
    assert both.log.tolist() == [0, 1, 4]


def test_a_listing_that_begins_before_its_log_moves_the_log():
    both = joined_workload(jobs([0, 50], [0, 1]), jobs([0, 100], [0, 0]), apart_s=-30.0)
    assert both.workload.submit_s.tolist() == [0, 30, 50, 130]
    assert (both.listing_zero_s, both.log_zero_s) == (0.0, 30.0)


def test_without_dates_the_listing_comes_after_the_log():
    both = joined_workload(jobs([0], [0]), jobs([0, 100], [0, 0]))
    assert both.workload.submit_s.tolist() == [0, 100, 101]


def test_users_with_names_are_the_same_by_name():
    listing = jobs([0, 1], [0, 1], user_names=("ann", "ben"))
    log = jobs([0, 1, 2], [1, 0, -1], user_names=("ben", "cleo"))
    both = joined_workload(listing, log, apart_s=10.0)
    names = both.workload.constraints.user_names
    assert [names[user] if user >= 0 else None for user in both.workload.user] == ["cleo", "ben", None, "ann", "ben"]


def test_users_without_names_in_one_table_are_other_users():
    both = joined_workload(jobs([0, 1], [0, 1], user_names=("ann", "ben")), jobs([0, 1], [0, 1]), apart_s=10.0)
    assert set(both.workload.user[both.listing]) & set(both.workload.user[both.log]) == set()


def test_a_column_of_one_table_is_empty_in_the_other():
    listing = jobs([0, 1], [0, 1], partition=Named.of(["long", "short"]), eligible_s=np.array([0.0, 9.0]))
    log = jobs([0, 5], [0, 0], depends=Dependencies.of(["", "afterok:0"]), priority=np.array([3.0, 4.0]))
    both = joined_workload(listing, log, apart_s=100.0)
    bound = both.workload.constraints
    assert bound.partition.words() == [None, None, "long", "short"]
    assert bound.eligible_s.tolist() == [0.0, 5.0, 100.0, 109.0]
    assert [bound.depends.text(row) for row in range(4)] == ["", "afterok:0", "", ""]
    assert bound.priority.tolist() == [3.0, 4.0, 0.0, 0.0]


@pytest.mark.parametrize("apart_s", [None, 1e6])
def test_every_column_of_constraints_can_be_joined_with_a_table_that_lacks_it(apart_s):
    full = dict(
        partition=Named.of(["a"]),
        qos=Named.of(["a"]),
        name=Named.of(["a"]),
        priority=[1.0],
        nice=[1.0],
        hold=[0],
        array=[3],
        array_task=[0],
        throttle=[1],
        features=Named.of(["gpu"]),
        exclusive=[0],
        min_hosts=[1],
        max_hosts=[2],
        reservation=Named.of(["r"]),
        requeue=[True],
        restarts=[0],
        status=[0],
        limit_s=[60.0],
        follows=[-1],
        think_s=[0.0],
        account_names=("x",),
    )
    both = joined_workload(jobs([0], [0], **full), jobs([0], [0]), apart_s)
    given = set(both.workload.constraints.given)
    assert given == set(full) - {"follows", "think_s", "account_names"}
