"""CSV and Parquet job tables: what may stand in a column, and what becomes of it."""

import datetime

import numpy as np
import polars as pl
import pytest

from loadmaster.traces import ReadOptions, read_trace
from loadmaster.traces.text_table import batches
from traces.logs import write

GB = 2**30


def read(tmp_path, text, name="jobs.csv", **options):
    return read_trace(write(tmp_path, name, text), ReadOptions(**options))


@pytest.mark.parametrize("name", ["jobs.csv", "jobs.csv.gz", "jobs.txt"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_full_row_becomes_a_job(tmp_path, name, ending):
    text = (
        "job_id,submit_s,runtime_s,cores,memory_gb,gpus,resource_licences,tasks,estimate_s,project,user\n"
        "7,5,60,2,4,1,3,2,90,physics,eve\n"
        "8,6,1-00:00:00,1,0.5,0,0,,,maths,bob\n"
    )
    work = read(tmp_path, text.replace("\n", ending), name).workload
    assert work.resources == ("cores", "memory", "gpus", "licences")
    assert work.demand.tolist() == [[2, 4 * GB, 1, 3], [1, GB / 2, 0, 0]]
    assert (work.tasks.tolist(), work.estimate_s.tolist()) == ([2, 1], [90.0, 86400.0])
    assert (work.submit_s.tolist(), work.runtime_s.tolist()) == ([0.0, 1.0], [60.0, 86400.0])
    assert (work.project.tolist(), work.user.tolist(), work.job_id.tolist()) == ([0, 1], [0, 1], [7, 8])


@pytest.mark.parametrize(
    ("column", "cell", "amount"),
    [
        ("memory_bytes", "4096", 4096), ("memory_kb", "4", 4096), ("memory_mb", "2", 2 * 2**20),
        ("memory_tb", "1", 2**40), ("memory", "4096", 4096), ("memory", "64GiB", 64 * GB),
    ],
)  # fmt: skip
def test_memory_says_its_unit_in_the_name_or_in_the_cell(tmp_path, column, cell, amount):
    work = read(tmp_path, f"submit_s,runtime_s,cores,{column}\n0,1,1,{cell}\n").workload
    assert work.demand[0, 1] == amount


def test_plain_memory_takes_the_unit_the_user_names(tmp_path):
    text = "submit_s,runtime_s,cores,memory\n0,1,1,3\n"
    assert read(tmp_path, text, memory_unit="MB").workload.demand[0, 1] == 3 * 2**20


def test_dates_and_start_and_end_are_understood(tmp_path):
    text = (
        "submit,start,end,cores\n"
        "2024-03-01T10:00:00,2024-03-01T10:05:00,2024-03-01T11:05:00,4\n"
        "2024-03-01 10:00:30,2024-03-01 10:05:00,2024-03-01 10:05:01,1\n"
    )
    work = read(tmp_path, text).workload
    assert (work.submit_s.tolist(), work.runtime_s.tolist()) == ([0.0, 30.0], [3600.0, 1.0])


def test_columns_of_other_names_are_mapped_and_the_rest_is_left_aside_with_a_note(tmp_path):
    text = "id,submitted,wall,ncpus,color\n1,0,9,4,red\n"
    names = {"submit_s": "submitted", "runtime_s": "wall", "cores": "ncpus"}
    trace = read(tmp_path, text, columns=names)
    assert trace.workload.demand.tolist() == [[4.0]]
    assert trace.notes == ("Column id is not read.", "Column color is not read.")


def test_quoted_cells_may_hold_commas_and_line_ends(tmp_path):
    text = 'user,submit_s,runtime_s,cores\n"Doe, Jo",0,5,1\n"two\nlines",1,5,1\n"Doe, Jo",2,5,1\n'
    assert read(tmp_path, text).workload.user.tolist() == [0, 1, 0]


def test_blank_lines_and_comments_are_passed_over_and_line_numbers_hold(tmp_path):
    text = "# a comment\n\nsubmit_s,runtime_s,cores\n0,5,1\n\n# another\n3,x,1\n4,5,1\n"
    trace = read(tmp_path, text)
    assert trace.workload.jobs == 2
    assert list(trace.skipped.lines.values()) == [[7]]


def test_batches_change_nothing(tmp_path, monkeypatch):
    rows = "".join(f"{k % 7},{k + 1},1,u{k % 3}\n" for k in range(200))
    path = write(tmp_path, "jobs.csv", "submit_s,runtime_s,cores,user\n" + rows + "1,bad,1,u0\n")
    whole = read_trace(path)
    monkeypatch.setattr("loadmaster.traces.text_table.BATCH", 64)
    pieces = read_trace(path)
    assert len(list(batches(path, lambda cells: (cells, True)))) > 5
    assert pieces.skipped == whole.skipped
    for column in ("submit_s", "runtime_s", "user", "demand"):
        assert getattr(pieces.workload, column).tolist() == getattr(whole.workload, column).tolist()


@pytest.mark.parametrize(
    ("cells", "ids", "note"),
    [
        (("a", "b"), None, "The identifiers of 2 jobs, such as a, are no whole numbers: not kept."),
        (("7", "b"), [7, -1], "The identifier of 1 job, such as b, is no whole number: not kept."),
        (("7", ""), [7, -1], ""),
    ],
)
def test_identifiers_that_are_no_numbers_are_left_aside_with_a_note(tmp_path, cells, ids, note):
    rows = "".join(f"{cell},0,1,1\n" for cell in cells)
    trace = read(tmp_path, "job_id,submit_s,runtime_s,cores\n" + rows)
    assert (None if trace.workload.job_id is None else trace.workload.job_id.tolist()) == ids
    assert "".join(trace.notes) == note


def test_a_limit_reads_the_first_rows_that_are_jobs(tmp_path):
    text = "submit_s,runtime_s,cores\n9,0,1\n5,1,1\n4,1,1\n3,1,1\n"
    assert read(tmp_path, text, limit=2).workload.submit_s.tolist() == [0.0, 1.0]


def test_parquet_columns_keep_their_types(tmp_path):
    when = datetime.datetime(2024, 1, 1)
    hour = datetime.timedelta(hours=1)
    frame = pl.DataFrame(
        {"submit_s": [when + hour, when], "runtime_s": [hour, 2 * hour], "cores": [1, 2], "memory_gb": [0.5, None]}
    )
    frame.write_parquet(tmp_path / "jobs.parquet")
    work = read_trace(tmp_path / "jobs.parquet").workload
    assert (work.submit_s.tolist(), work.runtime_s.tolist()) == ([0.0, 3600.0], [7200.0, 3600.0])
    assert work.demand.tolist() == [[2.0, 0.0], [1.0, GB / 2]]


@pytest.mark.parametrize(("column", "cells"), [("wait_s", ("4", "", "-1")), ("start_s", ("4", "", "1"))])
def test_a_wait_or_a_start_beside_a_runtime_is_what_really_happened(tmp_path, column, cells):
    rows = "".join(f"{row},9,1,{cell}\n" for row, cell in enumerate(cells))
    work = read(tmp_path, f"submit_s,runtime_s,cores,{column}\n{rows}").workload
    assert np.array_equal(work.recorded_wait_s, [4, np.nan, np.nan], equal_nan=True)


def test_a_wait_that_is_no_time_is_counted(tmp_path):
    assert read(tmp_path, "submit_s,runtime_s,cores,wait_s\n0,9,1,4\n1,9,1,long\n").skipped.malformed == 1


def test_numbers_that_several_jobs_have_are_told(tmp_path):
    path = write(tmp_path, "log.csv", "job_id,submit_s,runtime_s,cores\n7,0,9,1\n8,1,9,1\n7,2,9,1\n,3,9,1\n,4,9,1\n")
    notes = [note for note in read_trace(path).notes if "have the number" in note]
    assert notes == ["2 jobs have the number of another one: 7. explain calls the second 7@2."]
    assert not [note for note in read_trace(path, ReadOptions(limit=2)).notes if "have the number" in note]
