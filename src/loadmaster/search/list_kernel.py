"""Greedy list scheduling: whenever there is room, the first job of the list that fits starts (rule D10)."""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

from loadmaster.jit.heap_kernel import drop_first, push
from loadmaster.jit.kernels import cached_njit, inner
from loadmaster.model.arrays import Floats, Ints, Longs


class ListProblem(NamedTuple):
    """J jobs on H hosts of C classes with R resources.

    Attributes:
        ready: float64[J]; by_ready: int64[J], the jobs in the order in which they are ready.
        lasts: float64[J, C], infinite where a job may not run.
        demand: float64[J, R], of one task; first: int64[J + 1], the tasks of job j are first[j] up to first[j + 1].
        place: int64[J], of each job in the list; job_at: int64[J], the job at each place.
        class_of: int32[H].
        hosts: int64[H], all hosts, ascending.
        tight_in: the resource of which a chosen host has little left.
    """

    ready: Floats
    by_ready: Longs
    lasts: Floats
    demand: Floats
    first: Longs
    place: Longs
    job_at: Longs
    class_of: Ints
    hosts: Longs
    tight_in: int


class ListState(NamedTuple):
    """What changes: float64[H, R] free, int64[J] places that wait, float64[J] and int64[J] a heap of ends.

    A job is in the list that waits once, and in the heap once, so J places suffice for each.
    """

    free: Floats
    waits: Longs
    ends: Floats
    ending: Longs


class ListSchedule(NamedTuple):
    """What is filled in: float64[J] start, float64[J] end, int32[T] the host of each task."""

    start: Floats
    end: Floats
    host: Ints


@inner
def room_for(listed, free, j, h):
    """How many tasks of job j fit host h now; 0 where it may not run."""
    if listed.lasts[j, listed.class_of[h]] == float("inf"):
        return 0
    most = listed.first[j + 1] - listed.first[j]
    for r in range(free.shape[1]):
        demand = listed.demand[j, r]
        if demand > 0.0:
            if demand > free[h, r]:
                return 0
            fits = int(min(free[h, r] / demand, float(most)))  # the quotient may be beyond any whole number
            if fits * demand > free[h, r]:
                fits -= 1
            most = min(most, fits)
    return most


@inner
def tightest(listed, free, j, hosts, count, barred):
    """The host among the first `count` of `hosts` that runs job j fastest, has least left of `tight_in`, comes first.

    Not `barred`; -1 if no task fits any.
    """
    best = -1
    for k in range(count):
        h = hosts[k]
        if h != barred and room_for(listed, free, j, h) > 0:
            if best < 0:
                best = h
                continue
            now, then = listed.lasts[j, listed.class_of[h]], listed.lasts[j, listed.class_of[best]]
            if now < then or (now == then and (free[h, listed.tight_in], h) < (free[best, listed.tight_in], best)):
                best = h
    return best


@inner
def fits_whole(listed, free, j):
    """Whether all tasks of job j find room at once."""
    left = listed.first[j + 1] - listed.first[j]
    for h in range(free.shape[0]):
        left -= room_for(listed, free, j, h)
        if left <= 0:
            return True
    return False


@inner
def begin(listed, room, begun, j, now, host, running):
    """Start job j, its first task on `host`, the others wherever they fit tightest; return how many run."""
    task, last, lasts = listed.first[j], listed.first[j + 1], 0.0
    while task < last:
        some = min(room_for(listed, room.free, j, host), last - task)
        lasts = max(lasts, listed.lasts[j, listed.class_of[host]])
        for r in range(room.free.shape[1]):
            room.free[host, r] -= some * listed.demand[j, r]
        begun.host[task : task + some] = host
        task += some
        if task < last:
            host = tightest(listed, room.free, j, listed.hosts, listed.hosts.shape[0], -1)
    begun.start[j], begun.end[j] = now, now + lasts
    return push(room.ends, room.ending, running, now + lasts, j)


@inner
def give_back(listed, room, begun, j, left, count):
    """Free what job j held; write its hosts behind the first `count` of `left`, and return how many stand there."""
    for task in range(listed.first[j], listed.first[j + 1]):
        host = begun.host[task]
        for r in range(room.free.shape[1]):
            room.free[host, r] += listed.demand[j, r]
        if count == 0 or left[count - 1] != host:
            left[count] = host
            count += 1
    return count


@inner
def line_up(waits, waiting, place):
    """Put `place` among the first `waiting` of `waits`, which ascend; return how many there are now."""
    at = waiting
    while at > 0 and waits[at - 1] > place:
        waits[at] = waits[at - 1]
        at -= 1
    waits[at] = place
    return waiting + 1


@cached_njit(nogil=True, error_model="numpy")
def run_list(listed, room, begun, left):
    """Start every job; `left` int64[T] is scratch, an entry at most for each task that
    ends at one moment.

    A job of one task that waited before the moment finds room only on hosts that a job has left.
    """
    jobs, now, running, waiting, seen = listed.ready.shape[0], 0.0, 0, 0, 0
    while seen < jobs or waiting > 0:
        now = listed.ready[listed.by_ready[seen]] if seen < jobs else float("inf")
        if running > 0:
            now = min(now, room.ends[0])
        freed = 0
        while running > 0 and room.ends[0] <= now:
            freed = give_back(listed, room, begun, room.ending[0], left, freed)
            running = drop_first(room.ends, room.ending, running)
        while seen < jobs and listed.ready[listed.by_ready[seen]] <= now:
            waiting = line_up(room.waits, waiting, listed.place[listed.by_ready[seen]])
            seen += 1
        kept = 0
        for k in range(waiting):
            j = listed.job_at[room.waits[k]]
            single = listed.first[j + 1] - listed.first[j] == 1
            host = -1
            if listed.ready[j] == now or not single:
                if single or fits_whole(listed, room.free, j):
                    host = tightest(listed, room.free, j, listed.hosts, listed.hosts.shape[0], -1)
            elif freed > 0:
                host = tightest(listed, room.free, j, left, freed, -1)
            if host >= 0:
                running = begin(listed, room, begun, j, now, host, running)
            else:
                room.waits[kept] = room.waits[k]
                kept += 1
        waiting = kept
