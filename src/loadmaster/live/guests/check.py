"""Whether every decision of a recorded run of virtual machines follows from its record."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from loadmaster.live.guests.session_state import GuestsSessionState
from loadmaster.live.session.check import ReplayedDecisions, check_decisions
from loadmaster.live.session.lines import plain_actions
from loadmaster.live.session.record_file import RecordFile

FILE = "guests.jsonl"


def check_guests(folder: Path) -> ReplayedDecisions:
    """Check the record in `folder`.

    Raises:
        InputError: there is none, or it is of another format.
    """
    return check_decisions(guest_lines(folder), GuestsSessionState.begun, _decided)


def guest_lines(folder: Path) -> list[dict[str, Any]]:
    """The lines of the record in `folder`.

    Raises:
        InputError: there is none, or it is of another format.
    """
    return RecordFile(folder / FILE).begun("machines under caps", "make one with live libvirt -o DIR")


def _decided(state: GuestsSessionState, line: Mapping[str, Any]) -> tuple[Sequence[Any], Sequence[Any], bool]:
    plain, recorded = plain_actions(state.decide()), line.get("asked", line.get("would"))
    return plain, recorded or (), plain == recorded
