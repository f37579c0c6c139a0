"""Whether a recorded run under CPU shares decided on nothing but what is written down: every decision taken again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from loadmaster.live.session.answers import plain_action, refusals_in
from loadmaster.live.session.record_file import RecordFile
from loadmaster.live.session.replayed_decisions import ReplayedDecisions
from loadmaster.live.shares.decider import FORMAT
from loadmaster.live.shares.method import CarriedShares, ShareMethod
from loadmaster.live.shares.method_names import share_method_named
from loadmaster.live.shares.session_state import SharesSessionState, session_state_of

FILE = "shares.jsonl"


def check_shares(folder: Path) -> ReplayedDecisions:
    """Check the record in `folder`.

    Raises:
        InputError: there is none, or it is of another format.
    """
    checked = ReplayedDecisions()
    state: SharesSessionState | None = None
    method: ShareMethod | None = None
    for line in share_lines(folder):
        if "begin" in line:
            state, method = session_state_of(line), share_method_named(line["method"], line["least_yield"])
        elif "answer" in line:
            assert state is not None
            for refusal in refusals_in(line):
                state.refused(refusal)
        elif "cycle" in line:
            assert state is not None
            assert method is not None
            _again(checked, state, method, line)
    return checked


def share_lines(folder: Path) -> list[dict[str, Any]]:
    """The lines of the record in `folder`.

    Raises:
        InputError: there is none, or it is of another format.
    """
    return RecordFile(folder / FILE).begun(FORMAT, "commands under CPU shares", "make one with live cgroup -o DIR")


def _again(checked: ReplayedDecisions, state: SharesSessionState, method: ShareMethod, line: Mapping[str, Any]) -> None:
    state.see(line["over"], line["lost"], line["elsewhere"])
    actions, given_up, carried = state.decide(method)
    plain = [plain_action(action) for action in actions]
    left = [carried.last_host, carried.scale]
    same = (plain, given_up, left) == (line["asked"], line["given_up"], line["carried"]) and state.dirty
    checked.note(line["cycle"], plain, line["asked"], same=same)
    recorded = refusals_in({"answer": [[action, "gone", ""] for action in line["asked"]]})
    state.take([each.action for each in recorded], line["given_up"], CarriedShares(*line["carried"]))
