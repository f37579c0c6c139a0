"""Figures against the baseline on the same logs, and the limit on the longest wait."""

import math

import pytest

from loadmaster.runs.samples import SampleRun
from loadmaster.tuning.figures import Figures, figures, front


def run(mean, longest, left=0, slow=1.0, p95=1.0):
    values = {"mean_wait_s": mean, "p95_wait_s": p95, "longest_wait_s": longest, "mean_bounded_slowdown": slow}
    return SampleRun(9, left, 0, values)


def test_three_of_four_logs_must_keep_the_limit():
    baseline = [run(1, 1)] * 4
    assert figures([run(1, 9), run(1, 2), run(1, 1), run(1, 1)], baseline, ["mean_wait_s"]).keeps(2.0)
    assert not figures([run(1, 9), run(1, 9), run(1, 1), run(1, 1)], baseline, ["mean_wait_s"]).keeps(2.0)
    assert not figures([run(1, 9), run(1, 1)], baseline[:2], ["mean_wait_s"]).keeps(2.0)


def test_a_value_is_the_mean_logarithm_of_the_ratios_and_of_two_logs_the_longest_is_that_of_the_worse():
    found = figures(
        [run(2, 3, slow=4), run(1, 8, slow=1)], [run(1, 2), run(2, 4)], ["mean_wait_s", "mean_bounded_slowdown"]
    )
    assert found.values == pytest.approx((0.0, math.log(2)))
    assert found.value == pytest.approx(math.log(2) / 2)
    assert found.longest == pytest.approx(math.log(2))
    assert found.keeps(2.0)
    assert not found.keeps(1.9)


def test_who_leaves_jobs_waiting_for_ever_that_the_baseline_starts_keeps_no_limit():
    assert not figures([run(1, 1, left=1)], [run(1, 1)], ["p95_wait_s"]).keeps(100.0)
    assert figures([run(1, 1, left=1)], [run(1, 1, left=1)], ["p95_wait_s"]).keeps(1.0)


def test_equals_do_not_beat_each_other():
    assert front([Figures((1.0, 1.0), 0.0), Figures((1.0, 1.0), 0.0), Figures((1.0, 2.0), 0.0)]) == [0, 1]
