"""The log in two: every job is in one part, weekday and hour stay, and what is told of neither is dropped."""

import numpy as np
import pytest
from weekly_log import WEEK_S, weekly_log

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.runs import Case
from loadmaster.tuning.weeks import in_two, week_of


def case_of(log):
    return Case(log, Cluster.uniform(1, cores=8))


@pytest.mark.parametrize(("part", "held"), [(0.5, 4), (0.25, 2), (0.0, 1), (1.0, 7), (0.3, 2), (0.32, 3)])
def test_the_last_weeks_are_held_out_and_no_job_is_in_both_parts(part, held):
    log = weekly_log(weeks=8)
    weeks = in_two(case_of(log), part)
    first, last = weeks.training.workload, weeks.held_out.workload
    assert (weeks.trained_on, weeks.kept_for_the_end) == (8 - held, held)
    assert first.jobs + last.jobs == log.jobs
    assert first.submit_s[-1] < (8 - held) * WEEK_S
    np.testing.assert_array_equal(last.submit_s + (8 - held) * WEEK_S, log.submit_s[first.jobs :])
    assert last.submit_s[0] >= 0


def test_a_log_of_one_week_is_refused():
    log = Workload.of(submit_s=[0, 1.5 * WEEK_S], runtime_s=[1, 1], cores=[1, 1])
    with pytest.raises(InputError, match="this log has 1 of them"):
        in_two(case_of(log), 0.5)


def test_weeks_are_counted_from_the_first_arrival():
    log = Workload.of(submit_s=[5.0, 5 + WEEK_S, 4 + 2 * WEEK_S], runtime_s=[1] * 3, cores=[1] * 3)
    assert week_of(log).tolist() == [0, 1, 1]
