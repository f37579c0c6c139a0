"""Stops drawing samples early: repeated looks keep the promised error probability (rule R12).

If an interval is tested again and again until it no longer holds 0, the result is wrong far more often than one time in
twenty. So the k-th test, after twice as many samples as the one before, spends 1 / (k (k + 1)) of the chance to be
wrong. Over all tests, however many, it is spent once (Jennison and Turnbull 2000, repeated confidence intervals).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from loadmaster.measure.best_rule import UNSURE, verdict_of_samples
from loadmaster.measure.paired_comparison import Difference, over_seeds
from loadmaster.model.arrays import Floats

FIRST_LOOK = 10
CLOSE = 0.01
"""Rules whose mean waits surely differ by less are not raced on."""


@dataclass(frozen=True)
class Race:
    """What a look found.

    Attributes:
        left: rows that may still be the best, the leader first.
        apart: each row raced at this look against the leader, at the level of the look.
        stop: why no more samples are needed: a `best` is found, or all that are left are `close`; else empty.
    """

    left: tuple[int, ...]
    apart: dict[int, Difference]
    stop: Literal["best", "close", ""]


def samples_at(look: int) -> int:
    """Samples before the look of this number, from 1.

    Example:
        >>> [samples_at(look) for look in (1, 2, 3)]
        [10, 20, 40]
    """
    return int(FIRST_LOOK * 2 ** (look - 1))


def unsure_at(look: int) -> float:
    """The chance to be wrong that a look may spend; over all tests they add up to `UNSURE`."""
    return UNSURE / (look * (look + 1))


def judge_at_look(wait_s: Floats, rows: Sequence[int], look: int) -> Race:
    """Judge mean waits, float64[K, N], of the rows still in the race, after `samples_at(look)` samples."""
    if len(rows) < 2:
        return Race(tuple(rows), {}, "best")
    unsure = unsure_at(look)
    verdict = verdict_of_samples(wait_s, rows, partial(over_seeds, sure=1 - unsure), unsure)
    if verdict.kind == "best":
        return Race(verdict.best, verdict.apart, "best")
    within = all(_is_close(verdict.apart[row]) for row in verdict.best[1:])
    return Race(verdict.best, verdict.apart, "close" if within else "")


def _is_close(difference: Difference) -> bool:
    _, low, high = difference.change
    return low > -CLOSE and high < CLOSE
