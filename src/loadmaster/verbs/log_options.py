"""Options of every verb that takes a log: which jobs, which machines, how the log is read; and their values."""

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from loadmaster.verbs.common_options import MACHINES, Hosts, Spread
from loadmaster.verbs.option import Option, Options
from loadmaster.verbs.unused_options import refuse_unused

if TYPE_CHECKING:
    from loadmaster.model import Cluster, Workload
    from loadmaster.runs import Case
    from loadmaster.runs.site_case import SiteCase
    from loadmaster.traces import ReadOptions, Trace

LOG = "The log"


@dataclass(frozen=True, kw_only=True)
class ReadingOptions(Options):
    """How a log is read."""

    format: Annotated[str, Option("Format of the log; auto: found from its content.", panel=LOG)] = "auto"
    swf_memory: Annotated[
        Literal["per-processor", "job-total"], Option("What the memory fields of an SWF log mean.", panel=LOG)
    ] = "per-processor"
    swf_partition: Annotated[Literal["16", "15"], Option("The field of SWF that names the partition.", panel=LOG)] = (
        "16"
    )
    swf_feedback: Annotated[
        Literal["ignore", "closed"], Option("Effect of SWF fields 17 and 18 on the arrivals.", panel=LOG)
    ] = "ignore"
    cluster: Annotated[
        str | None,
        Option("Read the jobs of this cluster, of a Slurm log with several.", metavar="NAME", panel=LOG),
    ] = None
    ignore: Annotated[
        "str | Sequence[str] | None",
        Option(
            "Constraints of the log to leave aside: exclusive, depends, ..., or all.",
            metavar="WHAT,...",
            panel=LOG,
            typed=str | None,
        ),
    ] = None
    memory_unit: Annotated[
        str | None, Option("Unit of plain numbers of memory: B, KB, MB, GB.", metavar="UNIT", panel=LOG)
    ] = None
    columns: Annotated[
        "str | Mapping[str, str] | None",
        Option("Names of the columns in a CSV or Parquet log.", metavar="OURS=THEIRS,...", panel=LOG, typed=str | None),
    ] = None
    limit: Annotated[int | None, Option("Read only this many jobs, from the start.", panel=LOG, least=1)] = None
    strict: Annotated[bool, Option("Stop at the first bad line.", panel=LOG)] = False
    anonymise: Annotated[
        bool,
        Option(
            "Mask users, accounts, names of jobs and reservations; a name has the same mask in all that you write.",
            panel=LOG,
        ),
    ] = False

    def unnamed(self, read: "Trace") -> "Trace":
        """`read`, its names masked if that was requested.

        Raises:
            InputError: the key of the masks cannot be kept.
        """
        from loadmaster.traces.mask_key import mask_key
        from loadmaster.traces.masking import masked

        return masked(read, mask_key()) if self.anonymise else read

    def unnamed_cluster(self, cluster: "Cluster") -> "Cluster":
        """The same of machines whose rules name users and accounts."""
        from loadmaster.traces.mask_key import mask_key
        from loadmaster.traces.masking import masked_cluster

        return masked_cluster(cluster, mask_key()) if self.anonymise else cluster

    def reading(self, hosts: "str | Path | Cluster | None" = None) -> "ReadOptions":
        """The reader's options.

        Raises:
            InputError: `columns` does not read OURS=THEIRS,...
        """
        from loadmaster.site.machines import slurm_machines
        from loadmaster.traces import ReadOptions

        machines = str(hosts) if isinstance(hosts, str | Path) else hosts
        if isinstance(machines, str):
            machines = slurm_machines(machines) or machines
        ignored = self.ignore.split(",") if isinstance(self.ignore, str) else self.ignore or ()
        return ReadOptions(
            self.format,
            self.swf_memory,
            self.memory_unit,
            self.strict,
            self.limit,
            machines,
            _names(self.columns),
            swf_partition=self.swf_partition,
            swf_feedback=self.swf_feedback,
            cluster=self.cluster,
            ignore=tuple(name.strip() for name in ignored if name.strip()),
        )


