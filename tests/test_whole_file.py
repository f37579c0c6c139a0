"""A file is there whole or not at all, whatever stops its writer."""

import pytest

from loadmaster.whole_file import whole_file


def test_a_file_appears_when_it_is_whole_and_replaces_the_older_one(tmp_path):
    path = tmp_path / "rows.json"
    path.write_text("old")
    with whole_file(path) as part:
        part.write_text("new")
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError])
def test_a_writer_stopped_half_way_leaves_what_was_there_and_nothing_else(tmp_path, stop):
    path = tmp_path / "rows.json"
    path.write_text("old")
    with pytest.raises(stop):
        _write_half(path, stop)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def _write_half(path, stop):
    with whole_file(path) as part:
        part.write_text("ne")
        raise stop
