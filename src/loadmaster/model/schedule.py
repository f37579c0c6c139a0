"""What a run leaves behind: who started when and where, and what happened in each cycle."""

from dataclasses import dataclass

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Ints, Longs


@dataclass(frozen=True, eq=False)
class Cycles:
    """One row a scheduling cycle in which anything could change.

    Attributes:
        time_s: float64[C].
        queue_length: int64[C], jobs waiting when the cycle began.
        started: int64[C], jobs started in the cycle.
        winners: int64[C], bit m is set if member m of a meta-policy won or tied; 0 without a meta-policy.
    """

    time_s: Floats
    queue_length: Longs
    started: Longs
    winners: Longs


@dataclass(frozen=True, eq=False)
class Schedule:
    """Start and hosts of every job of a workload.

    Attributes:
        start_s: float64[J], NaN where a job never started.
        host: int32[T], the host of every task (see `Workload.first_task`), -1 where never started.
        cycles: what happened in each cycle.
    """

    start_s: Floats
    host: Ints
    cycles: Cycles

    @property
    def started(self) -> Bools:
        """bool[J]: the jobs that got a host."""
        return ~np.isnan(self.start_s)

    def same_as(self, other: "Schedule") -> bool:
        """Equal starts and hosts, to the bit."""
        return np.array_equal(self.start_s, other.start_s, equal_nan=True) and np.array_equal(self.host, other.host)
