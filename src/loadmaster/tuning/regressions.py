"""Groups that wait longer under the winner than under another rule, on the held-out weeks as they are (rule U13)."""

from dataclasses import dataclass

from loadmaster.tuning.full_log_run import FullLogRun

MOST = 5
"""So many of a kind are named."""


@dataclass(frozen=True)
class Regression:
    """A class of jobs, a user, an hour or a week that waits longer.

    Attributes:
        by: size, user, hour or week.
        name: which one.
        jobs: how many.
        wait_s: its mean wait under the winner.
        before_s: under the other rule.
    """

    by: str
    name: str
    jobs: int
    wait_s: float
    before_s: float

    @property
    def longer_s(self) -> float:
        """What its jobs wait longer, all together."""
        return self.jobs * (self.wait_s - self.before_s)


def regressions(winner: FullLogRun, other: FullLogRun, by: str, most: int = MOST) -> tuple[list[Regression], int]:
    """Those of a kind that lose most, all their jobs' time together first; and how many lose, of how many."""
    groups = _paired(winner, other, by)
    losing = sorted((each for each in groups if each.longer_s > 0), key=lambda each: -each.longer_s)
    return losing[:most], len(losing)


def _paired(winner: FullLogRun, other: FullLogRun, by: str) -> list[Regression]:
    before = {row["name"]: row for row in other.groups if row["by"] == by}
    return [
        Regression(by, row["name"], row["jobs"], row["mean_wait_s"], before[row["name"]]["mean_wait_s"])
        for row in winner.groups
        if row["by"] == by and row["name"] in before
    ]
