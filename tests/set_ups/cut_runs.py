"""Runs cut in two: the rest begins with the jobs that run at the cut."""

from dataclasses import replace

import numpy as np

from loadmaster.model import StartingState


def cut_at(workload, cluster, schedule, now_s, *, ends):
    """The rest of a run from `now_s` on: what runs then runs as the rest begins, and what is over is left out."""
    assert cluster.speed is not None
    slowest_speed = np.where(schedule.host >= 0, cluster.speed[schedule.host], 1.0)
    slowest = np.minimum.reduceat(slowest_speed, workload.first_task[:-1])
    end_s = schedule.start_s + workload.runtime_s / slowest
    runs, over = (schedule.start_s < now_s) & (end_s > now_s), (schedule.start_s < now_s) & (end_s <= now_s)
    job = np.flatnonzero(runs)
    host = np.concatenate(
        [np.zeros(0, np.int32), *(schedule.host[workload.first_task[j] : workload.first_task[j + 1]] for j in job)]
    )
    expected_end_s = schedule.start_s + workload.expected_s / slowest
    state = StartingState(
        now_s, job, schedule.start_s[job], host, expected_end_s[job] if ends else None, end_s[job] if ends else None
    )
    return replace(workload, starting=state).take(~over), ~over
