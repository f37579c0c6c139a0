"""`when`: when a waiting job of the present queue starts, how sure that is, and what would start it sooner."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from loadmaster.verbs.option import Option, called_with
from loadmaster.verbs.priority_options import PriorityOptions
from loadmaster.verbs.result import Result
from loadmaster.verbs.rule_options import RuleOptions
from loadmaster.verbs.rules import Discipline, Naming, Rule, names_of
from loadmaster.verbs.run_options import RunOptions, only, rules_or_site
from loadmaster.verbs.site_change_options import SiteChangeOptions
from loadmaster.verbs.unused_options import refuse_unused, refuse_unused_settings

if TYPE_CHECKING:
    import polars as pl

    from loadmaster.forecast.coverage import Coverage
    from loadmaster.forecast.start_forecast import StartForecast
    from loadmaster.forecast.start_samples import ForecastBasis, SchedulerRules
    from loadmaster.model import Cluster, Workload
    from loadmaster.report.page import Page
    from loadmaster.report.start_claims import StartFound
    from loadmaster.results.watch import Watch
    from loadmaster.runs import Case, Setting
    from loadmaster.runs.site_case import SiteCase
    from loadmaster.traces import Trace

FORECAST = "The forecast"
FEWEST_SAMPLES = 19
"""The least and the greatest of 19 samples span nine tenths of what may come; fewer give no such interval."""


@dataclass(frozen=True, kw_only=True)
class WhenOptions(RuleOptions, PriorityOptions, SiteChangeOptions, RunOptions):
    """All that `when` can be told."""

    trace: Annotated[
        "str | Path | Trace | Workload",
        Option(
            "The present queue, such as `squeue --json` prints it.",
            metavar="SQUEUE",
            argument=True,
            reads=True,
            typed=Path,
        ),
    ] = field(kw_only=False)
    job: Annotated[
        "str | int",
        Option("The number of a job that waits, such as 4711 or 4711_3.", metavar="JOB", argument=True, typed=str),
    ] = field(kw_only=False)
    hosts: Annotated[
        "str | Path | Cluster | None",
        Option(
            "Machines: 200x16c64g,4x64c512g8gpu or a file, such as `scontrol show node` prints.",
            metavar="HOSTS",
            panel="The machines",
            reads=True,
            typed=str | None,
        ),
    ] = None
    log: Annotated[
        "str | Path | Trace | Workload | None",
        Option(
            "A job log of the past, such as sacct prints: runtimes and later arrivals are drawn from it.",
            metavar="HISTORY",
            panel=FORECAST,
            reads=True,
            typed=Path | None,
        ),
    ] = None
    samples: Annotated[
        int,
        Option(
            "Number of simulated futures of the queue.",
            metavar="N",
            panel=FORECAST,
            least=FEWEST_SAMPLES,
            most=100_000,
        ),
    ] = 99
    past_jobs: Annotated[
        int,
        Option(
            "Number of past jobs to forecast in the same way; shows how often the interval was right.",
            metavar="N",
            panel=FORECAST,
            least=0,
            most=100_000,
        ),
    ] = 200
    policy: Annotated[Rule, Option("Placement policy; also file.py:function.", metavar="POLICY", typed=str)] = (
        "first-fit"
    )
    discipline: Annotated[
        Discipline, Option("Queue discipline; default: the site's own, else easy.", metavar="DISCIPLINE", typed=str)
    ] = ""
    out: Annotated[
        "str | Path | None",
        Option(
            "Folder for the page, report.html, and the tables.", metavar="DIR", flags=("-o", "--out"), typed=Path | None
        ),
    ] = None

    @property
    def files(self) -> list[Path]:
        """Those of the inputs that are files."""
        log = [Path(self.log)] if isinstance(self.log, str | Path) else []
        return [*super().files, *(path for path in log if path.is_file())]

    def past(self, at: "SiteCase | None", listing: "Case") -> "tuple[Trace, Case] | None":
        """The log of the past on the same hosts; None without one.

        Raises:
            InputError: it cannot be read, or none of its jobs fits.
        """
        if self.log is None:
            return None
        spread: Any = listing.spread or "auto"
        options = replace(self, trace=self.log, format="auto", limit=None, spread=spread)
        if at is None:
            options = replace(options, hosts=listing.cluster)
        return options.trace_and_case(at)


@dataclass(frozen=True, eq=False, repr=False)
class StartOfJob(Result):
    """The result of `when`, also if the job never starts.

    Attributes:
        found: the forecast, other requests, and the accuracy of past forecasts.
    """

    verb = "when"

    found: "StartFound"

    @property
    def never(self) -> bool:
        """Whether the job never starts."""
        return bool(self.found.why_never) or self.found.forecast.never

    @property
    def answer(self) -> str:
        """When it starts, in one sentence."""
        from loadmaster.report.start_claims import start_answer

        return start_answer(self.found)

    @property
    def notes(self) -> tuple[str, ...]:
        """The chance of a start, the accuracy of past forecasts, and assumptions."""
        from loadmaster.report.start_claims import details

        return (*details(self.found), *self.found.notes)

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The job as it is, then a row for each other request."""
        from loadmaster.report.start_claims import start_rows

        return start_rows(self.found)

    @property
    def frame(self) -> "pl.DataFrame":
        """The same as a table; times are seconds from the listing on."""
        import polars as pl

        within = [
            {f"within_{each['time_s']:.0f}_s": each["chance"] for each in row.pop("within")} | row for row in self.rows
        ]
        return pl.DataFrame(within, infer_schema_length=None).select("change", pl.exclude("change"))

    def plot(self) -> Any:
        """The chance of a start over time, as the job is and with other requests: an Altair chart."""
        from loadmaster.report.start_page import start_chart

        return start_chart(self.found)

    def page(self) -> "Page":
        """The answer, the chart, other requests."""
        from loadmaster.report.start_page import start_page

        return start_page(self.found)

    def write_tables(self, folder: Path) -> None:
        """Write when.parquet."""
        from loadmaster.system.whole_file import whole_file

        with whole_file(folder / "when.parquet") as part:
            self.frame.write_parquet(part)


