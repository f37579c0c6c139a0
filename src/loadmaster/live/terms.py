"""How a bag of commands is to be run, and what became of it."""

import math
from dataclasses import dataclass, field
from pathlib import Path

from loadmaster.size import HostType, Sizer


@dataclass(frozen=True)
class Terms:
    """How a bag is to be run.

    Attributes:
        folder: of the job log and of the tasks' output.
        sizer: decides how many machines.
        kind: the machine type, for prices.
        retries: how often a command that fails is tried again.
        timeout_s: a command is killed after this time; None: never.
        boot_limit_s: a machine that has not come up by then is given up.
        retry_failed: commands that failed for good in an earlier session are tried again, as often as `retries` says.
    """

    folder: Path
    sizer: Sizer
    kind: HostType = field(default_factory=HostType)
    retries: int = 0
    timeout_s: float | None = None
    boot_limit_s: float = math.inf
    retry_failed: bool = False


@dataclass(frozen=True)
class Report:
    """What became of a bag.

    Attributes:
        exits: exit code of every task, by line number from 1.
        span_s: seconds of this session.
        cost: money charged in this session, by the price table.
        spent_before: money of earlier sessions, where they came to an end.
        hosts: machines rented in this session.
        skipped: tasks that an earlier session had ended, and that were left as they are.
        again: tasks started more than once, with the reason.
    """

    exits: dict[int, int]
    span_s: float
    cost: float
    spent_before: float
    hosts: int
    skipped: int
    again: list[tuple[int, str]]

    @property
    def failed(self) -> list[int]:
        """Tasks whose command did not end with 0."""
        return sorted(task for task, code in self.exits.items() if code != 0)


def task_folder(folder: Path, task: int, attempt: int) -> Path:
    """Where the output of an attempt lies; tasks and attempts from 1."""
    return folder / "tasks" / f"{task:06d}" / f"attempt-{attempt}"
