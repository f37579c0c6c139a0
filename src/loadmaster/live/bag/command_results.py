"""The result of every command of a bag, one row each, read from its log."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from loadmaster.live.bag.config import FILE
from loadmaster.live.session.record_file import RecordFile


def command_rows(folder: Path, commands: Sequence[str]) -> list[dict[str, Any]]:
    """Of every command, by its number from 1: the exit code and how its last attempt got on.

    Args:
        folder: of the bag's log.
        commands: in the order of the file.

    Returns:
        task, command, state (`done`, `failed` or `not done`), exit, attempts, seconds (of the attempt that ended well),
        machine (of the last attempt).
    """
    rows = [
        {
            "task": number,
            "command": command,
            "state": "not done",
            "exit": None,
            "attempts": 0,
            "seconds": None,
            "machine": "",
        }
        for number, command in enumerate(commands, 1)
    ]
    names: dict[int, str] = {}
    for line in RecordFile(folder / FILE).lines():
        event = line.get("event")
        if event == "rented":
            names[line["host"]] = str(line.get("name", line["host"]))
        elif event == "started":
            row = rows[line["task"] - 1]
            row |= {"attempts": line["attempt"], "machine": names.get(line["host"], ""), "state": "not done"}
        elif event in ("finished", "given-up"):
            code = line["exit"]
            ended = {"exit": code, "state": "failed" if code else "done", "seconds": line.get("seconds")}
            rows[line["task"] - 1] |= ended
    return rows
