"""The compiled engine under the planner makes the run that the plain one makes, to the bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.sim.bags.repetitions import repeat
from loadmaster.sizing import HostType, Planner

times = st.floats(0.0, 5000.0) | st.sampled_from([1.0, 10.0, 30.0, 600.0, 3600.0])
bags = st.lists(times, min_size=1, max_size=40).map(lambda row: np.array([row]))
kinds = st.lists(
    st.builds(
        HostType,
        st.just("m"),
        st.sampled_from([0.3, 1.0, 2.5]),
        st.sampled_from([0.5, 1.0, 1.7]),
        st.sampled_from([0.0, 10.0, 45.0]),
        st.sampled_from([1.0, 60.0, 3600.0]),
        st.sampled_from([0.0, 90.0]),
        limit=st.sampled_from([1, 3, 1000]),
    ),
    min_size=1,
    max_size=3,
).map(tuple)
guesses = st.none() | st.sampled_from([5.0, 300.0])
ticks = st.sampled_from([10.0, 61.0, float("inf")])
planners = st.one_of(
    st.builds(Planner, guess_s=guesses, tick_s=ticks),
    st.builds(Planner, budget=st.sampled_from([0.0, 2.0, 9.0, 40.0]), guess_s=guesses, tick_s=ticks),
    st.builds(Planner, deadline_s=st.sampled_from([1.0, 900.0, 7200.0]), guess_s=guesses, tick_s=ticks),
)


@settings(max_examples=200, deadline=None)
@given(bags, planners, kinds)
def test_any_bag_under_any_goal_on_any_types_is_the_same_run(durations, planner, types):
    fast = repeat(durations, planner, types)
    plain = repeat(durations, planner, types, plain=True)
    for column in ("span_s", "hosts", "cost"):
        np.testing.assert_array_equal(getattr(fast, column), getattr(plain, column))


GOALS = {"neither": Planner(), "budget": Planner(budget=20.0), "deadline": Planner(deadline_s=3000.0)}


@pytest.mark.parametrize("planner", GOALS.values(), ids=GOALS)
def test_a_bag_of_some_hundred_tasks_is_the_same_run(planner):
    durations = np.random.default_rng(5).lognormal(4.5, 0.8, (2, 240))
    fast, plain = repeat(durations, planner), repeat(durations, planner, plain=True)
    for column in ("span_s", "hosts", "cost"):
        np.testing.assert_array_equal(getattr(fast, column), getattr(plain, column))


@pytest.mark.parametrize("planner", GOALS.values(), ids=GOALS)
def test_one_long_task_among_short_ones_is_the_same_run_though_looks_are_passed_over(planner):
    durations = np.array([[5.0] * 12 + [20000.0] + [7.0] * 12])
    fast, plain = repeat(durations, planner), repeat(durations, planner, plain=True)
    for column in ("span_s", "hosts", "cost"):
        np.testing.assert_array_equal(getattr(fast, column), getattr(plain, column))


def test_a_subclass_of_the_planner_decides_for_itself():
    class Two(Planner):
        def decide(self, snapshot):
            from loadmaster.sizing import FixedHosts

            return FixedHosts(2).decide(snapshot)

    assert repeat(np.full((1, 50), 600.0), Two()).hosts.tolist() == [2]
