"""Orders as text: what is written is what was tried, and terms of no weight are not there."""

import math

import numpy as np
import pytest

from loadmaster.order.job import Job
from loadmaster.tuning.orders import PATIENCE, first_orders, order_knobs, order_text

KNOBS = order_knobs(7 * 3600.0, memory=True)
JOB = Job(100.0, 100.0, 64.0, 1, 8.0, 1024.0, 0, 0, 0, 0, 0.0, 0.0)


def rank_of(values):
    made = {}
    exec(order_text(KNOBS, values), made)
    return made["rank"]


def zero(**terms):
    values = {knob.name: 0.0 for knob in KNOBS if knob.off is not None}
    return {**values, **{f"order.{name}": value for name, value in terms.items()}}


@pytest.mark.parametrize(
    ("terms", "rank"),
    [
        ({"length": 0.5}, 3.0), ({"width": -1.0}, -3.0), ({"memory": 0.1}, 1.0), ({"wait": -1.0}, -math.log2(64.0)),
        ({"stretch": -2.0}, -2 * math.log2(1 + 63 / 64)), ({"age": -1.0}, -63 / 86400), ({}, -63.0),
        ({"length": 1.0, "width": 1.0}, 9.0),
    ],
)  # fmt: skip
def test_each_term_is_what_the_rules_say(terms, rank):
    assert rank_of(zero(**terms))(JOB, 163.0) == pytest.approx(rank)


def test_who_has_waited_beyond_the_patience_goes_first_in_order_of_arrival():
    rank = rank_of({**zero(length=1.0), PATIENCE: 1})
    later = JOB._replace(submit_s=200.0, expected_s=1.0)
    assert rank(JOB, 4000.0) < rank(later, 4000.0) < rank(JOB._replace(submit_s=3000.0), 4000.0)
    assert rank(JOB, 100.0 + 3600.0) == 6.0


def test_terms_of_no_weight_and_no_patience_are_left_out():
    text = order_text(KNOBS, zero(length=0.25))
    assert "LENGTH = 0.25" in text
    assert "WIDTH" not in text
    assert "PATIENCE" not in text


def test_patience_ends_at_the_longest_wait_that_is_allowed_and_every_first_order_is_in_range():
    patience = next(knob for knob in KNOBS if knob.name == PATIENCE)
    assert patience.high == 7
    for values in first_orders(KNOBS):
        assert set(values) == {knob.name for knob in KNOBS}
        assert all(knob.low <= values[knob.name] <= knob.high for knob in KNOBS)


def test_a_log_without_waits_can_be_searched_too():
    assert next(knob for knob in order_knobs(0.0, memory=False) if knob.name == PATIENCE).high == 2
    assert np.isfinite(rank_of({**zero(), PATIENCE: 2})(JOB, 100.0))
