"""Intervals of paired log-ratios: which cover, which must never shrink, and what a sample of none is worth."""

import math

import numpy as np
import pytest

from loadmaster.measure.paired_comparison import (
    Difference,
    by_spread,
    log_ratio,
    of_chaos,
    over_resamples,
    over_seeds,
    student,
    weeks_needed,
)


def draws(n, mean=0.0, spread=0.1, seed=0):
    return np.random.default_rng(seed).normal(mean, spread, n)


def test_ten_times_as_many_resamples_of_a_log_make_its_interval_no_narrower():
    few, many = (over_resamples(draws(n), 12) for n in (200, 2000))
    assert many.high - many.low == pytest.approx(few.high - few.low, rel=0.2)
    assert few.how == "percentile"


def test_ten_times_as_many_independent_logs_make_the_interval_three_times_narrower():
    few, many = (over_seeds(draws(n)) for n in (200, 2000))
    assert many.high - many.low == pytest.approx((few.high - few.low) / math.sqrt(10), rel=0.1)


def test_the_percentile_interval_is_the_middle_of_the_samples():
    ratio = np.linspace(-1, 1, 401)
    found = over_resamples(ratio, 12)
    assert (found.low, found.high) == pytest.approx((-0.95475, 0.95475)), "at ranks p (N + 1)"


def test_the_percentiles_of_samples_hold_another_sample_as_often_as_they_say():
    rng = np.random.default_rng(0)
    held = []
    for _ in range(1500):
        *samples, other = rng.normal(0, 1, 41)
        found = over_resamples(np.array(samples), 12)
        held.append(found.low <= other <= found.high)
    assert np.mean(held) == pytest.approx(0.95, abs=0.015)


def test_few_samples_have_no_percentiles_and_take_the_spread_with_the_weeks_freedom():
    found = over_resamples(draws(20), 8)
    assert found == by_spread(draws(20), 8)
    assert found.high - found.mean == pytest.approx(2.365 * draws(20).std(ddof=1), rel=1e-3)


def test_student_covers_the_mean_of_independent_logs_as_often_as_it_says():
    rng = np.random.default_rng(1)
    found = [over_seeds(rng.normal(0.3, 1.0, 8)) for _ in range(2000)]
    assert np.mean([each.low <= 0.3 <= each.high for each in found]) == pytest.approx(0.95, abs=0.015)
    assert np.mean([each.p <= 0.05 for each in (over_seeds(rng.normal(0, 1.0, 8)) for _ in range(2000))]) < 0.065


def test_p_and_interval_say_the_same_of_independent_logs():
    for seed in range(50):
        found = over_seeds(draws(10, 0.06, seed=seed))
        assert (found.p < 0.05) == (not found.holds_zero)


def test_one_sample_alone_is_sure_of_nothing():
    found = over_seeds(np.array([0.7]))
    assert (found.low, found.high, found.p) == (-math.inf, math.inf, 1.0)
    assert found.holds_zero


def test_equal_rules_differ_by_nothing_and_are_never_told_apart():
    found = over_resamples(np.zeros(50), 12)
    assert (found.mean, found.low, found.high, found.p) == (0.0, 0.0, 0.0, 1.0)
    assert math.isinf(weeks_needed(found, 0.0, 12))


def test_a_constant_difference_is_sure():
    assert over_seeds(np.full(5, -0.2)).p == 0.0


def test_chaos_has_no_p_and_is_called_what_it_is():
    found = of_chaos(draws(40))
    assert math.isnan(found.p)
    assert found.how == "chaos"


def test_weeks_that_would_tell_grow_with_the_square_of_noise_over_difference():
    one = weeks_needed(Difference(-0.1, 0, 0, 1, "spread"), 0.1, 12)
    assert one == pytest.approx(12 * student(0.95, 11) ** 2)
    assert weeks_needed(Difference(-0.05, 0, 0, 1, "spread"), 0.1, 12) == pytest.approx(4 * one)


def test_an_empty_queue_has_a_finite_logarithm():
    assert log_ratio(np.array([0.0]), np.array([60.0])).tolist() == pytest.approx([math.log(1e-3 / 60)])
