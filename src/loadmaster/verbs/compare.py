"""`compare`: replay a log under several rules, and show which keeps the queue shortest."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from loadmaster.results.up_to_date import Maker
from loadmaster.verbs.dask_options import DaskOptions
from loadmaster.verbs.group_options import GroupOptions
from loadmaster.verbs.machine_options import MachineOptions
from loadmaster.verbs.metric_options import MetricOptions, measuring, refuse_metrics_of_no_resource
from loadmaster.verbs.option import Option, called_with
from loadmaster.verbs.priority_options import PriorityOptions
from loadmaster.verbs.result import Result
from loadmaster.verbs.rule_options import RuleOptions
from loadmaster.verbs.rules import Discipline, Naming, Rule, name_of, names_of
from loadmaster.verbs.run_options import RunOptions, betas, notes_on_clock
from loadmaster.verbs.sampling import SamplingOptions
from loadmaster.verbs.site_change_options import SiteChangeOptions, with_changes
from loadmaster.verbs.site_options import with_row
from loadmaster.verbs.unused_options import refuse_unused_foresight, refuse_unused_settings

if TYPE_CHECKING:
    import polars as pl

    from loadmaster.report.comparison import Comparison
    from loadmaster.report.page import Page
    from loadmaster.results.watch import Watch
    from loadmaster.runs import Setting

DEFAULT_POLICIES = (
    "first-fit,best-fit-cores,best-fit-memory,worse-fit-cores,worse-fit-memory,mix-fit,opportunity-cost,max-jobs"
)


@dataclass(frozen=True, kw_only=True)
class CompareOptions(
    MachineOptions,
    RuleOptions,
    PriorityOptions,
    SiteChangeOptions,
    RunOptions,
    MetricOptions,
    GroupOptions,
    SamplingOptions,
    DaskOptions,
):
    """All that a comparison can be told."""

    policies: Annotated[
        Rule | Sequence[Rule],
        Option("Placement policies; also file.py:function and max-jobs.", metavar="A,B,...", typed=str),
    ] = DEFAULT_POLICIES
    disciplines: Annotated[
        Rule | Sequence[Discipline],
        Option("Disciplines, ORDER+BACKFILLING; default: easy, for the demo netbatch.", metavar="A,B,...", typed=str),
    ] = ""
    loads: Annotated[
        str | float | Sequence[float],
        Option("Offered loads to scale the log to.", metavar="L1,L2,...", typed=str),
    ] = ""
    beta: Annotated[
        str | float | Sequence[float],
        Option("Factors on the times between arrivals, instead of loads.", metavar="B1,B2,...", typed=str),
    ] = ""
    baseline: Annotated[
        str, Option("Policy that the others are compared with; default: the first.", metavar="POLICY")
    ] = ""
    bound: Annotated[
        str,
        Option(
            "Also show how far each rule is from the best possible. TIME: CPU time for each load and set of hosts.",
            metavar="TIME",
        ),
    ] = ""
    store: Annotated[str, Option("Database of finished runs; default: in DIR.", metavar="URL")] = ""
    out: Annotated[
        "str | Path | None",
        Option("Folder for the report and the results.", metavar="DIR", flags=("-o", "--out"), typed=Path | None),
    ] = None

    @property
    def from_window(self) -> bool:
        """Whether runs of a dump begin as its window opens: not at other loads, with samples, a bound or more sets."""
        several = len(self.sets) > 1 or bool(self.changes)
        return not (self.loads or self.beta or self.bound or self.asks or several)

    @property
    def change(self) -> None:
        """None: each change is a row of its own."""

    @property
    def not_closed(self) -> str:
        """Empty: each run has its own arrivals."""
        return ""


@dataclass(frozen=True, eq=False, repr=False)
class Compared(Result):
    """The result of `compare`.

    Attributes:
        comparison: the runs, the jobs, the hosts, and notes on them.
    """

    verb = "compare"
    page_maker = Maker("loadmaster.report.compare_page", "page_parts", ("altair", "jinja2"))

    comparison: "Comparison"

    @property
    def answer(self) -> str:
        """The answer in words."""
        from loadmaster.report.answer import answer

        return answer(self.comparison)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out or assumed, and whether data is synthetic."""
        return tuple(self.comparison.remarks)

    @property
    def frame(self) -> "pl.DataFrame":
        """A row for each run, after the log's own record if that is known; units are in the columns' names."""
        from loadmaster.report.summary import summary_frame

        return summary_frame(self.comparison)

    def plot(self) -> Any:
        """Intervals where samples were drawn, else mean waits against the load or a ranking: an Altair chart."""
        from loadmaster.report.compare_charts import main_chart

        return main_chart(self.comparison)

    def jobs(self, policy: str = "", discipline: str = "") -> "pl.DataFrame":
        """A row for each job of each run: when the job came, started and ended, where it ran, what it requested.

        A comparison stores no schedules, so each of these runs is made once more.

        Args:
            policy: only runs of this policy, by its name in `frame`; empty for all.
            discipline: likewise.

        Returns:
            The columns of `Simulated.frame`, behind those that name the run.

        Raises:
            InputError: there is no such run, a rule of it keeps state, or its result is another now.
        """
        import polars as pl

        from loadmaster.model import InputError
        from loadmaster.runs.rerun import jobs_of

        runs = [
            each
            for each in self.comparison.outcomes
            if policy in ("", each.setting.policy) and discipline in ("", each.setting.discipline)
        ]
        if not runs:
            rule = "no run of this comparison has this rule"
            raise InputError(f"{policy} {discipline}".strip(), rule, fix="take names that stand in .frame")
        return pl.concat([jobs_of(self.comparison.machines_of(each).case, each) for each in runs], how="diagonal")

    def by(self, name: str) -> "pl.DataFrame":
        """Waits, use and losses by one property of the jobs, under every rule and in the record: a row for each group.

        Args:
            name: partition, qos, account, user, size, gpu, hour, weekday or month.

        Raises:
            InputError: the log says nothing of the kind, or there is no such grouping.
        """
        from loadmaster.report.breakdown import breakdown_frame
        from loadmaster.report.run_breakdown import all_groups

        return breakdown_frame(all_groups(self.comparison), [name])

    def recorded_gantt(self, first_s: float | None = None, last_s: float | None = None) -> Any:
        """The hosts on which each job really ran, by the log: an Altair chart like `Simulated.gantt`.

        Args:
            first_s: from when, in seconds of the log; its first arrival.
            last_s: until when; the end of the last job, or soon after the last has started where that is earlier.

        Raises:
            InputError: the log does not name these hosts, no job runs then, or more than can be told apart.
        """
        from loadmaster.model import InputError
        from loadmaster.report.gantt import gantt_chart

        case, on_hosts = self.comparison.case, self.comparison.on_hosts
        if on_hosts is None:
            rule = "it is not known on which of these hosts its jobs really ran"
            raise InputError(
                case.workload.source, rule, fix="name the hosts as the log does: --hosts hosts.csv, --site"
            )
        return gantt_chart(on_hosts.workload, case.cluster, on_hosts.schedule, first_s, last_s)

    def page(self) -> "Page":
        """The answer, the table, the pictures, how it was made."""
        from loadmaster.report.compare_page import compare_page

        return compare_page(self.comparison)

    def write_tables(self, folder: Path) -> None:
        """Write summary.parquet and groups.parquet; breakdown.csv where a grouping was chosen."""
        from loadmaster.report.breakdown import write_breakdown
        from loadmaster.report.run_breakdown import all_groups
        from loadmaster.report.summary import write_groups, write_summary

        write_summary(folder / "summary.parquet", self.comparison)
        write_groups(folder / "groups.parquet", self.comparison)
        write_breakdown(folder, all_groups(self.comparison), self.comparison.by)


