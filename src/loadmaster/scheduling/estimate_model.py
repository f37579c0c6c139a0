"""Expected runtimes of jobs: their source, and what happens when a runtime is longer."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from loadmaster.model import Constraints, InputError, Workload
from loadmaster.model.arrays import Floats
from loadmaster.rules.parameters import values_of
from loadmaster.rules.part import Part
from loadmaster.scheduling.discipline import Discipline
from loadmaster.scheduling.host_eligibility import limits_s

Source = Literal["user", "exact", "last-two"]
Correction = Literal["none", "steps", "user", "double"]
Overrun = Literal["run", "kill"]
SOURCES: Mapping[str, tuple[str, str]] = {
    "user": ("what the user said; the runtime itself where the log does not say it", ""),
    "exact": ("the runtime: the best that any prediction could do", ""),
    "last-two": ("the mean of the user's last two runtimes, corrected as it passes", "Tsafrir et al. 2007"),
}
"""Sources of estimates: what each expects, and its literature."""
SHORTEST_LIMIT_S = 1.0
"""The limit of a job whose estimate is zero (rule E4)."""


@dataclass(frozen=True)
class EstimateModel:
    """How estimates are made, corrected and enforced (rules E1 to E5).

    Attributes:
        estimates: the user's; the runtime itself; or the mean of the last two runtimes of the same user.
        factor: by which the user's are multiplied.
        correct: how an estimate is corrected that has passed while its job runs on; None: `steps` for last-two, else
            `none`.
        expiry_pass: decide also when an expected end passes.
        overrun: jobs run on past their limit, or are killed there.
    """

    estimates: Source = "user"
    factor: float = 1.0
    correct: Correction | None = None
    expiry_pass: bool = False
    overrun: Overrun = "run"

    def __post_init__(self) -> None:
        if not (self.factor > 0 and np.isfinite(self.factor)):
            raise InputError(f"{self.factor:g}", "estimates are multiplied by a number above 0")
        if self.factor != 1.0 and self.estimates != "user":
            raise InputError(f"{self.factor:g}", "the user's own estimates alone are multiplied", fix="estimates user")

    @property
    def correction(self) -> Correction:
        """How an estimate is corrected that has passed."""
        return self.correct or ("steps" if self.estimates == "last-two" else "none")

    @property
    def notes(self) -> tuple[str, ...]:
        """The facts that a user must know about results under it, a sentence each."""
        found = []
        if (self.estimates, self.factor) != ("user", 1.0):
            words = {"exact": "the runtimes themselves", "last-two": "the mean of the user's last two runtimes"}
            found.append(f"Disciplines expect {words.get(self.estimates, f'{self.factor:g} times the estimate')}.")
        if self.correction != "none":
            found.append(f"An estimate that passes is corrected ({self.correction}).")
        if self.overrun == "kill":
            found.append("Jobs are killed at their limit, or where they have none at their estimate.")
        return tuple(found)

    @property
    def is_fixed(self) -> bool:
        """Whether all expected runtimes are known when the log begins, and passes come only with events."""
        return self.estimates != "last-two" and self.correction == "none" and not self.expiry_pass

    def under(self, discipline: Discipline, workload: Workload, *, bound: bool) -> "EstimateModel":
        """The model reduced to what can change the decisions of `discipline` on these jobs.

        Raises:
            InputError: it needs what the log does not say.
        """
        self.check(workload)
        if bound or discipline.looks_ahead:
            return self
        source: Source = "user" if self.estimates == "last-two" else self.estimates
        return EstimateModel(source, self.factor, "none", overrun=self.overrun)

    def check(self, workload: Workload) -> None:
        """Check that the log has the columns that the model needs.

        Raises:
            InputError: it does not.
        """
        if self.estimates == "last-two" and (workload.user is None or not (workload.user >= 0).any()):
            rule = "estimates from a user's last two jobs, and this log does not name users"
            raise InputError("last-two", rule, fix="estimates exact, user or a factor")
        if self.overrun == "kill" and not np.isfinite(_limits(workload)).any():
            rule = "jobs are killed at their limit, and this log has neither limits nor estimates"
            raise InputError("kill", rule, fix="leave it out")

    def estimated(self, workload: Workload) -> Workload:
        """`workload` with the expected runtime of each job at its arrival as its estimate; limits stay as they were.

        Under last-two that is the user's own: at arrival the user is known, but earlier ends are not yet.
        """
        if self.estimates == "user" and self.factor == 1.0 and self.overrun == "run":
            return workload
        bound = workload.constraints or Constraints()
        limit_s = _limits(workload)
        expected_s = (workload.runtime_s if self.estimates == "exact" else workload.expected_s) * self.factor
        if bound.limit_s is not None or self.overrun == "kill":
            expected_s = np.minimum(expected_s, limit_s)
        if np.isfinite(limit_s).any():
            bound = replace(bound, limit_s=limit_s)
        return replace(workload, estimate_s=expected_s, constraints=bound)

    def killed_after_s(self, workload: Workload) -> Floats | None:
        """float64[J]: seconds on its hosts after which each job is killed, infinite for never; None: none is killed."""
        return _limits(workload) if self.overrun == "kill" else None


USERS = EstimateModel()
"""The user's own estimates, uncorrected, and no job is killed."""


def estimate_model_named(estimates: str, overrun: str = "run") -> EstimateModel:
    """The model that `--estimates` and `--overrun` name.

    Args:
        estimates: `user`, `exact`, `last-two` or a factor, with parameters in parentheses.
        overrun: `run` or `kill`.

    Raises:
        InputError: no such estimates, parameter or overrun.

    Example:
        >>> estimate_model_named("last-two(correct=double,expiry_pass=yes)").correction
        'double'
        >>> estimate_model_named("2").factor
        2.0
    """
    if overrun not in get_args(Overrun):
        raise InputError(overrun, "jobs that outlive their limit run on or are killed", fix="run or kill")
    part = Part.of(estimates)
    if part.name not in SOURCES:
        return EstimateModel(factor=_factor(part.name), overrun=overrun, **values_of(_Parameters, part))  # type: ignore[arg-type]
    return EstimateModel(part.name, overrun=overrun, **values_of(_Parameters, part))  # type: ignore[arg-type]


@dataclass(frozen=True)
class _Parameters:
    """The parameters that may stand in parentheses behind the name of estimates."""

    correct: Correction = "none"
    expiry_pass: bool = False


def _factor(text: str) -> float:
    try:
        factor = float(text)
    except ValueError:
        factor = np.nan
    if not (factor > 0 and np.isfinite(factor)):
        raise InputError(text, f"estimates are {', '.join(SOURCES)}, or a factor above 0")
    return factor


def _limits(workload: Workload) -> Floats:
    """float64[J]: the limit at which each job is killed, its own or else its estimate."""
    return np.maximum(limits_s(workload, workload.constraints or Constraints()), SHORTEST_LIMIT_S)
