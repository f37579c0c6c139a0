"""The waiting jobs, and which of them might start: a tree over places with the least that any job below a node asks.

Where ranks move there are no places, but a list, and a heap that is made anew in every pass.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.kernels import inner
from loadmaster.sim.queue.engine.state import ALONE, DEMAND, EXPECTED_S, FAN, LEVELS, REFUSALS, TASKS


@inner
def join(jobs, queue, job):
    """A job waits from now on."""
    place = np.int64(jobs.place[job])
    queue.waits[place] = True
    queue.lowest[0] = min(queue.lowest[0], place)
    width = FAN
    for level in range(LEVELS):
        _ask_less(jobs, queue, queue.first_node[level] + place // width, job)
        width *= FAN


@inner
def leave(jobs, queue, place):
    """No job waits at `place` any more."""
    queue.waits[place] = False
    node = place // FAN
    queue.least[node, :] = np.inf
    for other in range(node * FAN, min((node + 1) * FAN, queue.waits.shape[0])):
        if queue.waits[other]:
            _ask_less(jobs, queue, node, jobs.at[other])
    for level in range(1, LEVELS):
        below, end = queue.first_node[level - 1], queue.first_node[level]
        node //= FAN
        row = queue.first_node[level] + node
        for column in range(queue.least.shape[1]):
            least = np.inf
            for child in range(below + node * FAN, min(below + (node + 1) * FAN, end)):
                least = min(least, queue.least[child, column])
            queue.least[row, column] = least


@inner
def _ask_less(jobs, queue, node, job):
    """Let a node know of a job below it."""
    least, kind, tasks = queue.least[node], jobs.kind[job], jobs.tasks[job]
    resources = jobs.demand.shape[1]
    least[TASKS] = min(least[TASKS], tasks)
    least[EXPECTED_S] = min(least[EXPECTED_S], jobs.expected_s[job])
    for r in range(resources):
        demand = jobs.demand[kind, r]
        least[DEMAND + r] = min(least[DEMAND + r], demand)
        least[DEMAND + resources + r] = min(least[DEMAND + resources + r], demand * tasks)


@inner
def next_waiting(queue, hosts, refused, place, tries_all):
    """The first place from `place` on at which a job waits, -1 if there is none.

    Unless it `tries_all`, nodes are passed over below which no job finds room.
    """
    places = queue.waits.shape[0]
    while place < places:
        width = FAN**LEVELS
        level = LEVELS - 1
        while level >= 0:
            if place % width == 0:
                least = queue.least[queue.first_node[level] + place // width]
                if least[TASKS] == np.inf or not (tries_all or _may_fit(hosts, refused, least)):
                    break
            width //= FAN
            level -= 1
        if level >= 0:
            place += width
        elif queue.waits[place]:
            return place
        else:
            place += 1
    return -1


@inner
def _may_fit(hosts, refused, least):
    """Whether a job that asks for so little might find room."""
    resources = hosts.total.shape[0]
    for r in range(resources):
        if least[DEMAND + resources + r] > hosts.total[r]:
            return False
    for i in range(refused.size[1]):
        more = least[TASKS] > refused.tasks[i]
        for r in range(resources):
            more &= least[DEMAND + r] >= refused.demand[i, r]
        if more:
            return False
    return True


@inner
def may_fit(jobs, hosts, refused, job):
    """Whether `job` finds room alone, as far as is known: there is as much in all, and fewer tasks were not refused."""
    kind, tasks, enough = jobs.kind[job], jobs.tasks[job], True
    for r in range(hosts.total.shape[0]):
        enough &= jobs.demand[kind, r] * tasks <= hosts.total[r]
    return enough and not is_refused(jobs, refused, job, ALONE)


@inner
def is_refused(jobs, refused, job, how):
    """Whether fewer tasks of this demand found room."""
    kind = jobs.kind[job]
    return refused.stamp[how, kind] == refused.now[how] and jobs.tasks[job] > refused.most[how, kind]


@inner
def refuse(jobs, refused, job, how, placed):
    """So many tasks of the job's demand find room, and no more, until a job ends, or `BESIDE` the head starts."""
    kind = jobs.kind[job]
    refused.stamp[how, kind] = refused.now[how]
    refused.most[how, kind] = placed
    if how == ALONE:
        row = refused.size[0] % REFUSALS
        refused.tasks[row] = placed
        for r in range(jobs.demand.shape[1]):
            refused.demand[row, r] = jobs.demand[kind, r]
        refused.size[0] += 1
        refused.size[1] = min(refused.size[0], REFUSALS)


@inner
def forget(refused, how):
    """What was refused may find room again."""
    refused.now[how] += 1
    if how == ALONE:
        refused.size[:] = 0


@inner
def enlist(ranked, job, waiting):
    """A job waits from now on, behind `waiting` others in the list."""
    ranked.jobs[waiting] = job
    ranked.row[job] = waiting


@inner
def strike(ranked, job, waiting):
    """One of `waiting` jobs waits no more: the last of the list takes its row."""
    last = ranked.jobs[waiting - 1]
    ranked.jobs[ranked.row[job]] = last
    ranked.row[last] = ranked.row[job]
