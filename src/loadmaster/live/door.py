"""A scheduler driven live: the parts put together."""

import math
from collections.abc import Callable
from typing import Any

from loadmaster.live.engine import Clock, Engine
from loadmaster.live.loop import Loop
from loadmaster.live.queue_decider import Beside, QueueDecider, Watch
from loadmaster.live.record import LiveRecord
from loadmaster.live.settings import LiveSettings, Report
from loadmaster.scheduling import Scheduler


def run_live(
    engine: Engine, clock: Clock, scheduler: Scheduler, settings: LiveSettings, record: LiveRecord, *,
    about: dict[str, Any] | None = None, seed: int = 0, watch: Watch | None = None,
    idle_until: Callable[[], float] | None = None, beside: Beside | None = None, ready: bool = False,
    report: Report | None = None,
) -> Report:  # fmt: skip
    """Drive `scheduler` on `engine` until its time is over or somebody stops it.

    A record that was begun before is gone on with: what was claimed and remembered then still counts.

    Args:
        engine: that observes and acts.
        clock: the engine's time.
        scheduler: the one that simulations run.
        settings: how to behave.
        record: open; all goes there before it is done.
        about: what else the record is to say of this session.
        seed: for policies that draw.
        watch: told of every cycle.
        idle_until: asked after every cycle until when surely nothing happens, infinite where that was all; for engines
            that know.
        beside: what else to ask of the engine in every cycle.
        ready: have everything compiled before the first cycle: where time does not wait.
        report: where to write what is done, for those who look on; None begins one.

    Raises:
        Denied: the engine refused the first start of all: we have no right to.
    """
    report = report or Report()
    decider = QueueDecider(
        scheduler, settings, clock, report, {"engine": engine.name, **(about or {})}, seed,
        watch or (lambda *_: None), idle_until or (lambda: -math.inf), record.lines(), beside or (lambda *_: ()), ready,
    )  # fmt: skip
    return Loop(engine, clock, decider, record, report).run()
