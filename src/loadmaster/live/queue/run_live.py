"""Runs a scheduler live on an engine."""

from dataclasses import replace

from loadmaster.live.queue.decider import LiveExtras, QueueDecider
from loadmaster.live.queue.record import LiveRecord
from loadmaster.live.queue.settings import LiveSettings
from loadmaster.live.session.engine import Clock, Engine
from loadmaster.live.session.loop import Loop
from loadmaster.live.session.report import Report
from loadmaster.scheduling import Scheduler


def run_live(
    engine: Engine,
    clock: Clock,
    scheduler: Scheduler,
    settings: LiveSettings,
    record: LiveRecord,
    extras: LiveExtras | None = None,
    report: Report | None = None,
) -> Report:
    """Drive `scheduler` on `engine` until its time is over or it is stopped.

    A record that an earlier session began is continued: its claims and its memory still count.

    Args:
        engine: that observes and acts.
        clock: the engine's time.
        scheduler: the one that simulations run.
        settings: how to behave.
        record: open; every line goes there before its action is done.
        extras: what the run has beside them.
        report: where to write what is done; None begins one.

    Raises:
        Denied: the engine refused the very first start: this program lacks the right.
    """
    report, extras = report or Report(), extras or LiveExtras()
    extras = replace(extras, about={"engine": engine.name, **extras.about})
    decider = QueueDecider(scheduler, settings, clock, report, extras, record.lines())
    return Loop(engine, clock, decider, record, report).run()
