"""The accounting file of Grid Engine."""

from pathlib import Path

from loadmaster.traces import ReadOptions, read_trace

SAMPLE = Path(__file__).parent / "samples" / "accounting.sge"
GB = 2**30


def test_a_line_is_a_job_with_its_requests_of_the_category():
    trace = read_trace(SAMPLE, ReadOptions(strict=True, all_fields=True))
    work = trace.workload
    assert (work.job_id.tolist(), work.submit_s.tolist()) == ([7, 8], [0.0, 20.0])
    assert (work.runtime_s.tolist(), work.estimate_s.tolist()) == ([60.0, 100.0], [3600.0, 100.0])
    assert work.demand.tolist() == [[8.0, 16 * GB, 0.0], [1.0, 0.0, 0.0]]
    assert trace.workload.recorded_wait_s.tolist() == [10.0, 70.0]
    assert trace.workload.recorded_hosts.words() == [None, "n2"]


def test_slave_tasks_and_jobs_that_never_started_are_counted():
    assert sorted(read_trace(SAMPLE).skipped.lines.values()) == [[3], [5]]


def test_what_binds_a_job_is_kept():
    bound = read_trace(SAMPLE).workload.constraints
    assert (bound.partition.words(), bound.status.tolist()) == (["all.q", "long.q"], [0, 2])
    assert (bound.priority.tolist(), bound.account_names) == ([0.0, 5.0], ("phys", "chem"))
