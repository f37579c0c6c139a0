"""Columns of a table into numbers: amounts, memory, durations and moments, as people and schedulers write them."""

from typing import NamedTuple

import numpy as np
import polars as pl

from loadmaster.model.arrays import Bools, Floats, Ints

_MISSING = ("", "na", "n/a", "null", "none", "unknown", "unlimited", "partition_limit", "-", "(null)")
_MEMORY = r"(?i)^([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([kmgtp]?)(?:i?b)?$"
_CLOCK = r"^(?:([0-9]+)-)?(?:([0-9]+):)?([0-9]+):([0-9]+(?:\.[0-9]+)?)$"
_NAMES_AFTER_NUMBERS = 1 << 30
_POWER = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}


class Values(NamedTuple):
    """A column as numbers: float64[N], NaN where `missing` (no value) or `bad` (a value that is no such number)."""

    values: Floats
    missing: Bools
    bad: Bools

    def or_else(self, default: Floats | float) -> Floats:
        """The values, with `default` where there is none."""
        return np.where(np.isnan(self.values), default, self.values)


def absent(rows: int) -> Values:
    """A column that the table does not have."""
    return Values(np.full(rows, np.nan), np.ones(rows, dtype=bool), np.zeros(rows, dtype=bool))


def numbers(column: pl.Series) -> Values:
    """Plain numbers; NaN, infinities and times are bad."""
    if column.dtype.is_temporal():
        missing = column.is_null().to_numpy()
        return Values(np.full(len(column), np.nan), missing, ~missing)
    plain = _plain(column)
    if plain is not None:
        return plain
    text = _text(column)
    return _values(text, (column if text is None else text).cast(pl.Float64, strict=False))


def memory(column: pl.Series, scale: float) -> Values:
    """Bytes: plain numbers times `scale`, or text with its own unit such as `64GiB` or `512M` (powers of 1024)."""
    plain = _plain(column)
    if plain is not None:
        return _scaled(plain, scale)
    text = _text(column)
    if text is None:
        return _scaled(numbers(column), scale)
    amount = text.str.extract(_MEMORY, 1).cast(pl.Float64, strict=False)
    unit = text.str.extract(_MEMORY, 2).str.to_lowercase()
    written = text.str.contains(r"[A-Za-z]").fill_null(value=False)
    factor = unit.replace_strict(_POWER, default=None, return_dtype=pl.Float64)
    mebibytes = _values(text, amount)
    scales = np.where(written.to_numpy(), 1024.0 ** factor.fill_null(0.0).to_numpy(), scale)
    return _scaled(mebibytes, scales)


def _scaled(plain: Values, scale: Floats | float) -> Values:
    """Whole bytes; a number that is beyond all numbers then is bad."""
    with np.errstate(over="ignore"):
        values = np.floor(plain.values * scale)
    beyond = np.isinf(values)
    return Values(np.where(beyond, np.nan, values), plain.missing, plain.bad | beyond)


def durations(column: pl.Series) -> Values:
    """Seconds: plain numbers, or [days-][hours:]minutes:seconds as Slurm writes them."""
    if column.dtype == pl.Duration:
        return _values(None, column.dt.total_microseconds().cast(pl.Float64) / 1e6)
    plain = _plain(column)
    if plain is not None:
        return plain
    text = _text(column)
    if text is None:
        return numbers(column)
    part = [text.str.extract(_CLOCK, k).cast(pl.Float64, strict=False).fill_null(0.0) for k in (1, 2, 3, 4)]
    clock = part[0] * 86400.0 + part[1] * 3600.0 + part[2] * 60.0 + part[3]
    on_clock = text.str.contains(_CLOCK).fill_null(value=False)
    return _values(text, clock.zip_with(on_clock, text.cast(pl.Float64, strict=False)))


def moments(column: pl.Series) -> Values:
    """Seconds since any fixed moment: plain numbers, or ISO 8601 dates with times (UTC where no zone is given).

    A column is one or the other, told by its first value.
    """
    if column.dtype.is_temporal():
        return _values(None, column.cast(pl.Datetime("us")).dt.timestamp("us").cast(pl.Float64) / 1e6)
    numeric = _plain(column)
    if numeric is not None:
        return numeric
    text = _text(column)
    if text is None:
        return numbers(column)
    first = text.drop_nulls().head(1)
    if first.cast(pl.Float64, strict=False).is_not_null().all():
        return numbers(column)
    spaced = text.str.replace(" ", "T", literal=True)
    plain = spaced.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", time_unit="us", strict=False)
    zoned = spaced.str.replace(r"Z$", "+00:00").str.to_datetime(
        "%Y-%m-%dT%H:%M:%S%.f%z", time_unit="us", time_zone="UTC", strict=False
    )
    both = plain.dt.timestamp("us").fill_null(zoned.dt.timestamp("us"))
    return _values(text, both.cast(pl.Float64) / 1e6)


