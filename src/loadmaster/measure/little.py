"""Little's law: the queue as the engine counted it must agree with the waits that follow from the starts."""

from dataclasses import dataclass

import numpy as np

from loadmaster.model.arrays import Floats, sum_of_products
from loadmaster.model.cycles import Cycles
from loadmaster.model.schedule import Schedule
from loadmaster.model.workload import Workload

TOLERANCE = 0.01
"""Largest relative difference that a sound run may show (rule A9); rounding alone stays below 1e-9."""
_NOTHING = 1e-9
"""A mean queue of so little is what rounding leaves of none."""


@dataclass(frozen=True)
class LittleCheck:
    """Mean queue length from two sources that share nothing but the arrivals.

    Attributes:
        horizon_s: seconds from the first arrival until the last job ended.
        counted: the time-weighted mean of the queue lengths that the engine wrote down cycle by cycle.
        expected: rate of arrivals x mean wait, from the starts alone (Little 1961).
    """

    horizon_s: float
    counted: float
    expected: float

    @property
    def error(self) -> float:
        """The relative difference; 0 if nothing ever waited and nothing was counted."""
        if self.expected <= 0.0:
            return 0.0 if self.counted <= 0.0 else float("inf")
        return abs(self.counted - self.expected) / self.expected

    @property
    def holds(self) -> bool:
        """The two agree within `TOLERANCE`."""
        return self.error <= TOLERANCE


def little(workload: Workload, schedule: Schedule) -> LittleCheck:
    """Compare the engine's own count of the queue with the waits of its schedule.

    A job that never started counts as waiting until the horizon, in both sources.
    """
    if workload.jobs == 0:
        return LittleCheck(0.0, 0.0, 0.0)
    first, last = float(workload.submit_s[0]), horizon(workload, schedule)
    if last <= first:
        return LittleCheck(0.0, 0.0, 0.0)
    arrived = float((workload.submit_s - first).sum())
    left = float(np.where(schedule.started, _left_queue(schedule), last).sum() - first * workload.jobs)
    area = queue_area(workload, schedule.cycles, last)
    return LittleCheck(last - first, _counted(area / (last - first)), _counted((left - arrived) / (last - first)))


def _counted(mean: float) -> float:
    return mean if abs(mean) > _NOTHING else 0.0


def horizon(workload: Workload, schedule: Schedule) -> float:
    """The moment at which the last job ended, or arrived if it never started."""
    end = schedule.ends_s(workload)
    last_arrival = float(workload.submit_s[-1]) if workload.jobs else 0.0
    return float(np.fmax.reduce(end, initial=last_arrival))


def _left_queue(schedule: Schedule) -> Floats:
    """float64[J]: the start of each job, less the time in which it ran or was suspended before its last run."""
    cut = schedule.segments
    if cut is None:
        return schedule.start_s
    order = np.lexsort((cut.start_s, cut.job))
    job, begin, end, lost = cut.job[order], cut.start_s[order], cut.end_s[order], cut.lost[order]
    following = np.where(np.append(job[1:] == job[:-1], False), np.append(begin[1:], 0.0), schedule.start_s[job])
    away_s = np.where(lost, end, following) - begin
    return np.asarray(schedule.start_s - np.bincount(job, np.nan_to_num(away_s), minlength=len(schedule.start_s)))


def queue_area(workload: Workload, cycles: Cycles, until_s: float) -> float:
    """Job-seconds in the queue until `until_s`, from the cycles' records and the arrivals; starts are not used.

    Between two cycles the queue is what the first left behind, and grows with every arrival. A job waits from
    its arrival to the next cycle, and is in that cycle's `queue_length` from then on.
    """
    submit, time = workload.submit_s, cycles.time_s
    left = (cycles.queue_length - cycles.started).astype(float)
    lasts = np.diff(np.append(time, until_s))
    seen = np.searchsorted(submit, time, side="right")  # arrivals up to and including each cycle
    new = np.diff(seen, prepend=0)
    first = float(submit[0]) if workload.jobs else 0.0
    last_length = int(seen[-1]) if seen.size else 0
    to_first_cycle = sum_of_products(new, time - first) - float((submit[:last_length] - first).sum())
    after_last_cycle = float((until_s - submit[last_length:]).sum())
    begun = workload.starting  # its jobs left the queue before the first cycle
    ran_s = 0.0 if begun is None or not time.size else float((time[0] - begun.start_s).sum())
    return sum_of_products(left, lasts) + to_first_cycle + after_last_cycle - ran_s
