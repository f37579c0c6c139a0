"""Jobs are grouped by what the log says of them, and by the clock of its site."""

import numpy as np
import pytest

from loadmaster.measure.job_groups import GROUPINGS, chosen_groupings, clock_time, groupings
from loadmaster.model import Constraints, InputError, Named, Workload

SATURDAY_S = 1_485_561_600.0
"""28 January 2017, 00:00."""


def log(**more):
    days = 86_400.0 * np.arange(5)
    return Workload.of(submit_s=days + 7_200.0, runtime_s=[60] * 5, cores=[1] * 5, **more)


def names(workload, by):
    group = next(each for each in groupings(workload) if each.by == by)
    return [group.name(code) for code in group.code.tolist()]


def test_hours_weekdays_and_months_are_those_of_the_clock_of_the_log():
    dated = log(epoch_s=SATURDAY_S)
    assert names(dated, "hour") == ["2"] * 5
    assert names(dated, "weekday") == ["Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
    assert names(dated, "month") == ["2017-01"] * 4 + ["2017-02"]
    assert clock_time(SATURDAY_S, 7_200.0) == "2017-01-28 02:00:00"


def test_a_log_without_dates_has_hours_only_and_says_so():
    assert [each.by for each in groupings(log())] == ["size", "hour"]
    with pytest.raises(InputError, match="the log names no date of its jobs; group by size, hour"):
        chosen_groupings(log(), ["weekday"])


def test_jobs_without_gpus_and_gpus_without_a_model_are_groups_of_their_own():
    kinds = Constraints(gpu_kind=Named.of(["a100", None, None, "a100,v100", None]))
    assert names(log(gpus=[1, 0, 2, 2, 0], constraints=kinds), "gpu") == [
        "a100",
        "no GPU",
        "model not named",
        "a100,v100",
        "no GPU",
    ]
    with pytest.raises(InputError, match="names no GPU"):
        chosen_groupings(log(), ["gpu"])


def test_a_grouping_that_there_is_not_is_refused_with_a_near_name():
    with pytest.raises(InputError, match="partition"):
        chosen_groupings(log(), ["partitions"])
    assert set(GROUPINGS) >= {each.by for each in groupings(log(epoch_s=0.0, user=[0] * 5, project=[0] * 5))}


def test_scaled_arrivals_have_no_dates():
    assert log(epoch_s=SATURDAY_S).scaled(0.5).epoch_s is None
    assert log(epoch_s=SATURDAY_S).take(slice(1, 3)).epoch_s == SATURDAY_S
