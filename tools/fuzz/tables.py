"""Broken Parquet: sound files whose columns are not what they should be."""

import io
import random

import polars as pl


def broken_table(rng: random.Random, text: str) -> bytes:
    """The table as Parquet after one or two changes of columns."""
    frame = pl.read_csv(text.encode())
    for _ in range(rng.choice((1, 1, 2))):
        if frame.width and frame.height:
            frame = rng.choice(CHANGES)(rng, frame)
    packed = io.BytesIO()
    frame.write_parquet(packed)
    return packed.getvalue()


def _column(rng: random.Random, frame: pl.DataFrame) -> str:
    return rng.choice(frame.columns)


def _values(rng: random.Random, frame: pl.DataFrame) -> pl.DataFrame:
    values: list[object] = [
        rng.choice((float("nan"), float("inf"), -1.0, 0.0, 1e308, 1e-300, None)) for _ in range(frame.height)
    ]
    return frame.with_columns(pl.Series(_column(rng, frame), values, dtype=pl.Float64))


def _kind(rng: random.Random, frame: pl.DataFrame) -> pl.DataFrame:
    name, height = _column(rng, frame), frame.height
    other = rng.choice(
        (
            pl.Series(name, [None] * height),
            pl.Series(name, [True] * height),
            pl.Series(name, [[1, 2]] * height),
            pl.Series(name, [{"a": 1}] * height),
            pl.Series(name, [b"\xff"] * height),
            pl.Series(name, ["x"] * height),
            pl.Series(name, [2**63] * height, dtype=pl.UInt64),
            pl.Series(name, range(height)).cast(pl.Date),
            pl.Series(name, range(height)).cast(pl.Duration),
            pl.Series(name, range(height)).cast(pl.Datetime("us", "UTC")),
            pl.Series(name, ["a"] * height).cast(pl.Categorical),
            pl.Series(name, [1] * height).cast(pl.Decimal(10, 2)),
        )
    )
    return frame.with_columns(other)


def _rename(rng: random.Random, frame: pl.DataFrame) -> pl.DataFrame:
    return (
        frame.rename(
            {
                _column(rng, frame): rng.choice(
                    ("", " ", "CORES", "x" * 500, "submit", "\u202e", "resource_", "resource_gpus")
                )
            },
            strict=False,
        )
        if frame.width == len(set(frame.columns))
        else frame
    )


def _drop(rng: random.Random, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.drop(_column(rng, frame))


def _empty(rng: random.Random, frame: pl.DataFrame) -> pl.DataFrame:
    return frame.head(rng.choice((0, 1)))


CHANGES = (_values, _values, _kind, _kind, _rename, _drop, _empty)
