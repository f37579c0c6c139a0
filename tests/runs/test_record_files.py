"""A record is whole or is none, wherever its writer was stopped."""

import contextlib

import polars as pl
import pytest

from loadmaster.model import InputError
from loadmaster.runs import record_files
from loadmaster.runs.record_files import read_files, write_files

OLD = {name: pl.DataFrame({"of": ["the old run"]}) for name in record_files.TABLES}
NEW = {name: pl.DataFrame({"of": ["the new run"]}) for name in record_files.TABLES if name != "tasks.parquet"}


class Killed(BaseException):
    """Stands for a signal that no program can catch."""


def which(folder):
    """The run that all the tables in `folder` are of; None if there is no record."""
    try:
        about, tables = read_files(folder)
    except FileNotFoundError:
        return None
    (found,) = {table["of"][0] for table in tables.values()}
    assert found == about["of"]
    return found


def stop_after(count, monkeypatch):
    """Let the process die at its `count`-th change of the disk."""
    changes = iter(range(count))

    def dying(real):
        def change(*args, **more):
            if next(changes, None) is None:
                raise Killed
            return real(*args, **more)

        return change

    for owner, name in (
        (pl.DataFrame, "write_parquet"),
        (record_files.Path, "replace"),
        (record_files.Path, "unlink"),
        (record_files.Path, "write_text"),
    ):
        monkeypatch.setattr(owner, name, dying(getattr(owner, name)))


@pytest.mark.parametrize("count", range(17))
def test_a_writer_that_dies_leaves_the_old_record_the_new_one_or_none(tmp_path, monkeypatch, count):
    write_files(tmp_path, {"of": "the old run"}, OLD)
    with monkeypatch.context() as patch:
        stop_after(count, patch)
        with contextlib.suppress(Killed):
            write_files(tmp_path, {"of": "the new run"}, NEW)
    assert which(tmp_path) in ("the old run", "the new run", None)
    if count < 3:
        assert which(tmp_path) == "the old run"
    write_files(tmp_path, {"of": "the new run"}, NEW)
    assert which(tmp_path) == "the new run"
    assert not (tmp_path / "tasks.parquet").exists()


def test_tables_of_another_run_beside_a_run_json_are_found_out(tmp_path):
    write_files(tmp_path, {"of": "the old run"}, OLD)
    NEW["jobs.parquet"].write_parquet(tmp_path / "jobs.parquet")
    with pytest.raises(ValueError, match=r"jobs\.parquet was changed after the run"):
        read_files(tmp_path)


def test_a_table_that_no_record_has_is_not_read(tmp_path):
    write_files(tmp_path, {"of": "the old run"}, OLD)
    text = (tmp_path / "run.json").read_text()
    (tmp_path / "run.json").write_text(text.replace("jobs.parquet", "../jobs.parquet"))
    with pytest.raises(ValueError, match="was changed after the run"):
        read_files(tmp_path)


def test_a_record_that_cannot_be_written_is_told_in_one_line_and_leaves_no_parts(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="the record cannot be written"):
        write_files(tmp_path / "file", {"of": "the new run"}, NEW)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
