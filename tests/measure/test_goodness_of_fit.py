"""How near a simulated queue comes to the recorded one, week by week."""

import numpy as np
import pytest

from loadmaster.measure.goodness_of_fit import WeekByWeek, Weekly, rank_correlation, weekly
from loadmaster.model import Workload

WEEK_S = 7 * 86400


def at(*weeks: float) -> Weekly:
    return Weekly(np.array(weeks), np.ones(len(weeks)), np.zeros(168 * len(weeks)))


def test_waits_are_counted_in_the_week_of_their_arrival_after_the_first() -> None:
    jobs = Workload.of(submit_s=[100, 200, 100 + WEEK_S], runtime_s=[1, 1, 1], cores=[1, 1, 1])
    found = weekly(jobs, np.array([10.0, np.nan, 30.0]))
    assert found.mean_wait_s.tolist() == [10.0, 30.0]
    assert found.jobs.tolist() == [1.0, 1.0]


def test_the_queue_at_a_full_hour_has_the_jobs_that_came_and_have_not_begun() -> None:
    jobs = Workload.of(submit_s=[0, 3000, 7300], runtime_s=[1, 1, 1], cores=[1, 1, 1])
    assert weekly(jobs, np.array([3600.0, 5000.0, 0.0])).queue.tolist() == [1.0, 1.0, 1.0]


def test_even_weeks_and_odd_ones_are_told_apart() -> None:
    beside = WeekByWeek(at(10, 100, 20, 50), at(10, 150, 26, 100))
    assert (beside.even.weeks, beside.odd.weeks) == (2, 2)
    assert beside.even.error == pytest.approx(6 / 30)
    assert beside.odd.error == pytest.approx(100 / 150)
    assert beside.odd.total == pytest.approx(100 / 150)
    assert beside.odd.rank == 1.0


def test_weeks_without_known_waits_do_not_count() -> None:
    empty = Weekly(np.array([5.0, np.nan, 8.0]), np.array([1.0, 0.0, 1.0]), np.zeros(504))
    assert WeekByWeek(empty, at(5, 7, 8)).odd.weeks == 0


def test_ties_share_their_rank() -> None:
    assert rank_correlation(np.array([1.0, 1.0, 2.0]), np.array([3.0, 3.0, 9.0])) == pytest.approx(1.0)
    assert np.isnan(rank_correlation(np.array([1.0, 1.0]), np.array([1.0, 2.0])))
