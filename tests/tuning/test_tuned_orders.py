"""Orders as text: what is written is what was tried, and terms of no weight are not there."""

import math

import numpy as np
import pytest

from loadmaster.order.job import Backlog, Job
from loadmaster.tuning.orders import AGEING, first_orders, order_knobs, order_text

KNOBS = order_knobs(7 * 3600.0, memory=True)
JOB = Job(100.0, 100.0, 64.0, 1, 8.0, 1024.0, 0, 0, 0, 0, 0.0, 0.0)


def rank_of(values):
    made = {}
    exec(order_text(KNOBS, values, 32.0), made)
    return made["rank"]


def zero(**terms):
    values = {knob.name: 0.0 for knob in KNOBS if knob.off is not None}
    return {**values, **{f"order.{name}": value for name, value in terms.items()}}


@pytest.mark.parametrize(
    ("terms", "rank"),
    [
        ({"length": 0.5}, 3.0), ({"width": -1.0}, -3.0), ({"memory": 0.1}, 1.0), ({"wait": -1.0}, -math.log2(64.0)),
        ({"stretch": -2.0}, -2 * math.log2(1 + 63 / 64)), ({}, -63.0), ({"length": 1.0, "width": 1.0}, 9.0),
    ],
)  # fmt: skip
def test_each_term_is_what_the_rules_say(terms, rank):
    assert rank_of(zero(**terms))(JOB, 163.0) == pytest.approx(rank)


def test_ageing_grows_with_the_square_of_the_wait_beside_the_weights():
    rank = rank_of({**zero(length=0.5), AGEING: 2})
    assert [rank(JOB, 100.0 + 3600.0 * hours) for hours in (0, 2, 4, 20)] == [3.0, 2.0, -1.0, -97.0]


def test_ageing_is_longer_by_a_part_of_the_time_that_the_machines_need_for_all_that_waits():
    rank = rank_of({**zero(length=0.5, backlog=0.25), AGEING: 2})
    ten_hours = Backlog(7, 10 * 3600.0 * 32.0, 50.0)
    assert [rank(JOB, 100.0 + 3600.0 * hours, ten_hours) for hours in (0, 4.5, 9)] == [3.0, 2.0, -1.0]
    assert rank(JOB, 100.0 + 3600.0 * 2, Backlog(1, 0.0, 0.0)) == 2.0


def test_with_ageing_a_large_job_goes_before_small_ones_that_came_much_later_and_not_before():
    rank = rank_of({**zero(length=1.0, width=1.0), AGEING: 10})
    large, small = JOB._replace(submit_s=0.0, expected_s=2.0**16), JOB._replace(expected_s=2.0**4)
    goes_first = [rank(large, now) < rank(small._replace(submit_s=now), now) for now in (3600.0 * 34, 3600.0 * 35)]
    assert goes_first == [False, True]  # twelve doublings are 34.6 hours


@pytest.mark.parametrize("part", [0.0, 0.25])
def test_terms_of_no_weight_are_left_out_and_the_backlog_with_the_ageing(part):
    text = order_text(KNOBS, zero(length=0.25, backlog=part), 32.0)
    assert "LENGTH = 0.25" in text
    assert "WIDTH" not in text
    assert "BACKLOG" not in text
    assert "rank(job, now)" in text
    assert "AGEING" not in text


def test_ageing_ends_at_the_longest_wait_that_is_allowed_and_every_first_order_is_in_range():
    ranges = [
        {knob.name: (knob.low, knob.high) for knob in each if knob.off is None}
        for each in (KNOBS, order_knobs(160 * 3600.0, memory=False))
    ]
    assert ranges == [{AGEING: (1, 7)}, {AGEING: (5, 160)}]
    assert len({order_text(KNOBS, values, 32.0) for values in first_orders(order_knobs(1e6, memory=True))}) == 8
    for values in first_orders(KNOBS):
        assert set(values) == {knob.name for knob in KNOBS}
        assert all(knob.low <= values[knob.name] <= knob.high for knob in KNOBS)


def test_a_log_without_waits_can_be_searched_too():
    assert next(knob for knob in order_knobs(0.0, memory=False) if knob.name == AGEING).high == 2
    assert np.isfinite(rank_of({**zero(), AGEING: 2})(JOB, 100.0))
