"""The goal of a planner: the least cost, a budget or a deadline, and what is known of the tasks beforehand."""

import dataclasses
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.model.errors import InputError

CHANCES = 7
"""Equally probable levels at which a planner weighs what is left to do."""
MIDDLE = CHANCES // 2
"""The row of `Goal.levels` in the middle of them."""


@dataclass(frozen=True)
class Goal:
    """What a planner is to reach.

    With neither budget nor deadline the cost is kept near the least possible, and the bag ends as soon as that
    allows. Give one of the two, not both.

    Attributes:
        budget: money that may be spent in all; the bag ends as soon as it allows.
        deadline_s: when the bag has to be done, seconds from its start; that is reached as cheaply as possible.
        confidence: probability with which budget or deadline are to be kept, above 0.5 and below 1.
        waste: without budget or deadline: part of the least possible cost that may be expected to be wasted.
        guess_s: duration of a task expected beforehand; None: anything between a second and an hour.
        guess_factor: the guess may be wrong by this factor.
        replicate: start the oldest tasks a second time on machines that are paid for and idle.
        tick_s: seconds between looks at the running tasks.
    """

    budget: float | None = None
    deadline_s: float | None = None
    confidence: float = 0.9
    waste: float = 0.07
    guess_s: float | None = None
    guess_factor: float = 3.0
    replicate: bool = False
    tick_s: float = 10.0

    def __post_init__(self) -> None:
        if self.budget is not None and self.deadline_s is not None:
            raise InputError(self.budget, "a budget and a deadline cannot both be kept", fix="give one of the two")
        check_budget(self.budget)
        if self.guess_s is not None and not 0 < self.guess_s < math.inf:
            raise InputError(self.guess_s, "the guess must be a duration above 0 s")
        if not 0.5 < self.confidence < 1:
            raise InputError(self.confidence, "confidence must lie above 0.5 and below 1", fix="0.9 is usual")

    def remaining(self, spent: float, elapsed_s: float) -> Self:
        """The same goal for the rest of a bag that has already taken money and time."""
        budget = None if self.budget is None else max(0.0, self.budget - spent)
        deadline_s = None if self.deadline_s is None else self.deadline_s - elapsed_s
        return dataclasses.replace(self, budget=budget, deadline_s=deadline_s)

    @cached_property
    def levels(self) -> Floats:
        """float64[8, 2]: seven equally probable levels and the confidence, with their normal quantiles."""
        chances = np.append((np.arange(CHANCES) + 0.5) / CHANCES, self.confidence)
        from scipy import special  # here, so that a list of sizers loads no SciPy

        return np.ascontiguousarray(np.stack([chances, special.ndtri(chances)], axis=1))

    @property
    def prior(self) -> tuple[float, float, float]:
        """Log of the expected median, its standard deviation, and how many measurements the fitted law counts for."""
        if self.guess_s is None:
            return math.log(60.0), 2.0, 2.0
        return math.log(self.guess_s), math.log(self.guess_factor), 2.0


def check_budget(budget: float | None) -> None:
    """Raises InputError if `budget` is no amount of money."""
    if budget is not None and not 0 <= budget < math.inf:
        raise InputError(budget, "a budget is an amount of money, zero or more")
