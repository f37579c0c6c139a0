"""Runs the machines of several hosts on an engine that caps and moves them."""

from pathlib import Path
from typing import Any

from loadmaster.live.guests.check import FILE
from loadmaster.live.guests.config import GuestsConfig
from loadmaster.live.guests.decider import GuestsDecider, Watch
from loadmaster.live.guests.session_state import GuestsSessionState
from loadmaster.live.session.check import read_line
from loadmaster.live.session.engine import Clock, Engine
from loadmaster.live.session.loop import Loop
from loadmaster.live.session.record_file import RecordFile
from loadmaster.live.session.report import Report


def run_guests(
    engine: Engine,
    clock: Clock,
    config: GuestsConfig,
    folder: Path,
    *,
    about: dict[str, Any] | None = None,
    watch: Watch = lambda *_: None,
) -> tuple[Report, GuestsSessionState]:
    """Decide, cap and move until the time is over or it is stopped; a record in `folder` is continued.

    Raises:
        InputError: another run is at work in that folder.
    """
    if config.moves is not None:
        config.moves.prepare()
    with RecordFile(folder / FILE) as record:
        state, report = GuestsSessionState.of(config, _earlier_state(record)), Report()
        decider = GuestsDecider(state, report, {"engine": engine.name, **(about or {})}, watch)
        Loop(engine, clock, decider, record, report).run()
    return report, state


def _earlier_state(record: RecordFile) -> dict[str, Any]:
    """What earlier starts leave, however they ended: what was moved in the last hour, and the caps that were found."""
    state: GuestsSessionState | None = None
    for line in record.lines():
        if "begin" in line:
            state = GuestsSessionState.begun(line)
        elif "end" in line and state is not None:
            state = GuestsSessionState.of(state.config, line["carried"])
        elif state is not None:
            read_line(state, line)
    return {} if state is None else state.plain()
