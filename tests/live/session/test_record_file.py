"""The file of a record: one writer, whole lines, one format, and a plain word where it is damaged."""

import pytest

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
