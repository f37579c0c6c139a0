"""`info`: what is in a log, or in a running state."""

from collections.abc import Collection
from dataclasses import KW_ONLY, asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from loadmaster.verbs.common_options import MACHINES, Hosts, PageFolder, Spread
from loadmaster.verbs.group_options import GroupOptions
from loadmaster.verbs.info_state import StateDescribed, described_state
from loadmaster.verbs.log_options import READS, ReadingOptions, log_of
from loadmaster.verbs.option import Option, called_with
from loadmaster.verbs.result import Result
from loadmaster.verbs.unused_options import refuse_all_but, refuse_unused

if TYPE_CHECKING:
    import polars as pl

    from loadmaster.measure.observed_hosts import ObservedHosts
    from loadmaster.measure.recorded_metrics import Recorded
    from loadmaster.measure.recorded_waits import RecordedWaits
    from loadmaster.measure.requested_and_used import RequestedAndUsed
    from loadmaster.model import Cluster, Workload
    from loadmaster.report.breakdown import RuleGroups
    from loadmaster.report.page import Page
    from loadmaster.traces import Skipped, Trace
    from loadmaster.traces.dump_window import DumpWindow
    from loadmaster.traces.summary import Fit, Summary

D = TypeVar("D", "Described", "StateDescribed")


@dataclass(frozen=True)
class InfoOptions(GroupOptions, ReadingOptions):
    """All that `info` can be told."""

    trace: Annotated[
        "str | Path | Trace | Workload",
        Option(
            "The job log, or what kubectl get nodes,pods -o json prints.",
            metavar="TRACE",
            argument=True,
            reads=True,
            typed=Path,
        ),
    ]
    hosts: Hosts = None
    _: KW_ONLY
    spread: Spread = "auto"
    write_hosts: Annotated[
        "str | Path | None",
        Option(
            "Write the machines that the log shows, to be corrected: .yaml, .csv, or .conf for slurm.conf.",
            metavar="FILE",
            panel=MACHINES,
            typed=Path | None,
        ),
    ] = None
    out: PageFolder = None

    def typed(self, without: Collection[str] = ()) -> str:
        """The options that were given, as they stand behind the log in another command, but those `without`."""
        import shlex

        parts = []
        for name in self.given:
            value = getattr(self, name)
            if name not in ("trace", "out", "by", "write_hosts", *without):
                parts.append(self.flag(name) + ("" if value is True else f" {shlex.quote(str(value))}"))
        return " ".join(parts)

    def read(self) -> "Trace":
        """The log, with the machines that were given.

        Raises:
            InputError: no such file, it cannot be read, or options of reading for a log that is read already.
        """
        from dataclasses import replace

        from loadmaster.site.machines import read_machines
        from loadmaster.traces.own_generator import is_generator
        from loadmaster.verbs.progress import reading

        if isinstance(self.trace, str | Path) and not is_generator(self.trace):
            return self.unnamed(reading(Path(self.trace), replace(self.reading(self.hosts), use=True)))
        refuse_unused(self, READS, "the log is read already", "give it to loadmaster.read")
        read = self.unnamed(log_of(self.trace))
        if self.hosts is None:
            return read
        given = self.hosts
        return replace(read, cluster=read_machines(given) if isinstance(given, str | Path) else given, machines="given")