READS = tuple(name for name in ReadingOptions.__annotations__ if name != "anonymise")
"""What says how a file is read, and so is idle where a log is read already."""


@dataclass(frozen=True)
class LogOptions(ReadingOptions):
    """Jobs and machines."""

    trace: Annotated[
        "str | Path | Trace | Workload | None",
        Option(
            "The job log; without it, a small synthetic demo.",
            metavar="TRACE",
            argument=True,
            reads=True,
            typed=Path | None,
        ),
    ] = None
    hosts: Hosts = None
    _: KW_ONLY
    spread: Spread = "auto"

    allow_left_out: Annotated[
        bool,
        Option("Give a verdict even if over 5 % of the work fits no machine or cannot be read.", panel=MACHINES),
    ] = False

    @property
    def not_closed(self) -> str:
        """Why jobs that are submitted after the end of others are not served (rule C11); empty where they are."""
        return "here arrivals must be known before a run"

    @property
    def from_window(self) -> bool:
        """Whether runs of a dump begin as its window opens: not where a verb or an option needs empty hosts."""
        return False

    @property
    def machines(self) -> "str | Path | Cluster | None":
        """The machines, as they were given."""
        return self.hosts

    @property
    def files(self) -> list[Path]:
        """Those of the inputs that are files."""
        named = [each for each in (self.trace, self.machines) if isinstance(each, str | Path)]
        return [Path(name) for name in named if Path(name).is_file()]

    def refuse_reading(self) -> None:
        """Where no file is read, refuse what says how one is.

        Raises:
            InputError: such an option was given.
        """
        from loadmaster.traces.own_generator import is_generator

        reads = [name for name in READS if name != "limit"]
        if self.trace is None:
            refuse_unused(self, [*reads, "anonymise"], "without a log the demo is used, which is not read from a file")
        elif is_generator(self.trace):
            refuse_unused(self, reads, "a generator makes the log, which is not read from a file")
        elif not isinstance(self.trace, str | Path):
            refuse_unused(self, [*reads, "limit"], "the log is read already", "give it to loadmaster.read")

    def case(self, at: "SiteCase | None" = None) -> "Case":
        """The jobs that the machines can hold, or those of a site; without a log, of the bundled demo.

        Raises:
            InputError: the log or the machines cannot be read, or the log's memory cannot be true.
        """
        return self.with_closures(*self.trace_and_case(at))

    def trace_and_case(self, at: "SiteCase | None" = None) -> "tuple[Trace, Case]":
        """The log as it was read, and the case.

        Raises:
            InputError: the log or the machines cannot be read, or the log's memory cannot be true.
        """
        from loadmaster.runs import case_of
        from loadmaster.site.machines import read_machines

        given = self.machines
        cluster = at.cluster if at is not None else read_machines(given) if isinstance(given, str | Path) else given
        if cluster is not None and at is None:
            cluster = self.unnamed_cluster(cluster)
        if cluster is not None:
            cluster = self.equipped(cluster)
        spread = self.spread if at is None or self.spread != "auto" else at.spread
        read = self.trace_read_for(cluster, spread)
        if read.cluster is not None:
            read = replace(read, cluster=self.equipped(read.cluster))
        if at is None:
            case = case_of(read, cluster, spread, from_window=self.from_window)
            return read, self.with_rules(read, replace(case, allowed=self.allow_left_out))
        site_jobs = case_of(at.jobs_of(read), cluster, spread, from_window=self.from_window)
        site_jobs = replace(site_jobs, launch_s=at.queue.launch_s, allowed=self.allow_left_out)
        return read, self.with_rules(read, site_jobs)

    def equipped(self, cluster: "Cluster") -> "Cluster":
        """The cluster with the rules that options give to any log; a verb without such options adds none."""
        return cluster

    def with_rules(self, read: "Trace", case: "Case") -> "Case":
        """The case with the rules that options give on the clock of the log `read`; here none."""
        return case

    @property
    def closes(self) -> bool:
        """Whether an option closes hosts; a verb without such options closes none."""
        return False

    def with_closures(self, read: "Trace", case: "Case") -> "Case":
        """The case, of a verb without options that close hosts.

        Args:
            read: the log, whose clock closures are on.
            case: jobs and hosts.
        """
        return case

    def trace_read_for(
        self, cluster: "Cluster | None", spread: "Literal['auto', 'single-host', 'any', 'asked']"
    ) -> "Trace":
        """The jobs as read, their memory as these machines can have it, masked if asked; without a log, the demo.

        Raises:
            InputError: the log cannot be read, or its memory cannot be true.
        """
        from loadmaster.runs.memory_reading import believable_reading, memory_note
        from loadmaster.traces import ReadOptions, demo, read_trace
        from loadmaster.traces.own_generator import is_generator

        if self.trace is None:
            trace = demo()
            return trace if self.limit is None else replace(trace, workload=trace.workload.take(slice(0, self.limit)))
        if not isinstance(self.trace, str | Path) or is_generator(self.trace):
            log = log_of(self.trace, getattr(self, "seed", 0))
            if self.limit is not None:
                log = replace(log, workload=log.workload.take(slice(0, self.limit)))
            usual = ReadOptions()
            if believable_reading(log, usual, cluster, spread) is not usual:
                from loadmaster.model import InputError

                rule = "the memory of this log cannot be what it was read as, on these machines"
                fix = "give compare the path of the log, or read it with memory_unit and swf_memory"
                raise InputError(log.workload.source, rule, fix=fix)
            return self._served(log)
        options = self.reading(self.machines if self.machines is not None else cluster)
        read = read_trace(Path(self.trace), options)
        mended = believable_reading(read, options, cluster, spread)
        if mended is options:
            return self._served(read)
        read = read_trace(Path(self.trace), mended)
        return self._served(replace(read, notes=(memory_note(mended), *read.notes)))

    def _served(self, read: "Trace") -> "Trace":
        """`read`, masked if asked.

        Raises:
            InputError: a run alone tells when its jobs arrive, and this verb needs to know it before.
        """
        from loadmaster.model.job_succession import refuse_closed

        if self.not_closed:
            refuse_closed(read.workload, self.not_closed)
        return self.unnamed(read)


