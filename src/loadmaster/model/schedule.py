"""The result of a run: when and where each job started, and what happened in each cycle."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Ints, Longs
from loadmaster.model.constraints import STATUSES
from loadmaster.model.cycles import Cycles
from loadmaster.model.workload import Workload

STOPPED = [STATUSES.index(word) for word in ("preempted", "node_fail")]
"""How jobs end that the run itself stopped: their work is lost."""


@dataclass(frozen=True, eq=False)
class Segments:
    """N times in which a job ran before its last run: it was stopped, and began anew or went on later.

    Attributes:
        job: int64[N].
        start_s, end_s: float64[N].
        lost: bool[N], its work was lost; else the job went on from there.
        first: int64[N + 1], the hosts of segment n are host[first[n]] up to host[first[n + 1]].
        host: int32[M], one for each task.
    """

    job: Longs
    start_s: Floats
    end_s: Floats
    lost: Bools
    first: Longs
    host: Ints

    @classmethod
    def of(cls, rows: Sequence[tuple[int, float, float, bool, Sequence[int]]]) -> "Segments":
        """From rows (job, start_s, end_s, lost, hosts)."""
        return cls(
            np.array([row[0] for row in rows], np.int64),
            np.array([row[1] for row in rows], float),
            np.array([row[2] for row in rows], float),
            np.array([row[3] for row in rows], bool),
            np.cumsum([0, *(len(row[4]) for row in rows)], dtype=np.int64),
            np.array([host for row in rows for host in row[4]], np.int32),
        )

    def __len__(self) -> int:
        return int(self.job.shape[0])

    @property
    def lasts_s(self) -> Floats:
        """float64[N]: how long each lasted."""
        return np.asarray(self.end_s - self.start_s)


@dataclass(frozen=True, eq=False)
class Schedule:
    """Start, end and hosts of every job of a workload.

    Attributes:
        start_s: float64[J], of the last run; NaN where a job never started.
        host: int32[T], the host of every task (see `Workload.first_task`), -1 where never started.
        cycles: the events of each cycle.
        end_s: float64[J], NaN where a job never started; None where all ran for their runtime, on hosts of speed 1.
        status: int32[J], a code of `constraints.STATUSES` for each job that the run itself stopped; -1 for all others,
            which end as in their log; None if it stopped none.
        segments: runs before the last; None where there are none.
        never: how many jobs could never run, by reason.
        expected_s: float64[J], the runtime at speed 1 that the scheduler counted on as each job waited; None: that of
            the workload.
        refused: how many jobs were refused as they arrived, of those that might have run.
        cards: int64[T], the GPUs of its host that every task took, as bits, 0 for none; None where GPUs are no cards
            (rule Q22).
        start_up_s: float64[J], how long the work of every job waited for its hosts to start, after its latest start; 0
            where they were up, or it never started. None where no host sleeps (rule C17).
    """

    start_s: Floats
    host: Ints
    cycles: Cycles
    end_s: Floats | None = None
    status: Ints | None = None
    segments: Segments | None = None
    never: Mapping[str, int] = field(default_factory=dict)
    expected_s: Floats | None = None
    refused: int = 0
    cards: Longs | None = None
    start_up_s: Floats | None = None

    @property
    def started(self) -> Bools:
        """bool[J]: the jobs that got a host."""
        return ~np.isnan(self.start_s)

    @property
    def begin_s(self) -> Floats:
        """float64[J]: when the work of each job began, its hosts being up (rule C17); NaN where it never started."""
        return self.start_s if self.start_up_s is None else np.asarray(self.start_s + self.start_up_s)

    def ends_s(self, workload: Workload) -> Floats:
        """float64[J]: when each job ended, NaN where it never started."""
        return self.start_s + workload.runtime_s if self.end_s is None else self.end_s

    def expects_s(self, workload: Workload) -> Floats:
        """float64[J]: the runtime at speed 1 that the scheduler counted on as each job waited."""
        return workload.expected_s if self.expected_s is None else self.expected_s

    def ran_s(self, workload: Workload) -> Floats:
        """float64[J]: how long each ran for work that counted: its last run, and earlier runs whose work was kept."""
        if self.end_s is None:
            return workload.runtime_s
        last = self.end_s - self.begin_s
        if self.segments is None:
            return np.asarray(last)
        kept = ~self.segments.lost
        earlier = np.bincount(self.segments.job[kept], self.segments.lasts_s[kept], minlength=workload.jobs)
        return np.asarray(last + earlier)

    def lost_s(self, workload: Workload) -> Floats:
        """float64[J]: how long each ran for lost work: it was stopped, and began anew or never again."""
        lost = np.zeros(workload.jobs)
        if self.segments is not None:
            gone = self.segments.lost
            lost += np.bincount(self.segments.job[gone], self.segments.lasts_s[gone], minlength=workload.jobs)
        if self.status is not None:
            stopped = self.started & np.isin(self.status, STOPPED)
            lost[stopped] += self.ran_s(workload)[stopped]
        return lost

    def same_as(self, other: "Schedule") -> bool:
        """Whether starts, hosts and cards are equal, to the bit."""
        same = np.array_equal(self.start_s, other.start_s, equal_nan=True) and np.array_equal(self.host, other.host)
        if self.cards is None or other.cards is None:
            return same and self.cards is other.cards
        return same and np.array_equal(self.cards, other.cards)
