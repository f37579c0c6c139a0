"""Limits under which more is left as time passes: the interface of every kind, and the list of kinds."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, Protocol

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.model.arrays import Bools, Floats
from loadmaster.scheduling.host_eligibility import Entries
from loadmaster.scheduling.resource_time_limits import WORK, counts_work_done, limits_work, work_limits


class TimedCount(Protocol):
    """What jobs have taken of the limits of one kind; the plain engine, `explain` and `live` count with it."""

    def start(self, job: int, entry: int, now_s: float) -> None:
        """A job starts in that entry; `now_s` may be earlier than that of calls before."""

    def stop(self, job: int, now_s: float) -> None:
        """It runs no more."""

    def left(self, now_s: float) -> Floats:
        """float64[W]: what is left of every limit."""
        ...

    def again_s(self, now_s: float, waiting: Iterable[int]) -> float:
        """When more is left to those of the entries `waiting` that a limit keeps back; infinite if it never is."""
        ...


class TimedLimits(Protocol):
    """W limits of one kind in one run of E entries of the queue."""

    @property
    def most(self) -> Floats:
        """float64[W]: the maxima."""
        ...

    @property
    def beyond(self) -> Bools:
        """bool[E]: the entries that can never start, for a limit that allows less than they need."""
        ...

    def needs(self, entry: int) -> tuple[tuple[int, float], ...]:
        """((limit, the least that it must have left for the entry to start), ...); a start of the pass takes that."""
        ...

    def begin(self) -> TimedCount:
        """A count before anything has started."""
        ...

    def words(self, limit: int) -> str:
        """What `explain` says of a job that this limit keeps back."""
        ...


class TimedLimitKind(NamedTuple):
    """A kind of limit: all that engines and verbs ask of it.

    `loadmaster.measure.check_limits.TIMED_CHECKS` has the check of a finished schedule under the same name.

    Attributes:
        binds: whether these jobs on this cluster come under such a limit.
        resolve: the limits of such a run; entries are those of its queue.
        compiled: whether the compiled engine counts the kind too; else the plain engine runs jobs that it binds.
        counts_ended: whether jobs that have ended count, on this cluster.
    """

    binds: Callable[[Workload, Cluster], bool]
    resolve: Callable[[Workload, Cluster, Entries], TimedLimits]
    compiled: bool = False
    counts_ended: Callable[[Cluster], bool] = lambda _cluster: True


TIMED_LIMITS: dict[str, TimedLimitKind] = {WORK: TimedLimitKind(limits_work, work_limits, True, counts_work_done)}
"""The kinds by name, in the order in which queues count them."""


def timed_kinds(workload: Workload, cluster: Cluster) -> Mapping[str, TimedLimitKind]:
    """The kinds that bind these jobs."""
    return {name: kind for name, kind in TIMED_LIMITS.items() if kind.binds(workload, cluster)}


def refuse_counts_of_ended_jobs(workload: Workload, cluster: Cluster, what: str) -> None:
    """Refuse limits for which jobs count that have ended, where `what` knows only those that run.

    Raises:
        InputError: there are such limits.
    """
    for name, kind in timed_kinds(workload, cluster).items():
        if kind.counts_ended(cluster):
            rule = f"{what} knows only jobs that run, so it would let too many start under limits that count ended jobs"
            raise InputError(f"limits on {name}", rule, fix="take them out of the site, or simulate the log")
