"""Where finished runs are kept, so that none is ever run twice: SQLite in a file, or PostgreSQL by URL."""

from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Column, DateTime, Float, LargeBinary, MetaData, String, Table, Text, create_engine, select
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, IntegrityError

from loadmaster.model import InputError, MissingExtra
from loadmaster.runs.outcome import Outcome, from_bytes, to_bytes

_CELLS = Table(
    "cells",
    MetaData(),
    Column("key", String(64), primary_key=True),
    Column("finished_at", DateTime(timezone=True), nullable=False),
    Column("policy", Text, nullable=False),
    Column("discipline", Text, nullable=False),
    Column("load", Float, nullable=False),
    Column("mean_wait_s", Float, nullable=False),
    Column("mean_queue_length", Float, nullable=False),
    Column("outcome", LargeBinary, nullable=False),
)


class Store:
    """Finished runs by key. Every result is committed by itself the moment it is there.

    Args:
        url: a database as SQLAlchemy names it: `sqlite:///results.sqlite`, `postgresql+psycopg://user@host/name`.

    Raises:
        InputError: no such database, or it cannot be reached or written.
        MissingExtra: the driver of the database is not installed.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        try:
            parsed = make_url(url)
            if parsed.drivername == "postgresql":
                parsed = parsed.set(drivername="postgresql+psycopg")
            self._engine = create_engine(parsed)
            _CELLS.metadata.create_all(self._engine)
        except ModuleNotFoundError as error:
            raise MissingExtra(f"a store at {url}", "postgres") from error
        except ArgumentError as error:
            raise InputError(url, "not the URL of a database", fix="write it like sqlite:///results.sqlite") from error
        except DatabaseError as error:
            reason = str(error.orig).strip().splitlines()[0]
            raise InputError(
                url, f"this store cannot be opened: {reason}", fix="move it away, or name another with --store"
            ) from error

    @classmethod
    def in_folder(cls, folder: Path) -> "Store":
        """The store `results.sqlite` in `folder`."""
        return cls(f"sqlite:///{folder / 'results.sqlite'}")

    def get(self, keys: list[str]) -> dict[str, Outcome]:
        """Those of `keys` that are finished."""
        found = {}
        with self._engine.connect() as connection:
            for key in keys:
                row = connection.execute(select(_CELLS.c.outcome).where(_CELLS.c.key == key)).first()
                if row is not None:
                    found[key] = from_bytes(row[0])
        return found

    def put(self, key: str, outcome: Outcome) -> None:
        """Keep `outcome`; if another process was faster, its result stays."""
        values = {
            "key": key,
            "finished_at": datetime.now(UTC),
            "policy": outcome.setting.policy,
            "discipline": outcome.setting.discipline,
            "load": outcome.load,
            "mean_wait_s": outcome.metrics.mean_wait_s,
            "mean_queue_length": outcome.metrics.mean_queue_length,
            "outcome": to_bytes(outcome),
        }
        try:
            with self._engine.begin() as connection:
                connection.execute(_CELLS.insert().values(values))
        except IntegrityError:
            return

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()
