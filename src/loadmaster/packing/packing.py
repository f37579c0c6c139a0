"""The results of packers: the attempt of a solver, and the packing for the user."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Ints, Longs, frozen_floats, frozen_ints

Status = Literal["ok", "infeasible", "limit"]
Minimise = str
"""What a packer is after: `level`, the largest load least; `hosts`, the fewest; `cost`, the cheapest; or a weighted
sum as `Objective` has it."""
INTERRUPTED = "Ctrl-C stopped the search: this is the best placement that it had found"


@dataclass(frozen=True, eq=False)
class Attempt:
    """The result of a solver, without shares.

    Attributes:
        host: int32[T], the host of every task; None if no complete mapping was found.
        status: `ok`, `infeasible` (proven or not, see `proven`) or `limit` (stopped early, with or without a mapping).
        solver: what ran.
        bound: a proven upper bound on the level that the solver found itself; None if it finds none.
        proven: the mapping is optimal, or there is none.
        unplaced: the first task that found no host, -1 if none is known.
        reason: why there is no mapping.
        effort: probes, nodes or attempts, as the solver counts.
        level: a lower level to report than the mapping's own; None where the mapping's own is reported.
        notes: what the user should know about how it came about, one sentence each.
        cards: bool[T, K], the GPUs of its host that every task takes; None where GPUs are one pool.
        partial: int32[T], without a mapping: the host of each task that the solver placed, -1 for one that is left
            over; None where it says nothing of them.
        place_bound: where tasks are left over: no placement has more tasks; None if it was not computed.
        cost_bound: a proven lower bound on the number or the price of the hosts in use, where that is minimised.
        interrupted: the user stopped the search.
    """

    host: Ints | None
    status: Status
    solver: str
    bound: float | None = None
    proven: bool = False
    unplaced: int = -1
    reason: str = ""
    effort: int = 0
    level: float | None = None
    notes: tuple[str, ...] = ()
    cards: Bools | None = None
    partial: Ints | None = None
    place_bound: int | None = None
    cost_bound: float | None = None
    interrupted: bool = False


@dataclass(frozen=True, eq=False)
class Packing:
    """A placement with its shares, and how far from the best possible it is.

    Attributes:
        status: `ok`, `infeasible`, or `limit`: the time or the attempts ran out (with a mapping if `host` is not -1).
        solver: the method that ran; for `exact` the one that was chosen.
        host: int32[T], the host of every task; -1 for a task that is left over. Without a complete mapping some tasks
            may have a host, those that the solver placed, or none.
        share: float64[T, F], what every task gets of each fluid resource, in the instance's units.
        job_yield: float64[J], the yield of every job.
        level: the minimum over the jobs of yield / weight before the mean-yield phase: the objective; NaN without a
            mapping. With equal weights and no guarantees it is the minimum yield.
        bound: an upper bound on the level of any mapping; 0 if none exists.
        proven: the level is optimal, or there is no mapping.
        unplaced: the first task that found no host, -1 if none is known.
        reason: why there is no mapping.
        effort: probes, nodes or attempts, as the solver counts.
        seconds: wall time of solver and mean-yield phase.
        notes: what the user should know about how it came about, one sentence each.
        cards: bool[T, K], the GPUs of its host that every task takes; None where GPUs are one pool.
        place_bound: no placement has more tasks; None if it was not computed.
        minimise: what was minimised; `gap` and `proven` speak of it.
        cost: the number of hosts in use; their price, or a weighted sum, where that was minimised; NaN without a
            mapping.
        cost_bound: no placement has a lower `cost`; 0 where nothing is known.
        interrupted: the user stopped the search.
        numa: bool[T, N], the NUMA nodes of its host that every task takes; None where hosts are not divided.
        numa_parts: int64[T], how many nodes each task takes, also one that is not placed; None likewise.
        terms: each amount of a weighted sum that was minimised, without its weight; empty where there was none.
    """

    status: Status
    solver: str
    host: Ints
    share: Floats
    job_yield: Floats
    level: float
    bound: float
    proven: bool
    unplaced: int = -1
    reason: str = ""
    effort: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    cards: Bools | None = None
    place_bound: int | None = None
    minimise: Minimise = "level"
    cost: float = float("nan")
    cost_bound: float = 0.0
    interrupted: bool = False
    numa: Bools | None = None
    numa_parts: Longs | None = None
    terms: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "host", frozen_ints(self.host))
        object.__setattr__(self, "share", frozen_floats(self.share))
        object.__setattr__(self, "job_yield", frozen_floats(self.job_yield))

    @property
    def placed(self) -> bool:
        """There is a complete mapping."""
        return not np.isnan(self.level)

    @property
    def left_over(self) -> Longs:
        """int64[N]: the tasks without a host."""
        return np.flatnonzero(self.host < 0)

    @property
    def min_yield(self) -> float:
        """The smallest yield of any job; NaN without a mapping."""
        return float(self.job_yield.min(initial=1.0)) if self.placed else float("nan")

    @property
    def mean_yield(self) -> float:
        """The mean yield over the jobs; NaN without a mapping."""
        if not self.placed:
            return float("nan")
        return float(self.job_yield.mean()) if len(self.job_yield) else 1.0

    @property
    def gap(self) -> float:
        """The distance of the level below the bound, or of the cost above its bound, as a part of the bound.

        NaN without a mapping; infinite for a cost whose bound is 0.
        """
        if not self.placed:
            return float("nan")
        if self.minimise != "level":
            over = self.cost - self.cost_bound
            return 0.0 if over <= 0 else over / self.cost_bound if self.cost_bound > 0 else float("inf")
        return max(0.0, (self.bound - self.level) / self.bound) if self.bound > 0 else 0.0
