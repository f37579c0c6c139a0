"""The running jobs on each host, and when the host alone will hold the head of the queue.

The head mostly stays the same from pass to pass. So `soonest_s` is kept for each host, and only hosts where a job has
started or ended since (stale hosts) are asked again. Invariant: `soonest_s` of a host that is not stale is never later
than the true time, and equal to it where `known` is set.
"""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.jit.kernels import inlined, inner
from loadmaster.place.cards_kernel import amounts_of, give_to, sum_up


class RunningByHost(NamedTuple):
    """T tasks on H hosts; empty in a run without a head's reservation.

    Attributes:
        first: int32[H], the first task of a run on the host, -1 if there is none; following, before: int32[T], others
            in no order.
        job, tasks: int32[T], the job of a run and its tasks; end_s: float64[J], when the job is expected to end.
        many: int32[H], runs on the host.
        soonest_s: float64[H], when the host alone first holds the head, or a moment before that.
        known: bool[H], it is that moment itself.
        stale: int32[H], is_stale: bool[H], hosts that have changed since they were asked.
        number: int64[2], see the constants below.
    """

    first: NDArray[np.int32]
    following: NDArray[np.int32]
    before: NDArray[np.int32]
    job: NDArray[np.int32]
    tasks: NDArray[np.int32]
    end_s: NDArray[np.float64]
    many: NDArray[np.int32]
    soonest_s: NDArray[np.float64]
    known: NDArray[np.bool_]
    stale: NDArray[np.int32]
    is_stale: NDArray[np.bool_]
    number: NDArray[np.int64]


STALE, OF = range(2)
"""Stale hosts; the head that `soonest_s` holds for, -1 if none."""


def empty_running(tasks: int, jobs: int, hosts: int) -> RunningByHost:
    """The arrays of `RunningByHost` with all hosts empty; a host is listed as stale once, by its flag."""
    following, before, job, many = (np.zeros(tasks, np.int32) for _ in range(4))
    return RunningByHost(
        np.full(hosts, -1, np.int32),
        following,
        before,
        job,
        many,
        np.zeros(jobs),
        np.zeros(hosts, np.int32),
        np.zeros(hosts),
        np.zeros(hosts, np.bool_),
        np.zeros(hosts, np.int32),
        np.zeros(hosts, np.bool_),
        np.array([0, -1]),
    )


@inner
def move_in(running_by_host, task, tasks, job, host):
    """Let tasks of `job` from `task` on start on the host; their expected end is already written."""
    other = running_by_host.first[host]
    running_by_host.job[task], running_by_host.tasks[task] = job, tasks
    running_by_host.following[task] = other
    running_by_host.before[task] = -1
    if other >= 0:
        running_by_host.before[other] = task
    running_by_host.first[host] = task
    running_by_host.many[host] += 1
    has_changed(running_by_host, host)


@inner
def move_out(running_by_host, task, host):
    """Remove the run of tasks that begins with `task` from the host."""
    before, following = running_by_host.before[task], running_by_host.following[task]
    if before >= 0:
        running_by_host.following[before] = following
    else:
        running_by_host.first[host] = following
    if following >= 0:
        running_by_host.before[following] = before
    running_by_host.many[host] -= 1
    has_changed(running_by_host, host)


@inlined
def has_changed(running_by_host, host):
    """Mark the host as stale."""
    if not running_by_host.is_stale[host]:
        running_by_host.is_stale[host] = True
        running_by_host.stale[running_by_host.number[STALE]] = host
        running_by_host.number[STALE] += 1


@inner
def all_fresh(running_by_host):
    """Mark all hosts as asked."""
    for i in range(running_by_host.number[STALE]):
        running_by_host.is_stale[running_by_host.stale[i]] = False
    running_by_host.number[STALE] = 0


@inner
def are_few(running_by_host, most):
    """Whether the stale hosts have at most so many runs together."""
    tasks = np.int64(0)
    for i in range(running_by_host.number[STALE]):
        tasks += 1 + running_by_host.many[running_by_host.stale[i]]
    return tasks <= most


@inner
def give_back_at(jobs, state, room, host, after_s, until_s):
    """Add to row `host` of `room` the demands of its tasks that end after `after_s`, up to `until_s`.

    `room` is that at the shadow time; where GPUs are cards, so are the cards that get their parts back.
    """
    running_by_host = state.running_by_host
    task = np.int64(running_by_host.first[host])
    while task >= 0:
        job = running_by_host.job[task]
        if after_s < running_by_host.end_s[job] <= until_s:
            for r in range(amounts_of(state)):
                room[host, r] += running_by_host.tasks[task] * jobs.demand[jobs.kind[job], r]
            if state.cards is not None:
                for at in range(task, task + running_by_host.tasks[task]):
                    give_to(state.cards.then[host], state.cards.held[at], state.cards.share[jobs.kind[job]])
        task = np.int64(running_by_host.following[task])
    if state.cards is not None:
        sum_up(state.cards, state.cards.then[host], room[host])


@inner
def next_end_at(running_by_host, host, after_s):
    """The next end of a task on the host after `after_s`, infinite if there is none."""
    end_s = np.inf
    task = np.int64(running_by_host.first[host])
    while task >= 0:
        one_s = running_by_host.end_s[running_by_host.job[task]]
        if one_s > after_s:
            end_s = min(end_s, one_s)
        task = np.int64(running_by_host.following[task])
    return end_s


@inlined
def next_run(hosts, first, end):
    """The host at `first` of `hosts` int32[T], and how many tasks stand there side by side before `end`."""
    host, tasks = hosts[first], np.int64(1)
    while first + tasks < end and hosts[first + tasks] == host:
        tasks += 1
    return np.int64(host), tasks
