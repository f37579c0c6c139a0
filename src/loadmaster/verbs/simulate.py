"""`simulate`: one run, recorded in full: where and when each job ran."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from loadmaster.verbs.group_options import GroupOptions
from loadmaster.verbs.metric_options import MetricOptions, measuring, refuse_metrics_of_no_resource
from loadmaster.verbs.option import Option, called_with
from loadmaster.verbs.priority_options import PriorityOptions
from loadmaster.verbs.result import Result
from loadmaster.verbs.rule_options import RuleOptions
from loadmaster.verbs.rules import Discipline, Naming, Rule, names_of
from loadmaster.verbs.run_options import RunOptions, betas, only, rules_or_site
from loadmaster.verbs.site_change_options import SiteChangeOptions
from loadmaster.verbs.unused_options import refuse_unused_foresight, refuse_unused_settings

if TYPE_CHECKING:
    import polars as pl

    from loadmaster.model import Cluster
    from loadmaster.report.breakdown import RuleGroups
    from loadmaster.report.page import Page
    from loadmaster.results.watch import Watch
    from loadmaster.runs import Case, Outcome, Setting
    from loadmaster.runs.closure_effect import ClosureEffect
    from loadmaster.runs.record import Record
    from loadmaster.runs.rerun import Rerun


@dataclass(frozen=True, kw_only=True)
class SimulateOptions(RuleOptions, PriorityOptions, SiteChangeOptions, RunOptions, MetricOptions, GroupOptions):
    """All that a single run can be told."""

    policy: Annotated[
        Rule, Option("Placement policy; also file.py:function and max-jobs.", metavar="POLICY", typed=str)
    ] = "mix-fit"
    discipline: Annotated[
        Discipline, Option("Queue discipline; default: easy, for the demo netbatch.", metavar="DISCIPLINE", typed=str)
    ] = ""
    load: Annotated[str | float, Option("Offered load to scale the log to.", metavar="LOAD", typed=str)] = ""
    beta: Annotated[str | float, Option("Factor on the times between arrivals.", metavar="B", typed=str)] = ""
    out: Annotated[
        "str | Path | None",
        Option("Folder for the record of the run.", metavar="DIR", flags=("-o", "--out"), typed=Path | None),
    ] = None

    @property
    def from_window(self) -> bool:
        """Whether the run of a dump begins as its window opens: not at another load."""
        return not (self.load or self.beta)

    @property
    def not_closed(self) -> str:
        """Empty: each run has its own arrivals."""
        return ""


@dataclass(frozen=True, eq=False, repr=False)
class Simulated(Result):
    """The result of `simulate`.

    Attributes:
        record: jobs, hosts, setting and schedule.
        outcome: its metrics.
        command: the command that makes it again.
        inputs: the input files.
        metrics: the metrics beside the mean wait, by name; empty for all.
        effect: jobs that wait longer because hosts close (rule C12); None if no option closes hosts.
        groupings: the properties by which its jobs are grouped.
    """

    verb = "simulate"

    record: "Record"
    outcome: "Outcome"
    command: str = ""
    inputs: Sequence[Path] = ()
    metrics: tuple[str, ...] = ()
    effect: "ClosureEffect | None" = None
    groupings: tuple[str, ...] = ()

    @property
    def answer(self) -> str:
        """The run in one sentence."""
        from loadmaster.report.run_page import run_answer

        return run_answer(self.record, self.outcome)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out or assumed, whether data is synthetic, and any reason not to trust the run."""
        from loadmaster.report.comparison import warnings
        from loadmaster.verbs.notes import remarks

        closed = () if self.effect is None else self.effect.sentences
        return (*warnings(self.outcome), *closed, *remarks(self.record.case))

    @property
    def figures(self) -> dict[str, Any]:
        """The row that `compare` has for the run: mean wait, slowdowns, utilization, ...; units are in the names."""
        return self.outcome.row()

    @property
    def frame(self) -> "pl.DataFrame":
        """A row for each job, in the order of arrival: when it came, started and ended, where it ran, what it asked."""
        return self._table("jobs")

    @property
    def rule_groups(self) -> "list[RuleGroups]":
        """The groups of the jobs in the record, where the load is the log's own, and in this run."""
        from loadmaster.measure.recorded_hosts import recorded_groups
        from loadmaster.report.breakdown import RECORDED, RuleGroups

        setting, case = self.outcome.setting, self.record.case
        real = recorded_groups(case.workload, case.cluster, case.launch_s) if setting.beta == 1.0 else ()
        own = RuleGroups(f"{setting.policy} under {setting.discipline}", self.outcome.beside.groups)
        return [*([RuleGroups(RECORDED, real, comparable=False)] if real else []), own]

    def by(self, name: str) -> "pl.DataFrame":
        """Waits, use and losses by one property of the jobs, in this run and in the record: a row for each group.

        Args:
            name: partition, qos, account, user, size, gpu, hour, weekday or month.

        Raises:
            InputError: the log says nothing of the kind, or there is no such grouping.
        """
        from loadmaster.report.breakdown import breakdown_frame

        return breakdown_frame(self.rule_groups, [name])

    @property
    def hosts(self) -> "pl.DataFrame":
        """A row for each host: what it has, the part of it that was in use, the tasks that ran on it."""
        return self._table("hosts")

    def plot(self) -> Any:
        """As `hosts_over_time`."""
        return self.hosts_over_time()

    def hosts_over_time(self) -> Any:
        """Hosts across time, darker where more of the first resource was in use: an Altair chart."""
        from loadmaster.report.hosts_charts import hosts_chart

        return hosts_chart(self.record.workload, self.record.case.cluster, self.record.schedule)[0]

    def gantt(self, first_s: float | None = None, last_s: float | None = None) -> Any:
        """A bar for every time in which a task held a host, darker where its job had waited longer: an Altair chart.

        Args:
            first_s: from when, in seconds of the log; its first arrival.
            last_s: until when; the end of the last job, or soon after the last has started where that is earlier.

        Raises:
            InputError: no job runs then, or more than can be told apart.
        """
        from loadmaster.report.gantt import gantt_chart

        record = self.record
        return gantt_chart(record.workload, record.case.cluster, record.schedule, first_s, last_s)

    def page(self) -> "Page":
        """What a comparison shows of a run, and the hosts over time."""
        from loadmaster.report.run_page import run_page

        return run_page(self.record, self.outcome, self.command, self.metrics, self.groupings)

    def save(self, folder: str | Path) -> Path:
        """Write the run's record, which `loadmaster.open` and `loadmaster explain` read.

        Raises:
            InputError: the folder cannot be written.
        """
        from loadmaster.report.breakdown import write_breakdown
        from loadmaster.runs.record import write_record

        write_record(
            Path(folder), self.record, command=self.command, inputs=tuple(self.inputs), result=self.outcome.row()
        )
        write_breakdown(Path(folder), self.rule_groups, self.groupings)
        return Path(folder)

    def again(self, *, trust: bool = False, progress: Callable[[int, int], None] | None = None) -> "Rerun":
        """Simulate the same jobs once more, and say whether they come out the same to the bit.

        Args:
            trust: run the Python of a policy file that the record carries; read it first.
            progress: called with the numbers of started jobs and of all jobs.

        Raises:
            InputError: the record was changed, or carries Python and is not trusted.
        """
        from loadmaster.runs.rerun import rerun

        return rerun(self.record, progress, trust=trust)

    def _table(self, name: str) -> "pl.DataFrame":
        from loadmaster.runs.record import tables_of

        return tables_of(self.record)[f"{name}.parquet"]


