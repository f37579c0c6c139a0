"""Logs of which a run alone tells the arrivals, in the verbs that read one (rule C11)."""

import numpy as np
import pytest

import loadmaster as lm
from loadmaster.model import InputError
from loadmaster.runs.record import read_record
from loadmaster.runs.rerun import rerun
from traces.logs import swf_line, write

CLOSED = {"swf_feedback": "closed", "hosts": "2x1c", "spread": "any"}


@pytest.fixture
def log(tmp_path):
    """Two users on two cores, whose jobs follow their own; the last names none that is there."""
    rows = (
        {"submit": 0, "run": 100, "user": 1},
        {"submit": 10, "run": 50, "asked": 2, "user": 2},
        {"submit": 110, "run": 30, "user": 1, "preceding": 1, "think": 10},
        {"submit": 150, "run": 20, "user": 2, "preceding": 2, "think": 90},
        {"submit": 160, "run": 25, "asked": 2, "user": 1, "preceding": 3, "think": 20},
        {"submit": 170, "run": 25, "asked": 2, "user": 1, "preceding": 99, "think": 20},
    )
    return write(tmp_path, "log.swf", "".join(swf_line(job=k, **row) for k, row in enumerate(rows, 1)))


def test_a_record_has_the_arrivals_that_came_of_the_run_and_is_run_again_to_the_bit(log, tmp_path):
    made = lm.simulate(log, discipline="fcfs", interval=0, out=tmp_path / "run", check=True, **CLOSED)
    assert made.outcome.faults == ()
    record = read_record(tmp_path / "run")
    assert record.workload.job_id.tolist() == [1, 2, 3, 6, 5, 4]
    assert record.workload.submit_s.tolist() == [0, 10, 110, 170, 200, 240]
    assert made.outcome.metrics.mean_wait_s == pytest.approx((90 + 40 + 10 + 5) / 6)
    assert rerun(record).same


def test_a_scaled_log_leaves_think_times_as_they_are(log):
    record = lm.simulate(log, discipline="fcfs", interval=0, beta=2, **CLOSED).record
    jobs = dict(zip(record.workload.job_id.tolist(), record.workload.submit_s.tolist(), strict=True))
    ends = dict(zip(record.workload.job_id.tolist(), record.schedule.ends_s(record.workload).tolist(), strict=True))
    assert (jobs[2], jobs[6]) == (20, 340)
    assert (jobs[3] - ends[1], jobs[4] - ends[2], jobs[5] - ends[3]) == (10, 90, 20)


def test_a_comparison_has_the_arrivals_of_each_run(log):
    rows = lm.compare(log, policies="first-fit", disciplines="fcfs,skip", check=True, **CLOSED).comparison.outcomes
    assert [row.faults for row in rows] == [(), ()]
    assert {row.metrics.jobs for row in rows} == {6}


def test_samples_are_runs_with_their_own_arrivals(log):
    made = lm.compare(log, policies="first-fit", disciplines="fcfs", samples=5, resample="shake", **CLOSED)
    assert made.comparison.outcomes[0].metrics.unstarted == 0


@pytest.mark.parametrize("verb", ["fit", "share", "fewest"])
def test_verbs_that_must_know_arrivals_before_a_run_refuse(log, verb):
    more = {"mean": "1h"} if verb == "fewest" else {}
    with pytest.raises(InputError, match=r"submitted after the end of others.*swf-feedback ignore"):
        getattr(lm, verb)(log, **more, **CLOSED)


def test_a_bound_is_refused(log):
    with pytest.raises(InputError, match=r"--bound.*known before a run"):
        lm.compare(log, policies="first-fit", bound="1s", **CLOSED)


def test_what_follows_whom_comes_back_from_a_table_and_can_be_left_aside(log, tmp_path):
    lm.convert(log, tmp_path / "log.csv", swf_feedback="closed")
    bound = lm.read(tmp_path / "log.csv").workload.constraints
    assert bound.follows.tolist() == [-1, -1, 1, 2, 3, -1]
    assert bound.think_s.tolist() == [0, 0, 10, 90, 20, 0]
    open_ = lm.simulate(tmp_path / "log.csv", hosts="2x1c", spread="any", ignore="follows", interval=0).record.workload
    assert np.array_equal(open_.submit_s, [0, 10, 110, 150, 160, 170])
