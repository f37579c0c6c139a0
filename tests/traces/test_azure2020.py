"""Azure's trace for packing of 2020: a small database of the documented form, written here."""

import sqlite3

import pytest

from loadmaster.model import InputError
from loadmaster.traces import ReadOptions, read_trace

DAY_S = 86_400.0
GB = 2**30
TYPES = [(1, 10, 0, 0.5, 0.25, 0, 0.1, 0.1), (2, 11, 0, 0.125, 0.5, 0, 0, 0), (3, 10, 1, 0.25, 0.125, 0, 0, 0),
         (4, 12, 1, 0.25, 0.125, 0, 0, 0), (5, 13, 0, 1, 1, 0, 0, 0)]  # fmt: skip
REQUESTS = [(100, 7, 10, 0, -1.5, 2.0), (101, 8, 11, 1, 0.25, None), (102, 7, 12, 0, 1.0, 2.0), (103, 9, 10, 1, 3, 2)]


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "packing_trace_zone_a_v1.sqlite"
    with sqlite3.connect(path) as made:
        made.execute("create table vmType (id, vmTypeId, machineId, core, memory, hdd, ssd, nic)")
        made.execute("create table vm (vmId, tenantId, vmTypeId, priority, starttime, endtime)")
        made.executemany("insert into vmType values (?,?,?,?,?,?,?,?)", TYPES)
        made.executemany("insert into vm values (?,?,?,?,?,?)", REQUESTS)
    made.close()
    return path


def test_a_request_is_a_job_in_parts_of_the_kind_of_machine_that_most_types_are_offered_on(database):
    trace = read_trace(database)
    work = trace.workload
    assert trace.format == "azure2020"
    assert work.submit_s.tolist() == [0.0, 1.75 * DAY_S]
    assert work.runtime_s.tolist() == [3.5 * DAY_S, 89.75 * DAY_S]
    assert work.demand[:, :2].tolist() == [[0.5, 32 * GB], [0.125, 64 * GB]]
    assert work.job_id.tolist() == [100, 101]
    assert work.constraints.priority.tolist() == [0.0, -1.0]
    assert [work.constraints.user_names[user] for user in work.user] == ["7", "8"]


def test_what_is_left_out_is_counted_and_what_is_assumed_is_said(database):
    trace = read_trace(database)
    assert sorted(trace.skipped.counts.values()) == [1, 1]
    assert any("1c128g" in note for note in trace.notes)
    assert any("2 kinds of machines" in note for note in trace.notes)
    assert any("1 virtual machines had not ended on day 90" in note for note in trace.notes)


def test_an_end_before_its_start_is_a_bad_row_of_a_strict_reading(database):
    with pytest.raises(InputError, match=r":4: .*runtime is negative"):
        read_trace(database, ReadOptions(strict=True))


def test_another_database_is_told_in_one_line(tmp_path):
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as made:
        made.execute("create table other (a)")
    made.close()
    with pytest.raises(InputError, match=r"not Azure's trace for packing: no such table"):
        read_trace(path)


def test_a_name_of_a_table_that_is_not_utf_8_is_told_in_one_line(database):
    """SQLite puts the name into its message, and Python cannot decode that message."""
    whole = database.read_bytes()
    database.write_bytes(whole.replace(b"vm (vmId", b"\x91m (vmId"))
    with pytest.raises(InputError, match=r"not Azure's trace for packing"):
        read_trace(database)


def test_a_text_that_is_not_utf_8_ends_its_own_row_alone(database):
    with sqlite3.connect(database) as made:
        made.execute("insert into vm values (cast(x'9191' as text), 7, 10, 0, 1, 2)")
    made.close()
    assert read_trace(database).skipped.counts["not a record of this kind of log"] == 1