def when_with(options: WhenOptions, watch: "Watch | None" = None, command: str = "") -> StartOfJob:
    """When a waiting job of the present queue starts, how sure that is, and what would start it sooner.

    Args:
        options: the queue, the job, the machines, a log of the past.
        watch: called with the progress of the samples.
        command: how to make it again; made of the options where it is not given.

    Returns:
        The forecast; `never` says whether the job never starts.

    Raises:
        InputError: the listing or the log cannot be read, or the job does not wait in it.
    """
    from loadmaster.model import InputError
    from loadmaster.rules.by_value import naming
    from loadmaster.verbs.progress import watching

    listing, job = options.trace, str(options.job)
    if isinstance(listing, str | Path) and not Path(listing).exists() and Path(job).is_file():
        raise InputError(listing, "no such file", fix=f"the listing comes before the job: {job} {listing}")
    with naming() as name, watching(watch) as progress:
        result = _forecast(options, progress, command or options.call("when"), name)
    if options.out is not None:
        result.save(options.out)
    return result


def _forecast(options: WhenOptions, watch: "Watch", command: str, name: Naming) -> StartOfJob:
    from loadmaster.forecast.listing_forecast import onward_from
    from loadmaster.report.start_claims import StartFound
    from loadmaster.runs.prepare import compile_first
    from loadmaster.verbs.folder import make_folder
    from loadmaster.verbs.job_of_listing import moment_of_listing, waiting_row
    from loadmaster.verbs.notes import noting_runs, remarks

    _refuse_unused(options)
    at = options.at_site()
    setting = _setting(options, at, name)
    refuse_unused_settings(options, [setting])
    if options.out is not None:
        make_folder(Path(options.out))
    if at is None and options.spread == "auto":
        options = replace(options, spread="asked")  # a listing says on how many hosts each job lies
    read, case = options.trace_and_case(at)
    row = waiting_row(options.job, read, case)
    before = _closures(case)
    case = options.with_closures(read, case)
    closures = _closures(case) - before
    past = options.past(at, case)
    case = noting_runs(case, [setting])
    compile_first(case, [setting], watch)
    epoch_s, past_epoch_s = (None if each is None else each.workload.epoch_s for each in (read, past and past[0]))
    apart_s = None if epoch_s is None or past_epoch_s is None else epoch_s - past_epoch_s
    listed_s, rules, log = moment_of_listing(read), _rules(setting), None if past is None else past[1]
    log_jobs = None if log is None else log.workload
    onward, notes = onward_from(case.workload, listed_s, log_jobs, apart_s, case.cluster, rules)
    more = [] if log is None else [f"The log: {note}" for note in remarks(log) if note not in case.notes]
    waiting = int((~onward.state.runs).sum())
    found = StartFound(
        _job(options, case.workload, row, listed_s),
        None if epoch_s is None else epoch_s + listed_s,
        int(onward.state.runs.sum()),
        waiting,
        *_forecasts(options, onward, row, log_jobs, closures, watch),
        f"{setting.policy}, {setting.discipline}",
        log is not None,
        "" if log is None else log.workload.source,
        (*notes, *_remarks(case, sampled=log is not None), *more),
        command,
        setting.seed,
    )
    return StartOfJob(found)


