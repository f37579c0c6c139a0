"""Earlier starts of a bag: results, attempts, cost and time by its log, and the part that a new start continues."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loadmaster.live.bag.command import outcome_in
from loadmaster.live.bag.config import BagConfig, task_folder
from loadmaster.live.session.decider import Line
from loadmaster.live.session.record_file import RecordFile
from loadmaster.model.errors import InputError
from loadmaster.sizing import HostType


@dataclass
class EarlierStarts:
    """What earlier sessions left.

    Attributes:
        done: exit code of every task that ended for good, by line number.
        seconds: duration of those that succeeded, in the order in which they ended.
        open: tasks that were started and not ended when the last session stopped, with the numbers of those attempts.
        attempts: starts of every task.
        commands: the commands of the first session.
        spent: money charged in earlier sessions; one that was killed is charged up to the last line it wrote.
        began: when the first session began, seconds since 1970; None if there was none.
    """

    done: dict[int, int] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    open: dict[int, list[int]] = field(default_factory=dict)
    attempts: dict[int, int] = field(default_factory=dict)
    commands: list[str] = field(default_factory=list)
    spent: float = 0.0
    began: float | None = None

    def enter(self, line: Mapping[str, Any]) -> None:
        """Take in one line of the log."""
        if "session" in line:
            self.commands = self.commands or line["commands"]
            self.began = line["session"] if self.began is None else self.began
            self.open = {}
        elif line.get("event") == "started":
            self.attempts[line["task"]] = line["attempt"]
            self.done.pop(line["task"], None)  # it had failed, and was tried again
            self.open.setdefault(line["task"], []).append(line["attempt"])
        elif line.get("event") in ("finished", "given-up"):
            self.done[line["task"]] = line["exit"]
            self.open.pop(line["task"], None)
            if line["event"] == "finished":
                self.seconds.append(line["seconds"])


@dataclass
class _Bill:
    """The money of one session, from its events."""

    kind: HostType
    charged: float = 0.0
    rented_s: dict[int, float] = field(default_factory=dict)
    last_s: float = 0.0

    def enter(self, line: Mapping[str, Any]) -> None:
        """Take in one line of the session."""
        self.last_s = line.get("t", self.last_s)
        if line.get("event") == "rented":
            self.rented_s[line["host"]] = line["t"]
        elif line.get("event") in ("released", "lost"):
            self.charged += self.kind.cost(line["t"] - self.rented_s.pop(line["host"]))

    @property
    def total(self) -> float:
        """Machines not given back are charged up to the last line."""
        return self.charged + sum(self.kind.cost(self.last_s - since) for since in self.rented_s.values())


def read_earlier_starts(log: RecordFile) -> EarlierStarts:
    """Sum up the sessions of a log.

    Raises:
        InputError: it holds something else.
    """
    earlier, bills = EarlierStarts(), list[_Bill]()
    for number, line in enumerate(log.lines(), 1):
        try:
            if "session" in line:
                bills.append(_Bill(_kind(line["type"])))
            earlier.enter(line)
            bills[-1].enter(line)
        except (LookupError, TypeError, ValueError, AttributeError, InputError) as error:
            rule = "not a log of this program, or of another version of it"
            raise InputError(log.path.name, rule, fix="give another -o", where=f"{log.path}:{number}") from error
    earlier.spent = sum(bill.total for bill in bills)
    return earlier


def _kind(described: Mapping[str, Any]) -> HostType:
    return HostType(**{name: value for name, value in described.items() if name != "class"})


def same_commands(earlier: EarlierStarts, commands: Sequence[str], path: Path) -> EarlierStarts:
    """`earlier`, if it is of these commands.

    Raises:
        InputError: it is not.
    """
    if earlier.commands and earlier.commands != list(commands):
        pairs = zip(earlier.commands, commands, strict=False)
        other = (n for n, (old, new) in enumerate(pairs, 1) if old != new)
        line = next(other, min(len(earlier.commands), len(commands)) + 1)
        raise InputError(
            f"line {line}",
            "the commands are not those of the run in this folder",
            fix="give another folder with -o",
            where=str(path),
        )
    return earlier


def take_up(
    earlier: EarlierStarts,
    commands: Sequence[str],
    config: BagConfig,
    tell: Callable[[int, str], None],
    say: Callable[[str], None],
) -> list[Line]:
    """Bring `earlier` up to what is so now; the lines that say so in the log.

    Args:
        earlier: changed in place.
        commands: of the bag.
        config: of this start.
        tell: told of every command that runs once more, and why.
        say: a sentence for the user.
    """
    if config.retry_failed:
        _take_up_failed(earlier, tell)
    return _adopt(earlier, commands, config, tell, say)


def _take_up_failed(earlier: EarlierStarts, tell: Callable[[int, str], None]) -> None:
    """Commands that failed for good count as not done."""
    for line, code in sorted(earlier.done.items()):
        if code != 0:
            del earlier.done[line]
            tell(line, f"ended with {code} in an earlier run, is to be tried again")


def _adopt(
    earlier: EarlierStarts,
    commands: Sequence[str],
    config: BagConfig,
    tell: Callable[[int, str], None],
    say: Callable[[str], None],
) -> list[Line]:
    """Commands that were running when the last start stopped: ended all the same, or to be run again.

    The lines bear no time: they belong to no session, and must not make the last one cheaper than it was.
    """
    lines: list[Line] = []
    for line, attempts in earlier.open.items():
        outcomes = (outcome_in(task_folder(config.folder, line, attempt)) for attempt in attempts)
        mine = (o for o in outcomes if o is not None and o["command"] == commands[line - 1])
        outcome = next((o for o in mine if o["exit_code"] == 0), None)
        if outcome is None:
            tell(line, "was running when the last run stopped, is to be run again")
            continue
        earlier.done[line] = 0
        earlier.seconds.append(outcome["seconds"])
        lines.append(
            {
                "event": "finished",
                "host": -1,
                "task": line,
                "exit": 0,
                "seconds": outcome["seconds"],
                "adopted": True,
            }
        )
        say(f"task {line} had ended although the last run was stopped; its result is kept")
    return lines
