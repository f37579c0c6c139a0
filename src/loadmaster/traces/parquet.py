"""Parquet files, also damaged ones.

The library that reads them ends the whole process where a damaged length makes it request more memory than there is,
and writes lines of its own to stderr. So a process apart reads the file first, and tells whether it can be read.
"""

import subprocess
import sys
from pathlib import Path

import polars as pl

from loadmaster.model import InputError
from loadmaster.traces.files import head_of

MAGIC = b"PAR1"
_TRIAL = "import polars, sys; polars.scan_parquet(sys.argv[1], glob=False).null_count().collect(engine='streaming')"
_PATIENCE_S = 20.0
_BYTES_A_SECOND = 5e6
_ERRORS = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError)


def parquet_table(path: Path) -> tuple[pl.DataFrame, dict[str, str]]:
    """The table in `path`, and what its writer noted in it.

    Raises:
        InputError: it cannot be read, or is damaged.
    """
    if not head_of(path, len(MAGIC)).startswith(MAGIC):
        raise InputError(path.name, "not a Parquet file", fix="check the file's format", where=str(path))
    if not _can_be_read(path):
        raise _damaged(path)
    try:
        about = pl.read_parquet_metadata(path)
        frame = pl.read_parquet(path, glob=False)
    except _ERRORS:
        raise _damaged(path) from None
    return _in_plain_columns(frame, path), {name: text for name, text in about.items() if name != "ARROW:schema"}


def _in_plain_columns(frame: pl.DataFrame, path: Path) -> pl.DataFrame:
    """The table with numbers, text, truth values and times alone: all that a column may hold for its readers."""
    for name, kind in frame.schema.items():
        if isinstance(kind, pl.Categorical | pl.Enum | pl.Time):
            frame = frame.with_columns(pl.col(name).cast(pl.String))
        elif isinstance(kind, pl.Duration) and name.endswith("_s"):
            frame = frame.with_columns(pl.col(name).dt.total_nanoseconds() / 1e9)
        elif isinstance(kind, pl.Duration):
            raise InputError(name[:60], "this column holds durations; only columns of seconds may", where=str(path))
        elif kind.is_decimal():
            frame = frame.with_columns(pl.col(name).cast(pl.Float64))
        elif kind.is_nested() or kind in (pl.Binary, pl.Object):
            rule = f"this column holds {str(kind).partition('(')[0].lower()} values; a table has numbers, text or times"
            raise InputError(name[:60], rule, fix="leave it out, or write its values as columns", where=str(path))
    return frame


def _can_be_read(path: Path) -> bool:
    patience_s = _PATIENCE_S + path.stat().st_size / _BYTES_A_SECOND
    command = [sys.executable, "-I", "-c", _TRIAL, str(path.absolute())]
    try:
        tried = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=patience_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return tried.returncode == 0


def _damaged(path: Path) -> InputError:
    return InputError(path.name, "a damaged Parquet file", fix="write it again", where=str(path))
