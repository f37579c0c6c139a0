"""What `sacct` and `squeue` print: with bars, commas, in fixed columns or as JSON; `sacct` also without a header."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from loadmaster.model import Constraints, InputError
from loadmaster.model.units import CORES, GPUS, MEMORY
from loadmaster.system.counted import counted
from loadmaster.traces.constraint_columns import BindingColumns
from loadmaster.traces.dump_window import window_of
from loadmaster.traces.files import head_of
from loadmaster.traces.job_records import one_a_host
from loadmaster.traces.options import ReadOptions
from loadmaster.traces.rejects import Locate, Rejects, Rule
from loadmaster.traces.slurm_constraints import bound_columns, command_lines
from loadmaster.traces.slurm_demand import demand_of
from loadmaster.traces.slurm_fields import NO_HEADER, elapsed, nodes, other_resources, time_limit
from loadmaster.traces.slurm_json import slurm_json_batches
from loadmaster.traces.slurm_layout import slurm_batches
from loadmaster.traces.slurm_queue import (
    NAMED,
    SINCE,
    WITHOUT,
    is_over,
    listed_at,
    not_before_the_listing,
    running_since,
)
from loadmaster.traces.slurm_shown import SHOWN, shown_batches
from loadmaster.traces.slurm_use import SlurmUse
from loadmaster.traces.tabular import (
    BOUND,
    EXTRA,
    NO_CORES,
    RAGGED,
    RAN_ON,
    RESOURCE,
    RowTable,
    estimates,
    read_table,
    time_checks,
)
from loadmaster.traces.text_table import TextRows
from loadmaster.traces.trace import Trace
from loadmaster.traces.values import Codes, Names, moments, words

LIMITS_AS_RUNTIMES = "squeue knows no runtimes: the time limits stand in for them."
OVER = Rule("a job that is over", bad=False)
STEP = Rule("a step of a job, not a job", bad=False)
NO_SUBMIT = Rule("submit time is unknown", bad=False)
BAD_MEMORY = Rule("ReqMem is not an amount of memory")
OTHER_CLUSTER = Rule("a job of another cluster", bad=False)
CLUSTER = "cluster "
"""What the marks of the clusters begin with."""
GONE_BACK = Rule("an earlier run of a job that went back to the queue", bad=False)
SQUEUE = {
    "submit_time": "submit", "time_limit": "timelimit", "eligible_time": "eligible", "cpus": "reqcpus",
    "nodes": "nnodes", "name": "jobname", "st": "state", "features": "constraints", "min_memory": "reqmem",
    "tres_per_job": "tresperjob", "tres_per_node": "trespernode", "tres_per_task": "trespertask",
    "tres_per_socket": "trespersocket", "tasks": "ntasks", "over_subscribe": "oversubscribe",
    "nodelist(reason)": "reason", "tres_alloc": "alloctres", "resv": "reservation", "req_nodes": NAMED,
    "exc_nodes": WITHOUT,
}  # fmt: skip
"""Names in the header of `squeue` -> those of `sacct` that mean the same."""
WITH_HEADER = "JobID,User,Account,Partition,Submit,Start,Elapsed,State,NNodes,ReqTRES,AllocTRES,Timelimit"
_SHOWS_NO_RUNTIME = ("start", "end", "elapsed", "start_time", "end_time", "time")
_NOWHERE = ["None assigned", "None", "(null)"]
NEEDED = (
    ("submit",),
    ("elapsed", "elapsedraw", "start", "timelimit"),
    ("reqcpus", "ncpus", "alloccpus", "reqtres", "alloctres"),
)
"""One of each must be among the fields."""


def read_slurm(path: str | Path, options: ReadOptions = ReadOptions()) -> Trace:
    """Read what `sacct` or `squeue` printed, plain or gzip.

    A job has one task a node, where its cores and GPUs divide evenly; else see `one_a_host`. Cores, memory and GPUs are
    those requested, of a job with whole hosts those given (see `demand_of`). The account is the project. What
    binds the job comes from its columns and, for what they lack, from SubmitLine. A job that requests several nodes
    (ReqTRES, else NNodes) takes as many hosts at least, and as many as it was given at most (rule C9). NodeList is
    where it ran. `squeue` knows no runtimes: the time limit stands in for them.

    Raises:
        InputError: the file cannot be read, lacks a field, holds no job, or (`options.strict`) has a bad line.
    """
    path = Path(path)
    rejects = Rejects(path, strict=options.strict)
    reader = _Reader(path, options)
    try:
        read = read_table(
            reader.tables(),
            rejects,
            options.limit,
            path.name,
            constraints=reader.constraints,
            all_fields=options.all_fields,
            ran_on=lambda: reader.ran_on.names,
        )
    except InputError:
        reader.refuse_cluster()
        raise
    notes = (*_notes(read.marked, reader.others, of_queue=reader.of_queue), *reader.bound.notes)
    extra = read.extra if reader.use is None else reader.use.of_jobs(read.extra, read.workload.task_count)
    window = window_of(read.workload)
    notes = (*notes, *([window.sentence] if window else []))
    return Trace(
        read.workload,
        None,
        rejects.skipped,
        notes,
        {},
        extra,
        listed_s=reader.listed_s,
        of_queue=reader.of_queue,
        window_s=None if window is None else window.opens_s,
    )


class _Reader:
    """What is remembered from one batch of lines to the next."""

    def __init__(self, path: Path, options: ReadOptions) -> None:
        self.path = path
        self.options = options
        self.users, self.accounts, self.states = Codes(), Codes(), Codes()
        self.ran_on = Names()
        self.bound = BindingColumns()
        self.others: set[str] = set()
        self.of_queue = False
        self.clusters: dict[str, None] = {}
        self.restarts: dict[int, int] = {}
        self.use = SlurmUse() if options.use else None
        self.listed_s: float | None = None

    def refuse_cluster(self) -> None:
        """Of a log without a job: say so if it does not have the cluster that was requested.

        Raises:
            InputError: it has not.
        """
        name = self.options.cluster
        if name is not None and name not in self.clusters:
            fix = f"it has {', '.join(self.clusters)}" if self.clusters else "dump it with the field Cluster"
            raise InputError(name, "no job of this cluster is in the log", fix=fix, where=str(self.path))

    def tables(self) -> Iterator[tuple[RowTable, Locate]]:
        """Every batch of the file."""
        head = head_of(self.path, 4096).lstrip()
        shown = head.startswith(SHOWN)
        if shown or head[:1] in (b"{", b"["):
            for batch in shown_batches(self.path) if shown else slurm_json_batches(self.path, self.options.progress):
                self.of_queue |= "start" not in batch.frame.columns
                yield self.table(batch), batch.locate
            return
        for batch in slurm_batches(self.path, self.header, self.options.progress):
            yield self.table(batch), batch.locate

    def header(self, cells: list[str]) -> tuple[list[str], bool]:
        """The names of the fields in lower case; told by their number if the first line is no header."""
        names = [cell.strip().lower() for cell in cells]
        if "submit_time" in names:
            self.of_queue = True
            names = [f"{name} so far" if name in _SHOWS_NO_RUNTIME else SQUEUE.get(name, name) for name in names]
        if "submit" in names:
            for choice in NEEDED:
                if not set(choice) & set(names):
                    fix = f"dump it: sacct --parsable2 --format={','.join(NO_HEADER[26])}"
                    raise InputError(choice[0], "this field is not in the dump", fix=fix, where=str(self.path))
            return [f"unnamed {k}" if not name or name in names[:k] else name for k, name in enumerate(names)], True
        standard_names = NO_HEADER.get(len(names) - (names[-1] == ""))
        if standard_names is None:
            fix = f"dump it with its header: sacct -aP -o {WITH_HEADER}"
            raise InputError(
                f"{len(names)} fields", "a dump without header in no known order", fix=fix, where=str(self.path)
            )
        return [*standard_names, "unnamed"][: len(names)], False

    def table(self, batch: TextRows) -> RowTable:
        """Columns and checks of some lines."""
        frame = batch.frame
        if self.of_queue and "alloctres" not in frame.columns and "reqmem" in frame.columns:
            frame = frame.with_columns(
                pl.col("reqmem").str.replace(r"^([0-9]+(?:\.[0-9]+)?[KMGTP]?)$", "${1}n")
            )  # of each node
        limit = time_limit(frame)
        submit, runtime = moments(frame["submit"]), limit if self.of_queue else elapsed(frame)
        count, lines = nodes(frame), command_lines(frame)
        demand = demand_of(frame, count, lines)
        cores, memory, devices = demand.cores, demand.memory, demand.gpus
        tasks = one_a_host(count, cores, devices)
        times = time_checks(submit, runtime)
        elsewhere = self._elsewhere(frame)
        over = is_over(frame) if self.of_queue else np.zeros(frame.height, bool)
        checks = [
            (RAGGED, batch.ragged),
            (OVER, over),
            (OTHER_CLUSTER, elsewhere),
            (STEP, self._steps(frame)),
            (GONE_BACK, self._gone_back(frame, elsewhere)),
            (NO_SUBMIT, submit.missing),
            *times[1:],
            (BAD_MEMORY, memory.bad),
            (NO_CORES, cores <= 0),
        ]
        columns: dict[str, NDArray[Any]] = {
            "submit_s": submit.values,
            "runtime_s": runtime.values,
            "tasks": tasks.astype(np.int32),
            "estimate_s": estimates(limit, runtime),
            "job_id": self._identifiers(frame),
            RESOURCE + CORES: cores / tasks,
            RESOURCE + MEMORY: np.floor(memory.or_else(0.0) / tasks),
            RESOURCE + GPUS: devices / tasks,
        }
        for name, field, codes in (("user", "user", self.users), ("project", "account", self.accounts)):
            if field in frame.columns:
                columns[name] = codes(frame[field])
        others = other_resources(frame)
        self.others |= {name for each in others.drop_nulls().unique().to_list() for name in each.split(", ")}
        marks = {
            "no memory": memory.missing,
            "others": others.is_not_null().to_numpy(),
            "as given": demand.as_given,
            "given more": demand.given_more,
            "untracked": demand.untracked,
            "a core": tasks != count,
            "no limit": np.full(frame.height, not self.of_queue) & ~(limit.values > 0),
        }
        if batch.mended is not None:
            marks["bars"] = batch.mended
        marks |= {CLUSTER + name: self._are_of(frame, name) for name in self._clusters_in(frame)}
        binds = bound_columns(frame, self.bound, limit.values, tasks, lines, marks)
        columns |= {BOUND + name: column for name, column in binds.items()}
        if self.of_queue:
            columns[BOUND + SINCE] = running_since(frame, self.path)
            marks["started"] = ~np.isnan(columns[BOUND + SINCE])
        if self.options.all_fields and {"timelimit", "timelimitraw"} & set(frame.columns):
            columns[EXTRA + "estimate_s"] = limit.or_else(-1.0)
        if self.use is not None:
            columns |= {EXTRA + name: column for name, column in self.use(frame, cores).items()}
        if "start" in frame.columns:
            columns["recorded_wait_s"] = moments(frame["start"]).values - submit.values
        if "nodelist" in frame.columns:
            where = words(frame["nodelist"]).replace(_NOWHERE, None)
            here = pl.Series(marks["started"] if self.of_queue else np.ones(frame.height, bool))
            columns[RAN_ON] = self.ran_on(where.zip_with(here, pl.Series([None] * frame.height, dtype=pl.String)))
        if "jobid" in frame.columns:
            parts = frame["jobid"].str.contains(r"^[0-9]+\+[0-9]").fill_null(value=False)
            marks["of several parts"] = parts.to_numpy()
            marks["whole array"] = frame["jobid"].str.contains("_[", literal=True).fill_null(value=False).to_numpy()
        if "state" in frame.columns and not self.of_queue:
            marks["running"] = words(frame["state"]).str.starts_with("RUNNING").fill_null(value=False).to_numpy()
        return RowTable(checks, columns, marks)

    def constraints(self, columns: dict[str, NDArray[Any]], rows: Mapping[str, NDArray[Any]]) -> Constraints:
        """What binds the jobs, and the names of users and accounts; numbers of hosts where a job requests several."""
        if not (columns["min_hosts"] > 1).any():
            del columns["min_hosts"], columns["max_hosts"]
        if self.restarts:
            before = columns.get("restarts", np.zeros(len(rows["job_id"])))
            again = np.array([self.restarts.get(job, 0) for job in rows["job_id"].tolist()])
            columns["restarts"] = np.maximum(before, again)
        since = columns.pop(SINCE, None)
        constraints = self.bound.constraints(columns, rows, self.users.names, self.accounts.names)
        if since is None:
            return constraints
        submit_s = rows["submit_s"]
        eligible_s = submit_s if constraints.eligible_s is None else constraints.eligible_s
        held_s = not_before_the_listing(since, eligible_s, submit_s)
        if held_s is None:
            return constraints
        self.listed_s = listed_at(since, submit_s) - float(submit_s.min())
        return replace(constraints, eligible_s=held_s)

    def _clusters_in(self, frame: pl.DataFrame) -> list[str]:
        """The clusters that the rows name, in the order in which they first do."""
        if "cluster" not in frame.columns:
            return []
        clusters: list[str] = frame["cluster"].drop_nulls().unique(maintain_order=True).to_list()
        self.clusters |= dict.fromkeys(clusters)
        return clusters

    def _elsewhere(self, frame: pl.DataFrame) -> NDArray[np.bool_]:
        """bool[N]: rows of a cluster other than the one requested."""
        if self.options.cluster is None:
            return np.zeros(frame.height, dtype=bool)
        self._clusters_in(frame)
        return ~self._are_of(frame, self.options.cluster)

    def _are_of(self, frame: pl.DataFrame, name: str) -> NDArray[np.bool_]:
        """bool[N]: rows of one cluster."""
        if "cluster" not in frame.columns:
            return np.zeros(frame.height, dtype=bool)
        return np.asarray((frame["cluster"] == name).fill_null(value=False).to_numpy())

    def _gone_back(self, frame: pl.DataFrame, elsewhere: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """bool[N]: runs that `sacct --duplicates` shows beside the last of their job; they are counted by job."""
        if "state" not in frame.columns:
            return np.zeros(frame.height, dtype=bool)
        requeued = words(frame["state"]).str.starts_with("REQUEUED").fill_null(value=False).to_numpy() & ~elsewhere
        for job in self._identifiers(frame)[requeued].tolist():
            self.restarts[job] = self.restarts.get(job, 0) + 1
        return np.asarray(requeued)

    def _steps(self, frame: pl.DataFrame) -> NDArray[np.bool_]:
        name = "jobid" if "jobid" in frame.columns else "jobidraw"
        if name not in frame.columns:
            return np.zeros(frame.height, dtype=bool)
        return np.asarray(frame[name].str.contains(".", literal=True).fill_null(value=False).to_numpy())

    def _identifiers(self, frame: pl.DataFrame) -> NDArray[np.int64]:
        name = "jobidraw" if "jobidraw" in frame.columns else "jobid"
        if name not in frame.columns:
            return np.full(frame.height, -1, dtype=np.int64)
        digits = frame[name].str.extract(r"^([0-9]+)", 1).cast(pl.Int64, strict=False).fill_null(-1)
        return np.asarray(digits.to_numpy(), dtype=np.int64)


_CHOICES = {
    "bars": "with a bar inside a name or a command: the cell keeps it.",
    "as given": "with whole hosts (--exclusive, or more GPUs than requested): "
    "cores, memory and GPUs are those allocated.",
    "given more": "with more cores allocated than requested, as where Slurm allocates whole cores of several threads: "
    "cores, memory and GPUs are those requested.",
    "untracked": "with GPUs that no TRES shows: they are read from generic resources or the command line.",
    "shares cores": "with --oversubscribe: each gets cores of its own, also where its partition lets jobs share them.",
    "a core": "with cores or GPUs that do not divide evenly over their nodes: a task is a core, or has a whole GPU.",
    "no limit": "without a time limit: the runtime stands in for the estimate.",
}
"""Choices of the reader by their mark, as said behind a number of jobs."""


def _notes(marked: Mapping[str, int], others: set[str], *, of_queue: bool) -> list[str]:
    """What a user must know of a dump; `others` are the resources that are not read."""
    notes = [LIMITS_AS_RUNTIMES] if of_queue else []
    jobs_of = {name.removeprefix(CLUSTER): jobs for name, jobs in marked.items() if name.startswith(CLUSTER) and jobs}
    if len(jobs_of) > 1:
        listed = ", ".join(f"{name} {jobs:,}" for name, jobs in jobs_of.items())
        notes.append(
            f"The log has jobs of {len(jobs_of)} clusters ({listed}), which are read as one site: "
            f"choose one with --cluster {next(iter(jobs_of))}."
        )
    notes += [f"{counted(marked[mark], 'job')} {said}" for mark, said in _CHOICES.items() if marked.get(mark)]
    if arrays := marked.get("whole array"):
        notes.append(
            f"{counted(arrays, 'row stands', 'rows stand')} for the waiting tasks of whole arrays; print them "
            f"with --array."
        )
    if parts := marked.get("of several parts"):
        notes.append(
            f"{counted(parts, 'row is a part', 'rows are parts')} of heterogeneous jobs, which Slurm starts "
            f"together; here each is a job."
        )
    if shared := marked.get("shared by some"):
        notes.append(
            f"{counted(shared, 'job keeps its', 'jobs keep their')} hosts for one user or group: that is not modelled."
        )
    if named := marked.get("some hosts named"):
        notes.append(
            f"{counted(named, 'job')} with hosts that -w or -x names in part or in a file: that is not modelled."
        )
    if later := marked.get("later"):
        notes.append(
            f"{counted(later, 'job names', 'jobs name')} a begin time, or had a hold: the possible start stands "
            f"in the field Eligible, "
            "which the log lacks."
        )
    if running := marked.get("running"):
        notes.append(
            f"{counted(running, 'job was', 'jobs were')} running when the log was dumped; the runtime so far is used."
        )
    if asking := marked.get("others"):
        notes.append(
            f"{counted(asking, 'job also requests', 'jobs also request')} what is not modelled: {_first_names(others)}."
        )
    if missing := marked.get("no memory"):
        notes.append(f"{counted(missing, 'job has', 'jobs have')} no memory in the log: that counts as no request.")
    return notes


def _first_names(names: set[str]) -> str:
    more = "" if len(names) <= 5 else f" and {len(names) - 5} more"
    return f"{', '.join(sorted(names)[:5])}{more}"
