"""Samples drawn until the best is sure, all that are left are close, or the time is up (rule R12)."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from loadmaster.measure.sequential_test import judge_at_look, samples_at
from loadmaster.runs.judgement import Ending, Sampled
from loadmaster.runs.samples import Drawing, SampleRun

MOST_LOOKS = 11
"""The last comes after 10,240 samples."""
PROBE = 10
"""So many samples of a test are drawn at a time while the duration of a run is not known."""

Draw = Callable[[Sequence[int], Sequence[int]], tuple[list[list[SampleRun]], int]]
"""(rules, samples) -> the runs of each of these rules on each of these samples, and how many were made only now."""


@dataclass
class _Race:
    """One load: what has been drawn so far.

    Attributes:
        runs: of each rule.
        looks: at each rule.
        left: rules that may be the best.
        a_run_s: how long one lasts, by the last that were made; 0 while all were kept from before.
        ending: why it is over.
    """

    runs: list[list[SampleRun]]
    looks: list[int]
    left: tuple[int, ...]
    a_run_s: float = 0.0
    ending: Ending = ""


def race(
    draw: Draw, rules: int, drawing: Drawing, budget_s: float, clock: Callable[[], float] = time.monotonic
) -> Sampled:
    """Race `rules` rules; a look that would end after `budget_s` seconds, by what the last runs took, is not begun.

    What was kept from before costs nothing and tells nothing of that, so the first runs that are made are few. The
    first look is always taken: without it there is nothing to say.
    """
    until_s = clock() + budget_s
    race = _Race([[] for _ in range(rules)], [0] * rules, tuple(range(rules)))
    for look in range(1, MOST_LOOKS + 1):
        if not _run_samples(race, draw, samples_at(look), clock, until_s if look > 1 else math.inf):
            race.ending = "time"
            break
        _look(race, look)
        if race.ending:
            break
    judged = [samples_at(looks) for looks in race.looks]
    runs = tuple(tuple(each[:count]) for each, count in zip(race.runs, judged, strict=True))
    return Sampled(drawing, runs, tuple(race.looks), race.ending or "time")


def _run_samples(race: _Race, draw: Draw, samples: int, clock: Callable[[], float], until_s: float) -> bool:
    """Run what is left on so many samples; False, and no more of them, once that would not end in time."""
    while numbers := range(len(race.runs[race.left[0]]), samples):
        since = clock()
        if since + race.a_run_s * len(numbers) * len(race.left) > until_s:
            return False
        more, drawn = draw(race.left, numbers if race.a_run_s else numbers[:PROBE])
        for row, runs in zip(race.left, more, strict=True):
            race.runs[row] += runs
        race.a_run_s = (clock() - since) / drawn if drawn else race.a_run_s
    return True


def _look(race: _Race, look: int) -> None:
    for row in race.left:
        race.looks[row] = look
    wait = np.full((len(race.runs), samples_at(look)), np.nan)
    for row in race.left:
        wait[row] = [run.mean_wait_s for run in race.runs[row]]
    verdict = judge_at_look(wait, race.left, look)
    race.left, race.ending = verdict.left, verdict.stop
