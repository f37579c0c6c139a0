"""Reads packing instances: tables of tasks (CSV, Parquet), Alibaba's openb pods, OptaPlanner's cloud balancing."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from loadmaster.model import Cluster, InputError
from loadmaster.model.arrays import Floats, Ints
from loadmaster.model.exact import exact_demand
from loadmaster.model.units import CORES, GPUS, MB, MEMORY, parse_bytes
from loadmaster.pack.instance import Instance
from loadmaster.traces import read_hosts

ALIASES = {"cpu": CORES, "cpus": CORES, "core": CORES, "mem": MEMORY, "gpu": GPUS}
"""Other names of resources in a table's head."""
NAMES = ("name", "task", "id")
"""Columns that name the rows; the first that is there does."""
OTHERS = (*NAMES, "job", "tasks", "weight", "min_yield", "host")
"""Columns of a table that are no resources: see `read_tasks`."""

MOST_TASKS = 10_000_000
"""In one row."""


@dataclass(frozen=True, eq=False)
class TaskFile:
    """An instance as read.

    Attributes:
        instance: tasks and hosts.
        host: int32[T], where every task runs now, -1 where it does not; None if the file does not say.
        notes: what was assumed or left out, one sentence each.
    """

    instance: Instance
    host: Ints | None = None
    notes: tuple[str, ...] = ()


def read_tasks(path: Path, hosts: str | None = None, fluid: Sequence[str] = (CORES,)) -> TaskFile:
    """Read tasks, and hosts where the file has them.

    A table has a row a task and a column a resource of the hosts (`cores` or `cpu`, `memory` in bytes or like 4GiB,
    others by their names), and may have: `name`; `job`, whose tasks share one yield; `tasks`, how many such tasks the
    row stands for, all of one job; `weight` and `min_yield` of the job; `host`, where the task runs now.

    Args:
        path: .csv (also .gz), .parquet, openb's pod list, or OptaPlanner's .json, which names its hosts itself.
        hosts: as `--hosts`; needed for all but OptaPlanner's files.
        fluid: the resources whose demand may be scaled down.

    Raises:
        InputError: no such file, no hosts, or a value that breaks a rule.
    """
    if path.is_dir():
        raise InputError(path.name, "a folder, not a file", where=str(path))
    if not path.is_file():
        raise InputError(path.name, "no such file", fix="check the path", where=str(path))
    if path.suffix == ".json":
        return _read_optaplanner(path, fluid)
    if hosts is None:
        raise InputError(path.name, "the file does not name the hosts", fix="give --hosts like 20x16c64g")
    table = _read_table(path)
    notes: list[str] = []
    if "cpu_milli" in table.columns:
        table, notes = _from_openb(table, path)
    return _from_table(table, read_hosts(hosts), path, fluid, notes)


def instance_of(cluster: Cluster, demand: Floats, fluid: Sequence[str], **more: Any) -> Instance:
    """Tasks with `demand`, float64[T, R] over the cluster's resources, those named in `fluid` scalable."""
    names = [ALIASES.get(name, name) for name in fluid]
    unknown = [name for name in names if name not in cluster.resources]
    if unknown or not names:
        known = ", ".join(cluster.resources)
        raise InputError(", ".join(unknown) or "none", "no fluid resource of the hosts", fix=f"known: {known}")
    scaled = [cluster.resources.index(name) for name in names]
    rest = [r for r in range(len(cluster.resources)) if r not in scaled]
    demand = exact_demand(demand)  # as the cluster's capacity is, so that what fills a host on paper fills it
    return Instance(
        demand[:, scaled], demand[:, rest], cluster.capacity[:, scaled], cluster.capacity[:, rest],
        fluid_names=tuple(names), rigid_names=tuple(cluster.resources[r] for r in rest),
        host_names=cluster.names, **more,
    )  # fmt: skip