def _forecasts(
    options: WhenOptions, onward: "ForecastBasis", row: int, log: "Workload | None", closures: int, watch: "Watch"
) -> "tuple[StartForecast, tuple[Any, ...], Coverage | None, str]":
    """The forecast, other requests, how past forecasts fared, and why the job can never run."""
    import numpy as np

    from loadmaster.forecast.coverage import coverage, past_starts, widened
    from loadmaster.forecast.start_forecast import start_forecast
    from loadmaster.forecast.what_if import changed_requests, open_hosts, why_never

    samples = options.samples if log is not None else 1
    reason = why_never(onward.workload, onward.cluster, int(onward.state.rows[row]))
    watch.doing("simulating the queue onward")
    base_s = np.full(samples, np.inf) if reason else onward.starts_s(row, samples)
    forecast = start_forecast(base_s, onward.state.now_s)
    changes = [open_hosts(onward, row, base_s, closures)] if closures else []
    if reason or not np.isinf(base_s).all():
        changes += changed_requests(onward, row, base_s)
    if log is None or options.past_jobs == 0 or forecast.never:
        return forecast, tuple(changes), None, reason
    watch.phase("past jobs", options.past_jobs, "jobs")
    starts = past_starts(log, onward.cluster, onward.rules)
    told, calibration = coverage(log, onward.cluster, onward.rules, starts, options.past_jobs, watch.counted)
    wide = [replace(each, forecast=widened(each.forecast, calibration)) for each in changes]
    return widened(forecast, calibration), tuple(wide), told, reason


def _remarks(case: "Case", *, sampled: bool) -> list[str]:
    """What must be said of the listing; where runtimes are drawn, limits do not stand in for them."""
    from loadmaster.traces.slurm import LIMITS_AS_RUNTIMES
    from loadmaster.verbs.notes import remarks

    return [note for note in remarks(case) if not (sampled and note == LIMITS_AS_RUNTIMES)]


def _closures(case: "Case") -> int:
    return 0 if case.cluster.rules is None else len(case.cluster.rules.calendar)


def _refuse_unused(options: WhenOptions) -> None:
    options.refuse_reading()
    refuse_unused(options, ["check"], "no schedule of this verb is kept")
    if options.log is None:
        why = "without a log of the past nothing is drawn"
        refuse_unused(options, ["samples", "past_jobs"], why, "give a log with --log, or leave it out")


def _setting(options: WhenOptions, at: "SiteCase | None", name: Naming) -> "Setting":
    policy, discipline = rules_or_site(
        options.given, options.policy, options.discipline or options.usual_discipline, at
    )
    policies = names_of(policy, "--policy", name)
    disciplines = names_of([discipline] if isinstance(discipline, tuple) else discipline, "--discipline", name)
    return only(options.settings(policies, disciplines, [1.0], name, at))


def _rules(setting: "Setting") -> "SchedulerRules":
    from loadmaster.forecast.start_samples import SchedulerRules
    from loadmaster.runs import discipline_of, policy_of, sources_of

    sources = sources_of(setting)
    return SchedulerRules(
        policy_of(setting, sources),
        discipline_of(setting, sources),
        setting.interval_s,
        setting.seed,
        setting.estimate_model,
    )


def _job(options: WhenOptions, workload: "Workload", row: int, listed_s: float) -> Any:
    from loadmaster.report.start_claims import QueuedJob

    tasks = int(workload.task_count[row])
    return QueuedJob(
        str(options.job).strip(),
        tasks,
        tasks * float(workload.demand[row, 0]),
        float(workload.expected_s[row]),
        listed_s - float(workload.submit_s[row]),
    )


when = called_with(WhenOptions, when_with)
"""`loadmaster when`: when a waiting job starts, and what would start it sooner."""