def words(column: pl.Series) -> pl.Series:
    """The column as text, without blanks around it; null where there is no value."""
    text = _text(column)
    return column.cast(pl.String) if text is None else text


class Codes:
    """Whole numbers for names, in the order of their first appearance; numbers stay as they are.

    Example:
        >>> Codes()(pl.Series(["eve", "bob", "eve", None])).tolist()
        [0, 1, 0, -1]
        >>> Codes()(pl.Series(["7", "12"])).tolist()
        [7, 12]
    """

    def __init__(self) -> None:
        self._known: dict[str, int] = {}
        self._first = -1  # code of the first name; unknown until the first column is seen

    @property
    def names(self) -> tuple[str, ...]:
        """The name behind each code; () where numbers are codes themselves."""
        return tuple(self._known) if self._first == 0 else ()

    def __call__(self, column: pl.Series) -> Ints:
        """int32[N]: the code of every value, -1 where there is none."""
        whole = column.cast(pl.Int32, strict=False)
        plain = column.dtype == pl.String and whole.null_count() == column.null_count()
        text = column if plain else words(column)
        whole = whole if plain else text.cast(pl.Int32, strict=False)
        if self._first < 0:
            all_whole = bool((whole.is_not_null() | text.is_null()).all())
            self._first = _NAMES_AFTER_NUMBERS if all_whole else 0
        if self._first == 0:
            whole = pl.Series([None], dtype=pl.Int32).new_from_index(0, len(text))
        for name in text.filter(whole.is_null()).drop_nulls().unique(maintain_order=True).to_list():
            self._known.setdefault(name, self._first + len(self._known))
        codes = text.replace_strict(self._known, default=None, return_dtype=pl.Int32) if self._known else whole
        return np.asarray(whole.fill_null(codes).fill_null(-1).to_numpy(), dtype=np.int32)


class NameCodes:
    """Whole numbers for names one at a time, in the order of their first appearance.

    Example:
        >>> codes = NameCodes()
        >>> [codes.code(name) for name in ("long", "short", "long")], codes.names
        ([0, 1, 0], ('long', 'short'))
    """

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The name behind each code."""
        return tuple(self._known)

    def code(self, name: str) -> int:
        """The code of one name."""
        return self._known.setdefault(name, len(self._known))


class Names:
    """Whole numbers for names, in the order of their first appearance, also where the names are numbers.

    Example:
        >>> names = Names()
        >>> names(pl.Series(["7", None, "long", "7"])).tolist(), names.names
        ([0, -1, 1, 0], ('7', 'long'))
    """

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The name behind each code."""
        return tuple(self._known)

    def __call__(self, column: pl.Series) -> Ints:
        """int32[N]: the code of every value, -1 where there is none."""
        text = words(column)
        for name in text.drop_nulls().unique(maintain_order=True).to_list():
            self._known.setdefault(name, len(self._known))
        if not self._known:
            return np.full(len(text), -1, np.int32)
        codes = text.replace_strict(self._known, default=None, return_dtype=pl.Int32).fill_null(-1)
        return np.asarray(codes.to_numpy(), dtype=np.int32)


def _plain(column: pl.Series) -> Values | None:
    """A text column that holds plain numbers in every cell that is not empty: nearly all do, and this is fast."""
    if column.dtype != pl.String:
        return None
    parsed = column.cast(pl.Float64, strict=False)
    return _values(None, parsed) if parsed.null_count() == column.null_count() else None


def _text(column: pl.Series) -> pl.Series | None:
    """A text column without blanks around, null where a word says "no value"; None if the column is not text."""
    if column.dtype == pl.Null:
        return column.cast(pl.String)
    if column.dtype != pl.String:
        return None
    text = column.str.strip_chars()
    missing = text.str.to_lowercase().is_in(_MISSING)
    return text.zip_with(~missing.fill_null(value=True), pl.Series([None], dtype=pl.String))


def _values(text: pl.Series | None, parsed: pl.Series) -> Values:
    values = parsed.fill_null(np.nan).to_numpy().astype(np.float64)
    absent_ = (parsed if text is None else text).is_null().to_numpy()
    bad = ~np.isfinite(values) & ~absent_
    return Values(np.where(bad, np.nan, values), absent_, bad)
