"""From batches of a table to a workload: every table format says only what its columns mean."""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.model import Constraints, Named, Workload
from loadmaster.model.arrays import Bools, Floats
from loadmaster.traces.rejects import Locate, Rejects, Rule
from loadmaster.traces.rows import Rows, workload_of
from loadmaster.traces.values import Values

RAGGED = Rule("more cells than the header has columns")
NO_SUBMIT = Rule("submit time is missing")
BAD_SUBMIT = Rule("submit time is neither a number nor a date")
NEGATIVE_SUBMIT = Rule("submit time is negative")
BAD_RUNTIME = Rule("runtime is not a number of seconds")
NEGATIVE_RUNTIME = Rule("runtime is negative")
NO_RUNTIME = Rule("runtime is zero or unknown, so the job never ran", bad=False)
BAD_TASKS = Rule("number of tasks is not a whole number from 1 up")
BAD_ESTIMATE = Rule("estimated runtime is not a number of seconds")
BAD_WAIT = Rule("wait is not a number of seconds")
NO_CORES = Rule("requests no cores", bad=False)
RESOURCE, EXTRA, BOUND, RAN_ON = "resource:", "extra:", "bound:", "ran on"
MOST_TASKS = float((1 << 31) - 1)
_LARGEST = float(1 << 62)


class RowTable(NamedTuple):
    """What a format makes of N rows: checks in the order in which they count, and columns.

    Columns bear the names of `Rows`, resources as `resource:<name>`, those of constraints as `bound:<name>`, whatever
    else as `extra:<name>`; `RAN_ON` has the codes of the hosts on which jobs ran.
    Of each of `marks`, bool[N], the rows that are kept are counted.
    """

    checks: list[tuple[Rule, Bools]]
    columns: dict[str, NDArray[Any]]
    marks: Mapping[str, Bools] = MappingProxyType({})

    def first(self, rows: int) -> "RowTable":
        """The first so many rows."""
        return RowTable(
            [(rule, broken[:rows]) for rule, broken in self.checks],
            {name: column[:rows] for name, column in self.columns.items()},
            {name: marked[:rows] for name, marked in self.marks.items()},
        )


class Read(NamedTuple):
    """The jobs of all batches in the order of arrival, with the further columns, and how many bore each mark."""

    workload: Workload
    extra: dict[str, NDArray[Any]]
    marked: dict[str, int]


def read_table(
    tables: Iterable[tuple[RowTable, Locate]],
    rejects: Rejects,
    limit: int | None,
    source: str,
    *,
    synthetic: bool = False,
    constraints: Callable[[dict[str, NDArray[Any]], Mapping[str, NDArray[Any]]], Constraints] | None = None,
    all_fields: bool = False,
    ran_on: Callable[[], tuple[str, ...]] = tuple,
) -> Read:
    """Judge every row, keep the good ones, join the batches; behind the job number `limit` nothing is looked at.

    `constraints` makes those of all jobs of the columns `bound:<name>`, given the others beside them; `ran_on` tells
    the names behind the codes of `RAN_ON`. With
    `all_fields` the further columns hold the projects as read, -1 for unknown, where some are.

    Raises:
        InputError: no job is left, or (strict) a bad row.
    """
    pieces: list[dict[str, NDArray[Any]]] = []
    jobs = 0
    marked: dict[str, int] = {}
    for batch, locate in tables:
        table = batch if limit is None else _until(batch, limit - jobs)
        keep = rejects.judge(table.checks, locate)
        if keep.any():
            pieces.append({name: column if keep.all() else column[keep] for name, column in table.columns.items()})
            jobs += int(keep.sum())
            for name, marks in table.marks.items():
                marked[name] = marked.get(name, 0) + int((marks & keep).sum())
        if limit is not None and jobs >= limit:
            break
    if not pieces:
        raise rejects.none_left()
    columns: dict[str, Any] = {name: np.concatenate([piece.pop(name) for piece in pieces]) for name in list(pieces[0])}
    resources = tuple(name.removeprefix(RESOURCE) for name in columns if name.startswith(RESOURCE))
    demand = np.column_stack([columns.pop(RESOURCE + name) for name in resources])
    extra = {name.removeprefix(EXTRA): columns.pop(name) for name in list(columns) if name.startswith(EXTRA)}
    bound = {name.removeprefix(BOUND): columns.pop(name) for name in list(columns) if name.startswith(BOUND)}
    if bound and constraints is not None:
        columns["constraints"] = constraints(bound, columns)
    codes = columns.pop(RAN_ON, None)
    if codes is not None and (codes >= 0).any():
        columns["recorded_hosts"] = Named(codes, ran_on())
    project = columns.get("project")
    if all_fields and project is not None and project.min() < 0 <= project.max():
        extra["project"] = project
    if "estimate_s" in extra and (extra["estimate_s"] > 0).all():
        del extra["estimate_s"]
    for name in ("user", "job_id"):
        if name in columns and columns[name].max() < 0:
            del columns[name]  # known for no job
    workload, order = workload_of(Rows(demand=demand, **columns), resources, source, synthetic=synthetic)
    return Read(workload, extra if order is None else {name: column[order] for name, column in extra.items()}, marked)


def _until(table: RowTable, jobs: int) -> RowTable:
    """The rows up to and with the one that is kept as number `jobs`; all if there are fewer."""
    sound = np.flatnonzero(~np.logical_or.reduce([broken for _, broken in table.checks]))
    return table.first(int(sound[jobs - 1]) + 1) if len(sound) >= jobs else table


def time_checks(submit: Values, runtime: Values) -> list[tuple[Rule, Bools]]:
    """The rules for the two times every job needs."""
    return [
        (NO_SUBMIT, submit.missing),
        (BAD_SUBMIT, submit.bad | (np.abs(submit.or_else(0.0)) > _LARGEST)),
        (NEGATIVE_SUBMIT, submit.values < 0),
        (BAD_RUNTIME, runtime.bad | (np.abs(runtime.or_else(0.0)) > _LARGEST)),
        (NEGATIVE_RUNTIME, (runtime.values < 0) & (runtime.values != -1)),
        (NO_RUNTIME, runtime.missing | (runtime.values <= 0)),
    ]


def task_check(tasks: Values) -> tuple[Rule, Bools]:
    """The rule for the number of tasks."""
    count = tasks.or_else(1.0)
    return BAD_TASKS, tasks.bad | (count < 1) | (count > MOST_TASKS) | (count != np.floor(count))


def amount_check(name: str, amount: Values) -> tuple[Rule, Bools]:
    """The rule for the demand of a resource: zero or more."""
    return Rule(f"{name} is not an amount from zero up"), amount.bad | (amount.values < 0)


def estimates(estimate: Values, runtime: Values) -> Floats:
    """float64[N]: the user's estimates, the runtime where there is none."""
    return np.where(estimate.values > 0, estimate.values, runtime.values)
