"""Compiled engine for bags of tasks on machines of one type, under the paper's rule or a fixed number of machines."""
# mypy: disable-error-code="no-untyped-def"

import math
from typing import NamedTuple

import numpy as np

from loadmaster.jit.kernels import allocating, cached_njit
from loadmaster.sim.bags.fixed_kernel import run_fixed

START, COMPLETION, TICK, CHANGE = range(4)
FINISH, NOSTART, KILL = range(3)
ENDS, BOOTED, LOST, LOOKS, WAKES = range(5)
"""Kinds of events: a task ends, a machine is ready or taken away, a tick, a wish of the rule."""
READY, USED, GONE, LEAVING = 1, 2, 4, 8
"""Bits of `BagState.flags`: can take tasks; has run one; given back; to be given back now."""
HOSTS, UP, NEXT, AGAIN, DONE = range(5)
"""Entries of `BagState.tally`: machines ever and now, next task, tasks to be run again, finished tasks."""
WORK, GROWTH = range(2)
"""Entries of `BagState.total`: work of the finished tasks, growth of the creation ratio."""
SLACK = 1e-9


class BagRules(NamedTuple):
    """`SilvaRule`, or `FixedHosts` if `fixed` is more than 0; switches as numbers."""

    fixed: int
    creation_ratio: float
    increase_ratio: float
    host_time_s: float
    first_hosts: int
    overrun: int
    possible_real: bool
    count_running: bool
    only_above_zero: bool
    every_result: bool
    tick_s: float


class MachineKinds(NamedTuple):
    """`HostType`; `stay_s` is how long one stays on average before it is taken away, infinite if it never is."""

    speed: float
    boot_s: float
    unit_s: float
    least_units: float
    unit_price: float
    limit: int
    stay_s: float


class BagState(NamedTuple):
    """A running bag; one row a machine, in the order of renting, and the counters in `tally` and `total`.

    Attributes:
        rented_s, released_s, started_s, ends_s, lost_s: float64[M]; `ends_s` is infinite without a task, `lost_s` for
            one that is never taken away.
        task: int64[M], -1 without one.
        flags: int64[M], bits: READY, USED, GONE, LEAVING.
        up: int64[M], the machines at hand, in its first `tally[UP]` entries.
        again: int64[N], tasks to be run again, the last one first.
        tally: int64[5]: HOSTS, UP, NEXT, AGAIN, DONE.
        total: float64[2]: WORK, GROWTH.
    """

    rented_s: np.ndarray
    released_s: np.ndarray
    started_s: np.ndarray
    ends_s: np.ndarray
    lost_s: np.ndarray
    task: np.ndarray
    flags: np.ndarray
    up: np.ndarray
    again: np.ndarray
    tally: np.ndarray
    total: np.ndarray


@cached_njit(error_model="numpy", nogil=True)
def run_bags(durations, rules, machines, rng, span_s, hosts, cost):
    """Run every row of `durations` (float64[R, N]) as a bag; write span, machines and cost of each.

    `rng` tells how long machines stay, and is drawn from only where they are taken away.
    """
    for row in range(durations.shape[0]):
        if rules.fixed > 0 and machines.stay_s == np.inf and not _ends_as_it_boots(durations[row], machines):
            run_fixed(durations[row], min(rules.fixed, machines.limit), machines, row, span_s, hosts, cost)
        else:
            _run(durations[row], rules, machines, rng, row, span_s, hosts, cost)


@allocating
def _ends_as_it_boots(duration, machines):
    """A task is so short beside the boot that it ends, to rounding, while other machines are still to come up."""
    return machines.boot_s > 0.0 and machines.boot_s + duration.min() / machines.speed == machines.boot_s