@dataclass(frozen=True, eq=False, repr=False)
class Described(Result):
    """A log as `info` describes it.

    Attributes:
        read: the log as it was read.
        summary: its jobs in numbers.
        fitted: its jobs beside its machines; None where none are known.
        sentence: what the log is, whether its memory is plausible, how busy its machines were.
        next: the command to try next.
        really: the record of the jobs that fit; None if the log has none.
        spread: where the tasks of one job may go.
        seen: the machines that the log shows; None if it shows none.
        groupings: the properties by which the jobs are grouped.
    """

    verb = "info"

    read: "Trace"
    summary: "Summary"
    fitted: "Fit | None"
    sentence: str
    next: str
    really: "Recorded | None" = None
    spread: 'Literal["auto", "single-host", "any", "asked"]' = "auto"
    seen: "ObservedHosts | None" = None
    groupings: tuple[str, ...] = ()

    @property
    def window(self) -> "DumpWindow | None":
        """The window of the dump; None where the log shows none."""
        from loadmaster.traces.dump_window import window_of

        return None if self.read.window_s is None else window_of(self.read.workload)

    @property
    def waits(self) -> "RecordedWaits | None":
        """How long jobs really waited; None if the log has the start of no job."""
        from loadmaster.measure.recorded_waits import recorded_waits

        return recorded_waits(self.read.workload)

    @property
    def use(self) -> "tuple[RequestedAndUsed, ...]":
        """Requested and used amounts of the jobs; empty if the log does not have them."""
        from loadmaster.measure.requested_and_used import requested_and_used

        return requested_and_used(self.read.workload, self.read.extra)

    @property
    def rule_groups(self) -> "list[RuleGroups]":
        """The groups of the jobs as they really ran; in a log without starts, as if each had started at its arrival."""
        from loadmaster.measure.recorded_hosts import groups_of_log
        from loadmaster.model.units import GPUS
        from loadmaster.report.breakdown import RECORDED, RuleGroups
        from loadmaster.traces.fit import aligned

        workload, cluster = self.read.workload, self.read.cluster
        if cluster is None or GPUS not in cluster.resources:
            return [RuleGroups(RECORDED, groups_of_log(workload, self.use))]
        return [RuleGroups(RECORDED, groups_of_log(aligned(workload, cluster), self.use, cluster))]

    def by(self, name: str) -> "pl.DataFrame":
        """Use, waits and losses by one property of the jobs, as the log recorded them: a row for each group.

        Args:
            name: partition, qos, account, user, size, gpu, hour, weekday or month.

        Raises:
            InputError: the log says nothing of the kind, or there is no such grouping.
        """
        from loadmaster.report.breakdown import breakdown_frame

        return breakdown_frame(self.rule_groups, [name])

    def write_tables(self, folder: Path) -> None:
        """Write breakdown.csv, where a grouping was chosen."""
        from loadmaster.report.breakdown import write_breakdown

        write_breakdown(folder, self.rule_groups, self.groupings)

    @property
    def rejected(self) -> "Skipped":
        """Jobs that fit on no host."""
        from loadmaster.traces import Skipped

        return Skipped() if self.fitted is None else self.fitted.rejected

    @property
    def answer(self) -> str:
        """What the log is, whether its memory is plausible, how busy its machines were."""
        return self.sentence

    @property
    def notes(self) -> tuple[str, ...]:
        """Whether queueing can explain the waits that were recorded, what was left out, and what was assumed."""
        from loadmaster.report.room_claims import room_sentence

        room = () if self.really is None else (room_sentence(self.really, self.rejected),)
        if self.really is None and self.waits is not None:
            room = (self.waits.sentence,)
        return (*room, *self.read.skipped.sentences(), *self.read.notes)

    @property
    def figures(self) -> dict[str, Any]:
        """Jobs, span, users, work, loads, kinds of hosts and constraints as plain values; seconds and bytes."""
        from loadmaster.report.breakdown import breakdown_rows
        from loadmaster.report.document import left_out
        from loadmaster.report.guide_facts import guide_figures
        from loadmaster.report.room_claims import room_document
        from loadmaster.traces.constraint_counts import constraints_of_cluster, constraints_of_jobs, licences_of_jobs

        read, fitted = self.read, self.fitted
        figures: dict[str, Any] = {"source": read.workload.source, **asdict(self.summary)}
        figures |= {"sentence": self.sentence, "next": self.next}
        figures |= {"about": dict(read.about), "constraints": constraints_of_jobs(read.workload), "cluster": None}
        figures["licences"] = {name: each._asdict() for name, each in licences_of_jobs(read.workload).items()}
        figures["recorded"] = room_document(self.really, self.rejected)
        figures |= guide_figures(read, self.window, self.waits, self.seen, self.use)
        figures |= {"by": list(self.groupings), "breakdown": breakdown_rows(self.rule_groups, self.groupings)}
        if fitted is not None:
            kinds = [{"hosts": n, **dict(zip(fitted.total, amounts, strict=True))} for n, amounts in fitted.kinds]
            figures["cluster"] = {
                "hosts": fitted.hosts,
                "known_from": read.machines or None,
                "total": fitted.total,
                "kinds": kinds,
                "offered_load": fitted.load,
                "jobs_that_fit": fitted.jobs,
                "rejected": left_out(fitted.rejected),
                "rejected_work": fitted.rejected.work,
                "constraints": {} if read.cluster is None else constraints_of_cluster(read.cluster),
                "licences": _licences_of(read.cluster),
            }
        return figures

    @property
    def frame(self) -> "pl.DataFrame":
        """A row for each of runtimes, times between arrivals and demands: mean and quantiles; seconds and bytes."""
        import polars as pl

        return pl.DataFrame([{"of": name, **spread} for name, spread in self.summary.columns.items()])

    def plot(self) -> Any:
        """How many jobs arrive over the span of the log: an Altair chart."""
        from loadmaster.report.arrivals_chart import arrivals_chart

        return arrivals_chart(self.read.workload)

    def room_picture(self) -> Any:
        """Use and recorded waiting over time, of the jobs that fit: an Altair chart.

        Raises:
            InputError: the machines are not known, or the log does not say when jobs started.
        """
        from loadmaster.measure.queueing_check import room_over_time
        from loadmaster.model.errors import InputError
        from loadmaster.report.room_chart import room_chart
        from loadmaster.traces import fit_by

        read = self.read
        if read.cluster is None:
            raise InputError("--picture", "no picture: no machines are known", fix="give them with --hosts")
        if self.really is None:
            rule = "no picture: the log does not say when jobs started"
            raise InputError("--picture", rule, fix="leave it out")
        workload, *_ = fit_by(self.spread, read.workload, read.cluster, machines_of_log=read.machines == "log")
        return room_chart(room_over_time(workload, read.cluster))

    def page(self) -> "Page":
        """The log in a sentence, in numbers, over time, and by size."""
        from loadmaster.report.breakdown_page import breakdown_blocks
        from loadmaster.report.guide_facts import guide_facts
        from loadmaster.report.info_page import info_page

        facts = guide_facts(self.read, self.window, self.seen, self.use)
        more = breakdown_blocks(self.rule_groups, self.groupings, waits_known=self.waits is not None)
        footer = {"try next": self.next}
        return info_page(self.answer, self.notes, self.read, self.summary, self.fitted, footer, facts, more)