def _read_table(path: Path) -> Any:
    import polars as pl

    try:
        if path.suffix == ".parquet":
            return pl.read_parquet(path)
        return pl.read_csv(path, infer_schema_length=None)
    except (pl.exceptions.PolarsError, OSError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(path.name, f"not a readable table: {reason}", where=str(path)) from error


def _from_openb(table: Any, path: Path) -> tuple[Any, list[str]]:
    """Cores from thousandths, memory from MiB, GPUs from their count or the shared fraction of one; and notes."""
    import polars as pl

    lacking = [name for name in ("name", "memory_mib", "num_gpu", "gpu_milli") if name not in table.columns]
    if lacking:
        raise InputError(", ".join(lacking), "openb's pod list has this column", where=str(path))
    notes = ["a host's GPUs are one amount: parts of GPUs may add up across GPUs"]
    if "gpu_spec" in table.columns and (typed := int(table["gpu_spec"].is_not_null().sum())):
        notes.append(f"{typed} pods ask for a type of GPU, which was not used: any GPU serves them")
    gpus = pl.when(pl.col("num_gpu") == 1).then(pl.col("gpu_milli") / 1000).otherwise(pl.col("num_gpu"))
    columns = (
        pl.col("name"), (pl.col("cpu_milli") / 1000).alias(CORES), (pl.col("memory_mib") * MB).alias(MEMORY),
        gpus.alias(GPUS),
    )  # fmt: skip
    try:
        return table.select(columns), notes
    except pl.exceptions.PolarsError as error:
        raise InputError(
            path.name, f"not numbers as in openb's pod list: {error}".splitlines()[0], where=str(path)
        ) from error


def _from_table(table: Any, cluster: Cluster, path: Path, fluid: Sequence[str], told: list[str]) -> TaskFile:
    meant = [ALIASES.get(name, name) for name in table.columns]
    twice = next((name for name in meant if meant.count(name) > 1), None)
    if twice is not None:
        raise InputError(twice, "two columns of this resource", fix="leave one of them out", where=str(path))
    table = table.rename(dict(zip(table.columns, meant, strict=True)))
    if table.height == 0:
        raise InputError(path.name, "no task in this file", where=str(path))
    asked = _column(table, "tasks", path, 1.0)
    wrong = (asked < 1) | (asked != np.floor(asked)) | (asked > MOST_TASKS)
    if wrong.any():
        r, rule = int(wrong.argmax()), f"tasks must be a whole number from 1 to {MOST_TASKS:,}"
        raise InputError(f"{asked[r]:g}", rule, where=f"{path}: row {r + 1}")
    count = asked.astype(int)
    row = np.repeat(np.arange(table.height), count)
    demand = np.column_stack([_column(table, name, path, 0.0)[row] for name in cluster.resources])
    missing = [name for name in cluster.resources if name not in table.columns]
    notes = [*told, *(f"no column {name}: tasks ask for none of it" for name in missing)]
    unknown = [n for n in table.columns if n not in cluster.resources and n not in OTHERS]
    notes += [f"column {name} is no resource of the hosts and was not used" for name in unknown]
    if len(missing) == len(cluster.resources):
        raise InputError(path.name, f"no column of {', '.join(cluster.resources)}", where=str(path))
    job = _jobs(table, row)
    jobs = int(job.max()) + 1
    more = {
        field: _of_jobs(_column(table, column, path, default), row, job, column, path)
        for column, field, default in (("weight", "weight", 1.0), ("min_yield", "guarantee", 0.0))
        if column in table.columns
    }
    names = _names(table, row, count)
    job_or_none = job if jobs < len(row) else None
    instance = instance_of(cluster, demand, fluid, job=job_or_none, task_names=names,
                           job_names=_job_names(table, job, row), source=path.name, **more)  # fmt: skip
    return TaskFile(instance, _hosts_now(table, row, cluster, path), tuple(notes))


def _jobs(table: Any, row: Ints) -> Ints:
    """int32[T]: jobs numbered in the order of their first task; a row without job is a job of its own."""
    if "job" not in table.columns:
        return row.astype(np.int32)
    number: dict[Any, int] = {}
    own = table["job"].to_list()
    of_row = [number.setdefault(own[r] if own[r] is not None else ("row", r), len(number)) for r in range(len(own))]
    return np.array(of_row, np.int32)[row]


def _job_names(table: Any, job: Ints, row: Ints) -> tuple[str, ...]:
    """A name for every job: its own, or that of its first row; empty if the table names neither."""
    own = table["job"].to_list() if "job" in table.columns else [None] * table.height
    first = row[np.unique(job, return_index=True)[1]]
    column = next((name for name in NAMES if name in table.columns), None)
    if column is None and all(name is None for name in own):
        return ()
    rows = table[column].to_list() if column else [str(r) for r in range(table.height)]
    return tuple(str(rows[r] if own[r] is None else own[r]) for r in first)


def _of_jobs(values: Floats, row: Ints, job: Ints, column: str, path: Path) -> Floats:
    """float64[J]: the value that all rows of a job have in common."""
    rule = "must be more than 0" if column == "weight" else "must lie in [0, 1]"
    wrong = values <= 0 if column == "weight" else values > 1
    if wrong.any():
        r = int(wrong.argmax())
        raise InputError(f"{values[r]:g}", f"{column} {rule}", where=f"{path}: row {r + 1}")
    first = np.unique(job, return_index=True)[1]
    of_job = values[row][first]
    other = values[row] != of_job[job]
    if other.any():
        t = int(other.argmax())
        begun = f"row {row[first[job[t]]] + 1} gives this job {of_job[job[t]]:g}"
        raise InputError(f"{values[row[t]]:g}", f"{column} must be the same in all rows of a job: {begun}",
                         where=f"{path}: row {row[t] + 1}")  # fmt: skip
    return np.asarray(of_job)


def _names(table: Any, row: Ints, count: Ints) -> tuple[str, ...]:
    column = next((name for name in NAMES if name in table.columns), None)
    if column is None:
        return ()
    own = table[column].to_list()
    first = np.concatenate(([0], np.cumsum(count)))
    return tuple(f"{own[r]}.{t - first[r]}" if count[r] > 1 else str(own[r]) for t, r in enumerate(row))


def _hosts_now(table: Any, row: Ints, cluster: Cluster, path: Path) -> Ints | None:
    if "host" not in table.columns:
        return None
    index = {cluster.name(h): h for h in range(cluster.hosts)}
    host = []
    for r, name in enumerate(table["host"].to_list()):
        label = "" if name is None else str(name)
        if label and label not in index:
            fix = "leave the cell empty for a task that does not run yet"
            raise InputError(label, "no such host", fix=fix, where=f"{path}: row {r + 1}")
        host.append(index[label] if label else -1)
    return np.array(host, np.int32)[row]


def _column(table: Any, name: str, path: Path, default: float) -> Floats:
    """float64[rows]: column `name`, memory also with a unit; `default` where it or a cell is missing."""
    if name not in table.columns:
        return np.full(table.height, default)
    values = []
    for r, value in enumerate(table[name].to_list()):
        try:
            text = isinstance(value, str)
            number = default if value is None else parse_bytes(value) if text and name == MEMORY else float(value)
        except (ValueError, InputError) as error:
            raise InputError(value, f"{name} is not a number", where=f"{path}: row {r + 1}") from error
        if not np.isfinite(number) or number < 0:
            raise InputError(value, f"{name} must be zero or more", where=f"{path}: row {r + 1}")
        values.append(number)
    return np.array(values)


def _read_optaplanner(path: Path, fluid: Sequence[str]) -> TaskFile:
    """OptaPlanner's cloud balancing: computers and processes with CPU, memory and network; costs are left out."""
    try:
        text = json.loads(path.read_text())
        computers, processes = text["computerList"], text["processList"]
        capacity = [[c["cpuPower"], c["memory"], c["networkBandwidth"]] for c in computers]
        asked = ("requiredCpuPower", "requiredMemory", "requiredNetworkBandwidth")
        demand = [[p[name] for name in asked] for p in processes]
        cluster = Cluster((CORES, MEMORY, "network"), np.array(capacity, float), tuple(str(c["id"]) for c in computers))
        names = tuple(str(p["id"]) for p in processes)
    except (json.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        fix = "it has computerList and processList"
        raise InputError(path.name, "not a cloud balancing file of OptaPlanner", fix=fix, where=str(path)) from error
    table = np.array(demand, float).reshape(-1, 3)
    instance = instance_of(cluster, table, fluid, task_names=names, source=path.name, synthetic=True)
    return TaskFile(
        instance, None, ("the computers' costs were not used: packing raises yields and saves no computers",)
    )
