"""A placement policy that is an object or a function of this process; it may rate all hosts in one call."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.model.errors import InputError
from loadmaster.place.policy import Context, Policy, failed, not_finite
from loadmaster.rules.function_checks import SCORE

ScoreAll = Callable[[Floats, Floats, Floats], Floats]
"""`score_all(demand float64[R], free float64[H, R], capacity float64[H, R]) -> float64[H]`: lower is better."""


@dataclass(frozen=True)
class PolicyInProcess(Policy):
    """A policy that plain Python calls as it is: nothing tries it out before the run, which could change its state.

    Attributes:
        score_all: rates all hosts that fit in one call, at most once a task (T4); None: `score` rates host by host.
    """

    score_all: ScoreAll | None = None

    def rate(self, demand: Floats, free: Floats, capacity: Floats, context: Context) -> float:
        """The score of one host."""
        if self.score_all is None:
            return super().rate(demand, free, capacity, context)
        return float(self.rate_all(demand, free[None], capacity[None])[0])

    def lowest(self, demand: Floats, free: Floats, capacity: Floats) -> int:
        """The first of the lowest rated hosts.

        Raises:
            InputError: the policy fails, or does not give a finite number for each host.
        """
        if len(free) == 1:  # there is no choice of one host
            return 0
        scores = self.rate_all(demand, free, capacity)
        if not np.isfinite(scores).all():
            raise not_finite(self.name)
        return int(scores.argmin())

    def rate_all(self, demand: Floats, free: Floats, capacity: Floats) -> Floats:
        """float64[H]: the scores of the H hosts with `free` and `capacity` float64[H, R]; they may not be finite.

        Raises:
            InputError: the policy fails, or does not give a number for each host.
        """
        assert self.score_all is not None
        try:
            scores = np.asarray(self.score_all(demand, free, capacity), float)
        except InputError:
            raise
        except Exception as error:  # a user's object may fail in any way
            raise failed(self.name, error) from error
        if scores.shape != (len(free),):
            rule = f"score_all gives a number for each host: {len(free)} of them, not an array of {scores.shape}"
            raise InputError(self.name, rule, fix="return float64[H]")
        return scores


def policy_in_process(name: str, thing: Any) -> PolicyInProcess:
    """The policy that `thing` is: a function, or an object with `score_all`, `score` or a call of its own.

    Raises:
        InputError: it is none of them, or its parameters are not those of a policy.
    """
    score_all = getattr(thing, "score_all", None)
    if score_all is not None:
        return PolicyInProcess(name, score_all, "your own policy", name, varies=True, score_all=score_all)
    score, takes = SCORE.call_of(name, "score", thing, "score_all(demand, free, capacity)")
    return PolicyInProcess(name, score, "your own policy", name, contextual=takes == max(SCORE.takes), varies=True)
