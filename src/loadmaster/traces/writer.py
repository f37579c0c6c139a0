"""Write a log as SWF, CSV or Parquet."""

from pathlib import Path

from loadmaster.model import InputError, Workload


def write_trace(workload: Workload, path: str | Path) -> None:
    """Write `workload` to `path`; the name's ending says how: .swf, .csv (each also .gz) or .parquet."""
    raise InputError(path, "not written yet")
