"""Rows of results in a file of SQLite. Most stores have this form, so it needs only Python's own modules."""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any

LOCK_PATIENCE_S = 60
COLUMNS = ("key", "kind", "about", "finished_at", "checksum", "result")
_TABLE = """create table if not exists results (
    key varchar(64) not null primary key, kind text not null, about text not null, finished_at datetime not null,
    checksum varchar(64) not null, result blob not null
)"""


class SqliteRows:
    """The table `results` in the file at `path`; any thread and any process may use it at once."""

    errors: tuple[type[Exception], ...] = (sqlite3.Error,)

    def __init__(self, path: str) -> None:
        self._path = path

    def make_table(self) -> None:
        """Make the table where there is none; fails where there is one of another shape."""
        with self._open() as connection:
            connection.execute(_TABLE)
            connection.execute(f"select {', '.join(COLUMNS)} from results limit 0")

    def find(self, keys: Sequence[str]) -> Iterator[tuple[str, Any, Any]]:
        """Key, checksum and block of those that are there, as they are, also where damaged."""
        with self._open() as connection:
            for key in keys:
                row = connection.execute("select checksum, result from results where key = ?", (key,)).fetchone()
                if row is not None:
                    yield key, *row

    def insert(self, row: Mapping[str, Any]) -> bool:
        """Add a row and commit it; False if its key is there already."""
        try:
            with self._open() as connection:
                marks = ", ".join(f":{name}" for name in COLUMNS)
                connection.execute(f"insert into results ({', '.join(COLUMNS)}) values ({marks})", _plain(row))
        except sqlite3.IntegrityError:
            return False
        return True

    def replace(self, row: Mapping[str, Any]) -> None:
        """Put a row in the place of that of the same key."""
        with self._open() as connection:
            values = ", ".join(f"{name} = :{name}" for name in COLUMNS[1:])
            connection.execute(f"update results set {values} where key = :key", _plain(row))

    def close(self) -> None:
        """Nothing is open between two calls."""

    def reason(self, error: Exception) -> str:
        """What SQLite says is wrong."""
        return str(error)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path, timeout=LOCK_PATIENCE_S)) as connection, connection:
            yield connection


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """Moments as text, in UTC."""
    return {**row, "finished_at": row["finished_at"].strftime("%Y-%m-%d %H:%M:%S.%f")}
