"""Expected runtimes during a replay: set when a job arrives, corrected when they pass."""

from collections import defaultdict, deque

import numpy as np

from loadmaster.model import Workload
from loadmaster.model.arrays import Floats
from loadmaster.scheduling.estimate_model import Correction, EstimateModel

STEPS_S = tuple(60.0 * minutes for minutes in (1, 5, 15, 30, 60, 120, 300, 600, 1200, 3000, 6000))
"""What is added to a first prediction, one step after another (rule E3)."""
_AT_ONCE = 2


class LastTwo:
    """Predicts each job, at its arrival, by the last two runtimes of its user (rule E2).

    Events come in the order of time: `ended` first takes in the jobs that arrived before.
    """

    def __init__(self, workload: Workload, expected_s: Floats) -> None:
        """Args:
        workload: with the user's own estimates.
        expected_s: float64[J], them; overwritten for each job as it arrives.
        """
        assert workload.user is not None
        self._submit_s, self._user, self._expected_s = workload.submit_s, workload.user, expected_s
        self._runtimes: dict[int, deque[float]] = defaultdict(lambda: deque(maxlen=_AT_ONCE))
        self._arrived = 0

    def until(self, time_s: float, *, inclusive: bool = True) -> None:
        """Take in the arrivals up to a moment; with `inclusive` at that moment too."""
        end = int(np.searchsorted(self._submit_s, time_s, "right" if inclusive else "left"))
        for job in range(self._arrived, end):
            runtimes = self._runtimes.get(int(self._user[job]))
            if runtimes is not None and len(runtimes) == _AT_ONCE:
                self._expected_s[job] = min(sum(runtimes) / _AT_ONCE, self._expected_s[job])
        self._arrived = max(self._arrived, end)

    def ended(self, job: int, time_s: float, runtime_s: float) -> None:
        """Take in the end of a job that ran for `runtime_s` at speed 1."""
        self.until(time_s, inclusive=False)
        if self._user[job] >= 0:
            self._runtimes[int(self._user[job])].append(runtime_s)


class Corrections:
    """The expected end of a job that has outlived its estimate (rule E3).

    The answer depends on the moment alone, not on earlier questions.
    """

    def __init__(self, kind: Correction, first_s: Floats, user_s: Floats) -> None:
        """Args:
        kind: the way.
        first_s: float64[J], the first prediction.
        user_s: float64[J], the user's own estimate: no prediction that was below it is corrected beyond it.
        """
        self._kind, self._first_s, self._user_s = kind, first_s, user_s

    def end_s(self, job: int, begin_s: float, speed: float, now_s: float) -> float:
        """The expected end of a job that runs since `begin_s` at that speed: after `now_s`, if any estimate is."""
        end_s = begin_s + float(self._first_s[job]) / speed
        for expected_s in self._later(job):
            if end_s > now_s:
                break
            end_s = begin_s + expected_s / speed
        return end_s

    def _later(self, job: int) -> list[float]:
        """Estimates after the first, ascending."""
        first_s, user_s = float(self._first_s[job]), float(self._user_s[job])
        most_s = user_s if user_s > first_s else np.inf
        if self._kind == "steps":
            return [min(first_s + step_s, most_s) for step_s in STEPS_S]
        if self._kind == "double":
            return [min(max(first_s, 1.0) * 2.0**time, most_s) for time in range(1, _DOUBLINGS)]
        return [user_s] if self._kind == "user" and user_s > first_s else []


_DOUBLINGS = 64


def corrections_of(estimate_model: EstimateModel, workload: Workload, expected_s: Floats) -> Corrections | None:
    """How running jobs of `workload`, which has the user's own estimates, are corrected; None if they never are.

    Args:
        estimate_model: how.
        workload: the jobs.
        expected_s: float64[J], the expected runtime of each job at its arrival.
    """
    if estimate_model.correction == "none":
        return None
    return Corrections(estimate_model.correction, expected_s, workload.expected_s)
