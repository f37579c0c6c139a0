"""Whether a recorded run under CPU shares decided on nothing but what is written down: every decision taken again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from loadmaster.live.answers import plain_action, refusals_in
from loadmaster.live.job_log import JobLog
from loadmaster.live.replayed_decisions import Retaken
from loadmaster.live.shares.decider import FORMAT
from loadmaster.live.shares.method import CarriedShares, ShareMethod
from loadmaster.live.shares.method_names import share_method_named
from loadmaster.live.shares.session_state import SharesBooks, books_of

FILE = "shares.jsonl"


def check_shares(folder: Path) -> Retaken:
    """Check the record in `folder`.

    Raises:
        InputError: there is none, or it is of another format.
    """
    checked = Retaken()
    books: SharesBooks | None = None
    method: ShareMethod | None = None
    for line in share_lines(folder):
        if "begin" in line:
            books, method = books_of(line), share_method_named(line["method"], line["least_yield"])
        elif "answer" in line:
            assert books is not None
            for refusal in refusals_in(line):
                books.refused(refusal)
        elif "cycle" in line:
            assert books is not None
            assert method is not None
            _again(checked, books, method, line)
    return checked


def share_lines(folder: Path) -> list[dict[str, Any]]:
    """The lines of the record in `folder`.

    Raises:
        InputError: there is none, or it is of another format.
    """
    return JobLog(folder / FILE).begun(FORMAT, "commands under CPU shares", "make one with live cgroup -o DIR")


def _again(checked: Retaken, books: SharesBooks, method: ShareMethod, line: Mapping[str, Any]) -> None:
    books.see(line["over"], line["lost"], line["elsewhere"])
    asked, given_up, carried = books.decide(method)
    plain = [plain_action(action) for action in asked]
    left = [carried.last_host, carried.scale]
    same = (plain, given_up, left) == (line["asked"], line["given_up"], line["carried"]) and books.dirty
    checked.note(line["cycle"], plain, line["asked"], same=same)
    recorded = refusals_in({"answer": [[action, "gone", ""] for action in line["asked"]]})
    books.take([each.action for each in recorded], line["given_up"], CarriedShares(*line["carried"]))
