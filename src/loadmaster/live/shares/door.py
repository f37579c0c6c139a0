"""Runs commands under CPU shares on an engine that can start, cap and move them."""

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loadmaster.live.session.engine import Clock, Engine
from loadmaster.live.session.loop import Loop
from loadmaster.live.session.record_file import RecordFile
from loadmaster.live.session.report import Report
from loadmaster.live.shares.batch import Batch
from loadmaster.live.shares.check import FILE
from loadmaster.live.shares.decider import OnExit, SharesDecider
from loadmaster.live.shares.method import CarriedShares, ShareMethod
from loadmaster.live.shares.session_state import SharesSessionState
from loadmaster.model import InputError


@dataclass(frozen=True)
class SharesTerms:
    """How commands are to be run.

    Attributes:
        folder: of the record and the output.
        method: that decides, and the least share that it was made with.
        least_yield: see `method`.
        interval_s: between two looks.
        on_exit: what becomes of commands that still run at the end.
        for_s: end after so long.
        about: what else the record is to say.
    """

    folder: Path
    method: ShareMethod
    least_yield: float = 0.0
    interval_s: float = 0.2
    on_exit: OnExit = "end"
    for_s: float = math.inf
    about: dict[str, Any] = field(default_factory=dict)


def run_under_shares(
    engine: Engine, clock: Clock, batch: Batch, config: SharesTerms
) -> tuple[Report, SharesSessionState]:
    """Run every command that no earlier start in the same folder has ended.

    Raises:
        InputError: the folder belongs to other commands or machines, or another run is at work there.
    """
    log, report = RecordFile(config.folder / FILE), Report()
    log.open()
    try:
        state = SharesSessionState(batch, carried=_carried_in(log, batch))
        about = {"engine": engine.name, "method": config.method.name, "least_yield": config.least_yield, **config.about}
        decider = SharesDecider(state, config.method, report, config.interval_s, config.on_exit, config.for_s, about)
        Loop(engine, clock, decider, log, report).run()
    finally:
        log.close()
    return report, state


def _carried_in(log: RecordFile, batch: Batch) -> CarriedShares:
    """What the last decision of an earlier start left."""
    carried = CarriedShares()
    for line in log.lines():
        if "begin" in line and line["batch"] != batch.plain():
            fix = "give another -o, or the same commands, needs and --hosts"
            raise InputError(log.path, "this folder belongs to other commands or machines", fix=fix)
        if "carried" in line:
            carried = CarriedShares(*line["carried"])
    return carried
