"""The interface of an order: it ranks the waiting jobs, the smallest rank goes first, ties go by arrival."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from inspect import signature
from types import FunctionType
from typing import Protocol, cast

import numpy as np

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.snapshot import Need
from loadmaster.order.job import Backlog, Job, JobColumns, job_columns
from loadmaster.rules.function_checks import draws_at_random

Rank = Callable[[Job, float], float] | Callable[[Job, float, Backlog], float]
"""`rank(job, now)` or `rank(job, now, backlog) -> float`: lower goes first."""

WITH_BACKLOG = 3
"""Parameters of a rank that looks at the backlog."""


class Ranking(Protocol):
    """The state of an order for one log: it receives events, and gives ranks before every pass."""

    @property
    def period_s(self) -> float:
        """Seconds between ticks; infinite if it needs none."""
        ...

    def tick(self, now_s: float) -> None:
        """A multiple of `period_s` has come."""
        ...

    def submitted(self, job: int, now_s: float) -> None:
        """Job number `job` has arrived, or may start now for the first time after a hold or a dependency."""
        ...

    def started(self, job: int, now_s: float) -> None:
        """It has started."""
        ...

    def ended(self, job: int, now_s: float) -> None:
        """It has ended, or was stopped, at this moment; ticks that were due before have come before."""
        ...

    def ranks(self, jobs: Longs, now_s: float) -> Floats | None:
        """float64[Q] of the waiting `jobs` int64[Q]; None: by arrival."""
        ...

    def need(self, jobs: Longs) -> Need | None:
        """Groups of the waiting `jobs` that are served by need; None: by rank alone."""
        ...


class AnyOrder(Protocol):
    """A frozen dataclass of an order's parameters."""

    @property
    def name(self) -> str:
        """As on the command line."""
        ...

    def begin(self, workload: Workload, cluster: Cluster) -> Ranking:
        """The state of the order at the beginning of a log."""
        ...


@dataclass(frozen=True)
class Order:
    """An order without a state: a function of the job, the time and, if it has a third parameter, the backlog.

    Attributes:
        name: as on the command line.
        rank: the function.
        summary: one line for `loadmaster policies`.
        source: where it was published.
        moves: ranks change while jobs wait, so they are worked out anew before every pass.
        forms: the function under each word of the parameter `form`, where its sources disagree; the first is `rank`.
    """

    name: str
    rank: Rank
    summary: str = ""
    source: str = ""
    moves: bool = True
    forms: tuple[tuple[str, Rank], ...] = ()

    def in_form(self, word: str) -> "Order":
        """The order in the form `word`.

        Raises:
            InputError: it has no such form.
        """
        forms = dict(self.forms)
        if word not in forms:
            raise InputError(word, f"this parameter takes {' or '.join(forms)}", where=f"{self.name}(form=...)")
        return replace(self, name=f"{self.name}(form={word})", rank=forms[word])

    @cached_property
    def asks_backlog(self) -> bool:
        """Whether its function looks at what waits, too: it has a third parameter."""
        return len(signature(getattr(self.rank, "py_func", self.rank)).parameters) == WITH_BACKLOG

    def begin(self, workload: Workload, cluster: Cluster) -> Ranking:
        """The state of the order at the beginning of a log."""
        return JobByJob(self, job_columns(workload))

    def notes(self, workload: Workload, cluster: Cluster) -> tuple[str, ...]:
        """What a user must know of this order on this log, a sentence each."""
        plain = getattr(self.rank, "py_func", self.rank)
        if isinstance(plain, FunctionType) and draws_at_random(plain):
            return (f"{self.name} draws at random without a seed, so a run with it cannot be repeated.",)
        return ()


class IgnoresEvents:
    """What a ranking does that is not interested in what happens."""

    period_s = float("inf")

    def tick(self, now_s: float) -> None:
        """Nothing."""

    def submitted(self, job: int, now_s: float) -> None:
        """Nothing."""

    def started(self, job: int, now_s: float) -> None:
        """Nothing."""

    def ended(self, job: int, now_s: float) -> None:
        """Nothing."""

    def ranks(self, jobs: Longs, now_s: float) -> Floats | None:
        """By arrival."""
        return None

    def need(self, jobs: Longs) -> Need | None:
        """By rank alone."""
        return None

    def columns(self, jobs: Longs) -> JobColumns | None:
        """What orders may know of the waiting `jobs` int64[Q], for a discipline that tries several; None for others."""
        return None

    def resume(self, before: Ranking, was: Longs) -> None:
        """Go on from where `before` stood, which knew other jobs: `was` int64[J] is each job's number there, or -1.

        A live cluster's jobs are not known beforehand. An order without state needs no code here.
        """


class JobByJob(IgnoresEvents):
    """Asks a rank of one job after another."""

    def __init__(self, order: Order, jobs: JobColumns) -> None:
        self._order = order
        self._jobs = jobs
        self._unmoved_ranks: dict[int, float] = {}

    def ranks(self, jobs: Longs, now_s: float) -> Floats | None:
        """float64[Q].

        Raises:
            InputError: the rank fails or is not finite.
        """
        order, known = self._order, self._jobs
        if not order.moves:
            found, numbers = self._unmoved_ranks, jobs.tolist()
            for job in set(numbers).difference(found):
                found[job] = rank_of(order, known.job(job), now_s)
            return np.fromiter(map(found.__getitem__, numbers), float, len(numbers))
        backlog = known.backlog(jobs, now_s) if order.asks_backlog else None
        return np.array([rank_of(order, known.job(int(job)), now_s, backlog) for job in jobs], float)


def tick_until(ranking: Ranking, ticked_s: float, until_s: float) -> float:
    """Tick at every multiple of the period up to `until_s`; returns the last one, which was `ticked_s` before.

    Where nothing would change until then only the last tick is made: a log may be silent for years.
    """
    period_s = ranking.period_s
    while ticked_s + period_s <= until_s:
        if getattr(ranking, "at_rest", False):  # a class of the user's own need not know of it
            ticked_s += period_s * max(math.floor((until_s - ticked_s) / period_s) - 1.0, 0.0)
        ticked_s += period_s
        ranking.tick(ticked_s)
    return ticked_s


def columns_of(ranking: Ranking, jobs: Longs) -> JobColumns | None:
    """What a ranking tells of jobs beside their ranks; a class of the user's own need not know of it."""
    tell = getattr(ranking, "columns", None)
    return None if tell is None else tell(jobs)


def rank_of(order: Order, job: Job, now_s: float, backlog: Backlog | None = None) -> float:
    """The rank as every plain engine takes it.

    Args:
        order: asked.
        job: ranked.
        now_s: the moment.
        backlog: what waits; needed where the order requests it.

    Raises:
        InputError: the function fails, or gives something that is no finite number.
    """
    try:
        given = (job, now_s, backlog) if order.asks_backlog else (job, now_s)
        rank = float(cast("Callable[..., float]", order.rank)(*given))
    except ArithmeticError as error:
        raise rank_not_finite(order.name) from error
    except Exception as error:  # a user's function may fail in any way
        raise InputError(order.name, f"this order fails: {type(error).__name__}: {str(error)[:120]}") from error
    if not math.isfinite(rank):
        raise rank_not_finite(order.name)
    return rank


def rank_not_finite(name: str) -> InputError:
    """The refusal of an order that ranks a job with NaN or infinity."""
    return InputError(name, "a rank must be a finite number", fix="check its formula for a division by zero")
