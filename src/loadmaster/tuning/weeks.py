"""The log in two: weeks to search on, and later weeks that are not read until the winner is chosen (rules U1, U2)."""

from dataclasses import dataclass, replace

import numpy as np

from loadmaster.measure.resample import WEEK_S, whole_weeks
from loadmaster.model import InputError, Workload
from loadmaster.model.arrays import Longs
from loadmaster.runs.case import Case


@dataclass(frozen=True, eq=False)
class Weeks:
    """A log in two.

    Attributes:
        training: jobs of the first weeks.
        held_out: all jobs after them, their clock set back by those weeks.
        trained_on, kept_for_the_end: how many whole weeks each has.
    """

    training: Case
    held_out: Case
    trained_on: int
    kept_for_the_end: int


def in_two(case: Case, part: float) -> Weeks:
    """Hold out the last `part` of the whole weeks, at least one, and keep at least one to search on.

    Raises:
        InputError: fewer than two whole weeks.
    """
    log = case.workload
    log.refuse_starting("the weeks that are held out begin on empty hosts")
    count = whole_weeks(log)
    if count < 2:
        rule = f"a search needs weeks to search on and later weeks to judge by; this log has {count} of them"
        raise InputError(log.source or "this log", rule, fix="give a longer log")
    held = min(max(int(count * part + 0.5), 1), count - 1)
    at_s = log.submit_s - log.submit_s[0]
    cut_s = (count - held) * WEEK_S
    cut = int(np.searchsorted(at_s, cut_s, side="left"))  # both have jobs: the first one, and the last
    first, last = _part(log, slice(0, cut), 0.0), _part(log, slice(cut, None), cut_s)
    return Weeks(
        replace(case, workload=first, recipe=None), replace(case, workload=last, recipe=None), count - held, held
    )


def week_of(workload: Workload) -> Longs:
    """int64[J]: the week of each arrival, from 0."""
    return np.asarray((workload.submit_s - workload.submit_s[0]) // WEEK_S, np.int64)


def _part(log: Workload, jobs: slice, back_s: float) -> Workload:
    """Some of the jobs, with the clock set back; what they really waited is told of the whole log alone."""
    chosen = log.take(jobs)
    bound = None if chosen.constraints is None else chosen.constraints.shifted(-back_s)
    epoch_s = None if chosen.epoch_s is None else chosen.epoch_s + back_s
    return replace(
        chosen,
        submit_s=chosen.submit_s - back_s,
        constraints=bound,
        recorded_wait_s=None,
        recorded_hosts=None,
        epoch_s=epoch_s,
    )
