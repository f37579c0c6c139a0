"""The content of a folder that a verb has written: as a result, or as an error that names it."""

from pathlib import Path
from typing import Literal

from loadmaster.model.errors import InputError

LIVE, RUN, RESULT = "live.jsonl", "run.json", "result.json"
"""By which file a live run, a simulated one and every other result are known."""
SHARES, GUESTS = "shares.jsonl", "guests.jsonl"
"""By which commands under CPU shares, and virtual machines that were looked after."""
BAG, STORE, PAGE = "log.jsonl", "results.sqlite", "report.html"
"""By which a bag's run that has not ended, finished runs of a sweep, and a page."""


def kind_of(folder: Path) -> Literal["live", "shares", "guests", "simulate", "result"]:
    """What the folder is the record of; of several what was written last.

    A live run's is the record of a run as well; it is shown as what it is.

    Raises:
        InputError: there is no such folder, or nothing in it that can be opened.
    """
    if not folder.is_dir():
        rule = "this is a file" if folder.exists() else "no such folder"
        raise InputError(folder, rule, fix="name the folder that a verb has written into")
    run, result = (_written(folder / name) for name in (RUN, RESULT))
    if result > run:
        return "result"
    if (folder / LIVE).is_file():
        return "live"
    if (folder / SHARES).is_file():
        return "shares"
    if (folder / GUESTS).is_file():
        return "guests"
    if run > 0:
        return "simulate"
    if (folder / BAG).is_file():
        raise InputError(folder, "this bag has not ended", fix="give the same loadmaster run command to continue it")
    if (folder / STORE).is_file():
        there = f"its page is {folder / PAGE}; " if (folder / PAGE).is_file() else ""
        rule = "this folder holds a sweep that has not ended"
        raise InputError(folder, rule, fix=f"{there}give the same command with -o here to continue it")
    raise InputError(
        folder, "no result of loadmaster here", fix="make one with -o DIR, such as loadmaster compare -o DIR"
    )


def _written(path: Path) -> float:
    return path.stat().st_mtime if path.is_file() else 0.0
