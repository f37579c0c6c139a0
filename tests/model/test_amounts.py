"""What a job holds on its hosts, and when it gives that back."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.model.amounts import on_hosts, plus, rounded_up
from loadmaster.model.snapshot import ExpectedEnd, Running, ends_of

HOSTS = st.lists(st.integers(0, 4), max_size=12)


@given(hosts=HOSTS)
def test_tasks_hold_on_every_host_what_they_hold_one_by_one(hosts):
    held = dict.fromkeys(hosts, (0.0, 0.0))
    for host in hosts:
        held[host] = plus(held[host], (0.5, 3.0))
    assert dict(on_hosts(hosts, (0.5, 3.0))) == held


def test_the_tasks_of_a_job_on_one_host_end_as_one():
    running = Running(
        np.array([7, 3, 7, 7]),
        np.array([0, 1, 2, 0], np.int32),
        np.array([[1.0], [4.0], [1.0], [1.0]]),
        np.array([60.0, 50.0, 60.0, 60.0]),
        np.zeros(4, np.int32),
    )
    assert running.ends == [
        ExpectedEnd(50.0, 3, 1, (4.0,)),
        ExpectedEnd(60.0, 7, 0, (2.0,)),
        ExpectedEnd(60.0, 7, 2, (1.0,)),
    ]
    assert running.ends[1:] == list(ends_of(7, 60.0, (0, 2, 0), (1.0,)))


def test_amounts_that_do_not_add_up_exactly_are_rounded_up_to_what_they_are_on_paper():
    tenths = sum([0.1] * 10)
    assert tenths < 10 * 0.1 <= rounded_up([tenths])[0]
