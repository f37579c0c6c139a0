"""Ruin and recreate: some jobs around one that waits are taken out and put back in another order (rule D11)."""
# mypy: disable-error-code="no-untyped-def"

import math
from typing import NamedTuple

from loadmaster.jit.kernels import cached_njit, inner
from loadmaster.model.arrays import Bools, Floats, Ints, Longs
from loadmaster.search.timetable_kernel import clear, earliest, fill


class RuinState(NamedTuple):
    """J jobs on H hosts of C classes with R resources, and where they are.

    Attributes:
        ready: float64[J]; lasts: float64[J, C]; demand: float64[J, R], of one task; class_of: int32[H].
        free_to_move: bool[J], whether it has one task.
        start: float64[J]; host: int64[J]: of those that have one task; both change.
        first_on: int64[H, B], a job on each host that starts within a stretch of `every` seconds, the last stretch
            without an end; -1 for none. next_on, last_on: int64[J], the others.
        longest: float64[C], how long any job runs there.
    """

    ready: Floats
    lasts: Floats
    demand: Floats
    class_of: Ints
    free_to_move: Bools
    start: Floats
    host: Longs
    first_on: Longs
    next_on: Longs
    last_on: Longs
    every: float
    longest: Floats


@inner
def stretch(jobs, moment):
    """The stretch that holds `moment`; the first and the last take what lies outside."""
    return max(0, int(min(moment / jobs.every, jobs.first_on.shape[1] - 1.0)))


class RuinScratch(NamedTuple):
    """Scratch for K jobs: int64[K] which, float64[K] where they come in the order, their start, int64[K] their host.

    K is 2 or more: `choose` requests at most max(1, K - 2) neighbours, which lie behind the job itself.
    """

    job: Longs
    key: Floats
    start: Floats
    host: Longs


FIXED = 6
"""Draws of a move beside those that choose its job and its neighbours."""
AS_THEY_WERE, IN_FRONT = 0.4, 0.8


@inner
def put(jobs, table, width, j, h, start):
    """Job j runs on host h from `start` on."""
    lasts = jobs.lasts[j, jobs.class_of[h]]
    fill(table, width, h, start, start + lasts, jobs.demand[j], 1.0)
    jobs.start[j], jobs.host[j] = start, h
    at = stretch(jobs, start)
    other = jobs.first_on[h, at]
    jobs.next_on[j], jobs.last_on[j], jobs.first_on[h, at] = other, -1, j
    if other >= 0:
        jobs.last_on[other] = j


@inner
def lift(jobs, table, width, j):
    """Take job j off its host, and give back in `table` what it held."""
    h, start = jobs.host[j], jobs.start[j]
    clear(table, width, h, start, start + jobs.lasts[j, jobs.class_of[h]], jobs.demand[j], 1.0)
    left, right = jobs.last_on[j], jobs.next_on[j]
    if left >= 0:
        jobs.next_on[left] = right
    else:
        jobs.first_on[h, stretch(jobs, start)] = right
    if right >= 0:
        jobs.last_on[right] = left


@inner
def put_earliest(jobs, table, width, j, wished):
    """Job j runs as early as it can anywhere; of equal hosts on `wished`, then on the first."""
    best, best_start = -1, float("inf")
    lasts = jobs.lasts[j, jobs.class_of[wished]]
    if lasts < float("inf"):
        best_start = earliest(table, width, wished, jobs.ready[j], lasts, jobs.demand[j], best_start)
        best = wished
    for h in range(jobs.class_of.shape[0]):
        lasts = jobs.lasts[j, jobs.class_of[h]]
        if best_start <= jobs.ready[j]:
            break
        if lasts < float("inf"):
            start = earliest(table, width, h, jobs.ready[j], lasts, jobs.demand[j], best_start)
            if start < best_start:
                best, best_start = h, start
    put(jobs, table, width, j, best, best_start)
    return best_start


@inner
def draw_waiting_job(jobs, draws):
    """Of four jobs drawn, the one that waits longest among those that can be moved; -1 if none does."""
    chosen, longest = -1, 0.0
    for k in range(4):
        j = int(draws[k] * jobs.ready.shape[0])
        if jobs.free_to_move[j] and jobs.start[j] - jobs.ready[j] > longest:
            chosen, longest = j, jobs.start[j] - jobs.ready[j]
    return chosen


