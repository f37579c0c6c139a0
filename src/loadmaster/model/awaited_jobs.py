"""The jobs that a job still waits for, and the words for it in messages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from loadmaster.model.dependencies import KINDS

Until = Literal["begin", "have begun longer ago", "end", "end well", "fail"]
"""What the other job has to do; the second where it has begun, and a delay is not over."""
UNTIL: dict[int, Until] = {
    KINDS.index("after"): "begin", KINDS.index("afterany"): "end", KINDS.index("afterok"): "end well",
    KINDS.index("afternotok"): "fail", KINDS.index("aftercorr"): "end well", KINDS.index("singleton"): "end",
}  # fmt: skip
"""By the code of a dependency's kind."""
_MOST = 5
_MISSED = {"end well": "did not end well", "fail": "did not fail"}


class AwaitedJob(NamedTuple):
    """One job, or array, that another waits for.

    `job` is the engine's name of it, "" for the earlier jobs of the same user and name; `never`: it has ended
    otherwise, so that what is waited for cannot come any more.
    """

    job: str
    until: Until
    never: bool = False


@dataclass(frozen=True)
class Awaits:
    """What one job waits for that has not come.

    Attributes:
        id: the engine's name of the job that waits.
        jobs: those that it waits for.
        one_is_enough: it waits for one of them, not for all.
    """

    id: str
    jobs: tuple[AwaitedJob, ...]
    one_is_enough: bool = False

    @property
    def never(self) -> bool:
        """It can never start."""
        lost = [each.never for each in self.jobs]
        return bool(lost) and (all(lost) if self.one_is_enough else any(lost))

    @property
    def words(self) -> str:
        """Of a job that waits, what for.

        Example:
            >>> Awaits("9", (AwaitedJob("17", "end"), AwaitedJob("18", "end"))).words
            'waits for jobs 17 and 18 to end'
            >>> Awaits("9", (AwaitedJob("17", "end well", never=True),)).words
            'can never start: job 17 did not end well'
        """
        return f"can never start: {self._lost}" if self.never else f"waits for {self._still}"

    @property
    def past_words(self) -> str:
        """The same of an earlier moment."""
        return f"it could never start: {self._lost}" if self.never else f"it waited for {self._still}"

    @property
    def _lost(self) -> str:
        lost = [each for each in self.jobs if each.never]
        return " and ".join(f"{who} {_MISSED.get(until, 'did not')}" for who, until in _together(lost, "and"))

    @property
    def _still(self) -> str:
        joined = "or" if self.one_is_enough else "and"
        still = [each for each in self.jobs if not each.never]
        return f" {joined} ".join(f"{who} to {until}" for who, until in _together(still, joined))

    def plain(self) -> list[Any]:
        """As a row of a listing has it."""
        return [self.one_is_enough, [list(each) for each in self.jobs]]

    @classmethod
    def of(cls, name: str, plain: Sequence[Any]) -> "Awaits":
        """What `plain` wrote."""
        one_is_enough, jobs = plain
        return cls(name, tuple(AwaitedJob(str(job), until, bool(never)) for job, until, never in jobs), one_is_enough)


def _together(jobs: Sequence[AwaitedJob], joined: str) -> list[tuple[str, Until]]:
    """(names, until): the jobs that are awaited until the same event, by that event."""
    found: dict[Until, list[str]] = {}
    for each in jobs:
        found.setdefault(each.until, []).append(each.job)
    return [(_names_in_words(names, joined), until) for until, names in found.items()]


def _names_in_words(names: Sequence[str], joined: str) -> str:
    if "" in names:
        return "the earlier jobs of its user with its name"
    if len(names) == 1:
        return f"job {names[0]}"
    if len(names) > _MOST:
        return f"jobs {', '.join(names[:_MOST])} {joined} {len(names) - _MOST:,} more"
    return f"jobs {', '.join(names[:-1])} {joined} {names[-1]}"
