"""Samples drawn until the best is sure, all that are left are close, or the time is up (rule R12)."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from loadmaster.measure.looks import look_at, samples_at
from loadmaster.runs.judgement import Ending, Sampled
from loadmaster.runs.samples import Drawing, SampleRun

MOST_LOOKS = 11
"""The last comes after 10,240 samples."""

Draw = Callable[[Sequence[int], Sequence[int]], list[list[SampleRun]]]
"""(rules, samples) -> the runs of each of these rules on each of these samples."""


@dataclass
class _Race:
    """One load: what has been drawn so far."""

    runs: list[list[SampleRun]]
    looks: list[int]
    left: tuple[int, ...]
    ending: Ending = ""


def raced(
    draw: Draw, rules: int, drawing: Drawing, budget_s: float, clock: Callable[[], float] = time.monotonic
) -> Sampled:
    """Race `rules` rules; a look that would end after `budget_s` seconds, by what the last took, is not begun.

    The first look is always taken: without it there is nothing to say.
    """
    began = clock()
    race = _Race([[] for _ in range(rules)], [0] * rules, tuple(range(rules)))
    a_run_s = 0.0
    for look in range(1, MOST_LOOKS + 1):
        numbers = range(len(race.runs[race.left[0]]), samples_at(look))
        expected_s = a_run_s * len(numbers) * len(race.left)
        if look > 1 and clock() - began + expected_s > budget_s:
            break
        since, made = clock(), len(numbers) * len(race.left)
        _look(race, draw, numbers, look)
        a_run_s = (clock() - since) / made
        if race.ending:
            break
    return Sampled(drawing, tuple(map(tuple, race.runs)), tuple(race.looks), race.ending or "time")


def _look(race: _Race, draw: Draw, numbers: Sequence[int], look: int) -> None:
    for row, more in zip(race.left, draw(race.left, numbers), strict=True):
        race.runs[row] += more
        race.looks[row] = look
    wait = np.full((len(race.runs), samples_at(look)), np.nan)
    for row in race.left:
        wait[row] = [run.mean_wait_s for run in race.runs[row]]
    found = look_at(wait, race.left, look)
    race.left, race.ending = found.left, found.stop
