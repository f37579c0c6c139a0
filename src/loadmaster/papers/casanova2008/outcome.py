"""Views on the study's rows: one column an algorithm, the paper's way of averaging and the paired one."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from loadmaster.model.arrays import Bools, Floats

KEYS = ["tasks", "slack", "cv_memory", "cv_cpu", "repetition"]


@dataclass(frozen=True, eq=False)
class StudyPart:
    """One part of the study with a row an instance.

    Attributes:
        level: by algorithm, float64[N], the minimum yield; NaN where it failed.
        mean_yield, seconds: the same for the average yield and the run time.
        bound: float64[N], the optimum of the relaxed program.
        slack, tasks: float64[N].
    """

    level: dict[str, Floats]
    mean_yield: dict[str, Floats]
    seconds: dict[str, Floats]
    bound: Floats
    slack: Floats
    tasks: Floats

    @property
    def n(self) -> int:
        """Number of instances."""
        return len(self.bound)

    def solved(self, name: str) -> Bools:
        """bool[N]: the algorithm found a mapping."""
        return ~np.isnan(self.level[name])

    def take(self, rows: Bools) -> "StudyPart":
        """The instances of a mask."""
        parts = [{k: v[rows] for k, v in d.items()} for d in (self.level, self.mean_yield, self.seconds)]
        return StudyPart(parts[0], parts[1], parts[2], self.bound[rows], self.slack[rows], self.tasks[rows])


def outcome_of(frame: Any, part: str) -> StudyPart:
    """The rows of one part of the study, a polars frame, as columns."""
    import polars as pl

    rows = frame.filter(pl.col("part") == part)
    columns: dict[str, dict[str, Floats]] = {"level": {}, "mean_yield": {}, "seconds": {}}
    order = None
    for (name,), group in rows.group_by("algorithm", maintain_order=True):
        group = group.sort(KEYS)
        order = group if order is None else order
        for column, by_name in columns.items():
            by_name[str(name)] = group[column].fill_null(float("nan")).to_numpy().astype(float)
    if order is None:
        return StudyPart({}, {}, {}, np.zeros(0), np.zeros(0), np.zeros(0))
    facts = [order[name].to_numpy().astype(float) for name in ("bound", "slack", "tasks")]
    return StudyPart(columns["level"], columns["mean_yield"], columns["seconds"], *facts)


def degradations(outcome: StudyPart, name: str) -> tuple[Floats, float]:
    """Percent below the best MCB where some MCB solved, a failure counting 100; and the largest without failures."""
    levels = np.stack([outcome.level[f"mcb{k}"] for k in range(1, 9)])
    some = ~np.isnan(levels).all(axis=0)
    best = np.nanmax(levels[:, some], axis=0)
    own = levels[int(name[3:]) - 1, some]
    loss = 100.0 * (best - own) / best
    return np.where(np.isnan(own), 100.0, loss), float(np.nanmax(loss))


def percent_over(one: Floats, other: Floats) -> tuple[float, float]:
    """By how many percent the mean of `one` is above that of `other`: each over what it solved, and paired."""
    both = ~np.isnan(one) & ~np.isnan(other)
    alone = 100.0 * (np.nanmean(one) / np.nanmean(other) - 1.0)
    return float(alone), float(100.0 * (one[both].mean() / other[both].mean() - 1.0))


def percent_below(outcome: StudyPart, name: str, rows: Bools) -> tuple[float, float]:
    """By how many percent `name` is below the bound: solved instances against all (the paper), and both on solved."""
    part = outcome.take(rows)
    own, solved = part.level[name], part.solved(name)
    if not solved.any():
        return float("nan"), float("nan")
    return (
        float(100.0 * (1.0 - own[solved].mean() / part.bound.mean())),
        float(100.0 * (1.0 - own[solved].mean() / part.bound[solved].mean())),
    )
