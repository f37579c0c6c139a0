"""Compiled: sums over the finished tasks, updated with each that ends instead of computed anew."""
# mypy: disable-error-code="no-untyped-def"

import math
from typing import NamedTuple

import numpy as np

from loadmaster.jit.kernels import allocating

SHORTEST_S = 1e-3
"""A duration below it counts as so long: its logarithm is taken."""
LOGS, LOGS_SQUARED, TOTAL, SQUARES = range(4)


class FinishedTasks(NamedTuple):
    """Durations of finished tasks, seconds of work.

    Attributes:
        ordered: float64[N], the first `number` of them are the durations, ascending.
        longer: float64[N + 1], the sum of `ordered[i:number]`, from the longest down.
        longer_squared: float64[N + 1], likewise of their squares.
        sums: float64[4], of the logarithms, of their squares, of the durations, of their squares, as they ended.
        number: int64[1], of finished tasks.
    """

    ordered: np.ndarray
    longer: np.ndarray
    longer_squared: np.ndarray
    sums: np.ndarray
    number: np.ndarray


@allocating
def none_of(tasks):
    """Room for the durations of so many tasks, none of which has ended; each is to be entered once."""
    return FinishedTasks(np.empty(tasks), np.zeros(tasks + 1), np.zeros(tasks + 1), np.zeros(4), np.zeros(1, np.int64))


@allocating
def add(finished, seconds):
    """Enter one more duration."""
    t = max(seconds, SHORTEST_S)
    log = math.log(t)
    finished.sums[LOGS] += log
    finished.sums[LOGS_SQUARED] += log * log
    finished.sums[TOTAL] += t
    finished.sums[SQUARES] += t * t
    place = finished.number[0]
    while place > 0 and finished.ordered[place - 1] > t:
        finished.ordered[place] = finished.ordered[place - 1]
        finished.longer[place] = finished.longer[place - 1]
        finished.longer_squared[place] = finished.longer_squared[place - 1]
        place -= 1
    finished.ordered[place] = t
    finished.number[0] += 1
    finished.longer[finished.number[0]] = 0.0
    finished.longer_squared[finished.number[0]] = 0.0
    for i in range(place, -1, -1):
        finished.longer[i] = finished.longer[i + 1] + finished.ordered[i]
        finished.longer_squared[i] = finished.longer_squared[i + 1] + finished.ordered[i] * finished.ordered[i]


@allocating
def of(seconds):
    """All of `seconds`, in the order in which the tasks ended; the same to the bit as adding them one by one."""
    finished = none_of(len(seconds))
    for index in range(len(seconds)):
        t = max(seconds[index], SHORTEST_S)
        log = math.log(t)
        finished.sums[LOGS] += log
        finished.sums[LOGS_SQUARED] += log * log
        finished.sums[TOTAL] += t
        finished.sums[SQUARES] += t * t
        finished.ordered[index] = t
    finished.ordered.sort()
    finished.number[0] = len(seconds)
    for i in range(len(seconds) - 1, -1, -1):
        finished.longer[i] = finished.longer[i + 1] + finished.ordered[i]
        finished.longer_squared[i] = finished.longer_squared[i + 1] + finished.ordered[i] * finished.ordered[i]
    return finished


@allocating
def first_longer(finished, seconds):
    """Index of the shortest duration above `seconds`; `number` if there is none."""
    low, high = 0, finished.number[0]
    while low < high:
        middle = (low + high) // 2
        if finished.ordered[middle] > seconds:
            high = middle
        else:
            low = middle + 1
    return low
