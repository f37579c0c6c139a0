"""On how many hosts tasks may lie, against every way of laying them out."""

from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.model.host_count import HostsAsked


def layouts(asked, held, before=()):
    """Every way to lay all tasks out, those `before` first, as one tuple of hosts each, ascending behind `before`."""
    for rest in combinations_with_replacement(range(len(held)), asked.tasks - len(before)):
        count = np.bincount([*before, *rest], minlength=len(held))
        hosts = int((count > 0).sum())
        if (count <= held).all() and hosts >= asked.least and (not asked.most or hosts <= asked.most):
            yield rest


@st.composite
def asked_and_held(draw):
    tasks, least = draw(st.integers(1, 5)), draw(st.integers(0, 4))
    most = draw(st.sampled_from([0, 0, 1, 2, 3, 4]))
    held = draw(st.lists(st.integers(0, 4), min_size=1, max_size=5))
    return HostsAsked(tasks, least, most), np.array(held, float)


@settings(max_examples=300)
@given(asked_and_held())
def test_hosts_fit_a_job_exactly_if_its_tasks_can_be_laid_out_on_them(case):
    asked, held = case
    assert asked.fit(held) == any(True for _ in layouts(asked, held))


@settings(max_examples=300)
@given(asked_and_held(), st.randoms(use_true_random=False))
def test_the_next_task_may_go_exactly_where_the_others_can_follow(case, draw):
    asked, held = case
    before = []
    left = held.copy()
    while len(before) < asked.tasks:
        used = np.isin(np.arange(len(held)), before)
        may = asked.ways_on(left, used, len(before))
        by_trial = [
            left[host] >= 1 and any(True for _ in layouts(asked, held, (*before, host))) for host in range(len(held))
        ]
        assert may.tolist() == by_trial
        if not may.any():
            break
        host = draw.choice(np.flatnonzero(may).tolist())
        before.append(host)
        left[host] -= 1


@pytest.mark.parametrize(
    ("asked", "binds"),
    [
        (HostsAsked(4), False), (HostsAsked(4, 1, 4), False), (HostsAsked(4, 0, 9), False), (HostsAsked(4, 2), True),
        (HostsAsked(4, 0, 3), True),
    ],
)  # fmt: skip
def test_only_what_differs_from_room_for_all_tasks_binds(asked, binds):
    assert asked.binds == binds


def test_a_job_with_fewer_tasks_than_the_hosts_it_asks_for_fits_nowhere():
    assert not HostsAsked(tasks=2, least=3).fit(np.full(9, 9.0))
