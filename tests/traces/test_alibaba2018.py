"""Alibaba's batch tasks of 2018."""

from pathlib import Path

from loadmaster.traces import ReadOptions, read_trace

SAMPLE = Path(__file__).parent / "samples" / "alibaba2018.csv"
GB = 2**30


def test_a_row_is_a_job_and_its_instances_tasks():
    trace = read_trace(SAMPLE, ReadOptions(strict=True))
    work = trace.workload
    assert (work.submit_s.tolist(), work.runtime_s.tolist(), work.tasks.tolist()) == ([0.0, 27.0], [22.0, 10.0], [4, 1])
    assert work.demand[:, :2].tolist() == [[0.5, int(0.005 * 128 * GB)], [1.0, int(0.01 * 128 * GB)]]
    assert (work.constraints.status.tolist(), work.constraints.name[1]) == ([0, 1], "j_8.M2_1")
    assert list(trace.skipped.counts.values()) == [1]
    assert any("arrives as it starts" in note for note in trace.notes)
