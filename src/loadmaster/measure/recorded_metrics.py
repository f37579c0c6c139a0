"""Metrics of the recorded run, if the log has start times, and whether queueing explains its waits."""

from dataclasses import dataclass, replace

import numpy as np

from loadmaster.measure.metric import recorded_values
from loadmaster.measure.scheduled import ScheduledJobs
from loadmaster.measure.usage import measured
from loadmaster.model.arrays import Floats
from loadmaster.model.cluster import Cluster
from loadmaster.model.cycles import Cycles
from loadmaster.model.schedule import Schedule
from loadmaster.model.workload import Workload

MOST_OVER = 0.05
"""Use above capacity for a larger part of the time: machines were shared, or are others than these (rule H3)."""
MOST_WITH_ROOM = 0.8
"""A larger part of the waiting passed while there was room: something else than the queue held the jobs (rule H4)."""
MOST_UNKNOWN = 0.01
"""Of a larger part of the jobs it is not known when they started: nothing is said of all of them (rule H2)."""


@dataclass(frozen=True, eq=False)
class Recorded:
    """The recorded schedule of a log on the pool that its hosts make together.

    Attributes:
        jobs: in the log.
        values: every metric of the registry by its name; NaN where the log cannot tell, which are the mean queue, use
            and makespan as soon as one start is unknown. Waits and slowdowns are of the jobs whose start is known.
        unknown: jobs whose start is not known.
        peak: for each resource, the most that was in use at any moment, as a part of all there is.
        over: for each resource, the part of the time that `measured` names in which more was in use than there is.
        with_room: the part of all recorded waiting during which the job would have fitted; NaN where none waited.
        room_s: float64[N], so long each job whose start is known waited while it would have fitted.
        known: the machines are those of the log or of its site, and not a guess of the user's.
    """

    jobs: int
    values: dict[str, float]
    unknown: int
    peak: dict[str, float]
    over: dict[str, float]
    with_room: float
    room_s: Floats
    known: bool = False

    @property
    def mean_wait_s(self) -> float:
        """Of the jobs whose start is known."""
        return self.values["mean_wait_s"]


def recorded(workload: Workload, cluster: Cluster, launch_s: float = 0.0, *, known: bool = False) -> Recorded | None:
    """What really happened to these jobs; None where the log does not say when any of them started.

    Args:
        workload: the jobs.
        cluster: the hosts.
        launch_s: by so much the runtimes are longer than the log has them: what was in use is counted without it.
        known: the hosts are surely those on which they ran.

    Example:
        >>> jobs = Workload.of(submit_s=[0, 0], runtime_s=[10, 10], cores=[1, 1], recorded_wait_s=[0, 10])
        >>> found = recorded(jobs, Cluster.uniform(1, cores=1))
        >>> found.mean_wait_s, found.over["cores"], found.with_room
        (5.0, 0.0, 0.0)
    """
    if workload.recorded_wait_s is None or not workload.jobs or np.isnan(workload.recorded_wait_s).all():
        return None
    schedule = recorded_schedule(workload)
    logged = replace(workload, runtime_s=workload.runtime_s - launch_s) if launch_s else workload
    since, free = free_over_time(logged, cluster, schedule)
    part = _parts(since, *measured(workload, schedule))
    peak, over = {}, {}
    for r, name in enumerate(cluster.resources):
        total = cluster.total[r]
        peak[name] = float((total - free[:, r].min()) / total) if total > 0 else 0.0
        over[name] = float(part[free[:, r] < 0].sum())
    room_s = _room_s(workload, schedule, since, free)
    waited_s = float(workload.recorded_wait_s[schedule.started].sum())
    return Recorded(
        workload.jobs,
        recorded_values(ScheduledJobs(workload, cluster, schedule)),
        int(workload.jobs - schedule.started.sum()),
        peak,
        over,
        float(room_s.sum()) / waited_s if waited_s > 0 else float("nan"),
        room_s,
        known,
    )


def recorded_schedule(workload: Workload) -> Schedule:
    """When every job really started, NaN where that is not known; on which host is not known of any."""
    assert workload.recorded_wait_s is not None
    none = np.array([], np.int64)
    tasks = int(workload.first_task[-1])
    cycles = Cycles(none.astype(float), none, none, none)
    return Schedule(workload.submit_s + workload.recorded_wait_s, np.full(tasks, -1, np.int32), cycles)


def free_over_time(workload: Workload, cluster: Cluster, schedule: Schedule) -> tuple[Floats, Floats]:
    """float64[K], float64[K, R]: moments at which jobs start or end, and what the pool has free from each one on.

    Below zero where more was in use than there is. What ends at a moment is free for what starts then.
    """
    on = schedule.started
    needs = _whole_jobs(workload)[on]
    start, end = schedule.start_s[on], schedule.ends_s(workload)[on]
    since, at = np.unique(np.concatenate((start, end)), return_inverse=True)
    free = np.empty((since.size, needs.shape[1]))
    for r in range(needs.shape[1]):
        taken = np.bincount(at, np.concatenate((needs[:, r], -needs[:, r])), minlength=since.size)
        free[:, r] = cluster.total[r] - np.cumsum(taken)
    return since, free


def _parts(since: Floats, first: float, last: float) -> Floats:
    """float64[K]: what part of the time from `first` to `last` the span from each moment to the next covers."""
    within = np.diff(np.clip(np.append(since, np.inf), first, last))
    return np.asarray(within / (last - first) if last > first else within)


def _whole_jobs(workload: Workload) -> Floats:
    return np.asarray(workload.demand * workload.task_count[:, None])


def _room_s(workload: Workload, schedule: Schedule, since: Floats, free: Floats) -> Floats:
    on = schedule.started
    submit, start = workload.submit_s[on], schedule.start_s[on]
    room_s = np.zeros(submit.size)
    if not (start > submit).any():
        return room_s
    from loadmaster.measure.room_kernel import WaitsBesideRoom, time_with_room  # Numba is not loaded for nothing

    since, free = np.concatenate(([-np.inf], since)), np.concatenate((free[-1:], free))  # after the last as before all
    span = np.searchsorted(since, submit, side="right") - 1
    time_with_room(
        WaitsBesideRoom(since, free, span, submit, start, np.ascontiguousarray(_whole_jobs(workload)[on])), room_s
    )
    return room_s
