"""A folder of daily dumps as one log: each job once, whatever packs the files."""

import bz2
import gzip
import lzma
import shutil
from pathlib import Path

import pytest

from loadmaster.model import InputError
from loadmaster.traces import read_trace
from loadmaster.traces.files import _NAMES

HEAD = "JobID|User|Submit|Start|End|Elapsed|State|NNodes|AllocCPUS|ReqMem|Timelimit\n"
DAYS = (
    "1|ann|2025-03-01T08:00:00|2025-03-01T08:10:00|2025-03-01T09:10:00|01:00:00|COMPLETED|1|4|8G|1-00:00:00\n"
    "2|bob|2025-03-01T20:00:00|2025-03-01T22:00:00|Unknown|02:00:00|RUNNING|1|8|8G|1-00:00:00\n",
    "2|bob|2025-03-01T20:00:00|2025-03-01T22:00:00|2025-03-02T06:00:00|08:00:00|COMPLETED|1|8|8G|1-00:00:00\n"
    "3|ann|2025-03-02T08:00:00|2025-03-02T08:10:00|2025-03-02T09:10:00|01:00:00|FAILED|1|4|8G|1-00:00:00\n",
    "4|ann|2025-03-03T08:00:00|2025-03-03T08:10:00|2025-03-03T09:10:00|01:00:00|COMPLETED|1|4|8G|1-00:00:00\n",
)
SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture
def folder(tmp_path):
    dumps = tmp_path / "dumps"
    dumps.mkdir()
    return dumps


def test_each_job_counts_once_as_the_dump_says_that_saw_its_end(folder):
    for packed, day, name in zip((gzip, lzma, bz2), DAYS, ("1.gz", "2.xz", "3.bz2"), strict=True):
        (folder / name).write_bytes(packed.compress((HEAD + day).encode()))
    trace = read_trace(folder)
    assert trace.workload.job_id.tolist() == [1, 2, 3, 4]
    assert trace.workload.runtime_s.tolist() == [3600.0, 28800.0, 3600.0, 3600.0]
    assert trace.skipped.total == 0
    assert any(note.startswith("1 record was left out") for note in trace.notes)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
def test_the_names_of_the_files_do_not_matter(folder, order):
    for name, day in enumerate(order):
        (folder / f"day{name}").write_text(HEAD + DAYS[day].removesuffix("\n"))
    assert read_trace(folder).workload.runtime_s.tolist() == [3600.0, 28800.0, 3600.0, 3600.0]


def test_hidden_and_empty_files_say_nothing(folder):
    (folder / "a").write_text(HEAD + DAYS[0])
    (folder / ".b").write_text("rubbish")
    (folder / "c").write_text("")
    assert read_trace(folder).workload.jobs == 2


@pytest.mark.parametrize("name", ["pbs.log", "lsb.acct", "accounting.sge", "condor_history.txt", "sacct_fixed.txt"])
def test_a_log_that_is_there_twice_is_the_log(folder, name):
    for copy in ("a", "b"):
        shutil.copy(SAMPLES / name, folder / copy)
    once, twice = read_trace(SAMPLES / name).workload, read_trace(folder).workload
    assert twice.job_id.tolist() == once.job_id.tolist()
    assert twice.runtime_s.tolist() == once.runtime_s.tolist()


def test_other_columns_are_refused(folder):
    (folder / "a").write_text(HEAD + DAYS[0])
    (folder / "b").write_text(HEAD.replace("|User", "") + "5|2025-03-01T08:00:00\n")
    with pytest.raises(InputError, match="other columns"):
        read_trace(folder)


def test_a_log_of_another_format_is_refused_by_name(folder):
    (folder / "a").write_text(HEAD + DAYS[0])
    shutil.copy(SAMPLES / "pbs.log", folder / "b.log")
    with pytest.raises(InputError, match=r"b\.log.*a log of format pbs"):
        read_trace(folder)


def test_documents_are_not_joined(folder):
    for name in ("a", "b"):
        shutil.copy(SAMPLES / "sacct.json", folder / name)
    with pytest.raises(InputError, match="name this file alone"):
        read_trace(folder)


@pytest.mark.parametrize(("name", "pack"), [("a.xz", lzma.compress), ("a.bz2", bz2.compress)])
def test_a_packed_file_that_is_cut_short_is_refused(folder, name, pack):
    whole = pack((HEAD + DAYS[0] * 500).encode())
    (folder / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="cut short"):
        read_trace(folder / name)


def test_names_after_spaces_stand_once_too_and_a_long_row_is_no_names():
    assert _NAMES.fullmatch(b"       JobID    JobName  Partition \n")
    assert not _NAMES.fullmatch(b"4711 batch main\n")
    assert not _NAMES.fullmatch(b"a," * 1_000_000 + b"1\n")  # in a time that grows with the line alone
