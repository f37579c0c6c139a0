"""Whether every decision of a recorded run under CPU shares follows from its record."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from loadmaster.live.session.check import ReplayedDecisions, check_decisions
from loadmaster.live.session.lines import plain_actions
from loadmaster.live.session.record_file import RecordFile
from loadmaster.live.shares.method_names import share_method_named
from loadmaster.live.shares.session_state import SharesSessionState, session_state_of

FILE = "shares.jsonl"


def check_shares(folder: Path) -> ReplayedDecisions:
    """Check the record in `folder`.

    Raises:
        InputError: there is none, or it is of another format.
    """

    def begin(line: Mapping[str, Any]) -> SharesSessionState:
        return session_state_of(line, share_method_named(line["method"], line["least_yield"]))

    return check_decisions(share_lines(folder), begin, _decided)


def _decided(state: SharesSessionState, line: Mapping[str, Any]) -> tuple[Sequence[Any], Sequence[Any], bool]:
    actions, given_up, carried = state.decide()
    plain = plain_actions(actions)
    same = (plain, given_up, carried.plain()) == (line["asked"], line["given_up"], line["carried"]) and state.dirty
    return plain, line["asked"], same


def share_lines(folder: Path) -> list[dict[str, Any]]:
    """The lines of the record in `folder`.

    Raises:
        InputError: there is none, or it is of another format.
    """
    return RecordFile(folder / FILE).begun("commands under CPU shares", "make one with live cgroup -o DIR")
