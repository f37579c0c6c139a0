"""Running tasks stand by expected end and job, whoever comes and goes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from loadmaster.backfilling.pass_arrays import END, EndArrays
from loadmaster.backfilling.running_ends_kernel import add_tasks, drop_tasks, first_after
from loadmaster.jit.by_reference import by_reference


@njit
def add(ends, runs, host, tasks, end_s, job):
    add_tasks(by_reference(ends), runs, host[:tasks], end_s, end_s - 1.0, job + 7, job)


@njit
def drop(ends, runs, end_s, job):
    drop_tasks(by_reference(ends), runs, end_s, job)


@njit
def after(ends, time_s):
    return first_after(by_reference(ends), time_s)


@given(
    jobs=st.lists(st.tuples(st.integers(1, 3), st.integers(0, 4)), min_size=1, max_size=12),
    gone=st.sets(st.integers(0, 11)),
)
def test_tasks_are_in_the_order_of_their_ends_whoever_has_gone(jobs, gone):
    ends = EndArrays(np.zeros(40, END).view(np.recarray), np.zeros(1, np.int64), np.zeros(3, np.bool_))
    runs, host = np.zeros(40, np.int32), np.arange(3, dtype=np.int32)
    for job in reversed(range(len(jobs))):
        add(ends, runs, host, jobs[job][0], float(jobs[job][1]), job)
    for job in gone & set(range(len(jobs))):
        drop(ends, runs, float(jobs[job][1]), job)
    stay = sorted((end, job, task) for job, (tasks, end) in enumerate(jobs) if job not in gone for task in range(tasks))
    many = int(ends.many[0])
    found = list(zip(ends.end.end_s[:many], runs[:many], ends.end.host[:many], ends.end.kind[:many], strict=True))
    assert found == [(end, job, task, job + 7) for end, job, task in stay]
    assert after(ends, 2.0) == sum(end <= 2 for end, _, _ in stay)
