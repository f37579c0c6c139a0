"""A scheduler driven live by a verb: the run, its metrics and alerts, its record, its result."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loadmaster.verbs.live_result import Lived, Quiet

if TYPE_CHECKING:
    from loadmaster.live.queue.alerts import AlertCommand
    from loadmaster.live.queue.decider import LiveExtras
    from loadmaster.live.queue.metrics import ServedAt
    from loadmaster.live.queue.record import LiveRecord
    from loadmaster.live.queue.settings import LiveSettings
    from loadmaster.live.session.engine import Clock, Engine
    from loadmaster.live.session.report import Report
    from loadmaster.runs import Setting
    from loadmaster.scheduling import Scheduler

LAST_RECKONING_S = 30.0
"""So long the end of a shadow may compute the waits of jobs so far; a week of a large site takes minutes."""
Screen = Callable[[str, "LiveSettings", int | None, Path, bool], Any]
"""Makes the observer, from an engine's name, the settings, the number of jobs if it is known, the record's folder, and
whether the clock is simulated. A context manager with `show(*cycle)`, `say(note)` and an attribute `so_far`."""


def quiet(*_: Any) -> Quiet:
    """No observer."""
    return Quiet()


@dataclass(frozen=True)
class LiveRun:
    """One live run of a verb, beside its engine and its setting.

    Attributes:
        about: what its record says of its options: `command`, which makes it again, and the file of `--config`.
        screen: makes the display.
        extras: what the run has beside its scheduler.
        synthetic: the jobs are synthetic; None where that is not known.
        notes: what must be said of the input.
        jobs: how many there are, where that is known.
        metrics: where figures are served over HTTP.
        alert: called with the kind and the text of what an operator has to look at; None: nothing is called.
        site: what the engine does by itself.
        scheduler: that of the setting, where `scheduler_of` has made it before.
    """

    about: Mapping[str, Any]
    screen: Screen = quiet
    extras: "LiveExtras | None" = None
    synthetic: bool | None = None
    notes: tuple[str, ...] = ()
    jobs: int | None = None
    metrics: "ServedAt | None" = None
    alert: "AlertCommand | None" = None
    site: "Setting | None" = None
    scheduler: "Scheduler | None" = None


def drive(engine: "Engine", clock: "Clock", setting: "Setting", how: "LiveSettings", out: Path, run: LiveRun) -> Lived:
    """Run `setting` live on `engine`, and keep the record in the folder `out`."""
    from loadmaster.live.queue.alerts import Alerts
    from loadmaster.live.queue.decider import LiveExtras
    from loadmaster.live.queue.metrics import MetricsServer, ServedAt
    from loadmaster.live.queue.record import LiveRecord, lines_of
    from loadmaster.live.queue.run_live import run_live
    from loadmaster.live.queue.run_record import run_record_of
    from loadmaster.live.session.report import Report
    from loadmaster.model import InputError
    from loadmaster.rules.find import given
    from loadmaster.runs import sources_of
    from loadmaster.runs.interim_waits import InterimWaits
    from loadmaster.runs.record import write_record
    from loadmaster.verbs.folder import make_folder
    from loadmaster.verbs.record_reader_process import InterimWaitsReader

    make_folder(out)
    sources = sources_of(setting)
    scheduler = run.scheduler or scheduler_of(setting)
    extras = run.extras or LiveExtras(ready=True)
    about = {"setting": setting.plain(), "sources": sources, **run.about}
    shadow = how.mode == "shadow"
    if shadow and run.site is not None:
        about["site"] = run.site.plain()
    record, report = LiveRecord(out), Report()
    try:
        with (
            run.screen(engine.name, how, run.jobs, out, extras.ready) as shown,
            MetricsServer(*(run.metrics or ServedAt())) as served,
            InterimWaitsReader(out, on=shadow and extras.ready) as beside_it,
        ):
            report.listener = shown.say
            served.follow(report, how.interval_s)
            alerts = None if run.alert is None else Alerts(run.alert)
            if run.alert is not None:
                report.alert = run.alert

            def watch(*cycle: Any) -> None:
                if said := beside_it.news():
                    record.append([{"so_far": said["so_far"]}])
                    shown.so_far = served.so_far = InterimWaits.of(said["so_far"])
                shown.show(*cycle)
                served.show(*cycle)
                if alerts is not None:
                    alerts.watch(*cycle)

            session = replace(extras, about=about, seed=setting.seed, watch=watch)
            run_live(engine, clock, scheduler, how, record, session, report)
        compared, text = _comparison_with_site(how, record, scheduler)
    except Exception as error:
        report.alert("ended", f"the run ended: {error}")
        raise
    finally:
        record.close()
        engine.close()
    try:
        run_record = run_record_of(lines_of(out), scheduler.discipline.order, setting, sources)
        write_record(out, run_record, command=run.about["command"], result=_summary(report))
        notes = (*run.notes, *text, *run_record.case.notes)
    except (InputError, OSError) as error:  # nothing was there to be kept, or no disk to keep it on
        notes = (*run.notes, *text, str(error))
    left_out = {"left_out_jobs": [list(pair) for pair in report.left_out]}
    return Lived(
        out,
        _summary(report) | compared | left_out,
        report.outcome,
        tuple(report.stranded),
        known=(*notes, *report.notes),
        seed=setting.seed,
        synthetic=run.synthetic,
        carries_python=bool(given(setting.specs)),
    )


def scheduler_of(setting: "Setting") -> "Scheduler":
    """The scheduler that decides by `setting`."""
    from loadmaster.runs import discipline_of, policy_of, sources_of
    from loadmaster.scheduling import Scheduler

    sources = sources_of(setting)
    return Scheduler(policy_of(setting, sources), discipline_of(setting, sources))


def _comparison_with_site(
    how: "LiveSettings", record: "LiveRecord", scheduler: "Scheduler"
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Of a run that asks nothing, how it compares with what the site did; and what must be said of that."""
    from loadmaster.live.queue.agreement import agreement_of
    from loadmaster.live.queue.shadow_waits import TimeLimitReached, interim_waits_within
    from loadmaster.live.queue.stranded_capacity import stranded_by_host
    from loadmaster.model import LoadmasterError

    if how.acts:
        return {}, ()
    lines = list(record.lines())
    figures: dict[str, Any] = agreement_of(lines).summary()
    if how.mode != "shadow":
        return figures, ()
    figures["stranded_by_host"] = [each._asdict() for each in stranded_by_host(lines)]
    try:
        so_far = interim_waits_within(lines, scheduler, LAST_RECKONING_S).plain()
    except (TimeLimitReached, KeyboardInterrupt) as error:
        last: list[dict[str, Any]] = [line["so_far"] for line in lines if "so_far" in line][-1:]
        when = "the last value computed during the run" if last else "not known"
        why = str(error) or "it was stopped"
        fix = f"`loadmaster live --so-far {record.folder}` computes it without a time limit"
        note = f"The wait so far is {when}: {why}; {fix}."
        return figures | ({"so_far": last[0]} if last else {}), (note,)
    except LoadmasterError as error:
        return figures, (f"no simulated queue to compare with: {error}",)
    record.append([{"so_far": so_far}])
    return figures | {"so_far": so_far}, ()


def _summary(report: "Report") -> dict[str, Any]:
    return {
        "ended": report.ended,
        **{name: getattr(report, name) for name in ("cycles", "missed", "skipped", "fallbacks", "starts", "foreign")},
        "refusals": dict(report.refusals),
        "lost": report.lost,
        "stranded": report.stranded,
    }