def info_with(options: InfoOptions) -> "Described | StateDescribed":
    """Show what a job log contains: jobs, span, load, demands, and what was left out; also kubectl's nodes and pods.

    Args:
        options: which log.

    Raises:
        InputError: it cannot be read, or an option changes nothing.
    """
    from loadmaster.packing.kubernetes_objects import is_kubernetes_file

    if isinstance(options.trace, str | Path) and is_kubernetes_file(Path(options.trace)):
        refuse_all_but(options, ("trace", "out"), "a state names its own nodes, and is no log")
        return _saved(described_state(Path(options.trace)), options)
    from dataclasses import replace

    from loadmaster.measure.observed_hosts import observed_hosts
    from loadmaster.traces.summary import fit, summarise
    from loadmaster.traces.verdict import verdict_of
    from loadmaster.verbs.next_command import next_command
    from loadmaster.verbs.pipe_input import as_named

    read = options.read()
    if read.cluster is None:
        why = "it says where tasks may go, and no machines are known"
        refuse_unused(options, ["spread"], why, "give machines with --hosts")
    by = options.groupings_of(read.workload)
    seen = observed_hosts(read.workload) if read.machines != "log" else None
    if options.write_hosts is not None:
        _write_hosts(Path(options.write_hosts), seen, read.workload)
    summary, fitted = summarise(read.workload, read.window_s), None
    if read.cluster is not None:
        fitted = fit(
            read.workload, read.cluster, options.spread, machines_of_log=read.machines == "log", opens_s=read.window_s
        )
        read = replace(read, notes=(*read.notes, *([fitted.note] if fitted.note else [])))
    path = as_named(str(options.trace)) if isinstance(options.trace, str | Path) else "LOG"
    verdict, following = verdict_of(read, summary, fitted), as_named(next_command(options, read, path, seen))
    really = _really(read, options.spread)
    return _saved(Described(read, summary, fitted, verdict, following, really, options.spread, seen, by), options)


def _licences_of(cluster: "Cluster | None") -> dict[str, float]:
    """By licence and burst buffer, what the cluster has; bytes of a burst buffer."""
    return {} if cluster is None or cluster.rules is None else dict(cluster.rules.licences)


def _write_hosts(path: Path, seen: "ObservedHosts | None", workload: "Workload") -> None:
    """Write the machines that the log shows.

    Raises:
        InputError: it shows none, or the file cannot be written.
    """
    from loadmaster.model.errors import InputError
    from loadmaster.verbs.hosts_file import write_hosts_file

    if seen is None:
        rule = "the log has no host names and no start times, or its header already names the machines"
        raise InputError("--write-hosts", rule, fix="dump it with NodeList and Start, or leave it out")
    write_hosts_file(path, seen, workload)


def _saved(result: "D", options: InfoOptions) -> "D":
    """The same, written into the folder that was given."""
    if options.out is not None:
        result.save(options.out)
    return result


def _really(read: "Trace", spread: "Literal['auto', 'single-host', 'any', 'asked']") -> "Recorded | None":
    """What the log recorded of the jobs that fit."""
    from loadmaster.measure.recorded_metrics import recorded
    from loadmaster.traces import fit_by

    if read.cluster is None or read.workload.recorded_wait_s is None:
        return None
    workload, *_ = fit_by(spread, read.workload, read.cluster, machines_of_log=read.machines == "log")
    return recorded(workload, read.cluster, known=read.machines in ("log", "beside"))


info = called_with(InfoOptions, info_with)
