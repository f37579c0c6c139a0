"""HTCondor's history, as text and as JSON."""

from pathlib import Path

import pytest

from loadmaster.traces import ReadOptions, read_trace

FOLDER = Path(__file__).parent / "samples"
MB = 2**20


@pytest.mark.parametrize("name", ["condor_history.txt", "condor_history.json"])
def test_an_ad_is_a_job_and_its_last_run_counts(name):
    trace = read_trace(FOLDER / name, ReadOptions(strict=True, all_fields=True))
    work, bound = trace.workload, trace.workload.constraints
    assert (work.job_id.tolist(), work.submit_s.tolist()) == ([1_200_000, 1_200_001], [0.0, 20.0])
    assert (work.runtime_s.tolist(), trace.workload.recorded_wait_s.tolist()) == ([60.0, 30.0], [50.0, 10.0])
    assert work.recorded_hosts.words() == ["node7", None]
    assert work.demand.tolist() == [[4.0, 2048 * MB, 1.0], [1.0, 128 * MB, 0.0]]
    assert (bound.restarts.tolist(), bound.priority.tolist(), bound.status.tolist()) == ([1, 0], [10.0, 0.0], [0, 3])
    assert (bound.user_names, bound.account_names) == (("eve", "bob"), ("group_phys.eve",))


def test_an_ad_of_a_job_that_never_started_is_counted():
    skipped = read_trace(FOLDER / "condor_history.txt").skipped
    assert list(skipped.counts.values()) == [1]
