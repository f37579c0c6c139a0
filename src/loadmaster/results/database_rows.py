"""Rows of results in any database that SQLAlchemy supports, such as PostgreSQL."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Column, DateTime, LargeBinary, MetaData, String, Table, Text, create_engine, select, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.schema import CreateTable

from loadmaster.model.errors import InputError, MissingExtra

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
_SELECT = text("select checksum, result from results where key = :key")
"""As text, so that a damaged value comes as it is and does not fail on the way."""


class DatabaseRows:
    """The table `results` of the database at `url`; for the methods see `SqliteRows`.

    Raises:
        InputError: no such kind of database.
        MissingExtra: its driver is not installed.
    """

    errors: tuple[type[Exception], ...] = (SQLAlchemyError,)

    def __init__(self, url: str) -> None:
        try:
            parsed = make_url(url)
        except ArgumentError as error:
            raise InputError(url, "not the URL of a database", fix="write it like sqlite:///results.sqlite") from error
        self.shown = parsed.database or "" if parsed.drivername == "sqlite" else parsed.render_as_string()
        try:
            self._engine = create_engine(_with_driver(parsed))
        except ModuleNotFoundError as error:
            raise MissingExtra(f"a store at {self.shown}", "postgres") from error
        except ArgumentError as error:  # an unknown dialect
            raise InputError(self.shown, "not the URL of a database", fix="see --store") from error

    def make_table(self) -> None:
        """Make the table where there is none; fails where there is one of another shape."""
        with self._engine.begin() as connection:
            connection.execute(CreateTable(_RESULTS, if_not_exists=True))
        with self._engine.connect() as connection:
            connection.execute(select(_RESULTS).limit(0))

    def find(self, keys: Sequence[str]) -> Iterator[tuple[str, Any, Any]]:
        """Key, checksum and block of those that are there, as they are, also where damaged."""
        with self._engine.connect() as connection:
            for key in keys:
                row = connection.execute(_SELECT, {"key": key}).first()
                if row is not None:
                    yield key, row[0], row[1]

    def insert(self, row: Mapping[str, Any]) -> bool:
        """Add a row and commit it; False if its key is there already."""
        try:
            with self._engine.begin() as connection:
                connection.execute(_RESULTS.insert().values(dict(row)))
        except IntegrityError:
            return False
        return True

    def replace(self, row: Mapping[str, Any]) -> None:
        """Put a row in the place of that of the same key."""
        with self._engine.begin() as connection:
            connection.execute(_RESULTS.update().where(_RESULTS.c.key == row["key"]).values(dict(row)))

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def reason(self, error: Exception) -> str:
        """What the database itself says is wrong, where it was asked."""
        return str(error.orig if isinstance(error, DBAPIError) and error.orig is not None else error)


def _with_driver(url: URL) -> URL:
    return url.set(drivername="postgresql+psycopg") if url.drivername == "postgresql" else url
