"""The columns of a job table: their names, their units, and which column of a file holds which."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from loadmaster.model import Constraints, InputError, constraints
from loadmaster.model.units import CORES
from loadmaster.traces.amount_columns import (
    AMOUNT_COLUMNS,
    amounts,
    most_without_unit,
    resource_columns,
    resource_of,
    unknown_column,
)
from loadmaster.traces.constraint_columns import NAMED, BindingColumns
from loadmaster.traces.constraint_table import read_constraints
from loadmaster.traces.options import ReadOptions
from loadmaster.traces.swf_block import EXTRA as LOGGED
from loadmaster.traces.swf_block import USE
from loadmaster.traces.swf_memory import memory_scale
from loadmaster.traces.tabular import (
    BAD_ESTIMATE,
    BAD_WAIT,
    BOUND,
    EXTRA,
    NO_CORES,
    RAN_ON,
    RESOURCE,
    RowTable,
    amount_check,
    estimates,
    task_check,
    time_checks,
)
from loadmaster.traces.values import Codes, Names, Values, absent, durations, moments, numbers

COLUMNS = (
    {
        "submit_s": "arrival: seconds, or ISO 8601 dates with times",
        "runtime_s": "seconds, or [days-]hours:minutes:seconds",
        "start_s": "when it really started, as submit_s; with end_s instead of runtime_s",
        "end_s": "with start_s instead of runtime_s, as submit_s",
        "wait_s": "seconds that it really waited, as runtime_s; goes before start_s",
        "ran_on": "hosts on which it really ran, by name, separated by commas or as Slurm writes them: n[1-3]",
        "tasks": "number of identical tasks, 1 if absent",
        "estimate_s": "the user's estimate of the runtime",
        "project": "the account: a number or a name",
        "user": "the user: a number or a name",
        "job_id": "the identifier, a whole number",
    }
    | {name: each.words for name, each in constraints.COLUMNS.items()}
    | {column: meaning.format(what="task") for column, meaning in AMOUNT_COLUMNS.items()}
)
"""Every column of a job table and what it holds. submit_s, runtime_s (or start_s and end_s) and cores must be there."""

SWF_NAMES = {"status": "swf_status", "partition": "swf_partition"}
"""Fields of SWF, numbers, whose names in a table mean the words that bind a job."""
_ALIASES = {"submit": "submit_s", "runtime": "runtime_s", "estimate": "estimate_s", "start": "start_s", "end": "end_s"}


class ColumnLayout:
    """Which column of a file holds what."""

    def __init__(self, path: Path, names: Sequence[str], options: ReadOptions) -> None:
        self.path = path
        self.names = list(names)
        self.options = options
        self.scale = memory_scale(options, "B")
        self.notes: list[str] = []
        self.users, self.projects, self.ran_on = Codes(), Codes(), Names()
        self.bound = BindingColumns()
        self.most_plain_memory = 0.0
        self.unnumbered, self.unnumbered_example = 0, ""
        self.theirs = self._mapped(names)
        self.resources = resource_columns(self.theirs, str(path))
        self._require()

    @property
    def texts(self) -> list[str]:
        """The columns of the file that hold names or other texts, not numbers."""
        return [self.theirs[name] for name in ("user", "project", "ran_on", *NAMED, "depends") if name in self.theirs]

    def table(self, frame: pl.DataFrame) -> RowTable:
        """Columns and checks of some rows."""
        submit = self._moments(frame, "submit_s")
        runtime = self._runtime(frame)
        tasks = self._numbers(frame, "tasks")
        estimate = durations(frame[self.theirs["estimate_s"]]) if "estimate_s" in self.theirs else absent(frame.height)
        wait = self._recorded_wait(frame, submit)
        checks = [
            *time_checks(submit, runtime),
            task_check(tasks),
            (BAD_ESTIMATE, estimate.bad),
            (BAD_WAIT, wait.bad),
        ]
        columns: dict[str, NDArray[Any]] = {"submit_s": submit.values, "runtime_s": runtime.values}
        for resource, ours in self.resources.items():
            amount = self._amount(frame, ours)
            checks.append(amount_check(ours, amount))
            columns[RESOURCE + resource] = amount.or_else(0.0)
        checks.append((NO_CORES, columns[RESOURCE + CORES] <= 0))
        if "tasks" in self.theirs:
            columns["tasks"] = np.clip(tasks.or_else(1.0), 1, 2**31 - 1).astype(np.int32)
        if "estimate_s" in self.theirs:
            columns["estimate_s"] = estimates(estimate, runtime)
        for name, codes in (("user", self.users), ("project", self.projects)):
            if name in self.theirs:
                columns[name] = codes(frame[self.theirs[name]])
        columns["recorded_wait_s"] = wait.values
        if "ran_on" in self.theirs:
            columns[RAN_ON] = self.ran_on(frame[self.theirs["ran_on"]])
        if "job_id" in self.theirs:
            columns["job_id"] = self._identifiers(frame[self.theirs["job_id"]].cast(pl.String).str.strip_chars())
        for name, (_, kind) in LOGGED.items():
            ours = SWF_NAMES.get(name, name)
            if ours in self.theirs and (self.options.all_fields or (self.options.use and name in USE)):
                columns[EXTRA + name] = self._numbers(frame, ours).or_else(-1.0).astype(kind)
        if self.options.all_fields and "estimate_s" in self.theirs:
            columns[EXTRA + "estimate_s"] = estimate.or_else(-1.0)
        binds, more = read_constraints(frame, self.theirs, self.bound)
        columns |= {BOUND + name: column for name, column in binds.items()}
        columns |= {BOUND + "names of": np.zeros(frame.height)} if self._has_names() else {}
        return RowTable([*checks, *more], columns)

    def constraints(self, columns: dict[str, NDArray[Any]], rows: Mapping[str, NDArray[Any]]) -> Constraints:
        """What binds the jobs, and the names of users and projects."""
        columns.pop("names of", None)
        return self.bound.constraints(columns, rows, self.users.names, self.projects.names, recorded=False)

    def _identifiers(self, texts: pl.Series) -> NDArray[np.int64]:
        """int64[J]: the identifiers; -1 where there is none, or none that is a whole number."""
        numbers = texts.cast(pl.Int64, strict=False)
        others = texts.filter(numbers.is_null() & (texts != "").fill_null(value=False))
        self.unnumbered += len(others)
        self.unnumbered_example = self.unnumbered_example or (others[0] if len(others) else "")
        return numbers.fill_null(-1).to_numpy().astype(np.int64)

    def note_on_identifiers(self) -> list[str]:
        """What must be said of identifiers that are not kept."""
        if not self.unnumbered:
            return []
        jobs = "The identifier of 1 job" if self.unnumbered == 1 else f"The identifiers of {self.unnumbered:,} jobs"
        verb = "is no whole number" if self.unnumbered == 1 else "are no whole numbers"
        return [f"{jobs}, such as {self.unnumbered_example}, {verb}: not kept."]

    def _recorded_wait(self, frame: pl.DataFrame, submit: Values) -> Values:
        """What each job really waited, as far as a column tells."""
        if "wait_s" in self.theirs:
            return durations(frame[self.theirs["wait_s"]])
        if "start_s" in self.theirs:
            start = self._moments(frame, "start_s")
            return Values(start.values - submit.values, start.missing, start.bad)
        return absent(frame.height)

    def _has_names(self) -> bool:
        return bool({"user", "project"} & set(self.theirs))

    def _runtime(self, frame: pl.DataFrame) -> Values:
        if "runtime_s" in self.theirs:
            return durations(frame[self.theirs["runtime_s"]])
        start, end = self._moments(frame, "start_s"), self._moments(frame, "end_s")
        return Values(end.values - start.values, start.missing | end.missing, start.bad | end.bad)

    def _moments(self, frame: pl.DataFrame, ours: str) -> Values:
        return moments(frame[self.theirs[ours]])

    def _numbers(self, frame: pl.DataFrame, ours: str) -> Values:
        return numbers(frame[self.theirs[ours]]) if ours in self.theirs else absent(frame.height)

    def _amount(self, frame: pl.DataFrame, ours: str) -> Values:
        column = frame[self.theirs[ours]]
        if self.options.memory_unit is None:
            self.most_plain_memory = max(self.most_plain_memory, most_without_unit(column, ours))
        return amounts(column, ours, self.scale)

    def _mapped(self, names: Sequence[str]) -> dict[str, str]:
        chosen = dict(self.options.columns)
        for ours, theirs in chosen.items():
            if not _is_column(ours):
                raise self._unknown(ours)
            if theirs not in names:
                raise self._error(theirs, "no such column in this file", f"it has {', '.join(names)}")
        taken = set(chosen.values())
        resources = {resource_of(ours) for ours in chosen} - {None}
        for name in names:
            ours = _ALIASES.get(name, name)
            if name in taken or ours in chosen:
                continue
            if _is_column(ours) and resource_of(ours) not in resources:
                chosen[ours] = name
            elif not self.options.columns:
                raise self._unknown(name)
            else:
                self.notes.append(f"Column {name} is not read.")
        return chosen

    def _require(self) -> None:
        for ours in ("submit_s", "cores", *(() if {"start_s", "end_s"} <= set(self.theirs) else ("runtime_s",))):
            if ours not in (*self.theirs, *self.resources):
                fix = f"rename the column, or say --columns {ours}=NAME; this file has {', '.join(self.names)}"
                raise self._error(ours, "this column is missing", fix)

    def _unknown(self, name: str) -> InputError:
        fix = "--columns OURS=THEIRS,... names those to read"
        return unknown_column(name, "a job table", [*COLUMNS, *LOGGED], str(self.path), fix)

    def _error(self, value: str, rule: str, fix: str = "") -> InputError:
        return InputError(value, rule, fix=fix, where=str(self.path))


def _is_column(ours: str) -> bool:
    logged = ours in {SWF_NAMES.get(name, name) for name in LOGGED}
    return (ours in COLUMNS and ours != "resource_NAME") or logged or resource_of(ours) is not None
