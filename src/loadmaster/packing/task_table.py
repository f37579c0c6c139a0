"""Tables of tasks and of running states: the columns of amounts that every table has, and those of tasks."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from loadmaster.model import Cluster, InputError
from loadmaster.model.arrays import Floats, Ints, Longs
from loadmaster.model.features import parse_features
from loadmaster.traces.amount_columns import (
    AMOUNT_COLUMNS,
    OTHER,
    amounts,
    most_without_unit,
    resource_columns,
    unknown_column,
)
from loadmaster.traces.values import Values, absent, numbers, words
from loadmaster.traces.whole_table import WholeTable

TASK_COLUMNS = {
    "name": "of the task; also task, id",
    "job": "tasks of one job share one yield; a row without one is a job of its own",
    "tasks": "how many such tasks the row stands for, all of one job; 1 if absent",
    "weight": "of the job, more than 0; 1 if absent",
    "min_yield": "a guarantee of the job, from 0 to 1",
    "host": "where the task runs now; empty if it does not",
    "numa_nodes": "how many NUMA nodes of its host the task takes, an equal part on each; 1 if absent",
    "on_numa_nodes": "the NUMA nodes of its host that the task holds now, from 0, separated by spaces",
    "gpu_kind": "the features that the host of its GPUs must have, `A|B` for either; empty for any GPU",
} | {column: meaning.format(what="task") for column, meaning in AMOUNT_COLUMNS.items()}
"""Every column of a table of tasks and what it holds. One amount must be there."""

MOST_TASKS = 10_000_000
_NAMES = ("name", "task", "id")


@dataclass(frozen=True, eq=False)
class Tasks:
    """T tasks of J jobs as read.

    Attributes:
        demand: float64[T, R] over the cluster's resources.
        names: of the tasks, or empty.
        job_names: of the jobs, or empty: what the table calls them, else the name of their first row.
        job: int32[T]; None where every task is a job of its own.
        weight, guarantee: float64[J]; None where the table has no such column.
        host: int32[T], where it runs now, -1 where it does not; None where the table has no such column.
        gpu_kind: the kinds of GPU that each task accepts, `A|B`; "" for any. Empty where no task names one.
        numa_nodes: int64[T], NUMA nodes that each task takes; None without such a column.
        on_numa_nodes: for each task the nodes that it holds now; None where a cell is empty, () without such a column.
        most_plain_memory: bytes of the largest memory that was a plain number without a unit; 0 if there is none.
        notes: what was assumed, one sentence each.
    """

    demand: Floats
    names: tuple[str, ...] = ()
    job_names: tuple[str, ...] = ()
    job: Ints | None = None
    weight: Floats | None = None
    guarantee: Floats | None = None
    host: Ints | None = None
    gpu_kind: tuple[str, ...] = ()
    numa_nodes: Longs | None = None
    on_numa_nodes: tuple[tuple[int, ...] | None, ...] = ()
    most_plain_memory: float = 0.0
    notes: tuple[str, ...] = ()


def tasks_of(path: Path, table: WholeTable, cluster: Cluster) -> Tasks:
    """The tasks in the rows of `table`.

    Raises:
        InputError: a column or a value breaks a rule.
    """
    frame = table.frame
    columns = resource_columns(frame.columns, str(path))
    known = (*TASK_COLUMNS, *_NAMES, *columns.values())
    unknown = next((name for name in frame.columns if name not in known), None)
    if unknown is not None:
        raise unknown_column(unknown, "a table of tasks", [*TASK_COLUMNS, *_NAMES], str(path))
    if not columns:
        raise InputError(path.name, f"no column of {', '.join(cluster.resources)}", where=str(path))
    if frame.height == 0:
        raise InputError(path.name, "no task in this file", where=str(path))
    asked = {
        resource: checked(amounts(frame[column], column), column, path, table) for resource, column in columns.items()
    }
    demand, notes = demand_on(cluster, asked, path, columns)
    count = _counts(path, table)
    row = np.repeat(np.arange(frame.height), count)
    job = _jobs(table, row)
    return Tasks(
        demand=demand[row],
        names=_names(table, row, count),
        job_names=_job_names(table, row, job),
        job=job if int(job.max()) + 1 < len(row) else None,
        weight=_of_jobs("weight", path, table, row, job),
        guarantee=_of_jobs("min_yield", path, table, row, job),
        host=_hosts_now(path, table, row, cluster),
        gpu_kind=_gpu_kinds(path, table, row),
        numa_nodes=_counts(path, table, "numa_nodes")[row] if "numa_nodes" in frame.columns else None,
        on_numa_nodes=_nodes_now(path, table, row),
        most_plain_memory=max(most_without_unit(frame[column], column) for column in columns.values()),
        notes=tuple(notes),
    )


def demand_on(
    cluster: Cluster, asked: Mapping[str, Floats], path: Path, columns: Mapping[str, str] = {}
) -> tuple[Floats, list[str]]:
    """float64[N, R] over the cluster's resources from float64[N] of each resource requested; and notes.

    Raises:
        InputError: a resource is requested that the hosts do not have.
    """
    for resource, amount in asked.items():
        if resource not in cluster.resources and (amount > 0).any():
            column, have = columns.get(resource, resource), ", ".join(cluster.resources)
            fix = f"leave the column out, or give hosts that have it; they have {have}"
            raise InputError(column, "tasks request a resource that the hosts do not have", fix=fix, where=str(path))
    rows = len(next(iter(asked.values())))
    demand = np.column_stack([asked.get(name, np.zeros(rows)) for name in cluster.resources])
    lacking = [name for name in cluster.resources if name not in asked]
    return demand, [f"no column of {name.removeprefix(OTHER)}: tasks request none of it" for name in lacking]


def checked(values: Values, name: str, path: Path, table: WholeTable, default: float = 0.0) -> Floats:
    """float64[rows]: the values of column `name`, `default` where a cell is empty.

    Raises:
        InputError: one is not a number from zero up.
    """
    bad = values.bad | (values.values < 0)
    if bad.any():
        row = int(np.argmax(bad))
        value = table.frame[name][row]
        rule = f"{name} is not a number" if values.bad[row] else f"{name} must be zero or more"
        raise InputError(value, rule, where=table.where(path, row))
    return values.or_else(default)


def _number(name: str, path: Path, table: WholeTable, default: float) -> Floats:
    frame = table.frame
    values = numbers(frame[name]) if name in frame.columns else absent(frame.height)
    return checked(values, name, path, table, default)


def _counts(path: Path, table: WholeTable, name: str = "tasks") -> Longs:
    """int64[rows]: the tasks for which each row stands, or another count."""
    count = _number(name, path, table, 1.0)
    bad = (count < 1) | (count != np.floor(count)) | (count > MOST_TASKS)
    if bad.any():
        row, rule = int(np.argmax(bad)), f"{name} must be a whole number from 1 to {MOST_TASKS:,}"
        raise InputError(f"{count[row]:g}", rule, where=table.where(path, row))
    if count.sum() > MOST_TASKS:
        raise InputError(f"{count.sum():g} tasks", f"more than {MOST_TASKS:,} in all", where=str(path))
    return count.astype(np.int64)


def _jobs(table: WholeTable, row: Longs) -> Ints:
    """int32[T]: jobs numbered in the order of their first task; a row without job is a job of its own."""
    if "job" not in table.frame.columns:
        return row.astype(np.int32)
    number: dict[str | int, int] = {}
    own = words(table.frame["job"]).to_list()
    of_row = [number.setdefault(r if name is None else name, len(number)) for r, name in enumerate(own)]
    return np.array(of_row, np.int32)[row]


def _of_jobs(name: str, path: Path, table: WholeTable, row: Longs, job: Ints) -> Floats | None:
    """float64[J]: the value that all rows of a job have in common; None without such a column."""
    if name not in table.frame.columns:
        return None
    weight = name == "weight"
    values = _number(name, path, table, 1.0 if weight else 0.0)
    bad = values <= 0 if weight else values > 1
    if bad.any():
        r, rule = int(np.argmax(bad)), "must be more than 0" if weight else "must lie in [0, 1]"
        raise InputError(f"{values[r]:g}", f"{name} {rule}", where=table.where(path, r))
    first = np.unique(job, return_index=True)[1]
    of_job = values[row][first]
    other = values[row] != of_job[job]
    if other.any():
        t = int(np.argmax(other))
        begun = f"line {table.line[row[first[job[t]]]]} gives this job {of_job[job[t]]:g}"
        rule = f"{name} must be the same in all rows of a job: {begun}"
        raise InputError(f"{values[row[t]]:g}", rule, where=table.where(path, int(row[t])))
    return np.asarray(of_job)


def _row_names(table: WholeTable) -> list[str] | None:
    column = next((name for name in _NAMES if name in table.frame.columns), None)
    if column is None:
        return None
    own = words(table.frame[column]).to_list()
    return [f"line {table.line[r]}" if name is None else name for r, name in enumerate(own)]


def _job_names(table: WholeTable, row: Longs, job: Ints) -> tuple[str, ...]:
    names = _row_names(table)
    if names is None and "job" not in table.frame.columns:
        return ()
    own = words(table.frame["job"]).to_list() if "job" in table.frame.columns else [None] * table.frame.height
    rows = [str(r) for r in range(table.frame.height)] if names is None else names
    first = row[np.unique(job, return_index=True)[1]].tolist()
    return tuple(rows[r] if own[r] is None else own[r] for r in first)


def _names(table: WholeTable, row: Longs, count: Longs) -> tuple[str, ...]:
    own = _row_names(table)
    if own is None:
        return ()
    first = np.concatenate(([0], np.cumsum(count)))
    return tuple(f"{own[r]}.{t - first[r]}" if count[r] > 1 else own[r] for t, r in enumerate(row.tolist()))


def _hosts_now(path: Path, table: WholeTable, row: Longs, cluster: Cluster) -> Ints | None:
    if "host" not in table.frame.columns:
        return None
    index = {cluster.name(h): h for h in range(cluster.hosts)}
    names = words(table.frame["host"]).to_list()
    unknown = next((r for r, name in enumerate(names) if name is not None and name not in index), None)
    if unknown is not None:
        called = ", ".join([*index][:3]) + (", ..." if cluster.hosts > 3 else "")
        fix = f"the hosts are called {called}; leave the cell empty for a task that does not run yet"
        raise InputError(names[unknown], "no such host", fix=fix, where=table.where(path, unknown))
    return np.array([-1 if name is None else index[name] for name in names], np.int32)[row]


def _nodes_now(path: Path, table: WholeTable, row: Longs) -> tuple[tuple[int, ...] | None, ...]:
    """For each task its NUMA nodes, None where the cell is empty; () without such a column."""
    if "on_numa_nodes" not in table.frame.columns:
        return ()
    lists = [(text or "").split() or None for text in words(table.frame["on_numa_nodes"]).to_list()]
    for r, numbers_of in enumerate(lists):
        if numbers_of is not None and not all(n.isascii() and n.isdigit() and len(n) < 10 for n in numbers_of):
            rule, fix = "on_numa_nodes is a list of numbers from 0", "separate them by spaces: 0 1"
            raise InputError(" ".join(numbers_of), rule, fix=fix, where=table.where(path, r))
    nodes = [None if numbers_of is None else tuple(map(int, numbers_of)) for numbers_of in lists]
    return tuple(nodes[r] for r in row.tolist())


def _gpu_kinds(path: Path, table: WholeTable, row: Longs) -> tuple[str, ...]:
    """The kinds of GPU that each task accepts; empty without such a column."""
    if "gpu_kind" not in table.frame.columns:
        return ()
    texts = words(table.frame["gpu_kind"]).fill_null("").to_list()
    for r, text in enumerate(texts):
        try:
            parse_features(text or "any")
        except InputError as error:
            raise InputError(error.value, error.rule, fix=error.fix, where=table.where(path, r)) from None
    return tuple(texts[r] for r in row.tolist())
