"""Where finished results are kept, so that none is ever made twice: SQLite in a file, or PostgreSQL by URL."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Column, DateTime, LargeBinary, MetaData, String, Table, Text, create_engine, select, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.schema import CreateTable

from loadmaster.model.errors import InputError, MissingExtra
from loadmaster.strict_json import to_json

_RESULTS = Table(
    "results",
    MetaData(),
    Column("key", String(64), primary_key=True),
    Column("kind", Text, nullable=False),
    Column("about", Text, nullable=False),
    Column("finished_at", DateTime(timezone=True), nullable=False),
    Column("checksum", String(64), nullable=False),
    Column("result", LargeBinary, nullable=False),
)
_LOCK_PATIENCE_S = 60
_AWAY = "move it away, or name another"


class Result(NamedTuple):
    """One finished result, as it is kept.

    Attributes:
        kind: of result, such as `compare`.
        about: what whoever reads the database wants to see of it, as JSON in the column of that name.
        block: the result itself.
    """

    kind: str
    about: Mapping[str, Any]
    block: bytes


class Found(NamedTuple):
    """What a store has of the keys asked for: whole blocks by key, and the keys whose blocks are damaged."""

    whole: dict[str, bytes]
    damaged: frozenset[str]


class Store:
    """Finished results by key. Every one is committed by itself the moment it is there, under a checksum.

    Args:
        url: a database as SQLAlchemy names it: `sqlite:///results.sqlite`, `postgresql+psycopg://user@host/name`.

    Raises:
        InputError: no such database, or it cannot be reached, read or written; also later, whenever that happens.
        MissingExtra: the driver of the database is not installed.
    """

    def __init__(self, url: str) -> None:
        try:
            parsed = make_url(url)
        except ArgumentError as error:
            raise InputError(url, "not the URL of a database", fix="write it like sqlite:///results.sqlite") from error
        self.shown = parsed.database or "" if parsed.drivername == "sqlite" else parsed.render_as_string()
        try:
            self._engine = _engine(parsed)
        except ModuleNotFoundError as error:
            raise MissingExtra(f"a store at {self.shown}", "postgres") from error
        except ArgumentError as error:  # a dialect that nobody knows
            raise InputError(self.shown, "not the URL of a database", fix="see --store") from error
        with self._refusing("opened"):
            self._make_table()

    @classmethod
    def in_folder(cls, folder: Path) -> "Store":
        """The store `results.sqlite` in `folder`."""
        return cls(URL.create("sqlite", database=str(folder / "results.sqlite")).render_as_string())

    def get(self, keys: Sequence[str]) -> Found:
        """Those of `keys` that are finished."""
        whole, damaged = {}, set()
        with self._refusing("read"), self._engine.connect() as connection:
            for key in keys:
                row = connection.execute(_SELECT, {"key": key}).first()
                if row is None:
                    continue
                if isinstance(row[1], bytes) and row[0] == _checksum(key, row[1]):
                    whole[key] = row[1]
                else:
                    damaged.add(key)
        return Found(whole, frozenset(damaged))

    def put(self, key: str, result: Result) -> None:
        """Keep `result`; if another process was faster, its result stays, unless that is damaged."""
        values = {
            "kind": result.kind, "about": to_json(result.about), "finished_at": datetime.now(UTC),
            "checksum": _checksum(key, result.block), "result": result.block,
        }  # fmt: skip
        with self._refusing("written"):
            try:
                with self._engine.begin() as connection:
                    connection.execute(_RESULTS.insert().values(key=key, **values))
            except IntegrityError:
                if key not in self.get([key]).whole:
                    with self._engine.begin() as connection:
                        connection.execute(_RESULTS.update().where(_RESULTS.c.key == key).values(values))

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def _make_table(self) -> None:
        with self._engine.begin() as connection:
            connection.execute(CreateTable(_RESULTS, if_not_exists=True))
        with self._engine.connect() as connection:
            connection.execute(select(_RESULTS).limit(0))  # of the shape that we know

    @contextmanager
    def _refusing(self, done: str) -> Iterator[None]:
        """Turns whatever a database may raise into one line."""
        try:
            yield
        except (SQLAlchemyError, ValueError, TypeError, OverflowError) as error:
            said = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
            reason = (str(said).strip().splitlines() or [type(said).__name__])[0][:120]
            fix = "free some, or name another with --store" if "full" in reason else f"{_AWAY} with --store"
            raise InputError(self.shown, f"this store cannot be {done}: {reason}", fix=fix) from error


_SELECT = text("select checksum, result from results where key = :key")
"""As text, so that a damaged value comes as it is and does not fail on the way."""


def _engine(url: URL) -> Any:
    if url.drivername == "sqlite":
        return create_engine(url, connect_args={"timeout": _LOCK_PATIENCE_S})
    return create_engine(url.set(drivername="postgresql+psycopg") if url.drivername == "postgresql" else url)


def _checksum(key: str, block: bytes) -> str:
    return sha256(key.encode() + block).hexdigest()
