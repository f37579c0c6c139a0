"""Kueue's workloads as a log."""

import json
from pathlib import Path

import pytest

from loadmaster.model import InputError
from loadmaster.packing.kubernetes_objects import is_kubernetes_file
from loadmaster.traces import ReadOptions, read_trace

SAMPLE = Path(__file__).parent / "samples" / "kueue.json"
GIB = 2.0**30


def test_each_finished_workload_is_a_job_of_its_pods():
    trace = read_trace(SAMPLE, ReadOptions(strict=True))
    log, bound = trace.workload, trace.workload.constraints
    assert log.submit_s.tolist() == [0.0, 300.0, 540.0]
    assert log.runtime_s.tolist() == [7200.0, 3600.0, 600.0]
    assert log.recorded_wait_s.tolist() == [600.0, 30.0, 0.0]
    assert log.task_count.tolist() == [4, 4, 2]
    assert (log.demand * log.task_count[:, None]).tolist() == [[8, 16 * GIB, 4], [10, 20 * GIB, 0], [1, GIB, 0]]
    assert bound.name.words() == ["train", "ray", "small"]
    assert bound.gpu_kind.words() == ["a100", None, None]
    assert (bound.partition.words()[0], bound.qos.words()[0], bound.account_names) == ("lq", "high", ("team-a",))
    assert (bound.limit_s[0], bound.status.tolist()) == (14400.0, [0, 1, 0])


def test_what_is_not_over_is_counted_and_unequal_pods_are_told():
    trace = read_trace(SAMPLE)
    assert trace.skipped.counts == {"a workload that has not finished": 2}
    assert any(note.startswith("1 workload has pods that request different amounts") for note in trace.notes)


def test_workloads_are_no_state_of_a_cluster(tmp_path):
    assert not is_kubernetes_file(SAMPLE)
    pod = {"kind": "Pod", "metadata": {"labels": {"kueue.x-k8s.io/queue-name": "lq"}}, "spec": {}}
    (tmp_path / "state.json").write_text(json.dumps({"apiVersion": "v1", "items": [{"apiVersion": "v1"} | pod]}))
    assert is_kubernetes_file(tmp_path / "state.json")


@pytest.mark.parametrize("was", ['"cpu": "2"', '"creationTimestamp": "2026-01-05T08:00:00Z"', '"podSets": ['])
def test_a_broken_workload_is_counted(tmp_path, was):
    path = tmp_path / "broken.json"
    path.write_text(SAMPLE.read_text().replace(was, was[:-2] + 'x"' if was[-1] == '"' else '"podSets": [5, ', 1))
    assert read_trace(path).workload.jobs == 2
    with pytest.raises(InputError):
        read_trace(path, ReadOptions(strict=True))
