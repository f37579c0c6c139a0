"""List schedules with a reservation for the first job that finds no room: jobs behind may not delay it (rule D10)."""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

from loadmaster.jit.heap_kernel import drop_first
from loadmaster.jit.kernels import cached_njit, inner
from loadmaster.model.arrays import Floats, Longs
from loadmaster.search.list_kernel import begin, give_back, line_up, tightest


class Runs(NamedTuple):
    """The jobs that run on each host, and what a reservation leaves.

    Attributes:
        first: int64[H], the job of each host that ends first; -1 for none. after: int64[J], the next of the same host.
        spare: float64[R], free on the reserved host when its job starts, beside it; trial: float64[R], scratch.
    """

    first: Longs
    after: Longs
    spare: Floats
    trial: Floats


@inner
def join_runs(runs, begun, h, j):
    """Put job j among those that run on host h, which stand in the order of their ends."""
    before, at = -1, runs.first[h]
    while at >= 0 and begun.end[at] <= begun.end[j]:
        before, at = at, runs.after[at]
    runs.after[j] = at
    if before < 0:
        runs.first[h] = j
    else:
        runs.after[before] = j


@inner
def room_at(listed, free, runs, begun, j, h, before):
    """When job j finds room on host h if no other job starts there; infinite unless that is earlier than `before`.

    What is free beside it then is written into `trial`.
    """
    for r in range(free.shape[1]):
        runs.trial[r] = free[h, r] - listed.demand[j, r]
    at = runs.first[h]
    while at >= 0 and begun.end[at] < before:
        now, room = begun.end[at], True
        while at >= 0 and begun.end[at] == now:
            for r in range(free.shape[1]):
                runs.trial[r] += listed.demand[at, r]
            at = runs.after[at]
        for r in range(free.shape[1]):
            room = room and runs.trial[r] >= 0.0
        if room:
            return now
    return float("inf")


@inner
def reserve(listed, free, runs, begun, j):
    """The host on which job j finds room first, and when; -1 and infinite if it cannot be told. Fills `spare`."""
    host, until = -1, float("inf")
    for h in range(free.shape[0]):
        if listed.lasts[j, listed.class_of[h]] < float("inf"):
            moment = room_at(listed, free, runs, begun, j, h, until)
            if moment < until:
                host, until = h, moment
                for r in range(free.shape[1]):
                    runs.spare[r] = runs.trial[r]
    return host, until


@inner
def barred_from(listed, runs, j, now, host, until):
    """`host` if job j would delay the job that has it from `until` on; else -1."""
    if host < 0 or now + listed.lasts[j, listed.class_of[host]] <= until:
        return -1
    for r in range(runs.spare.shape[0]):
        if listed.demand[j, r] > runs.spare[r]:
            return host
    return -1


@inner
def take_spare(listed, runs, j):
    """Job j runs beside the reservation beyond its start: less is spare there."""
    for r in range(runs.spare.shape[0]):
        runs.spare[r] -= listed.demand[j, r]


@cached_njit(nogil=True, error_model="numpy")
def run_reserving(listed, room, begun, runs, left):
    """Start every job, each of one task; `left` int64[J + 1] is scratch.

    At each time `left` holds the reserved host and one host for each job that ends then.

    A job that waited before the moment finds room only on hosts that a job has left or that were reserved until now.
    """
    jobs, now, running, waiting, seen, reserved = listed.ready.shape[0], 0.0, 0, 0, 0, -1
    while seen < jobs or waiting > 0:
        now = listed.ready[listed.by_ready[seen]] if seen < jobs else float("inf")
        if running > 0:
            now = min(now, room.ends[0])
        left[0], freed = reserved, 1 if reserved >= 0 else 0
        while running > 0 and room.ends[0] <= now:
            h = begun.host[room.ending[0]]
            runs.first[h] = runs.after[runs.first[h]]
            freed = give_back(listed, room, begun, room.ending[0], left, freed)
            running = drop_first(room.ends, room.ending, running)
        while seen < jobs and listed.ready[listed.by_ready[seen]] <= now:
            waiting = line_up(room.waits, waiting, listed.place[listed.by_ready[seen]])
            seen += 1
        kept, reserved, until = 0, -1, float("inf")
        for k in range(waiting):
            j = listed.job_at[room.waits[k]]
            barred = barred_from(listed, runs, j, now, reserved, until)
            if listed.ready[j] == now:
                host = tightest(listed, room.free, j, listed.hosts, listed.hosts.shape[0], barred)
            else:
                host = tightest(listed, room.free, j, left, freed, barred)
            if host >= 0:
                running = begin(listed, room, begun, j, now, host, running)
                join_runs(runs, begun, host, j)
                if host == reserved and begun.end[j] > until:
                    take_spare(listed, runs, j)
                continue
            if reserved < 0:
                reserved, until = reserve(listed, room.free, runs, begun, j)
            room.waits[kept] = room.waits[k]
            kept += 1
        waiting = kept
