"""Logs with a record a job: what every such format gets for nothing."""

import json

import numpy as np
import pytest

from loadmaster.model import InputError
from loadmaster.traces import FORMATS, ReadOptions, read_trace
from loadmaster.traces import job_records as module
from loadmaster.traces.job_records import OTHER, lines_of, one_a_host, read_records
from traces.logs import write

JOB = {"submit_s": 5, "runtime_s": 60, "cores": 4}


def read(tmp_path, *jobs, **options):
    path = write(tmp_path, "log.txt", "# a comment\n\n" + "".join(json.dumps(job) + "\n" for job in jobs))

    def parse(line):
        found = json.loads(line)
        return OTHER if found == "other" else dict(found)

    return read_records(path, ReadOptions(**options), lines_of(path), parse, ["a note"])


def test_what_a_record_leaves_out_is_unknown(tmp_path):
    work = read(tmp_path, JOB).workload
    assert (work.demand.tolist(), work.user, work.project, work.job_id) == ([[4.0, 0.0, 0.0]], None, None, None)
    assert (work.constraints, work.tasks) == (None, None)


def test_what_binds_is_kept_where_it_says_something(tmp_path):
    jobs = {**JOB, "qos": "high", "eligible_s": 9, "depends": "afterok:3"}, {**JOB, "limit_s": 90, "eligible_s": 8}
    work = read(tmp_path, *jobs).workload
    assert work.constraints.given == ("eligible_s", "qos", "depends", "limit_s")
    assert (work.constraints.eligible_s.tolist(), work.estimate_s.tolist()) == ([0.0, 3.0], [60.0, 90.0])


def test_records_of_another_kind_and_broken_ones_are_counted_apart(tmp_path):
    trace = read(tmp_path, "other", JOB, 7, {**JOB, "cores": -1}, {**JOB, "submit_s": None}, {**JOB, "gpus": -2})
    assert (trace.workload.jobs, trace.skipped.total, trace.skipped.malformed) == (1, 5, 3)
    assert trace.skipped.lines["not a record of this kind of log"] == [5]
    assert trace.notes[0] == "a note"


def test_batches_change_nothing(tmp_path, monkeypatch):
    jobs = [{**JOB, "submit_s": k, "user": f"u{k % 3}", "partition": f"p{k % 2}"} for k in range(20)]
    whole = read(tmp_path, *jobs).workload
    monkeypatch.setattr(module, "BATCH", 3)
    parts = read(tmp_path, *jobs).workload
    assert np.array_equal(whole.user, parts.user)
    assert whole.constraints.partition.words() == parts.constraints.partition.words()
    assert read(tmp_path, *jobs, limit=4).workload.jobs == 4


def test_strict_names_the_line(tmp_path):
    with pytest.raises(InputError, match=r"log\.txt:4: .*not a record"):
        read(tmp_path, JOB, "odd", strict=True)


def test_a_task_is_a_host_where_all_divides_evenly():
    hosts, cores, gpus = (
        np.array([2.0, 3, 1, 2, 2, 4]),
        np.array([8.0, 8, 2.5, 8, 0.5, 2]),
        np.array([0.0, 0, 0, 1, 0, 0]),
    )
    assert one_a_host(hosts, cores, gpus).tolist() == [2, 8, 1, 8, 1, 2]


def test_tasks_have_whole_gpus_where_these_are_enough_for_the_hosts():
    hosts, cores, gpus = np.array([2.0, 2, 2, 3]), np.array([12.0, 16, 10, 10]), np.array([3.0, 3, 4, 2])
    assert one_a_host(hosts, cores, gpus).tolist() == [3, 3, 2, 10]


def test_any_error_that_is_not_ours_ends_one_record_and_is_counted(tmp_path):
    """No list of errors is complete: a reader met one more, and a log of a year ended in a traceback."""
    path = write(tmp_path, "log.txt", "odd\neven\n")

    def parse(line):
        if line == "odd":
            raise RecursionError(line)
        return dict(JOB)

    trace = read_records(path, ReadOptions(), lines_of(path), parse)
    assert (trace.workload.jobs, trace.skipped.malformed) == (1, 1)


def test_an_error_of_a_reader_that_is_not_ours_is_told_in_one_line(tmp_path, monkeypatch):
    def read(path, options):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setitem(FORMATS, "lsf", FORMATS["lsf"]._replace(read=read))
    with pytest.raises(InputError, match=r"log of format lsf: ZeroDivisionError: division by zero"):
        read_trace(write(tmp_path, "log.txt", "x\n"), ReadOptions(format="lsf"))
