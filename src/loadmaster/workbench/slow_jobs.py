"""The jobs of a run that waited longest: whom one asks about first."""

from pathlib import Path
from typing import Any, NamedTuple

from loadmaster.model.units import show_seconds

_MOST_BYTES = 1 << 30


class Slow(NamedTuple):
    """A job: its identifier in the log, its wait and when it came, in words."""

    job: int
    wait: str
    came: str


def slow_jobs(jobs: Path, most: int = 12) -> list[Slow]:
    """Those that waited longest, of the table `jobs.parquet` of a record; none where it cannot be read."""
    import polars as pl

    try:
        if jobs.stat().st_size > _MOST_BYTES:
            return []
        table = pl.scan_parquet(jobs).select("id", "wait_s", "submit_s").filter(pl.col("wait_s").is_finite())
        rows: list[dict[str, Any]] = table.top_k(most, by="wait_s").collect().to_dicts()
        return [Slow(int(r["id"]), show_seconds(r["wait_s"]), show_seconds(r["submit_s"])) for r in rows]
    except (OSError, ValueError, TypeError, pl.exceptions.PolarsError):
        return []
