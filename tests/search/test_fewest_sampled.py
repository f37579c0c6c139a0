"""How many machines other logs would need (rule D15)."""

import numpy as np
import pytest

from loadmaster.model import Cluster, Workload
from loadmaster.runs import Case, Setting, Threads
from loadmaster.runs.samples import Drawing, run_samples
from loadmaster.search.fewest import Target, fewest, on_number
from loadmaster.search.fewest_sampled import _between, needed
from loadmaster.traces.host_range import range_of

TARGET = Target(p95_s=40.0)
RULE = Setting("first-fit", interval_s=0.0)
SHAKEN = Drawing("shake", 4)


@pytest.fixture(scope="module")
def case():
    rng = np.random.default_rng(2)
    submit_s = np.sort(rng.integers(0, 6000, 150)).astype(float)
    work = Workload.of(submit_s=submit_s, runtime_s=rng.integers(20, 400, 150), cores=rng.integers(1, 4, 150))
    return Case(work, Cluster.uniform(60, cores=4))


def test_each_sample_has_the_number_that_trying_all_of_them_finds(case):
    machines = range_of("1..60x4c")
    (found,) = fewest(case, machines, [RULE], TARGET, None, Threads(1))
    told = needed(case, found, TARGET, SHAKEN, 6, None, Threads(1))
    for sample, number in enumerate(told.numbers):
        runs = {
            n: run_samples(on_number(case, machines, n), [RULE], SHAKEN, [sample], None, Threads(1))[0][0]
            for n in (number - 1, number)
        }
        assert [TARGET.met_by(runs[n]) for n in (number - 1, number)] == [False, True]
    assert told.low <= min(told.numbers) <= max(told.numbers) <= told.high
    assert told.met_in == sum(number <= found.number for number in told.numbers) / 6
    assert told.because  # shaken arrivals give no interval, and it says why


def test_samples_that_need_more_than_the_most_are_said_to_and_no_number_is_made_up(case):
    (found,) = fewest(case, range_of("1..60x4c"), [RULE], TARGET, None, Threads(1))
    just = range_of(f"1..{found.number}x4c")
    (same,) = fewest(case, just, [RULE], TARGET, None, Threads(1))
    told = needed(case, same, TARGET, Drawing("shake", 5), 12, None, Threads(1))
    assert same.number == found.number
    assert (None in told.numbers) == (told.met_in < 1)
    assert told.high is None or told.high <= found.number


def test_of_many_samples_the_middle_is_taken_of_few_the_spread():
    assert _between(list(range(1, 101)), 50, "users", 10) == (2, 99, "percentile")
    assert _between([*range(1, 98), None, None, None], 50, "users", 10) == (2, None, "percentile")
    assert _between([20, 21, None], 21, "users", 8) == (20, None, "range")
    low, high, how = _between([20, 21, 22, 20, 21], 21, "users", 8)
    assert how == "spread"
    assert low < 20
    assert high > 22
