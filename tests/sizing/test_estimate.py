"""What is believed about the work left: compiled equals plain, and it is right as often as it says."""

import heapq
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.model.bag import BagLaw
from loadmaster.sizing import Planner
from loadmaster.sizing.estimate import work_left as plain
from loadmaster.sizing.estimate_kernel import work_left

LEVELS = Planner().levels
times = st.floats(1.0, 3000.0)


@settings(max_examples=120)
@given(st.lists(times, max_size=40), st.lists(times, min_size=1, max_size=12), st.integers(0, 300))
def test_the_compiled_estimate_equals_the_plain_one_but_for_the_rounding_of_exp_and_erfc(finished, ages, fresh):
    given_ = (np.array(finished), np.array(ages), fresh, math.log(60), 2.0, 5.0, LEVELS)
    fast, slow = work_left(*given_), plain(*given_)
    assert fast.mean_s == pytest.approx(slow.mean_s, rel=1e-10)
    assert fast.sd_s == pytest.approx(slow.sd_s, rel=1e-9)
    assert fast.work_s == pytest.approx(slow.work_s, rel=1e-8)


def test_running_tasks_count_as_lasting_at_least_as_long_as_they_have():
    finished = np.full(5, 30.0)
    young = work_left(finished, np.array([1.0, 1.0, 1.0]), 50, math.log(60), 2.0, 5.0, LEVELS)
    old = work_left(finished, np.array([500.0, 500.0, 500.0]), 50, math.log(60), 2.0, 5.0, LEVELS)
    assert old.mean_s > 3 * young.mean_s


@pytest.mark.parametrize("law", [BagLaw("normal", (150.0, 30.0), 256), BagLaw("exponential", (200.0,), 256)])
@pytest.mark.parametrize("results", [20, 80])
def test_the_work_left_lies_above_the_stated_level_as_often_as_stated(law, results):
    above = [left > believed.work_s for left, believed in (_moment(law, results, seed) for seed in range(150))]
    share = np.mean(above, axis=0)
    for index, low in ((1, 0.6), (5, 0.0)):  # levels 3/14 and 11/14
        assert low <= share[index] <= (1.0 if index == 1 else 0.36)


def _moment(law, results, seed, machines=10):
    duration = law.draw(np.random.default_rng(seed))
    ends = [(duration[k], k) for k in range(machines)]
    heapq.heapify(ends)
    started = dict.fromkeys(range(machines), 0.0)
    finished, nxt, now = [], machines, 0.0
    while len(finished) < results:
        now, task = heapq.heappop(ends)
        finished.append(duration[task])
        del started[task]
        started[nxt] = now
        heapq.heappush(ends, (now + duration[nxt], nxt))
        nxt += 1
    ages = np.array([now - began for began in started.values()])
    left = duration[nxt:].sum() + sum(duration[task] - (now - began) for task, began in started.items())
    return left, work_left(np.array(finished), ages, law.tasks - nxt, math.log(60), 2.0, 5.0, LEVELS)