def compare_with(options: CompareOptions, watch: "Watch | None" = None, command: str = "") -> Compared:
    """Replay a log under several policies, disciplines and loads, and measure how long jobs wait.

    Args:
        options: what to compare.
        watch: called with the progress of the runs.
        command: how to make it again; made of the options where it is not given.

    Returns:
        The table of all runs, its chart and its page.

    Raises:
        InputError: the log, the machines or a rule cannot be used, or an option changes nothing.
    """
    from loadmaster.results.progress_file import progress_file_in
    from loadmaster.rules.by_value import naming
    from loadmaster.verbs.progress import watching

    out = None if options.out is None else Path(options.out)
    command = command or options.call("compare")
    with naming(in_process=True) as name, watching(watch) as seen, progress_file_in(out, command, seen) as progress:
        return _comparison(options, progress, command, name)


def _comparison(options: CompareOptions, watch: "Watch", command: str, name: Naming) -> Compared:
    from loadmaster.measure.recorded_hosts import on_hosts, recorded_groups
    from loadmaster.measure.recorded_metrics import recorded
    from loadmaster.model.units import parse_seconds
    from loadmaster.report.comparison import Comparison
    from loadmaster.results.on_dask import pool_on
    from loadmaster.runs import Store
    from loadmaster.runs.machines import on_each, sweep_machines
    from loadmaster.runs.setting import SITE
    from loadmaster.verbs.folder import make_folder
    from loadmaster.verbs.notes import noting_runs, refuse_distributed, remarks, warn_of_plain

    address = options.address
    options.refuse_reading()
    at = options.at_site()
    changed = {change.name: options.site_with(change) for change in options.changes}
    policies = names_of(options.policies, "--policies", name)
    disciplines = names_of(options.disciplines or options.usual_discipline, "--disciplines", name)
    if at is not None and changed and not {"policies", "disciplines"} & {*options.given}:
        policies, disciplines = [at.policy], [SITE]  # what is asked is what the changes do

    metrics = options.metric_names(name)

    def wanted(factors: list[float]) -> "list[Setting]":
        return measuring(options.settings(policies, disciplines, factors, name, at), metrics)

    idle = refuse_unused_settings(options, wanted([1.0]))
    if options.out is not None:
        make_folder(Path(options.out))
    machines = options.on_changes(at, changed) if at is not None and changed else options.on_machines(at)
    options.refuse_money_without_prices(machines)
    case = machines[0].case
    refuse_metrics_of_no_resource(metrics, case.cluster.resources)
    settings = wanted(betas(case, options.loads, options.beta))
    if at is not None and changed:
        settings = with_changes(settings, at, changed)
    else:
        settings = on_each(with_row(settings, at), machines)
    idle += [*notes_on_clock(options, settings), *refuse_unused_foresight(options, case, settings)]
    drawing, by = options.drawing(case), options.groupings_of(case.workload)
    case = noting_runs(case, settings)
    machines = (replace(machines[0], case=case), *machines[1:])
    for one in machines:
        warn_of_plain(one.case, [setting for setting in settings if setting.hosts == one.name])
    against = _baseline(name_of(options.baseline, name), settings)
    store = Store(options.store) if options.store else Store.in_folder(Path(options.out)) if options.out else None
    within_s = parse_seconds(options.bound) if options.bound else None
    if within_s is not None:
        from loadmaster.search.possible import refuse_unbounded  # the search loads Numba

        refuse_unbounded(machines, settings)
    if address is not None:
        refuse_distributed(settings)
    pool = pool_on(address)
    outcomes = sweep_machines(machines, settings, store, pool, check=options.check, watch=watch)
    judgements = options.judgements(machines, drawing, outcomes, against, store, pool, watch)
    best = []
    if within_s is not None:
        from loadmaster.search.possible import no_higher_than_runs, possible_on

        best = no_higher_than_runs(possible_on(machines, settings, within_s, store, pool, watch), outcomes)
    if store is not None:
        store.close()
    as_logged = any(setting.beta == 1.0 for setting in settings)
    with_record = as_logged and options.limit is None
    compared = Compared(
        Comparison(
            case,
            outcomes,
            against,
            [*remarks(case), *idle],
            command,
            (*case.notes, *idle),
            recorded(case.workload, case.cluster, case.launch_s, known=at is not None or options.hosts is None)
            if with_record
            else None,
            "" if at is None else at.policy,
            judgements,
            best,
            machines,
            options.currency,
            on_hosts(case.workload, case.cluster, case.launch_s) if with_record else None,
            metrics,
            by,
            recorded_groups(case.workload, case.cluster, case.launch_s) if with_record else (),
        )
    )
    if options.out is not None:
        compared.save(options.out)
    return compared


def _baseline(name: str, settings: "Sequence[Setting]") -> str:
    """The policy to measure the others against: the one named, else the first.

    Raises:
        InputError: the one named is not among the policies.
    """
    from loadmaster.model import InputError

    policies = list(dict.fromkeys(setting.policy for setting in settings))
    if name and name not in policies:
        raise InputError(name, "the baseline is not among the policies", fix=f"one of {', '.join(policies)}")
    return name or policies[0]


compare = called_with(CompareOptions, compare_with)
