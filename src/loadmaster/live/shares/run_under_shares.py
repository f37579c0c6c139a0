"""Runs commands under CPU shares on an engine that can start, cap and move them."""

from loadmaster.live.session.engine import Clock, Engine
from loadmaster.live.session.loop import Loop
from loadmaster.live.session.record_file import RecordFile
from loadmaster.live.session.report import Report
from loadmaster.live.shares.batch import Batch
from loadmaster.live.shares.check import FILE
from loadmaster.live.shares.config import SharesConfig
from loadmaster.live.shares.decider import SharesDecider
from loadmaster.live.shares.method import CarriedShares
from loadmaster.live.shares.session_state import SharesSessionState
from loadmaster.model import InputError


def run_under_shares(
    engine: Engine, clock: Clock, batch: Batch, config: SharesConfig
) -> tuple[Report, SharesSessionState]:
    """Run every command that no earlier start in the same folder has ended.

    Raises:
        InputError: the folder belongs to other commands or machines, or another run is at work there.
    """
    with RecordFile(config.folder / FILE) as record:
        state, report = SharesSessionState(batch, config.method, carried=_earlier_state(record, batch)), Report()
        about = {"engine": engine.name, "method": config.method.name, "least_yield": config.least_yield, **config.about}
        decider = SharesDecider(state, report, config, about)
        Loop(engine, clock, decider, record, report).run()
    return report, state


def _earlier_state(record: RecordFile, batch: Batch) -> CarriedShares:
    """What the last decision of an earlier start left."""
    carried = CarriedShares()
    for line in record.lines():
        if "begin" in line and line["batch"] != batch.plain():
            fix = "give another -o, or the same commands, needs and --hosts"
            raise InputError(record.path, "this folder belongs to other commands or machines", fix=fix)
        if "carried" in line:
            carried = CarriedShares(*line["carried"])
    return carried
