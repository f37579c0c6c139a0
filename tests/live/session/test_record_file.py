"""The file of a record: one writer, whole lines, one format, and a plain word where it is damaged."""

import os
import shutil

import pytest

import loadmaster as lm
from loadmaster.live.session.lines import begin_line
from loadmaster.live.session.record_file import RecordFile, damage_named
from loadmaster.model import InputError


def test_a_second_writer_is_refused_until_the_first_has_let_go(tmp_path):
    path = tmp_path / "run" / "live.jsonl"
    with RecordFile(path) as record:
        assert record.folder == tmp_path / "run"
        assert RecordFile(path).is_being_written()
        with pytest.raises(InputError, match="another run is writing this log"), RecordFile(path):
            pass
        assert record.is_being_written()
    assert not RecordFile(path).is_being_written()


def test_a_line_that_was_cut_short_is_passed_over_and_the_next_stands_alone(tmp_path):
    path = tmp_path / "live.jsonl"
    path.write_text('{"begin": 1}\n{"cyc')
    with RecordFile(path) as record:
        record.append([{"end": "done"}])
    assert list(record.lines()) == [{"begin": 1}, {"end": "done"}]


@pytest.mark.parametrize(
    ("first", "rule"), [({"x": 1}, "no record of a trial here"), ({"begin": 7}, "another format than 1")]
)
def test_what_begins_no_session_of_ours_is_refused(tmp_path, first, rule):
    with RecordFile(tmp_path / "live.jsonl") as record:
        record.append([first])
    with pytest.raises(InputError, match=rule):
        record.begun("a trial", "make one")


def test_a_record_of_our_format_is_read(tmp_path):
    with RecordFile(tmp_path / "live.jsonl") as record:
        record.append([begin_line(3.0, engine="fake")])
    assert record.begun("a trial", "make one") == [{"begin": 1, "at_s": 3.0, "engine": "fake"}]


@pytest.mark.parametrize("error", [KeyError("cycle"), ValueError("nan is no time"), IndexError("none")])
def test_damage_is_named_in_one_line(tmp_path, error):
    with pytest.raises(InputError, match="this live record is damaged: ") as raised, damage_named(tmp_path):
        raise error
    assert "\n" not in str(raised.value)


def renamed(path):
    """As logrotate does by itself."""
    path.rename(path.with_name("live.jsonl.1"))


def renamed_and_created(path):
    """As logrotate with `create` does."""
    renamed(path)
    path.touch()


def copied_and_truncated(path):
    """As logrotate with `copytruncate` does."""
    shutil.copy(path, path.with_name("live.jsonl.1"))
    os.truncate(path, 0)


ROTATIONS = pytest.mark.parametrize(
    ("rotate", "why"),
    [(renamed, "moved while"), (renamed_and_created, "moved while"), (copied_and_truncated, "cut short while")],
)


@ROTATIONS
def test_a_record_that_is_rotated_while_a_run_writes_it_takes_no_more_lines(tmp_path, rotate, why):
    path = tmp_path / "live.jsonl"
    with RecordFile(path) as record:
        record.append([begin_line(3.0, engine="fake")])
        record.append([{"cycle": 1}])
        rotate(path)
        for _ in range(2):
            with pytest.raises(OSError, match=why) as raised:
                record.append([{"cycle": 2}])
    assert raised.value.filename == str(path)
    assert list(RecordFile(path.with_name("live.jsonl.1")).lines())[1:] == [{"cycle": 1}]


def test_a_record_that_was_rotated_goes_on_where_it_is_put_back(tmp_path):
    path = tmp_path / "live.jsonl"
    with RecordFile(path) as record:
        record.append([{"cycle": 1}])
        renamed(path)
        with pytest.raises(OSError, match="moved while"):
            record.append([{"cycle": 2}])
        path.with_name("live.jsonl.1").rename(path)
        record.append([{"cycle": 3}])
    assert list(record.lines()) == [{"cycle": 1}, {"cycle": 3}]


def test_a_disk_that_takes_a_part_is_not_taken_for_a_rotation(tmp_path, monkeypatch):
    path = tmp_path / "live.jsonl"
    whole = os.write

    def part(file, data):
        if len(data) < 20:
            raise OSError(28, "No space left on device")
        return whole(file, data[: len(data) // 2])

    with RecordFile(path) as record:
        monkeypatch.setattr(os, "write", part)
        for _ in range(2):
            with pytest.raises(OSError, match="No space left"):
                record.append([{"cycle": 123456789, "more": "x" * 50}])


@ROTATIONS
def test_a_live_run_ends_as_its_record_is_rotated_and_starts_nothing_more(tmp_path, monkeypatch, rotate, why):
    """One second passes between two looks; logrotate comes before the tenth line."""
    log, path, append, seen = tmp_path / "log.csv", tmp_path / "run" / "live.jsonl", RecordFile.append, []
    log.write_text("submit_s,runtime_s,cores\n" + "".join(f"{10 * job},5,1\n" for job in range(60)))

    def rotating(record, lines):
        seen.append(record)
        if len(seen) == 10:
            rotate(path)
        append(record, lines)

    monkeypatch.setattr(RecordFile, "append", rotating)
    with pytest.raises(OSError, match=why):
        lm.live.run("fake", str(log), hosts="2x1c", out=tmp_path / "run")
    lines = list(RecordFile(path.with_name("live.jsonl.1")).lines())
    assert len(lines) >= 9
    assert not any("end" in line for line in lines)
    assert len(seen) < 20, "it hands back what it holds, and decides no more"
