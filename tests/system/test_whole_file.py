"""A file is there whole or not at all, whatever stops its writer."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from loadmaster.system.whole_file import whole_file, write_whole


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


def test_a_full_disk_is_told_with_the_name_of_the_file_also_where_a_library_tells_it_in_its_own_way(tmp_path):
    path = tmp_path / "table.parquet"
    with pytest.raises(OSError, match=r"No space left on device: '.*table\.parquet'"), whole_file(path):
        raise ValueError("parquet: underlying IO error: No space left on device (os error 28)")
    with pytest.raises(OSError, match=r"No space left on device: '.*table\.parquet'"), whole_file(path):
        raise OSError("No space left on device (os error 28)")
    with pytest.raises(OSError, match=r"No space left on device: '.*table\.parquet'"), whole_file(path):
        raise OSError(28, "No space left on device")
    with pytest.raises(ValueError, match="something else"), whole_file(path):
        raise ValueError("something else")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("folder", [".", "..", "/", "", "made"])
def test_a_folder_is_no_file_to_write(tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "made").mkdir()
    with pytest.raises(IsADirectoryError) as error, whole_file(Path(folder)):
        raise AssertionError
    assert error.value.filename == str(Path(folder))
    assert [path.name for path in tmp_path.iterdir()] == ["made"]


def test_a_pipe_or_a_name_of_an_open_file_is_not_replaced_by_a_file(tmp_path):
    """As root, a device of the whole machine would be gone."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "stdout").symlink_to("/proc/self/fd/1")
    for name in ("pipe", "stdout"):
        with pytest.raises(OSError, match=f"a device or a pipe, and this is written as a file: '.*{name}'"):
            write_whole(tmp_path / name, "text")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pipe", "stdout"]
    assert not (tmp_path / "pipe").is_file()
    assert (tmp_path / "stdout").is_symlink()


def test_two_threads_that_write_the_same_file_do_not_disturb_each_other(tmp_path):
    path = tmp_path / "rows.json"
    with whole_file(path) as first:
        first.write_text("first")
        with ThreadPoolExecutor(1) as other:
            other.submit(write_whole, path, "second").result()
        assert path.read_text() == "second"
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]
