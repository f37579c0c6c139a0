"""Pods as a log: the times of events, joined with what pods request."""

import json
from pathlib import Path

import pytest

from loadmaster.model import InputError
from loadmaster.packing.kubernetes_objects import is_kubernetes_file
from loadmaster.traces import ReadOptions, read_trace

SAMPLE = Path(__file__).parent / "samples" / "kubernetes_events.json"
GIB = 2.0**30


def test_a_pod_holds_what_it_requests_from_its_binding_until_its_last_container_ends():
    trace = read_trace(SAMPLE, ReadOptions(strict=True, all_fields=True))
    log, bound = trace.workload, trace.workload.constraints
    assert trace.format == "kubernetes"
    assert log.submit_s.tolist() == [0.0, 60.0, 300.0, 360.0]
    assert log.recorded_wait_s.tolist() == [600.25, 60.0, 0.0, 0.0]
    assert log.runtime_s.tolist() == [3599.75, 1140.0, 3900.0, 1800.0]
    assert log.demand.tolist() == [[2, 4 * GIB, 1], [2, 4 * GIB, 0], [0.5, 4 * GIB, 0], [2, 4 * GIB, 0]]
    assert bound.name.words() == ["train", "train", "web", "train"]
    assert (bound.qos.words()[0], bound.limit_s[0], bound.account_names) == ("high", 14400.0, ("team-a",))
    assert log.recorded_hosts.words() == ["n1", "n2", "n1", "n1"]
    assert bound.status.tolist() == [0, 1, 0, 0]


def test_pods_that_are_no_jobs_are_counted_by_their_reason():
    trace = read_trace(SAMPLE)
    assert trace.skipped.counts == {
        "the job never started": 1,
        "a pod of a DaemonSet or of a single node, which no queue holds": 1,
        "a pod that requests no CPU": 1,
        "a pod that is over, and the file does not tell since when": 1,
    }
    assert "1 pod was still running: the runtime so far counts." in trace.notes
    (gone,) = [note for note in trace.notes if "deleted" in note]
    assert gone.startswith("The events name 1 pod that is not in the file (deleted).")


def test_a_restart_does_not_end_a_pod_and_a_deletion_does():
    """Containers of b and del were told to stop; b goes on, and del is to be deleted."""
    log = read_trace(SAMPLE).workload
    assert (log.submit_s + log.recorded_wait_s + log.runtime_s)[2:].tolist() == [4200.0, 2160.0]


def test_a_list_that_begins_with_events_is_no_state_of_a_cluster(tmp_path):
    assert not is_kubernetes_file(SAMPLE)
    document = json.loads(SAMPLE.read_text())
    document["items"].reverse()
    (tmp_path / "state.json").write_text(json.dumps(document))
    assert is_kubernetes_file(tmp_path / "state.json")
    turned = read_trace(tmp_path / "state.json", ReadOptions("kubernetes")).workload
    assert sorted(turned.runtime_s) == sorted(read_trace(SAMPLE).workload.runtime_s)


def test_events_alone_are_refused_with_the_command_that_prints_both(tmp_path):
    document = json.loads(SAMPLE.read_text())
    document["items"] = [each for each in document["items"] if each["kind"] == "Event"]
    (tmp_path / "events.json").write_text(json.dumps(document))
    with pytest.raises(InputError, match=r"without their pods.*kubectl get events,pods -A -o json"):
        read_trace(tmp_path / "events.json")


@pytest.mark.parametrize(
    ("kind", "damage"),
    [
        ("Pod", {"spec": 5}),
        ("Pod", {"metadata": None}),
        ("Pod", {"status": 5}),
        ("Event", {"involvedObject": 7}),
        ("Event", {"firstTimestamp": "yesterday", "eventTime": None}),
        ("Event", {"reason": None, "metadata": 3}),
    ],
)
def test_a_broken_object_is_left_out_alone(tmp_path, kind, damage):
    document = json.loads(SAMPLE.read_text())
    which = [each for each in document["items"] if each["kind"] == kind][1 if kind == "Event" else 0]
    which |= damage
    (tmp_path / "broken.json").write_text(json.dumps(document))
    assert read_trace(tmp_path / "broken.json").workload.jobs == (3 if kind == "Pod" else 4)
