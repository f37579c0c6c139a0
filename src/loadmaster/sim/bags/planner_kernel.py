"""Compiled engine for bags under the planner, on machines of any types, without interruptions.

The same run as `loadmaster.sim.bags.reference` makes with `loadmaster.sizing.planning`, to the bit; looks of the
clock at which nothing can be decided are passed over.
"""
# mypy: disable-error-code="no-untyped-def"

import numpy as np

from loadmaster.jit.kernels import allocating, cached_njit
from loadmaster.sim.bags.board_kernel import LOOK, NEXT, RENTED, UP, MachinesUp, cost_of, give_back, rent
from loadmaster.sim.bags.decision_kernel import planned
from loadmaster.sizing.finished_kernel import add, none_of

ENDS, BOOTED, LOOKS, WAKES = range(4)
"""What happens next; of events at one moment the lower comes first."""


@cached_njit(error_model="numpy", nogil=True)
def run_planned(duration, kinds, wish):
    """Run one bag (float64[N], seconds of work); returns span, number of machines and money.

    The number is -1 where there was no room for so many.
    """
    tasks = len(duration)
    # A machine is rented for a task that waits for it, and leaves unused only once another machine has taken that task:
    # at most one a task does, beside those that take one. So twice the tasks and a few would do; `_decide` checks.
    room = 64 * tasks + 64
    b = MachinesUp(
        np.zeros(room, np.int64),
        np.zeros(room, np.int64),
        np.full(room, -1, np.int64),
        np.zeros(room),
        np.zeros(room),
        np.full(room, np.inf),
        np.zeros(room, np.bool_),
        np.zeros(room, np.bool_),
        np.zeros(room, np.bool_),
        np.zeros(room),
        np.zeros(4, np.int64),
        np.zeros(1),
    )
    finished = none_of(tasks)
    b.tally[LOOK] = 1
    now = 0.0
    wake = _decide(b, duration, finished, kinds, wish, now)
    while finished.number[0] < tasks and not np.isnan(wake):
        if _is_settled(b, tasks):
            now, place = _first_end(b)
            _pass_over(b, wish.tick_s, now)
            kind = ENDS
        else:
            now, kind, place = _next(b, kinds, wish.tick_s, wake)
        if kind == ENDS:
            add(finished, (now - b.started_s[place]) * kinds.speed[b.kind[place]])
            b.task[place], b.ends_s[place], b.used[place] = -1, np.inf, True
            if finished.number[0] == tasks:
                break
        elif kind == BOOTED:
            b.ready[place] = True
        elif kind == LOOKS:
            b.tally[LOOK] += 1
        wake = _decide(b, duration, finished, kinds, wish, now)
    if np.isnan(wake):
        return now, np.int64(-1), np.inf
    for place in range(b.tally[UP]):
        b.cost[b.number[place]] = cost_of(kinds, b.kind[place], now - b.rented_s[place])
    total = 0.0
    for number in range(b.tally[RENTED]):
        total += b.cost[number]
    return now, b.tally[RENTED], total


@allocating
def _is_settled(b, tasks):
    """Every task left is running and every machine is up and has one."""
    if b.tally[NEXT] < tasks:
        return False
    idle = 0
    for place in range(b.tally[UP]):
        idle += b.task[place] < 0
    return idle == 0


@allocating
def _first_end(b):
    first = 0
    for place in range(1, b.tally[UP]):
        if b.ends_s[place] < b.ends_s[first]:
            first = place
    return b.ends_s[first], first


@allocating
def _pass_over(b, tick_s, now):
    """The next look is the first one that does not come before `now`."""
    look = max(b.tally[LOOK], np.int64(now / tick_s)) if tick_s < np.inf else b.tally[LOOK]
    while look > b.tally[LOOK] and (look - 1) * tick_s >= now:
        look -= 1
    while look * tick_s < now:
        look += 1
    b.tally[LOOK] = look


@allocating
def _next(b, kinds, tick_s, wake_s):
    """Time, kind and place of the next event."""
    best, kind, found = np.inf, WAKES, -1
    for place in range(b.tally[UP]):
        if b.ends_s[place] < best or (b.ends_s[place] == best and kind > ENDS):
            best, kind, found = b.ends_s[place], ENDS, place
        if not b.ready[place]:
            ready = b.rented_s[place] + kinds.boot_s[b.kind[place]]
            if ready < best or (ready == best and kind > BOOTED):
                best, kind, found = ready, BOOTED, place
    if b.tally[LOOK] * tick_s < best:
        best, kind = b.tally[LOOK] * tick_s, LOOKS
    if wake_s < best:
        best, kind = wake_s, WAKES
    return best, kind, found


@allocating
def _decide(b, duration, finished, kinds, wish, now):
    """Ask the planner and do what it says; returns when it wants to be asked again, NaN where machines have no room."""
    unstarted = len(duration) - b.tally[NEXT]
    rented, number, wake = planned(b, finished, kinds, wish, now, unstarted)
    give_back(b, kinds, now)
    if unstarted > 0 and b.tally[UP] == 0 and number == 0:
        rented, number = 0, 1
    if b.tally[RENTED] + number > len(b.number):
        return np.nan
    for _ in range(number):
        rent(b, kinds, rented, now)
    for place in range(b.tally[UP]):
        if b.tally[NEXT] == len(duration):
            break
        if b.ready[place] and b.task[place] < 0:
            b.task[place], b.started_s[place] = b.tally[NEXT], now
            b.ends_s[place] = now + duration[b.tally[NEXT]] / kinds.speed[b.kind[place]]
            b.tally[NEXT] += 1
    return wake