def simulate_with(options: SimulateOptions, watch: "Watch | None" = None, command: str = "") -> Simulated:
    """Simulate one run of a log: a policy, a discipline, a load.

    Args:
        options: what to run.
        watch: called with the progress of the run.
        command: how to make it again; made of the options where it is not given.

    Returns:
        Every job's start, end and host, the figures, charts and the page.

    Raises:
        InputError: the log, the machines or a rule cannot be used, or an option changes nothing.
    """
    from loadmaster.results.progress_file import not_left_empty
    from loadmaster.rules.by_value import naming
    from loadmaster.verbs.progress import watching

    out = None if options.out is None else Path(options.out)
    with not_left_empty(out), naming(in_process=True) as name, watching(watch) as progress:
        return _simulation(options, progress, command, name)


def _simulation(options: SimulateOptions, watch: "Watch", command: str, name: Naming) -> Simulated:
    from loadmaster.verbs.folder import make_folder
    from loadmaster.verbs.notes import noting_runs, warn_of_plain
    from loadmaster.verbs.pipe_input import is_poured

    options.refuse_reading()
    at = options.at_site()
    usual = options.usual_discipline
    policy, discipline = rules_or_site(options.given, options.policy, options.discipline or usual, at)

    metrics = options.metric_names(name)

    def wanted(factors: list[float]) -> "Setting":
        policies = names_of(policy, "--policy", name)
        disciplines = names_of([discipline] if isinstance(discipline, tuple) else discipline, "--discipline", name)
        return only(measuring(options.settings(policies, disciplines, factors, name, at), metrics))

    refuse_unused_settings(options, [wanted([1.0])])
    if options.out is not None:
        make_folder(Path(options.out))
    read, open_case = options.trace_and_case(at)
    case = options.with_closures(read, open_case)
    refuse_metrics_of_no_resource(metrics, case.cluster.resources)
    setting = wanted(betas(case, options.load, options.beta, "--load"))
    refuse_unused_foresight(options, case, [setting])
    case, by = noting_runs(case, [setting]), options.groupings_of(case.workload)
    warn_of_plain(case, [setting])
    record, outcome = _run(case, setting, options.check, watch)
    inputs = [path for path in options.files if not is_poured(path)]
    effect = _effect(record, open_case.cluster) if options.closes else None
    simulated = Simulated(record, outcome, command or options.call("simulate"), inputs, metrics, effect, by)
    if options.out is not None:
        simulated.save(options.out)
    return simulated


