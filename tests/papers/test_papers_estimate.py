"""Numbers with intervals: each kind of interval holds the truth as often as it says."""

import numpy as np
import pytest

from loadmaster.papers.estimate import (
    FEW,
    Estimate,
    mean_of,
    part_of,
    pooled,
    pooled_difference,
    ratio_of_means,
    reduction,
    resampled,
)


def covered(estimates, truth):
    return np.mean([found.low <= truth <= found.high for found in estimates])


@pytest.mark.parametrize("n", [3, 6, 40])
def test_the_interval_of_a_mean_holds_the_truth_in_95_of_100_cases_also_over_few_runs(n):
    rng = np.random.default_rng(n)
    tries = 400 if n < FEW else 60
    found = [mean_of(rng.normal(5.0, 2.0, n)) for _ in range(tries)]
    assert covered(found, 5.0) >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / tries)


def test_the_interval_of_a_ratio_holds_the_truth_over_few_paired_runs():
    rng = np.random.default_rng(7)
    found = []
    for _ in range(400):
        theirs = rng.normal(100.0, 20.0, 6)
        found.append(ratio_of_means(0.8 * theirs + rng.normal(0.0, 5.0, 6), theirs))
    assert covered(found, 0.8) >= 0.92


def test_a_reduction_is_that_of_the_means():
    less = reduction(np.array([70.0, 86.0, 78.0]), np.array([100.0, 100.0, 100.0]))
    assert less.value == pytest.approx(0.22)
    assert less.low < 0.22 < less.high


def test_any_statistic_of_paired_columns_has_an_interval():
    rng = np.random.default_rng(1)
    one, other = rng.normal(0.0, 3.0, 300), rng.normal(0.0, 1.0, 300)
    found = resampled(lambda a, b: a.std() / b.std(), one, other)
    assert found.low < 3.0 < found.high
    assert found.n == 300


@pytest.mark.parametrize(
    "found",
    [
        mean_of(np.array([])),
        mean_of(np.array([1.0, np.nan])),
        ratio_of_means(np.ones(3), np.zeros(3)),
        ratio_of_means(np.array([]), np.array([])),
        resampled(lambda a: a.mean(), np.array([])),
        resampled(lambda a: a[a > 5].mean() if (a > 5).any() else np.nan, np.arange(7.0)),
    ],
)
def test_what_has_no_number_is_not_measured(found):
    assert not found.measured
    assert found.show() == found.percent() == "no value"


def test_one_run_has_its_value_and_no_interval():
    assert mean_of(np.array([0.25])) == Estimate(0.25, 0.25, 0.25, 1)
    assert mean_of(np.array([0.25])).percent() == "25.0 %"
    assert Estimate(0.25, 0.1, 0.4, 5).percent(0) == "25 % [10, 40]"
    assert Estimate(0.25, 0.1, 0.4, 5).show(0, -100.0) == "-25 [-40, -10]"


def test_none_of_few_runs_is_not_surely_none():
    assert part_of(np.zeros(10, bool)).high == pytest.approx(0.308, abs=1e-3)
    assert part_of(np.ones(10, bool)).low == pytest.approx(0.692, abs=1e-3)


def test_a_run_without_weight_counts_for_nothing():
    values, weights = np.array([0.5, np.nan, 0.7, 0.6]), np.array([1.0, 0.0, 1.0, 2.0])
    assert pooled(values, weights).value == pytest.approx(0.6)
    more = pooled_difference((values + 0.1, weights), (values, weights))
    assert more.value == pytest.approx(more.low) == pytest.approx(more.high) == pytest.approx(0.1)
    assert not pooled(values, np.zeros(4)).measured
    assert not pooled_difference((values, weights), (values, np.zeros(4))).measured