@allocating
def _run(duration, rules, machines, rng, row, span_s, hosts, cost):
    tasks = len(duration)
    s = _room(2 * tasks + 64, tasks)
    wake = _decide(duration, rules, machines, rng, s, START, 0.0)
    ticks = 1
    now = 0.0
    while s.tally[DONE] < tasks:
        now, kind, host = _next(s, machines, ticks * rules.tick_s, wake)
        occasion = CHANGE
        if kind == ENDS:
            s.total[WORK] += (now - s.started_s[host]) * machines.speed
            s.tally[DONE] += 1
            s.task[host] = -1
            s.ends_s[host] = np.inf
            s.flags[host] |= USED
            if s.tally[DONE] == tasks:
                break
            occasion = COMPLETION
        elif kind == BOOTED:
            s.flags[host] |= READY
        elif kind == LOST:
            s.flags[host] |= LEAVING
            _give_back(s, now)
        elif kind == LOOKS:
            ticks += 1
            occasion = TICK
        if s.tally[HOSTS] + tasks > len(s.flags):
            s = _more_room(s)
        wake = _decide(duration, rules, machines, rng, s, occasion, now)
    total = 0.0
    for host in range(s.tally[HOSTS]):
        end = s.released_s[host] if s.flags[host] & GONE else now
        units = max(machines.least_units, math.ceil((end - s.rented_s[host]) / machines.unit_s - SLACK))
        total += units * machines.unit_price
    span_s[row] = now
    hosts[row] = s.tally[HOSTS]
    cost[row] = total


@allocating
def _room(machines, tasks):
    """The state of a bag that has not begun, with room for so many machines.

    A decision rents at most one machine for each task that waits or is stopped, so never more than tasks; `_run` makes
    more room before it. A task stands once in `again`, since it leaves that before it can be stopped once more.
    """
    return BagState(
        np.zeros(machines),
        np.zeros(machines),
        np.zeros(machines),
        np.full(machines, np.inf),
        np.full(machines, np.inf),
        np.full(machines, -1, np.int64),
        np.zeros(machines, np.int64),
        np.zeros(machines, np.int64),
        np.zeros(tasks, np.int64),
        np.zeros(5, np.int64),
        np.zeros(2),
    )


@allocating
def _more_room(s):
    """The same state with room for twice the machines."""
    old = len(s.flags)
    new = _room(2 * old, len(s.again))
    new.rented_s[:old], new.released_s[:old], new.started_s[:old] = s.rented_s, s.released_s, s.started_s
    new.ends_s[:old], new.lost_s[:old], new.task[:old] = s.ends_s, s.lost_s, s.task
    new.flags[:old], new.up[:old] = s.flags, s.up
    new.again[:], new.tally[:], new.total[:] = s.again, s.tally, s.total
    return new


@allocating
def _next(s, machines, tick_s, wake_s):
    """Time, kind and machine of the next event; of those at one moment the lower kind first."""
    best, kind, host = np.inf, WAKES, -1
    for place in range(s.tally[UP]):
        h = s.up[place]
        if s.ends_s[h] < best or (s.ends_s[h] == best and kind > ENDS):
            best, kind, host = s.ends_s[h], ENDS, h
        if not s.flags[h] & READY:
            ready = s.rented_s[h] + machines.boot_s
            if ready < best or (ready == best and kind > BOOTED):
                best, kind, host = ready, BOOTED, h
        if machines.stay_s < np.inf and (s.lost_s[h] < best or (s.lost_s[h] == best and kind > LOST)):
            best, kind, host = s.lost_s[h], LOST, h
    if tick_s < best:
        best, kind = tick_s, LOOKS
    if wake_s < best:
        best, kind = wake_s, WAKES
    return best, kind, host


@allocating
def _decide(duration, rules, machines, rng, s, occasion, now):
    """Figure 3 on the state, and the paper's simulator: give back, rent, hand out. Returns when to decide again."""
    waiting = len(duration) - s.tally[NEXT] + s.tally[AGAIN]
    if rules.fixed > 0:
        rent = _fixed(rules, s, waiting)
    elif occasion == START:
        rent = min(rules.first_hosts, waiting)
    else:
        rent = _figure_3(duration, rules, s, occasion, now, waiting)
    _give_back(s, now)
    rent = min(rent, machines.limit - s.tally[UP])
    waiting = len(duration) - s.tally[NEXT] + s.tally[AGAIN]
    if waiting > 0 and s.tally[UP] == 0 and rent == 0:
        rent = 1
    for _ in range(rent):
        h = s.tally[HOSTS]
        s.rented_s[h] = now
        s.flags[h] = READY if machines.boot_s == 0.0 else 0
        if machines.stay_s < np.inf:
            s.lost_s[h] = now + machines.stay_s * rng.standard_exponential()
        s.up[s.tally[UP]] = h
        s.tally[UP] += 1
        s.tally[HOSTS] += 1
    _hand_out(duration, machines, s, now)
    return _next_stop(rules, s, now)


