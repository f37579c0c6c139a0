"""Slurm's accounting dumps: `sacct --parsable2`, with a header line or in the order that Open XDMoD asks for."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from loadmaster.model import Constraints, InputError
from loadmaster.model.arrays import Floats
from loadmaster.model.named import Named
from loadmaster.model.units import CORES, GPUS, MEMORY
from loadmaster.traces.options import ReadOptions
from loadmaster.traces.rejects import Locate, Rejects, Rule
from loadmaster.traces.slurm_fields import NO_HEADER, gpus, hosts_asked, job_memory, nodes, processors
from loadmaster.traces.tabular import (
    BOUND,
    EXTRA,
    NO_CORES,
    RAGGED,
    RESOURCE,
    Table,
    estimates,
    read_table,
    time_checks,
)
from loadmaster.traces.text_table import Batch, batches
from loadmaster.traces.trace import Trace
from loadmaster.traces.values import Codes, Names, Values, absent, durations, moments, words

STEP = Rule("a step of a job, not a job", bad=False)
NO_SUBMIT = Rule("submit time is unknown", bad=False)
BAD_MEMORY = Rule("ReqMem is not an amount of memory")
NEEDED = (("submit",), ("elapsed", "start"), ("reqcpus", "ncpus", "alloccpus", "reqtres", "alloctres"))
"""One of each must be among the fields."""


def read_slurm(path: str | Path, options: ReadOptions = ReadOptions()) -> Trace:
    """Read a dump of `sacct --parsable2` (or `--parsable`), plain or gzip.

    A job has one task a node, where its cores and GPUs divide evenly; else one task a core. Memory is that of ReqMem
    (per node `n`, per core `c`, or the whole job), else of ReqTRES and AllocTRES. The account is the project; partition
    and QOS bind the job where a site is given. A job that asks for several nodes (ReqTRES, else NNodes) takes as many
    hosts at least, and as many as it was given at most (rule C9).

    Raises:
        InputError: the file cannot be read, lacks a field, holds no job, or (`options.strict`) has a bad line.
    """
    path = Path(path)
    rejects = Rejects(path, strict=options.strict)
    reader = _Reader(path, options)
    read = read_table(reader.tables(), rejects, options.limit, path.name, constraints=reader.constraints)
    return Trace(read.workload, None, rejects.skipped, tuple(_notes(read.marked)), {}, read.extra)


class _Reader:
    """What is remembered from one batch of lines to the next."""

    def __init__(self, path: Path, options: ReadOptions) -> None:
        self.path = path
        self.options = options
        self.users, self.accounts, self.states = Codes(), Codes(), Codes()
        self.partitions, self.qualities = Names(), Names()

    def tables(self) -> Iterator[tuple[Table, Locate]]:
        """Every batch of the file."""
        for batch in batches(self.path, self.header, "|", quote=None, progress=self.options.progress):
            yield self.table(batch), batch.locate

    def header(self, cells: list[str]) -> tuple[list[str], bool]:
        """The names of the fields in lower case; told by their number if the first line is no header."""
        names = [cell.strip().lower() for cell in cells]
        if "submit" in names:
            for choice in NEEDED:
                if not set(choice) & set(names):
                    fix = f"dump it: sacct --parsable2 --format={','.join(NO_HEADER[26])}"
                    raise InputError(choice[0], "this field is not in the dump", fix=fix, where=str(self.path))
            return [name or f"unnamed {k}" for k, name in enumerate(names)], True
        known = NO_HEADER.get(len(names) - (names[-1] == ""))
        if known is None:
            fix = "dump it without --noheader, or with the 26 fields that Open XDMoD asks for"
            raise InputError(
                f"{len(names)} fields", "a dump without header in no known order", fix=fix, where=str(self.path)
            )
        return [*known, "unnamed"][: len(names)], False

    def table(self, batch: Batch) -> Table:
        """Columns and checks of some lines."""
        frame = batch.frame
        submit, runtime = moments(frame["submit"]), self._runtime(frame)
        cores, count = processors(frame), nodes(frame)
        asked = job_memory(frame, cores, count)
        devices = gpus(frame, count)
        tasks = _tasks(cores, devices, count)
        times = time_checks(submit, runtime)
        checks = [
            (STEP, self._steps(frame)), (RAGGED, batch.ragged & (frame.columns[-1] != "jobname")),
            (NO_SUBMIT, submit.missing), *times[1:], (BAD_MEMORY, asked.bad), (NO_CORES, cores <= 0),
        ]  # fmt: skip
        limit = durations(frame["timelimit"]) if "timelimit" in frame.columns else absent(frame.height)
        columns: dict[str, NDArray[Any]] = {
            "submit_s": submit.values,
            "runtime_s": runtime.values,
            "tasks": tasks.astype(np.int32),
            "estimate_s": estimates(limit, runtime),
            "job_id": self._identifiers(frame),
            RESOURCE + CORES: cores / tasks,
            RESOURCE + MEMORY: np.floor(asked.or_else(0.0) / tasks),
            RESOURCE + GPUS: devices / tasks,
        }
        for name, field, codes in (("user", "user", self.users), ("project", "account", self.accounts)):
            if field in frame.columns:
                columns[name] = codes(frame[field])
        for name, names in (("partition", self.partitions), ("qos", self.qualities)):
            if name in frame.columns:
                columns[BOUND + name] = names(frame[name])
        least, most = hosts_asked(frame)
        columns[BOUND + "min_hosts"] = np.minimum(least, tasks).astype(np.int32)
        columns[BOUND + "max_hosts"] = np.where(least > 0, np.maximum(most, 1), 0).astype(np.int32)
        if self.options.all_fields and "start" in frame.columns:
            wait = moments(frame["start"]).values - submit.values
            columns[EXTRA + "wait_s"] = np.where(np.isnan(wait), -1.0, wait)
        marks = {"no memory": asked.missing}
        if "state" in frame.columns:
            marks["running"] = words(frame["state"]).str.starts_with("RUNNING").fill_null(value=False).to_numpy()
        return Table(checks, columns, marks)

    def constraints(self, columns: dict[str, NDArray[Any]]) -> Constraints:
        """What binds the jobs: names of partitions, qualities of service and who pays, and how many hosts they ask for.

        The latter only where a job asks for several.
        """
        known = {"partition": self.partitions, "qos": self.qualities}
        named = {name: Named(columns[name], each.names) for name, each in known.items() if name in columns}
        several = bool((columns["min_hosts"] > 1).any())
        return Constraints(
            partition=named.get("partition"), qos=named.get("qos"), user_names=self.users.names,
            account_names=self.accounts.names, min_hosts=columns["min_hosts"] if several else None,
            max_hosts=columns["max_hosts"] if several else None,
        )  # fmt: skip

    def _runtime(self, frame: pl.DataFrame) -> Values:
        if "elapsed" in frame.columns:
            return durations(frame["elapsed"])
        start = moments(frame["start"])
        end = moments(frame["end"]) if "end" in frame.columns else absent(frame.height)
        return Values(end.values - start.values, start.missing | end.missing, start.bad | end.bad)

    def _steps(self, frame: pl.DataFrame) -> NDArray[np.bool_]:
        name = "jobid" if "jobid" in frame.columns else "jobidraw"
        if name not in frame.columns:
            return np.zeros(frame.height, dtype=bool)
        return np.asarray(frame[name].str.contains(".", literal=True).fill_null(value=False).to_numpy())

    def _identifiers(self, frame: pl.DataFrame) -> NDArray[np.int64]:
        name = "jobidraw" if "jobidraw" in frame.columns else "jobid"
        if name not in frame.columns:
            return np.full(frame.height, -1, dtype=np.int64)
        digits = frame[name].str.extract(r"^(\d+)", 1).cast(pl.Int64, strict=False).fill_null(-1)
        return np.asarray(digits.to_numpy(), dtype=np.int64)


def _notes(marked: Mapping[str, int]) -> list[str]:
    """What a user must know of a dump."""
    notes = []
    if running := marked.get("running"):
        notes.append(f"{running:,} jobs were running when the log was dumped; their runtime so far is used.")
    if missing := marked.get("no memory"):
        notes.append(f"{missing:,} jobs have no memory in the log; they count as asking for none.")
    return notes


def _tasks(cores: Floats, devices: Floats, count: Floats) -> Floats:
    """float64[N]: one task a node where everything divides evenly, else one a core."""
    even = (np.mod(cores, count) == 0) & (np.mod(devices, count) == 0)
    return np.maximum(np.where(even, count, cores), 1.0)