def _effect(record: "Record", open_cluster: "Cluster") -> "ClosureEffect | None":
    """What waits longer because hosts close; None where arrivals depend on the run."""
    from loadmaster.model.job_succession import is_closed
    from loadmaster.runs.closure_effect import closure_effect

    case, schedule = record.case, record.schedule
    if is_closed(case.workload):
        return None
    return closure_effect(case, open_cluster, record.setting, dict(record.sources), record.workload, schedule)


def _run(case: "Case", setting: "Setting", check: bool, watch: "Watch") -> "tuple[Record, Outcome]":
    from loadmaster.model.job_succession import is_closed
    from loadmaster.runs import run_fully, sources_of
    from loadmaster.runs.prepare import compile_first
    from loadmaster.runs.record import Record

    sources = sources_of(setting)
    watch.begin(1, 0, case.workload.jobs)
    compile_first(case, [setting], watch)
    outcome = run_fully(case, setting, sources, check=check, progress=lambda n, _: watch.moved(0, n))
    watch.finished(0)
    if is_closed(case.workload):  # what is kept is the log that came of it, which any engine runs again
        case, setting = replace(case, workload=outcome.workload), replace(setting, beta=1.0)
    return Record(case, setting, outcome.workload, outcome.schedule, sources), outcome.outcome


def opened(folder: Path) -> Simulated:
    """The run whose record is in `folder`; nothing is simulated again.

    Raises:
        InputError: there is no whole record there.
    """
    from loadmaster.runs.record import read_record
    from loadmaster.runs.recorded_run import recorded_outcome

    record = read_record(folder)
    return Simulated(record, recorded_outcome(record), str(record.about.get("command", "")))


simulate = called_with(SimulateOptions, simulate_with)