@allocating
def _give_back(s, now):
    """Machines that leave are gone, and what ran on them waits again, the last one first."""
    kept = 0
    for place in range(s.tally[UP]):
        h = s.up[place]
        if s.flags[h] & LEAVING:
            if s.task[h] >= 0:
                s.again[s.tally[AGAIN]] = s.task[h]
                s.tally[AGAIN] += 1
                s.ends_s[h] = np.inf
            s.flags[h] = GONE
            s.released_s[h] = now
        else:
            s.up[kept] = h
            kept += 1
    s.tally[UP] = kept


@allocating
def _fixed(rules, s, waiting):
    idle, without_task = 0, 0
    for place in range(s.tally[UP]):
        h = s.up[place]
        without_task += s.task[h] < 0
        if s.flags[h] & READY and s.task[h] < 0:
            idle += 1
            if idle > waiting:
                s.flags[h] |= LEAVING
    return max(0, min(rules.fixed - s.tally[UP], waiting - without_task))


@allocating
def _figure_3(duration, rules, s, occasion, now, waiting):
    """Marks the machines to be given back and returns how many to rent."""
    finished = s.tally[DONE]
    mean = s.total[WORK] / finished if finished > 0 else 0.0
    takers, stopped, idle, running = waiting, 0, 0, 0
    running_total = 0.0
    for place in range(s.tally[UP]):
        h = s.up[place]
        left = rules.host_time_s - (now - s.rented_s[h])
        used = s.flags[h] & USED
        if s.task[h] >= 0:
            if rules.overrun == KILL and left <= SLACK and used:
                s.flags[h] |= LEAVING
                stopped += 1
            else:
                running += 1
                running_total += now - s.started_s[h]
        else:
            late = left <= SLACK or (rules.overrun == NOSTART and left < mean)
            if (late and used) or takers == 0:
                s.flags[h] |= LEAVING
            else:
                takers -= 1
                idle += 1
    average = 0.0
    if occasion == COMPLETION:
        average = mean
    elif occasion == TICK and running > 0 and running_total / running > mean:
        average = (running_total + s.total[WORK]) / (running + finished)
    if average <= 0.0:
        return 0
    necessary = _necessary(len(duration) - finished, rules, s, now, average)
    fires = necessary > 0 if rules.only_above_zero else necessary >= 0
    rent = 0
    if fires:
        ratio = rules.creation_ratio + (1.0 - rules.creation_ratio) * s.total[GROWTH]
        wanted = necessary if ratio >= 1.0 - SLACK else math.floor(necessary * ratio) + 1
        rent = max(0, min(wanted, waiting + stopped - idle))
    if occasion == COMPLETION and (fires or rules.every_result):
        s.total[GROWTH] += (1.0 - s.total[GROWTH]) * rules.increase_ratio
    return rent


@allocating
def _necessary(remaining, rules, s, now, average):
    possible = 0.0
    for place in range(s.tally[UP]):
        h = s.up[place]
        if s.flags[h] & LEAVING:
            continue
        busy = now - s.started_s[h] if rules.count_running and s.task[h] >= 0 else 0.0
        count = (rules.host_time_s - (now - s.rented_s[h]) + busy) / average
        possible += max(0.0, count if rules.possible_real else math.floor(count + SLACK))
    value = (remaining - possible) * average / rules.host_time_s
    return math.floor(value + 0.5) if value >= 0 else math.ceil(value - 0.5)


@allocating
def _hand_out(duration, machines, s, now):
    for place in range(s.tally[UP]):
        h = s.up[place]
        if not s.flags[h] & READY or s.task[h] >= 0:
            continue
        if s.tally[AGAIN] > 0:
            s.tally[AGAIN] -= 1
            task = s.again[s.tally[AGAIN]]
        elif s.tally[NEXT] < len(duration):
            task = s.tally[NEXT]
            s.tally[NEXT] += 1
        else:
            return
        s.task[h] = task
        s.started_s[h] = now
        s.ends_s[h] = now + duration[task] / machines.speed


@allocating
def _next_stop(rules, s, now):
    """When the next running task reaches the end of its machine's time, if tasks are to be stopped then."""
    first = np.inf
    if rules.fixed == 0 and rules.overrun == KILL:
        for place in range(s.tally[UP]):
            left = rules.host_time_s - (now - s.rented_s[s.up[place]])
            if left > SLACK:
                first = min(first, now + left)
    return first
