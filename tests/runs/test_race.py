"""A race adds samples where they decide, and stops when it is sure or out of time."""

import numpy as np
import pytest

from loadmaster.runs.race import race
from loadmaster.runs.samples import Drawing, SampleRun

SEEDS = Drawing("seeds")


def drawer(levels, noise=0.2, calls=None, seed=0, kept=0, clock=None):
    """Mean waits around exp(level); what one sample does to all rules is the same for all.

    The samples before number `kept` were made before, and cost nothing; each other run takes a second of `clock`.
    """

    def draw(rules, numbers):
        if calls is not None:
            calls.append((tuple(rules), len(numbers)))
        rows = [[] for _ in rules]
        for n in numbers:
            rng = np.random.default_rng((seed, n))
            common, own = rng.normal(0, 1), rng.normal(0, noise, len(levels))
            for row, k in zip(rows, rules, strict=True):
                row.append(SampleRun(10, 0, 0, {"mean_wait_s": float(np.exp(levels[k] + common + own[k]))}))
        made = len(rules) * sum(n >= kept for n in numbers)
        if clock is not None:
            clock.now += made
        return rows, made

    return draw


class Clock:
    """Each look at it, a second has passed."""

    def __init__(self, step=1.0):
        self.now, self.step = 0.0, step

    def __call__(self):
        self.now += self.step
        return self.now


def test_a_clear_best_ends_the_race_at_the_first_look():
    found = race(drawer([0, -2]), 2, SEEDS, 1e9, Clock())
    assert (found.ending, found.looks, found.samples) == ("best", (1, 1), 10)


def test_only_rules_that_may_be_the_best_are_run_on_more_samples():
    calls = []
    found = race(drawer([0, -0.15, 2], calls=calls), 3, SEEDS, 1e9, Clock())
    assert calls[0] == ((0, 1, 2), 10)
    assert all(set(rules) == {0, 1} for rules, _ in calls[1:])
    assert len(found.runs[2]) == 10
    assert found.looks[2] == 1
    assert (found.ending, len(found.runs[0])) == ("best", found.samples)


def test_equal_rules_race_until_the_time_is_up_and_no_look_is_begun_that_would_not_end_in_it():
    calls, clock = [], Clock(step=0.0)
    found = race(drawer([0, 0], noise=1.0, calls=calls, clock=clock), 2, SEEDS, 100.0, clock)
    assert found.ending == "time"
    assert [count for _, count in calls] == [10, 10, 20]


@pytest.mark.parametrize(("kept", "samples", "more"), [(0, 40, 0), (160, 160, 10), (165, 160, 10), (175, 160, 20)])
def test_what_was_kept_from_before_does_not_make_a_race_overrun_its_time(kept, samples, more):
    calls, clock = [], Clock(step=0.0)
    draw = drawer([0, 0], noise=1.0, calls=calls, kept=kept, clock=clock)
    found = race(draw, 2, SEEDS, 100.0, clock)
    assert (found.ending, found.samples) == ("time", samples)
    assert {len(runs) for runs in found.runs} == {samples}
    assert sum(count for _, count in calls) == samples + more
    assert clock.now <= 100.0


def test_rules_that_are_close_end_the_race():
    assert race(drawer([0, 0], noise=0.002), 2, SEEDS, 1e9, Clock()).ending == "close"


def test_the_first_look_is_taken_whatever_the_time():
    assert race(drawer([0, 0]), 2, SEEDS, 0.0, Clock()).samples == 10


def test_one_rule_alone_needs_no_more_than_a_look():
    assert race(drawer([0]), 1, SEEDS, 1e9, Clock()).samples == 10
