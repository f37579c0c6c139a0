"""Google's task events of 2011 and instance events of 2019."""

import json
from pathlib import Path

import pytest

from loadmaster.model import InputError
from loadmaster.traces import ReadOptions, read_trace

FOLDER = Path(__file__).parent / "samples"
GB = 2**30


def test_a_task_runs_from_its_last_start_and_evictions_are_restarts():
    trace = read_trace(FOLDER / "google2011.csv", ReadOptions(strict=True, all_fields=True))
    work, bound = trace.workload, trace.workload.constraints
    assert (work.jobs, work.submit_s.tolist(), work.runtime_s.tolist()) == (1, [0.0], [5.0])
    assert work.demand[0].tolist() == pytest.approx([0.125, 0.07446 * 128 * GB, 0.0])
    assert (trace.workload.recorded_wait_s.tolist(), bound.restarts.tolist()) == ([15.0], [1])
    assert (bound.priority.tolist(), bound.user_names) == ([9.0], ("70s3v5",))
    assert sorted(trace.skipped.counts) == ["the job never started", "the task had not ended when the log did"]


@pytest.mark.parametrize("name", ["google2019.csv", "google2019.json"])
def test_instance_events_of_2019_come_as_a_table_or_as_json(name):
    work = read_trace(FOLDER / name, ReadOptions(strict=True)).workload
    assert (work.runtime_s.tolist(), work.demand[0, 0], work.constraints.priority.tolist()) == ([10.0], 0.125, [200.0])


def test_a_broken_line_is_counted(tmp_path):
    path = tmp_path / "events.csv"
    path.write_text((FOLDER / "google2011.csv").read_text() + "600000000,,x,0\n")
    assert read_trace(path).skipped.malformed == 1


@pytest.mark.parametrize("number", ["Infinity", "1e999", "NaN", "9" * 5000, "[[]]"])
def test_a_number_that_no_count_can_be_is_a_line_that_is_counted(tmp_path, number):
    good = (FOLDER / "google2019.json").read_text()
    path = tmp_path / "events.json"
    for field in ("type", "time", "collection_id"):
        event = {"collection_id": 1, "instance_index": 0, "time": 1, "type": 0} | {field: "?"}
        path.write_text(good + json.dumps(event).replace('"?"', number) + "\n")
        assert read_trace(path).skipped.malformed == 1
        with pytest.raises(InputError, match=rf":{good.count(chr(10)) + 1}: .*not a record"):
            read_trace(path, ReadOptions(strict=True))