def log_of(log: "str | Path | Trace | Workload", seed: int = 0) -> "Trace":
    """A log that is read already, or that a generator of the user's makes.

    Raises:
        InputError: it is neither.
    """
    from loadmaster.traces.own_generator import log_generated

    return log_generated(str(log), seed) if isinstance(log, str | Path) else as_trace(log)


def as_trace(log: "Trace | Workload") -> "Trace":
    """A log as readers return it.

    Raises:
        InputError: it is neither.
    """
    from loadmaster.model import InputError, Workload
    from loadmaster.traces import Trace

    if isinstance(log, Workload):
        return Trace(log)
    if not isinstance(log, Trace):
        rule = "a log is a path, what loadmaster.read gives, or a Workload"
        raise InputError(type(log).__name__, rule, fix="write it like loadmaster.read('log.swf')")
    return log


def _names(columns: "str | Mapping[str, str] | None") -> dict[str, str]:
    from loadmaster.model.errors import InputError

    if isinstance(columns, Mapping):
        return dict(columns)
    names = {}
    for pair in (columns or "").split(","):
        ours, equals, theirs = pair.partition("=")
        if pair and not (ours.strip() and equals and theirs.strip()):
            raise InputError(pair, "not a pair of column names", fix="write it like --columns submit_s=submitted")
        if pair:
            names[ours.strip()] = theirs.strip()
    return names
