"""The free capacity of one host over time, worked out by hand and beside a sum over what is held at each moment."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.backfilling.availability import Availability
from loadmaster.model.snapshot import ExpectedEnd


def test_tasks_that_end_at_one_moment_give_back_their_amounts_in_one_step():
    ends = [ExpectedEnd(5.0, 0, 3, (1.0, 2.0)), ExpectedEnd(5.0, 1, 3, (1.0, 0.0)), ExpectedEnd(9.0, 2, 3, (2.0, 1.0))]
    host = Availability(1.0, (0.0, 1.0), ends)
    assert host.moments() == [1.0, 5.0, 9.0]
    assert host.least(1.0, 5.0) == (0.0, 1.0)
    assert host.least(5.0, 9.0) == (2.0, 3.0)
    assert host.most == (4.0, 4.0)
    assert host.first_fit((2.0, 2.0), 100.0) == 5.0
    assert host.first_fit((5.0, 0.0), 1.0) == math.inf


PIECES = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 10), st.integers(0, 3)), max_size=8)


@settings(max_examples=100, deadline=None)
@given(ends=PIECES, holds=PIECES, released=st.integers(0, 8), window=st.tuples(st.integers(0, 25), st.integers(1, 10)))
def test_the_least_of_a_window_is_the_least_of_its_moments(ends, holds, released, window):
    ends = sorted(
        ExpectedEnd(float(1 + end_s), job, 0, (float(amount),)) for job, (end_s, _, amount) in enumerate(ends)
    )
    host = Availability(0.0, (10.0,), ends)
    for start_s, lasts_s, amount in holds:
        host.hold(float(start_s), float(start_s + lasts_s), (float(amount),))
    for start_s, lasts_s, amount in holds[:released]:
        host.release(float(start_s), float(start_s + lasts_s), (float(amount),))

    def free_at(time_s):
        given_back = sum(end.demand[0] for end in ends if end.end_s <= time_s)
        return 10.0 + given_back - sum(held for at, lasts, held in holds[released:] if at <= time_s < at + lasts)

    start_s, end_s = window[0], window[0] + window[1]
    assert host.least(float(start_s), float(end_s)) == (min(map(free_at, range(start_s, end_s))),)
