"""The settings of a run of a bag of commands, and its report."""

import math
from dataclasses import dataclass, field
from pathlib import Path

from loadmaster.sizing import HostType, Sizer

FILE = "log.jsonl"


@dataclass(frozen=True)
class BagConfig:
    """How a bag is to be run.

    Attributes:
        folder: of the job log and of the tasks' output.
        sizer: decides how many machines; its budget and its deadline hold over all starts of the bag.
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

    def sizer_after(self, spent: float, elapsed_s: float) -> Sizer:
        """The sizer for the rest of a bag of which earlier starts took money and time."""
        remaining = getattr(self.sizer, "remaining", None)
        return self.sizer if remaining is None else remaining(spent, elapsed_s)

    @property
    def budget(self) -> float | None:
        """Money for all starts together."""
        return getattr(self.sizer, "budget", None)

    @property
    def deadline_s(self) -> float | None:
        """Seconds from the first start, by the clock, until all is to be done."""
        return getattr(self.sizer, "deadline_s", None)


@dataclass(frozen=True)
class BagReport:
    """What became of a bag.

    Attributes:
        exits: exit code of every task, by line number from 1.
        span_s: seconds of this session.
        elapsed_s: seconds since the first session began, by the clock.
        cost: money charged in this session, by the price table.
        spent_before: money of earlier sessions.
        hosts: machines rented in this session.
        skipped: tasks that an earlier session had ended, and that were left as they are.
        again: tasks started more than once, with the reason.
        unpaid: tasks that were not run, or not to their end, because the budget is spent.
        left_behind: tasks that left processes behind, with what these are.
    """

    exits: dict[int, int]
    span_s: float
    elapsed_s: float
    cost: float
    spent_before: float
    hosts: int
    skipped: int
    again: list[tuple[int, str]]
    unpaid: list[int]
    left_behind: list[tuple[int, str]]

    @property
    def spent(self) -> float:
        """Money of all sessions."""
        return self.spent_before + self.cost

    @property
    def failed(self) -> list[int]:
        """Tasks whose command did not end with 0."""
        return sorted(task for task, code in self.exits.items() if code != 0)


def task_folder(folder: Path, task: int, attempt: int) -> Path:
    """Where the output of an attempt lies; tasks and attempts from 1."""
    return folder / "tasks" / f"{task:06d}" / f"attempt-{attempt}"
