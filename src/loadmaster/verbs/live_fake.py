"""`live fake`: the loop on an engine in memory, with a simulated clock and injected faults."""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated

from loadmaster.verbs.live_drive import LiveRun, Screen, drive, quiet
from loadmaster.verbs.live_options import OnExit, Others, QueueOptions
from loadmaster.verbs.live_result import Lived, Looked
from loadmaster.verbs.option import Option
from loadmaster.verbs.site_options import SiteOptions


@dataclass(frozen=True)
class FakeOptions(QueueOptions, SiteOptions):
    """All that a run on a cluster in memory can be told."""

    _: KW_ONLY
    on_exit: OnExit = "release"
    others: Others = "keep"
    trouble: Annotated[
        str, Option("Faults to inject, with their probabilities, such as gone=0.01,dead=0.001.", metavar="WHAT=P,...")
    ] = ""
    launch: Annotated[
        str | float, Option("Time from the release of a job to its start.", metavar="TIME", typed=str)
    ] = "0s"


def fake_with(options: FakeOptions, screen: Screen = quiet, command: str = "") -> Lived | Looked:
    """Run a log live on a cluster in memory: a day takes seconds, and whatever goes wrong can be requested.

    Raises:
        InputError: the log, the machines or a rule cannot be used, or an option changes nothing.
    """
    from loadmaster.live.fake.engine import FakeEngine
    from loadmaster.live.fake.fault_injection import FaultRates
    from loadmaster.live.queue.decider import LiveExtras
    from loadmaster.live.session.clocks import FakeClock
    from loadmaster.model.units import parse_seconds
    from loadmaster.runs import Setting
    from loadmaster.scheduling.timed_limits import refuse_counts_of_ended_jobs
    from loadmaster.sim.queue.card_runs import refuse_cards
    from loadmaster.verbs.notes import noting, remarks

    if text := options.printed():
        return Looked("print", text=text)
    options.refuse_reading()
    how = options.live_settings(options.on_exit, options.others)
    rates, launch_s = FaultRates.of(options.trouble), parse_seconds(str(options.launch))
    setting = options.setting(how)
    case = noting(options.case(options.at_site()), setting.policy)
    work = case.workload
    refuse_cards(work, case.cluster, "a live run")
    refuse_counts_of_ended_jobs(work, case.cluster, "a live run")
    clock = FakeClock(float(work.submit_s[0]))
    engine = FakeEngine(
        work, case.cluster, clock, rates=rates, seed=options.seed, launch_s=launch_s, looks_on=options.shadow
    )
    renamed = sum(name != str(work.id_of(job)) for job, name in enumerate(engine.ids))
    notes = [f"Jobs with the number of an earlier job: {renamed:,}. They are renamed NUMBER-2 and so on."]
    run = LiveRun(
        options.about(command),
        screen,
        LiveExtras(idle_until=engine.idle_until),
        synthetic=work.synthetic,
        notes=(*remarks(case), *(notes if renamed else ())),
        jobs=work.jobs,
        metrics=options.served_at(),
        alert=options.alert_command(),
        site=Setting("first-fit", "fcfs+skip", interval_s=0.0),
    )
    return drive(engine, clock, setting, how, options.folder, run)
