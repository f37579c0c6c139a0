"""Why a high offered load leaves machines idle: what the number does not mean (rule R18)."""

import numpy as np

from loadmaster.measure.usage import measured
from loadmaster.model.arrays import Floats
from loadmaster.model.cluster import Cluster
from loadmaster.model.schedule import Schedule
from loadmaster.model.units import percent
from loadmaster.model.workload import Workload
from loadmaster.system.counted import counted

MOST_IDLE = 0.75
"""Less of the offered load used than this is worth a word."""
HIGH = 0.5


def work_after(workload: Workload, schedule: Schedule, resource: int = 0) -> float:
    """The part of the work of started jobs, as a fraction, that was done after the last arrival.

    Example:
        >>> from loadmaster.model import Cycles
        >>> none = np.array([], np.int64)
        >>> log = Workload.of(submit_s=[0, 10], runtime_s=[20, 5], cores=[1, 1])
        >>> cycles = Cycles(none.astype(float), none, none, none)
        >>> work_after(log, Schedule(np.array([0.0, 10.0]), np.zeros(2, np.int32), cycles))
        0.6
    """
    on = schedule.started
    if not on.any():
        return 0.0
    last = float(workload.submit_s[-1])
    start, end = schedule.start_s[on], schedule.ends_s(workload)[on]
    cores = (workload.demand[:, resource] * workload.task_count)[on]
    done = float((cores * (end - start)).sum())
    late = float((cores * np.clip(end - np.maximum(start, last), 0.0, None)).sum())
    return late / done if done > 0 else 0.0


def why_idle(workload: Workload, cluster: Cluster, schedule: Schedule, used: Floats) -> str:
    """Why far less of the first resource was used than its load offers, in a sentence; empty where it was used.

    Args:
        workload: as it was simulated.
        cluster: the hosts.
        schedule: of the run.
        used: float64[R], the part of each resource used until the last arrival.
    """
    load = workload.offered_load(cluster)
    if not (np.isfinite(load) and load >= HIGH and used[0] < MOST_IDLE * min(load, 1.0)):
        return ""
    name = workload.resources[0]
    start = f"Load {load:.2f} is offered, and {percent(used[0])} of the {name} are used before the last arrival"
    late = work_after(workload, schedule)
    loads = [workload.offered_load(cluster, r) for r in range(len(workload.resources))]
    scarce = int(np.argmax(loads))
    if scarce and loads[scarce] > max(loads[0], 0.9):
        return f"{start}: {workload.resources[scarce]} is offered {loads[scarce]:.2f}, and runs out first."
    if late > 1 - MOST_IDLE:
        longest = _long_jobs(workload)
        return (
            f"{start}: {percent(late)} of the work is done after it{longest}, since a load counts all work against the "
            "time of the arrivals alone. A longer log, or one without its longest jobs, offers what its load says."
        )
    waiting = _waiting_at_the_end(workload, schedule)
    if waiting:
        return f"{start}: jobs wait that fit on no host beside those that run ({waiting:,} at the last arrival)."
    return f"{start}."


def _long_jobs(workload: Workload) -> str:
    """How many jobs run longer than the arrivals last, in words."""
    many = int((workload.runtime_s > workload.span_s).sum())
    jobs = counted(many, "job runs", "jobs run")
    return f" ({jobs} longer than all arrivals take)" if many else ""


def _waiting_at_the_end(workload: Workload, schedule: Schedule) -> int:
    last = measured(workload, schedule)[1]
    return int((np.nan_to_num(schedule.start_s, nan=np.inf) > last).sum())
