"""Where finished results are kept, so that none is ever made twice: SQLite in a file, or PostgreSQL by URL."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from loadmaster.model.errors import InputError, MissingExtra
from loadmaster.results.sqlite_rows import SqliteRows
from loadmaster.system.strict_json import to_json

_FILE = "sqlite:///"
_AWAY = "move it away, or name another"


class StoredRows(Protocol):
    """The table of a store, in one kind of database.

    Attributes:
        errors: what its calls raise where the database cannot do what is asked.
    """

    errors: tuple[type[Exception], ...]

    def make_table(self) -> None:
        """Make the table where there is none; fails where there is one of another shape."""

    def find(self, keys: Sequence[str]) -> Iterator[tuple[str, Any, Any]]:
        """Key, checksum and block of those that are there, as they are, also where damaged."""

    def insert(self, row: Mapping[str, Any]) -> bool:
        """Add a row and commit it; False if its key is there already."""

    def replace(self, row: Mapping[str, Any]) -> None:
        """Put a row in the place of that of the same key."""

    def close(self) -> None:
        """Close the connection to the database."""

    def reason(self, error: Exception) -> str:
        """What the database says is wrong."""


class KeptResult(NamedTuple):
    """One finished result, as it is kept.

    Attributes:
        kind: of result, such as `compare`.
        about: a description for readers of the database, as JSON in the column of that name.
        block: the result itself.
    """

    kind: str
    about: Mapping[str, Any]
    block: bytes


class StoredBlocks(NamedTuple):
    """What a store has of the keys requested: whole blocks by key, and the keys whose blocks are damaged."""

    whole: dict[str, bytes]
    damaged: frozenset[str]


class Store:
    """Finished results by key. Each is committed by itself as soon as it exists, with a checksum.

    Args:
        url: a database as SQLAlchemy names it: `sqlite:///results.sqlite`, `postgresql+psycopg://user@host/name`.

    Raises:
        InputError: no such database, or it cannot be reached, read or written; also later, whenever that happens.
        MissingExtra: the driver of the database is not installed.
    """

    def __init__(self, url: str) -> None:
        self.shown, self._rows = _rows_at(url)
        with self._refusing("opened"):
            self._rows.make_table()

    @classmethod
    def in_folder(cls, folder: Path) -> "Store":
        """The store `results.sqlite` in `folder`."""
        return cls(f"{_FILE}{folder / 'results.sqlite'}")

    def get(self, keys: Sequence[str]) -> StoredBlocks:
        """Those of `keys` that are finished."""
        whole, damaged = {}, set()
        with self._refusing("read"):
            for key, checksum, block in self._rows.find(keys):
                if isinstance(block, bytes) and checksum == _checksum(key, block):
                    whole[key] = block
                else:
                    damaged.add(key)
        return StoredBlocks(whole, frozenset(damaged))

    def put(self, key: str, result: KeptResult) -> None:
        """Keep `result`; if another process was faster, its result stays, unless that is damaged."""
        row = {
            "key": key,
            "kind": result.kind,
            "about": to_json(result.about),
            "finished_at": datetime.now(UTC),
            "checksum": _checksum(key, result.block),
            "result": result.block,
        }
        with self._refusing("written"):
            if not self._rows.insert(row) and key not in self.get([key]).whole:
                self._rows.replace(row)

    def close(self) -> None:
        """Close the connection to the database."""
        self._rows.close()

    @contextmanager
    def _refusing(self, done: str) -> Iterator[None]:
        """Turns whatever a database may raise into one line."""
        refused: tuple[type[Exception], ...] = (*self._rows.errors, ValueError, TypeError, OverflowError)
        try:
            yield
        except refused as error:
            reason = (self._rows.reason(error).strip().splitlines() or [type(error).__name__])[0][:120]
            fix = "free some, or name another with --store" if "full" in reason else f"{_AWAY} with --store"
            raise InputError(self.shown, f"this store cannot be {done}: {reason}", fix=fix) from error


def _rows_at(url: str) -> tuple[str, StoredRows]:
    """What to call the store at `url`, and its table; a plain file of SQLite needs no library."""
    path = url.removeprefix(_FILE)
    if path != url and path and "?" not in path:
        return path, SqliteRows(path)
    if "://" not in url:
        raise InputError(url, "not the URL of a database", fix="write it like sqlite:///results.sqlite")
    try:
        from loadmaster.results.database_rows import DatabaseRows
    except ModuleNotFoundError as error:  # without SQLAlchemy, which would also know how to hide a password
        raise MissingExtra(f"a store at {url.partition('://')[0]}://...", "postgres") from error

    rows = DatabaseRows(url)
    return rows.shown, rows


def _checksum(key: str, block: bytes) -> str:
    return sha256(key.encode() + block).hexdigest()