@inner
def neighbours(jobs, j, h, window, most, draws, used, out):
    """Draw up to `most` jobs that run on host h, or wait for it, in the time `window`; return how many."""
    count, met = 1, 0
    begins, ends = window
    first, last = begins - jobs.longest[jobs.class_of[h]], ends + (ends - begins)
    for at in range(stretch(jobs, first), stretch(jobs, last) + 1):
        other = jobs.first_on[h, at]
        while other >= 0:
            start = jobs.start[other]
            runs = start < ends and start + jobs.lasts[other, jobs.class_of[h]] > begins
            could = start >= ends and jobs.ready[other] < ends and start < last
            if other != j and (runs or could):
                met += 1
                where = count if count <= most else 1 + int(draws[used + met % most] * met)
                if where <= most:
                    out.job[where] = other
                count = min(count + 1, most + 1)
            other = jobs.next_on[other]
    return count


@inner
def choose(jobs, j, draws, used, out):
    """Write into `out` job j and neighbours of it on its own host or another; return how many, and that host.

    They are those that are in the way of j beginning at some moment of its wait; one in two times on its own host.
    """
    h = jobs.host[j]
    if draws[used] < 0.5:
        other = int(draws[used + 1] * jobs.class_of.shape[0])
        if jobs.lasts[j, jobs.class_of[other]] < float("inf"):
            h = other
    begins = jobs.ready[j] + draws[used + 2] ** 2 * (jobs.start[j] - jobs.ready[j])
    few = 1 + int((out.job.shape[0] - 2) * draws[used + 3] ** 2)
    out.job[0] = j
    ends = begins + jobs.lasts[j, jobs.class_of[h]]
    return neighbours(jobs, j, h, (begins, ends), few, draws, used + FIXED, out), h


@inner
def arrange(jobs, area, count, draws, used, out):
    """Put the first `count` of `out` in a new order: as they were or by a shaken `area`, the first mostly in front."""
    how = draws[used + 4]
    for k in range(count):
        i = out.job[k]
        if how < AS_THEY_WERE:
            out.key[k] = jobs.start[i]
        else:
            out.key[k] = area[i] * (1.0 + 0.5 * draws[used + FIXED + k])
    if how < IN_FRONT:
        out.key[0] = -1.0
    for k in range(1, count):
        job, key, at = out.job[k], out.key[k], k
        while at > 0 and out.key[at - 1] > key:
            out.job[at], out.key[at] = out.job[at - 1], out.key[at - 1]
            at -= 1
        out.job[at], out.key[at] = job, key


@inner
def reinsert(jobs, table, width, j, h, count, out):
    """Take out the first `count` of `out` and put them back in that order, j on h where it can; return what is lost.

    That is by how much the sum of their starts rises. `out` keeps where they were.
    """
    worse = 0.0
    for k in range(count):
        i = out.job[k]
        out.start[k], out.host[k] = jobs.start[i], jobs.host[i]
        worse -= jobs.start[i]
        lift(jobs, table, width, i)
    for k in range(count):
        worse += put_earliest(jobs, table, width, out.job[k], h if out.job[k] == j else out.host[k])
    return worse


@inner
def put_back(jobs, table, width, count, out):
    """Put the first `count` jobs of `out` back on the hosts and at the starts that are noted there."""
    for k in range(count):
        lift(jobs, table, width, out.job[k])
    for k in range(count):
        put(jobs, table, width, out.job[k], out.host[k], out.start[k])


@cached_njit(nogil=True, error_model="numpy")
def ruin_and_recreate(jobs, table, width, area, draws, heat, out):
    """Make a move for each row of `draws` float64[M, 4 + FIXED + K], in [0, 1).

    A move that makes the sum of starts larger by x is kept with the chance exp(-x / heat), else taken back; never
    without heat. `area` float64[J] ranks jobs that are put back.
    """
    for move in range(draws.shape[0]):
        j = draw_waiting_job(jobs, draws[move])
        if j >= 0:
            count, h = choose(jobs, j, draws[move], 4, out)
            arrange(jobs, area, count, draws[move], 4, out)
            worse = reinsert(jobs, table, width, j, h, count, out)
            if worse > 0.0 and worse > -heat * math.log(1.0 - draws[move, 9]):
                put_back(jobs, table, width, count, out)


@cached_njit(nogil=True, error_model="numpy")
def set_out(jobs, table, width, host, first):
    """Enter a schedule into an empty timetable: `host` int64[T] of each task, tasks of job j from first[j] on."""
    for j in range(jobs.ready.shape[0]):
        if jobs.free_to_move[j]:
            put(jobs, table, width, j, host[first[j]], jobs.start[j])
        else:
            lasts = 0.0
            for task in range(first[j], first[j + 1]):
                lasts = max(lasts, jobs.lasts[j, jobs.class_of[host[task]]])
            for task in range(first[j], first[j + 1]):
                fill(table, width, host[task], jobs.start[j], jobs.start[j] + lasts, jobs.demand[j], 1.0)
