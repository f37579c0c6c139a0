"""Whether a recorded run decided on nothing but what is written down: every decision taken again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from loadmaster.live.guests.config import GuestsConfig
from loadmaster.live.guests.decider import FORMAT
from loadmaster.live.guests.session_state import GuestsSessionState
from loadmaster.live.session.answers import plain_action, refusals_in
from loadmaster.live.session.record_file import RecordFile
from loadmaster.live.session.replayed_decisions import ReplayedDecisions

FILE = "guests.jsonl"


def check_guests(folder: Path) -> ReplayedDecisions:
    """Check the record in `folder`.

    Raises:
        InputError: there is none, or it is of another format.
    """
    checked, state = ReplayedDecisions(), GuestsSessionState(GuestsConfig())
    for line in guest_lines(folder):
        if "begin" in line:
            state = GuestsSessionState.of(GuestsConfig.of(line["terms"]), line["carried"])
        elif "answer" in line:
            state.answered(refusals_in(line))
        elif "cycle" in line:
            _again(checked, state, line)
    return checked


def guest_lines(folder: Path) -> list[dict[str, Any]]:
    """The lines of the record in `folder`.

    Raises:
        InputError: there is none, or it is of another format.
    """
    return RecordFile(folder / FILE).begun(FORMAT, "machines under caps", "make one with live libvirt -o DIR")


def _again(checked: ReplayedDecisions, state: GuestsSessionState, line: Mapping[str, Any]) -> None:
    state.see(line["cycle"], line["changes"], line.get("failed", ()))
    actions = state.decide()
    plain, recorded = [plain_action(action) for action in actions], line.get("asked", line.get("would"))
    checked.note(line["cycle"], plain, recorded, same=plain == recorded)
    if "asked" in line:
        state.take(actions)
