"""Write a log as SWF, CSV or Parquet, and its machines as CSV."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, cast

import numpy as np
import polars as pl
from isal import igzip
from numpy.typing import NDArray

from loadmaster.model import Cluster, Constraints, InputError, Workload
from loadmaster.model.units import CORES, GPUS, MEMORY
from loadmaster.system.whole_file import whole_file
from loadmaster.traces.constraint_table import constraint_columns, names_of
from loadmaster.traces.job_columns import SWF_NAMES
from loadmaster.traces.recipe import LABEL, Recipe
from loadmaster.traces.spreadsheet import harmless
from loadmaster.traces.swf_names import names_beside, write_names
from loadmaster.traces.swf_numbers import SwfNumbers, swf_numbers
from loadmaster.traces.swf_writer import write_swf

KINDS = (".swf", ".swf.gz", ".csv", ".csv.gz", ".parquet")
Extra = Mapping[str, NDArray[Any]]
NOTHING: Extra = MappingProxyType({})


def write_trace(
    workload: Workload, path: str | Path, extra: Extra = NOTHING, recipe: Recipe | None = None
) -> tuple[str, ...]:
    """Write `workload` to `path`; the name's ending says how: .swf, .csv (each also .gz) or .parquet.

    CSV and Parquet keep everything; SWF keeps cores and memory of jobs whose tasks request whole cores, the memory
    of a processor in whole bytes, and numbers for names, which stand in a table beside it (LOG.names.csv).

    Args:
        workload: the jobs.
        path: an existing file is replaced.
        extra: further columns, one value a job, as in `Trace.extra`.
        recipe: how a synthetic log was made, so that others like it can be.

    Returns:
        What the file has no place for, one sentence each.

    Raises:
        InputError: an unknown ending, a folder that is not there, or jobs that SWF cannot hold.
    """
    path = Path(path)
    kind = kind_of(path)
    numbers = swf_numbers(workload, extra) if kind.startswith(".swf") else SwfNumbers({}, [], [])
    if numbers.names:
        with _created(names_beside(path), packed=False) as file:
            write_names(numbers.names, file)
    with _created(path, packed=kind.endswith(".gz")) as file:
        if kind.startswith(".swf"):
            beside = names_beside(path).name if numbers.names else ""
            write_swf(workload, file, {**extra, **numbers.columns}, recipe, beside)
        elif kind.startswith(".csv"):
            if workload.synthetic:
                file.write(f"# synthetic: {workload.source}\n".encode(errors="backslashreplace"))
                file.write(f"# {LABEL}: {recipe.text}\n".encode() if recipe is not None else b"")
            harmless(_whole(job_frame(workload, extra))).write_csv(file)
        else:
            about = {"synthetic": workload.source} if workload.synthetic else {}
            about |= {LABEL: recipe.text} if workload.synthetic and recipe is not None else {}
            job_frame(workload, extra).write_parquet(file, metadata=about)
    return tuple(numbers.lost)


def kind_of(path: str | Path) -> str:
    """How a log is written to `path`: the one of `KINDS` in which its name ends. Asked before the work.

    Raises:
        InputError: it ends in none of them.
    """
    name = Path(path).name
    kind = next((kind for kind in KINDS if name.lower().endswith(kind)), None)
    if kind is None:
        raise InputError(name, "no known ending of a log to write", fix=f"use one of {', '.join(KINDS)}")
    return kind


def hosts_beside(path: str | Path) -> Path:
    """Where the machines of the log at `path` are looked for: LOG.hosts.csv.

    Example:
        >>> hosts_beside("logs/pool.swf.gz").name
        'pool.hosts.csv'
    """
    path = Path(path)
    return path.parent / (Path(path.name.removesuffix(".gz")).stem + ".hosts.csv")


def write_hosts(cluster: Cluster, path: str | Path) -> None:
    """Write machines as a CSV host table in the order of the cluster, equal neighbours as one row with a count."""
    path = Path(path)
    speed = cluster.speed if cluster.speed is not None else np.ones(cluster.hosts)
    price = cluster.price_per_hour
    rows = np.column_stack((cluster.capacity, speed, np.zeros(cluster.hosts) if price is None else price))
    starts = np.concatenate(([0], np.flatnonzero(np.any(rows[1:] != rows[:-1], axis=1)) + 1))
    if cluster.names:
        starts = np.arange(cluster.hosts)
    columns: dict[str, Any] = {"name": [cluster.names[k] for k in starts]} if cluster.names else {}
    if not cluster.names:
        columns["count"] = np.diff(np.concatenate((starts, [cluster.hosts])))
    columns |= {column_of(name): cluster.capacity[starts, r] for r, name in enumerate(cluster.resources)}
    if np.any(speed != 1.0):
        columns["speed"] = speed[starts]
    if price is not None:
        columns["price_per_hour"] = price[starts]
    with _created(path, packed=path.suffix == ".gz") as file:
        harmless(_whole(pl.DataFrame(columns))).write_csv(file)


def job_frame(workload: Workload, extra: Extra = NOTHING) -> pl.DataFrame:
    """`workload` as a table with the columns of `job_columns.COLUMNS`."""
    columns: dict[str, Any] = {
        "job_id": pl.Series(np.arange(workload.jobs))
        if workload.job_id is None
        else _null_where_unknown(workload.job_id),
        "submit_s": workload.submit_s,
        "runtime_s": workload.runtime_s,
    }
    columns |= {column_of(name): workload.demand[:, r] for r, name in enumerate(workload.resources)}
    bound, ran_on = workload.constraints or Constraints(), workload.recorded_hosts
    columns |= {
        "tasks": workload.tasks,
        "estimate_s": workload.estimate_s,
        "project": names_of(extra.get("project", workload.project), bound.account_names),
        "user": names_of(workload.user, bound.user_names),
        "wait_s": None if workload.recorded_wait_s is None else pl.Series(workload.recorded_wait_s).fill_nan(None),
        "ran_on": None if ran_on is None else pl.Series(ran_on.words(), dtype=pl.String),
    }
    beside = {SWF_NAMES.get(name, name): column for name, column in extra.items() if name != "project"}
    columns = {name: column for name, column in columns.items() if column is not None}
    return pl.DataFrame(
        columns | constraint_columns(bound) | {k: _null_where_unknown(column) for k, column in beside.items()}
    )


def _null_where_unknown(column: NDArray[Any]) -> pl.Series:
    """A further column, null where it is -1: unknown, as SWF writes it."""
    values = pl.Series(column)
    return values.set(values == -1, None)


def column_of(resource: str) -> str:
    """The column of a job or host table that holds `resource`."""
    plain = {CORES: "cores", MEMORY: "memory_bytes", GPUS: "gpus"}
    return plain.get(resource, f"resource_{resource}")


@contextmanager
def _created(path: Path, *, packed: bool) -> Iterator[BinaryIO]:
    """A file that takes the place of `path` once it is whole; nothing is left behind if writing fails."""
    try:
        with whole_file(path) as part:
            if packed:
                with igzip.open(part, "wb", compresslevel=2) as file:  # type: ignore[no-untyped-call]
                    yield cast(BinaryIO, file)
            else:
                with part.open("wb") as file:
                    yield file
    except OSError as error:
        fix = "make the folder first" if isinstance(error, FileNotFoundError) else ""
        raise InputError(path.name, f"cannot be written: {error.strerror}", fix=fix, where=str(path)) from None


def _whole(frame: pl.DataFrame) -> pl.DataFrame:
    """Columns of whole numbers without a decimal point: shorter, and what people expect to see."""
    whole = [
        pl.col(name).cast(pl.Int64)
        for name in frame.columns
        if frame[name].dtype == pl.Float64 and bool(((frame[name] % 1 == 0) & (frame[name].abs() < 2**53)).all())
    ]
    return frame.with_columns(whole)
