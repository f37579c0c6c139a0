"""Little's law: the queue as the engine counted it must agree with the waits that follow from the starts."""

from dataclasses import dataclass
from typing import NamedTuple

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
        expected: the mean of the spans in which jobs waited, from the starts alone: rate of arrivals x mean wait
            (Little 1961).
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
    waiting = spans_in_queue(workload, schedule, last)
    waited_s = float((waiting.until_s - waiting.from_s).sum())
    area = queue_area(workload, schedule.cycles, last)
    return LittleCheck(last - first, _zero_if_small(area / (last - first)), _zero_if_small(waited_s / (last - first)))


def _zero_if_small(mean: float) -> float:
    return mean if abs(mean) > _NOTHING else 0.0


def horizon(workload: Workload, schedule: Schedule) -> float:
    """The moment at which the last job ended, or arrived if it never started."""
    end = schedule.ends_s(workload)
    last_arrival = float(workload.submit_s[-1]) if workload.jobs else 0.0
    return float(np.fmax.reduce(end, initial=last_arrival))


class QueueSpans(NamedTuple):
    """The K spans in which jobs waited in the queue: float64[K], seconds of the log, until_s >= from_s."""

    from_s: Floats
    until_s: Floats


def spans_in_queue(workload: Workload, schedule: Schedule, until_s: float) -> QueueSpans:
    """What the length of the queue means: a job is in it from its arrival to its start, and never while it runs.

    A job that was stopped and lost its work is in it again until its next start; a suspended job is not. One that does
    not start waits until `until_s`.

    Example:
        >>> from loadmaster.model import Cycles
        >>> jobs, none = Workload.of(submit_s=[0, 4], runtime_s=[9, 9], cores=[1, 1]), np.array([], np.int64)
        >>> cycles = Cycles(none.astype(float), none, none, none)
        >>> spans_in_queue(jobs, Schedule(np.array([0.0, np.nan]), np.array([0, -1]), cycles), 30.0).until_s.tolist()
        [0.0, 30.0]
    """
    start_s = np.where(schedule.started, schedule.start_s, until_s)
    cut = schedule.segments
    if cut is None:
        return QueueSpans(workload.submit_s, start_s)
    order = np.lexsort((cut.start_s, cut.job))
    job, begin, end, lost = cut.job[order], cut.start_s[order], cut.end_s[order], cut.lost[order]
    same = job[1:] == job[:-1]
    following = np.where(np.append(same, False), np.append(begin[1:], 0.0), start_s[job])
    first = np.append(True, ~same)[: job.size]
    start_s[job[first]] = begin[first]
    return QueueSpans(np.concatenate((workload.submit_s, end[lost])), np.concatenate((start_s, following[lost])))


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
    first_cycle_s = float(time[0]) if time.size else until_s
    ran_s = 0.0 if begun is None else float((first_cycle_s - begun.start_s).sum())
    return sum_of_products(left, lasts) + to_first_cycle + after_last_cycle - ran_s
