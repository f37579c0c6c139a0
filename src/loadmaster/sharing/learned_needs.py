"""The needs that a scheduler expects of a task without known needs: the use of earlier tasks."""

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.model.workload import Workload


def learned_needs(workload: Workload, prior: Floats, observe_s: float = 0.0) -> Floats:
    """The demand believed for each job when it arrives, learned from the use of the jobs that arrived before.

    A host's memory and CPU counters show what each task on it uses, so the use of a job is known `observe_s` after
    it came. The belief is the mean use of the same user's jobs known by then, else of all jobs known, else `prior`.
    Nothing of the job itself is looked at, nor any job that comes later.

    Args:
        workload: jobs with their true demand, in the order of arrival.
        prior: float64[R], what is believed before anything was seen.
        observe_s: how long a task must be watched.

    Returns:
        float64[J, R].

    Example:
        >>> jobs = Workload.of(submit_s=[0, 10, 20], runtime_s=[1, 1, 1], cores=[2, 4, 1])
        >>> learned_needs(jobs, np.array([1.0]))[:, 0].tolist()
        [1.0, 2.0, 3.0]
    """
    jobs, resources = workload.demand.shape
    user = np.zeros(jobs, np.int64) if workload.user is None else workload.user.astype(np.int64)
    groups = int(user.max(initial=0)) + 1
    total, count = np.zeros((groups + 1, resources)), np.zeros(groups + 1)
    believed = np.empty((jobs, resources))
    known = 0
    for job in range(jobs):
        while known < job and workload.submit_s[known] + observe_s <= workload.submit_s[job]:
            for group in (user[known], groups):  # the user's own, and those of all users in the last row
                total[group] += workload.demand[known]
                count[group] += 1
            known += 1
        seen = user[job] if count[user[job]] > 0 else groups
        believed[job] = total[seen] / count[seen] if count[seen] > 0 else prior
    return believed
