"""Looks after the machines that run on several hosts, on an engine that caps and moves them."""

from pathlib import Path
from typing import Any

from loadmaster.live.guests.check import FILE
from loadmaster.live.guests.config import GuestsConfig
from loadmaster.live.guests.decider import GuestsDecider, Watch
from loadmaster.live.guests.session_state import GuestsSessionState
from loadmaster.live.session.answers import action_in
from loadmaster.live.session.engine import Clock, Engine
from loadmaster.live.session.loop import Loop
from loadmaster.live.session.record_file import RecordFile
from loadmaster.live.session.report import Report


def look_after(
    engine: Engine,
    clock: Clock,
    config: GuestsConfig,
    folder: Path,
    *,
    about: dict[str, Any] | None = None,
    watch: Watch = lambda *_: None,
) -> tuple[Report, GuestsSessionState]:
    """Decide, cap and move until the time is over or somebody stops it; a record in `folder` is gone on with.

    Raises:
        InputError: another run is at work in that folder.
    """
    if config.moves is not None:
        config.moves.prepare()
    log, report = RecordFile(folder / FILE), Report()
    log.open()
    try:
        state = GuestsSessionState.of(config, carried_in(log))
        decider = GuestsDecider(state, report, {"engine": engine.name, **(about or {})}, watch)
        Loop(engine, clock, decider, log, report).run()
    finally:
        log.close()
    return report, state


def carried_in(log: RecordFile) -> dict[str, Any]:
    """What earlier starts leave, however they ended: what was moved in the last hour, and the caps that were found."""
    state: GuestsSessionState | None = None
    for line in log.lines():
        if "begin" in line:
            state = GuestsSessionState.of(GuestsConfig.of(line["terms"]), line["carried"])
        elif "cycle" in line and state is not None:
            state.see(line["cycle"], line["changes"], line.get("failed", ()))
            state.take([action_in(each) for each in line.get("asked", ())])
        elif "end" in line and state is not None:
            state = GuestsSessionState.of(state.config, line["carried"])
    return {} if state is None else state.plain()
