"""A shell command in a control group: how it is begun there, and what it leaves in its folder."""

import contextlib
import json
import subprocess
import time
from pathlib import Path
from typing import TypedDict

from loadmaster.live.cgroup.groups import ControlGroup
from loadmaster.system.strict_json import to_json
from loadmaster.system.whole_file import write_whole

_SCRIPT = """
command=$1 place=$2
read -r go || exit 126
/bin/sh -c "$command" < /dev/null
code=$?
echo $code > "$place/exit.part" && mv "$place/exit.part" "$place/exit"
exit $code
"""
"""The command begins when this shell is in its group and gets the order; if loadmaster dies before, it never begins.
Its result is written down even if no program waits for it."""


class CappedOutcome(TypedDict):
    """How a command ended; kept as `result.json` beside its output.

    Attributes:
        command: as given; machine: where it was last.
        exit_code: of the shell; -9 and the like where the shell itself got a signal.
        seconds: from its start to its end.
        cpu_s: that all its processes have had; None if it was not counted to the end.
        ended: seconds since 1970, as its shell wrote it down; if the shell got a signal, the first observation after
            the end.
    """

    command: str
    machine: str
    exit_code: int
    seconds: float
    cpu_s: float | None
    ended: float


def begin(command: str, place: Path, group: ControlGroup, machine: str) -> "subprocess.Popen[bytes]":
    """Start it with its output in `place`, in a session of its own.

    Raises:
        OSError: there is no room for another process or file.
    """
    place.mkdir(parents=True, exist_ok=True)
    for name in ("exit", "exit.part", "result.json"):
        (place / name).unlink(missing_ok=True)
    write_whole(place / "began", f"{time.time()} {machine}\n")
    with (place / "stdout").open("wb") as out, (place / "stderr").open("wb") as err:
        child = subprocess.Popen(
            ["/bin/sh", "-c", _SCRIPT, "sh", command, str(place)],
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
    try:
        group.add(child.pid)
        assert child.stdin is not None
        with child.stdin as go:
            go.write(b"go\n")
    except OSError:
        child.kill()
        child.wait()
        raise
    return child


def began_s(place: Path) -> float:
    """When it was started last, seconds since 1970."""
    return float((place / "began").read_text().split()[0])


def machine_in(place: Path) -> str:
    """The machine on which it was started last."""
    return (place / "began").read_text().strip().partition(" ")[2]


def exit_code_in(place: Path) -> int | None:
    """How it ended by its own account; None if it did not write that down."""
    try:
        return int((place / "exit").read_text())
    except (OSError, ValueError):
        return None


def ended_s(place: Path) -> float | None:
    """When it ended by its own account, seconds since 1970; None if it did not write that down."""
    try:
        return (place / "exit").stat().st_mtime
    except OSError:
        return None


def outcome_in(place: Path) -> CappedOutcome | None:
    """The outcome that was kept, or None."""
    with contextlib.suppress(OSError, ValueError):
        outcome: CappedOutcome = json.loads((place / "result.json").read_text())
        return outcome
    return None


def keep_outcome(place: Path, outcome: CappedOutcome) -> None:
    """Keep it, whole or not at all."""
    write_whole(place / "result.json", to_json(outcome))
