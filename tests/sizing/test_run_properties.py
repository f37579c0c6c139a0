"""What must hold of any run of a bag, whatever the sizer, the machines and the luck."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.sim.bags.reference import World, replay_bag, run_bag
from loadmaster.sizing import BagLedger, FixedHosts, HostType, SilvaRule

durations = st.lists(st.floats(1.0, 5000.0), min_size=1, max_size=40).map(np.array)
sizers = st.one_of(
    st.builds(FixedHosts, st.integers(1, 10)),
    st.builds(
        SilvaRule,
        st.sampled_from([0.0, 0.5, 1.0]),
        st.sampled_from([0.0, 0.5, 1.0]),
        overrun=st.sampled_from(["finish", "nostart", "kill"]),
        possible=st.sampled_from(["floor", "real"]),
        condition=st.sampled_from(["ge", "gt"]),
        c_update=st.sampled_from(["in_if", "every"]),
        tick_s=st.sampled_from([60.0, math.inf]),
    ),
)
kinds = st.builds(
    HostType,
    price_per_h=st.sampled_from([0.5, 1.0]),
    speed=st.sampled_from([0.5, 1.0, 2.0]),
    boot_s=st.sampled_from([0.0, 90.0]),
    unit_s=st.sampled_from([1.0, 60.0, 3600.0]),
    minimum_s=st.sampled_from([0.0, 60.0]),
    interruptions_per_h=st.sampled_from([0.0, 0.5]),
)


@settings(max_examples=150, deadline=None)
@given(durations, sizers, kinds, st.integers(0, 5))
def test_every_task_is_done_once_and_no_less_than_the_work_is_paid_for(duration_s, sizer, kind, seed):
    if kind.interruptions_per_h:
        duration_s = np.minimum(duration_s, 1000.0)  # else a long task may never end on such machines
    world = World(duration_s, (kind,), seed)
    run = run_bag(world, sizer)
    assert sorted(event.task for event in run.events if event.kind == "finished") == list(range(len(duration_s)))
    assert run.span_s == max(run.end_s)
    assert sum(row.busy_s for row in run.hosts) * kind.speed >= run.work_s * (1 - 1e-9)
    assert run.cost >= run.work_s / kind.speed / 3600 * kind.price_per_h * (1 - 1e-9)
    assert run.cost == pytest.approx(sum(kind.cost(row.released_s - row.rented_s) for row in run.hosts))


@settings(max_examples=100, deadline=None)
@given(durations, sizers, kinds)
def test_no_machine_idles_beyond_the_unit_that_is_paid(duration_s, sizer, kind):
    kind = HostType(boot_s=kind.boot_s, unit_s=kind.unit_s, minimum_s=kind.minimum_s)
    run = run_bag(World(duration_s, (kind,)), sizer)
    for row in run.hosts:
        ends = [event.time_s for event in run.events if event.host == row.host and event.kind == "finished"]
        last_busy = max([row.rented_s, *ends])
        assert row.released_s - last_busy <= kind.paid_left_s(last_busy - row.rented_s) + max(kind.boot_s, 1e-6)


@settings(max_examples=100, deadline=None)
@given(durations, sizers, kinds, st.integers(0, 5))
def test_a_run_replayed_from_its_events_takes_the_same_decisions(duration_s, sizer, kind, seed):
    duration_s = np.minimum(duration_s, 1000.0)
    run = run_bag(World(duration_s, (kind,), seed), sizer)
    again = replay_bag(run.events, run.decisions, BagLedger((kind,), len(duration_s)), sizer)
    assert tuple(again) == run.decisions


def test_a_stopped_task_is_run_again_and_the_bag_still_ends():
    run = run_bag(World(np.full(40, 500.0)), SilvaRule(1.0, 0.0, overrun="kill", tick_s=math.inf))
    assert run.reruns > 0
    assert all(row.released_s - row.rented_s <= 3600.0 + 1e-6 for row in run.hosts)


def test_a_task_longer_than_the_unit_still_ends_under_kill():
    assert run_bag(World(np.full(3, 5000.0)), SilvaRule(1.0, 0.0, overrun="kill")).reruns == 0
