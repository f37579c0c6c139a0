"""A run on hosts of one speed as the same run on hosts of speed 1, for engines that have no other speed."""

from dataclasses import replace

import numpy as np

from loadmaster.backfilling import states
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.arrays import Floats
from loadmaster.scheduling import Discipline


def common_speed(cluster: Cluster, discipline: Discipline) -> float | None:
    """The speed of all hosts, if a run of jobs that are as much shorter on hosts of speed 1 is the same; else None.

    It is not the same if the order depends on runtimes: ranks use runtimes at speed 1 on all hosts.
    """
    assert cluster.speed is not None
    speed = float(cluster.speed[0])
    if (cluster.speed != speed).any():
        return None
    even = discipline.orders_blindly and states(discipline.backfilling, "compares_moments")
    return speed if speed == 1.0 or even else None


def in_one_speed(workload: Workload, cluster: Cluster, discipline: Discipline) -> tuple[Workload, Cluster, bool]:
    """The same run on hosts of speed 1, where hosts have one speed and that changes nothing; and whether it is."""
    speed = common_speed(cluster, discipline)
    if speed is None or speed == 1.0:
        return workload, cluster, speed is not None
    quick = replace(workload, runtime_s=workload.runtime_s / speed, estimate_s=workload.expected_s / speed)
    return quick, replace(cluster, speed=None), True


def ends_of(workload: Workload, cluster: Cluster, schedule: Schedule) -> Floats:
    """float64[J]: when every job ends, at the speed of its slowest host."""
    assert cluster.speed is not None
    slowest_speed = np.where(schedule.host >= 0, cluster.speed[schedule.host], 1.0)
    slowest = np.minimum.reduceat(slowest_speed, workload.first_task[:-1]) if len(slowest_speed) else slowest_speed
    return np.asarray(schedule.start_s + workload.runtime_s / slowest)
