"""Logs with a record a job: a format says what one record holds, and all else is done here."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from loadmaster.model import Constraints
from loadmaster.model.arrays import Floats, Ints
from loadmaster.model.errors import LoadmasterError
from loadmaster.model.units import CORES, GPUS, MEMORY
from loadmaster.system.counted import counted
from loadmaster.traces.constraint_columns import DEFAULTS, NAMED, BindingColumns
from loadmaster.traces.files import Progress, blocks, checked_text
from loadmaster.traces.options import ReadOptions
from loadmaster.traces.rejects import Line, Locate, Rejects, Rule
from loadmaster.traces.tabular import (
    BOUND,
    EXTRA,
    NO_CORES,
    RAN_ON,
    RESOURCE,
    RowTable,
    estimates,
    read_table,
    time_checks,
)
from loadmaster.traces.trace import Trace
from loadmaster.traces.values import Names, Values

T = TypeVar("T")
BATCH = 50_000
NO_RECORD = Rule("not a record of this kind of log")
NEVER_STARTED = Rule("the job never started", bad=False)
OTHER = Rule("a record of another kind, not of a job that ended", bad=False)
BAD_AMOUNT = Rule("an amount below zero")
_MOST_TASKS = float((1 << 31) - 1)
_NUMBERS = ("submit_s", "runtime_s", "hosts", "cores", "memory_bytes", "gpus", "job_id", "wait_s", "eligible_s")
_WORDS = ("user", "account", "ran_on", *NAMED, "depends")

RecordValues = dict[str, Any]
"""What a record says of its job, by the names of `JOB`; what it does not say is left out."""
Parse = Callable[[Any], "RecordValues | Rule"]
"""What a record says, or why it is left out; any error that is not ours, of one that is broken."""

JOB = {
    "submit_s": "arrival, seconds since any fixed moment; must be there",
    "runtime_s": "wall seconds",
    "cores": "of the whole job; must be there",
    "hosts": "how many hosts the job requested, 1 if absent: a task is one, where all divides evenly, else smaller",
    "memory_bytes": "of the whole job",
    "gpus": "of the whole job",
    "tasks": "how many identical tasks the job has, instead of `hosts`",
    "limit_s": "runtime at which it is killed, and the user's estimate",
    "wait_s": "as recorded",
    "ran_on": "the hosts on which it ran, separated by commas",
    "job_id": "the identifier, a whole number",
    "user": "name of the user",
    "account": "name of the account",
} | dict.fromkeys((*NAMED, "depends", "eligible_s", *DEFAULTS), "as in `Constraints`")
"""All that a record may say of its job."""


class LogRecord(NamedTuple):
    """One record of a log, the line on which it begins, and its text for messages."""

    line: int
    text: str
    content: Any


def read_records(
    path: str | Path, options: ReadOptions, records: Iterable[LogRecord], parse: Parse, notes: Iterable[str] = ()
) -> Trace:
    """The jobs of a log.

    Args:
        path: the log, for messages.
        options: as for every reader.
        records: one by one, in the order of the file; they are taken a batch at a time.
        parse: what a record says of its job.
        notes: what is to be said of the log, looked at when all records are read.

    Raises:
        InputError: no job is left, or (`options.strict`) a broken record.
    """
    path = Path(path)
    rejects = Rejects(path, strict=options.strict)
    reader = _Reader(parse, options)
    read = read_table(
        reader.tables(records),
        rejects,
        options.limit,
        path.name,
        constraints=reader.constraints,
        all_fields=options.all_fields,
        ran_on=lambda: reader.ran_on.names,
    )
    said = [*notes]
    if missing := read.marked["no memory"]:
        said.append(f"{counted(missing, 'job has', 'jobs have')} no memory in the log: that counts as no request.")
    return Trace(
        read.workload,
        None,
        rejects.skipped,
        (*said, *reader.bound.notes),
        {},
        read.extra,
    )


def lines_of(path: Path, progress: Progress | None = None, comment: str = "#") -> Iterator[LogRecord]:
    """The lines of a text as records, without blank ones and comments.

    Raises:
        InputError: it cannot be read, or is no text.
    """
    number = 0
    for text in blocks(path, 1 << 22, progress):
        for line in (checked_text(path, text) if number == 0 else text).decode("utf-8", "replace").split("\n")[:-1]:
            number += 1
            plain = line.rstrip("\r")
            if plain.strip() and not plain.startswith(comment):
                yield LogRecord(number, plain[:400], plain)


def parsed(parse: Callable[[Any], T], content: Any) -> T | Rule:
    """What `parse` makes of one record; `NO_RECORD` where it fails with an error that is not ours.

    A log may hold anything, so no list of errors is complete: each ends one record, which is counted, and never the
    reading.

    Raises:
        InputError: as `parse` does.
    """
    try:
        return parse(content)
    except (LoadmasterError, MemoryError):
        raise
    except Exception:
        return NO_RECORD


class _Reader:
    """What is remembered from one batch of records to the next."""

    def __init__(self, parse: Parse, options: ReadOptions) -> None:
        self.parse = parse
        self.options = options
        self.bound = BindingColumns()
        self.users, self.accounts, self.ran_on = Names(), Names(), Names()

    def tables(self, records: Iterable[LogRecord]) -> Iterator[tuple[RowTable, Locate]]:
        """Batches of records as tables."""
        going = iter(records)
        while part := list(islice(going, BATCH)):
            yield self._table([self._said(record) for record in part]), _locate(part)

    def constraints(self, columns: dict[str, NDArray[Any]], rows: Mapping[str, NDArray[Any]]) -> Constraints:
        """What binds the jobs."""
        return self.bound.constraints(columns, rows, self.users.names, self.accounts.names)

    def _said(self, record: LogRecord) -> RecordValues | Rule:
        fields = parsed(self.parse, record.content)
        return fields if isinstance(fields, Rule) else parsed(_checked, fields)

    def _table(self, said: list[RecordValues | Rule]) -> RowTable:
        rules = list(dict.fromkeys(each for each in said if isinstance(each, Rule)))
        checks = [(rule, np.array([each is rule for each in said])) for rule in rules]
        jobs: list[RecordValues] = [{} if isinstance(each, Rule) else each for each in said]
        number = {name: _numbers(jobs, name) for name in _NUMBERS}
        limit = _numbers(jobs, "limit_s")
        submit, runtime = _values(number["submit_s"]), _values(number["runtime_s"])
        amounts = [np.nan_to_num(number[name]) for name in ("cores", "memory_bytes", "gpus")]
        cores, memory, gpus = amounts
        tasks = one_a_host(np.nan_to_num(number["hosts"], nan=1.0), cores, gpus)
        given = _numbers(jobs, "tasks")
        tasks = np.where(given >= 1, np.clip(np.floor(np.nan_to_num(given)), 1.0, _MOST_TASKS), tasks)
        checks += [
            *time_checks(submit, runtime),
            (NO_CORES, cores <= 0),
            (BAD_AMOUNT, np.minimum(memory, gpus) < 0),
        ]
        columns: dict[str, NDArray[Any]] = {
            "submit_s": submit.values,
            "runtime_s": runtime.values,
            "tasks": tasks.astype(np.int32),
            "estimate_s": estimates(_values(limit), runtime),
            "job_id": np.clip(np.nan_to_num(number["job_id"], nan=-1.0), -1, 2.0**62).astype(np.int64),
            "user": _codes(self.users, jobs, "user"),
            "project": _codes(self.accounts, jobs, "account"),
            RESOURCE + CORES: cores / tasks,
            RESOURCE + MEMORY: np.floor(memory / tasks),
            RESOURCE + GPUS: gpus / tasks,
        }
        columns |= {BOUND + name: self.bound.codes(name, _words(jobs, name)) for name in (*NAMED, "depends")}
        columns |= {BOUND + name: _numbers(jobs, name) for name in DEFAULTS}
        columns[BOUND + "limit_s"] = np.where(limit > 0, limit, np.inf)
        columns[BOUND + "eligible_s"] = number["eligible_s"]
        columns["recorded_wait_s"] = number["wait_s"]
        columns[RAN_ON] = _codes(self.ran_on, jobs, "ran_on")
        if self.options.all_fields:
            columns[EXTRA + "estimate_s"] = np.where(limit > 0, limit, -1.0)
        return RowTable(checks, columns, {"no memory": memory <= 0})


def number(value: Any) -> float:
    """A number, or a text that is one in the digits from 0 to 9.

    Raises:
        ValueError: it is none; TypeError: it cannot be one.

    Example:
        >>> number("12.5"), number(3)
        (12.5, 3.0)
    """
    if isinstance(value, str) and not (value.isascii() and "_" not in value):
        raise ValueError(value)
    return float(value)


def one_a_host(hosts: Floats, cores: Floats, gpus: Floats) -> Floats:
    """float64[N], the number of tasks: one a host where cores and GPUs divide evenly, else one a core.

    A task of a job with GPUs has whole ones: where they do not divide evenly over the hosts, there are as many tasks as
    divide cores and GPUs, else one a GPU, if these are enough for the hosts.
    """
    hosts = np.clip(hosts, 1.0, _MOST_TASKS)
    even = (np.mod(cores, hosts) == 0) & (np.mod(gpus, hosts) == 0) & (cores >= hosts)
    whole = (cores == np.floor(cores)) & (cores <= _MOST_TASKS)
    counted = whole & (gpus == np.floor(gpus)) & (gpus >= hosts) & (gpus <= _MOST_TASKS)
    common = np.gcd(np.where(counted, cores, 0).astype(np.int64), np.where(counted, gpus, 0).astype(np.int64))
    single = np.where(counted, np.where(common >= hosts, common, gpus), np.maximum(cores, 1.0))
    return np.where(even, hosts, np.where(whole & (hosts > 1), single, 1.0))


def _checked(fields: RecordValues) -> RecordValues:
    """What a record says, with numbers and text where they are meant.

    Raises:
        ValueError: something else.
    """
    for name, value in fields.items():
        if value is not None and name not in _WORDS:
            fields[name] = number(value)
        elif value is not None and not isinstance(value, str):
            raise ValueError(name)
    return fields


def _numbers(jobs: list[RecordValues], name: str) -> Floats:
    """float64[N]: what they say, NaN where nothing or no number."""
    values = (job.get(name) for job in jobs)
    numbers = np.array([math.nan if value is None else value for value in values], np.float64)
    return np.where(np.isinf(numbers), np.nan, numbers)


def _values(values: Floats) -> Values:
    missing = np.isnan(values)
    return Values(values, missing, np.isinf(values))


def _words(jobs: list[RecordValues], name: str) -> pl.Series:
    return pl.Series([job.get(name) for job in jobs], dtype=pl.String)


def _codes(names: Names, jobs: list[RecordValues], name: str) -> Ints:
    return names(_words(jobs, name))


def _locate(part: list[LogRecord]) -> Locate:
    return lambda row: Line(part[row].line, part[row].text)
