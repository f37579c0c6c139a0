"""The model of Tsafrir, Etsion and Feitelson 2005: few round estimates, never below the runtime."""

import numpy as np
import pytest

from loadmaster.model import InputError
from loadmaster.traces import generate_lublin
from loadmaster.traces.user_estimates import estimate_values, estimates_of_users, popular_parts, popular_values

HOUR = 3600.0


def test_twenty_values_serve_89_percent_of_the_jobs_and_the_longest_most():
    value_s, part = estimate_values(70_000, 18 * HOUR, np.random.default_rng(1))
    assert value_s.size == pytest.approx(340, abs=10)
    assert part.sum() == pytest.approx(1.0)
    assert part[:20].sum() == pytest.approx(0.89)
    assert value_s[0] == 18 * HOUR
    assert set(value_s[:20]) == set(popular_values(18 * HOUR))


def test_the_parts_of_the_popular_values_fall_exponentially():
    part = popular_parts(20)
    assert part[1:4] * 100 == pytest.approx([10.313, 8.711, 7.369], abs=0.01)  # 14.0491 exp(-.177531 k) + .462513
    assert part[0] == pytest.approx(0.216, abs=0.005)


def test_popular_values_are_round_and_end_at_the_longest():
    values = popular_values(100 * HOUR)
    assert values[0] == 100 * HOUR
    assert values.size == 20 == len(set(values))
    assert (np.diff(values[1:]) > 0).all()
    assert 90 * HOUR in values
    assert popular_values(HOUR).max() == HOUR


@pytest.mark.parametrize(("jobs", "distinct"), [(1000, 35), (10_000, 90), (40_000, 215)])
def test_the_number_of_distinct_values_grows_with_the_jobs_as_published(jobs, distinct):
    assert estimate_values(jobs, 36 * HOUR, np.random.default_rng(2))[0].size == pytest.approx(distinct, abs=4)


def test_no_estimate_is_below_its_runtime_and_all_values_are_handed_out():
    work = generate_lublin(5000, seed=3).workload
    asked = estimates_of_users(work.runtime_s, 48 * HOUR, np.random.default_rng(3))
    assert (asked >= work.runtime_s).all()
    assert np.mean(asked == 48 * HOUR) == pytest.approx(popular_parts(20)[0], abs=0.001)


def test_more_long_jobs_than_long_estimates_are_refused():
    with pytest.raises(InputError, match="fewer estimates are that long"):
        estimates_of_users(np.full(200, 3500.0), HOUR, np.random.default_rng(4))


@pytest.mark.parametrize("longest", [60.0, np.inf, np.nan])
def test_a_longest_estimate_below_an_hour_is_refused(longest):
    with pytest.raises(InputError, match="an hour or more"):
        estimates_of_users(np.ones(50), longest, np.random.default_rng(5))


def test_a_runtime_above_the_longest_estimate_is_refused():
    with pytest.raises(InputError, match="2 jobs run longer"):
        estimates_of_users(np.array([1.0, 9000.0, 9000.0]), HOUR, np.random.default_rng(6))
