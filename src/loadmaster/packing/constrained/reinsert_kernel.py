"""Large-neighbourhood steps, compiled: some tasks are taken out and put back one by one where they cost least."""
# mypy: disable-error-code="no-untyped-def"

import math
from typing import NamedTuple

import numpy as np

from loadmaster.jit.kernels import cached_njit, inner
from loadmaster.model.arrays import Floats, Longs
from loadmaster.packing.constrained.layout import TOTAL
from loadmaster.packing.constrained.state_kernel import (
    cost_with,
    draw_task,
    fits,
    may_enter,
    move_cost,
    put,
    random_below,
    remember_if_best,
    rules_hold_at,
    take,
    uniform,
)

BLINK = 0.02
"""The part of hosts that a task does not look at."""
ENOUGH = 200
"""Hosts that a task looks at, if one of them may take it."""
MAKE_ROOM = 0.4
"""The part of steps in which a task goes to a given host and the tasks in its way go elsewhere."""
FROM_HOSTS, FROM_COUNTER = 0.6, 0.8
"""Of the other steps, up to these parts: tasks of two hosts, tasks of one counter; the rest any tasks."""


class Removed(NamedTuple):
    """Tasks that are out: int64[K] which, where they were; float64[K] the keys of the order in which they go back."""

    task: Longs
    source: Longs
    key: Floats


@inner
def cheapest_host(model, state, t, blink, by_ratio):
    """The host where task t, which is out, adds least to the cost; -1 if no host may take it.

    The hosts are looked at in turn, from the one where the task runs now or from any. The first that adds nothing is
    taken, unless hosts have prices or it counts how full they are. In a large cluster the search ends after `ENOUGH`
    hosts if one may take it. Where hosts have prices, ties go to the fullest. With `by_ratio` an empty host counts not
    with its price but with its price for each unit of worth: large hosts are dear, and cheap for what they hold.
    """
    hosts, priced = model.hosts.capacity.shape[0], model.hosts.worth.shape[0] > 0
    shaped = model.shapes.imbalance_weight + model.shapes.stranded_weight + model.hosts.place_cost.shape[0] > 0
    chosen, least, now = -1, np.inf, model.tasks.now[t]
    start = now if now >= 0 else random_below(state, hosts)
    turn = random_below(state, hosts)
    for k in range(hosts):
        if k > ENOUGH and chosen >= 0:
            break
        h = start if k == 0 else (turn + k) % hosts
        if (k > 0 and blink > 0 and uniform(state) < blink) or not fits(model, state, h, t, -1):
            continue
        cost = float(cost_with(model, state, h, t, -1) - state.host_cost[h] + move_cost(model, t, h))
        if priced:
            cost += _added_cost(model, state, h, t, by_ratio)
        if cost < least and _is_allowed(model, state, t, h):
            chosen, least = h, cost
            if cost <= 0 and not priced and not shaped:
                break
    return chosen


@inner
def _is_allowed(model, state, t, h):
    """Whether task t, which is out, breaks no rule of one domain on host h."""
    if model.rules.rules_from[t] == model.rules.rules_from[t + 1]:
        return True
    put(model, state, t, h)
    allowed = may_enter(model, state, t, h)
    take(model, state, t)
    return allowed


@inner
def _added_cost(model, state, h, t, by_ratio):
    """What is added to the cost of task t on host h so that the search fills hosts; below 1 where one is in use."""
    worth, free, whole = model.hosts.worth, 0.0, 0.0
    for r in range(worth.shape[0]):
        free += worth[r] * (model.hosts.capacity[h, r] - state.use[h, r] - model.tasks.demand[t, r])
        whole += worth[r] * model.hosts.capacity[h, r]
    left = 0.5 * free / whole if whole > 0 else 0.0
    if by_ratio and state.on_host[h] == 0 and whole > 0:
        left += model.hosts.price[h] * (1.0 / whole - 1.0)
    return left


@inner
def _add(state, removed, count, t):
    """Add task t to those that are to be taken out, unless it is one of them."""
    for k in range(count):
        if removed.task[k] == t:
            return count
    removed.task[count] = t
    removed.source[count] = state.host[t]
    return count + 1


@inner
def _choose(model, state, removed, most):
    """Choose up to `most` tasks to take out; how many they are."""
    kind = uniform(state)
    seed = draw_task(model, state)
    count = _add(state, removed, 0, seed)
    if kind < FROM_HOSTS:
        count = _some_of_host(model, state, removed, count, state.host[seed], most)
        count = _some_of_host(model, state, removed, count, state.host[draw_task(model, state)], most)
    elif kind < FROM_COUNTER:
        count = _some_of_counter(model, state, removed, count, seed, most)
    while count < most and uniform(state) < 0.8:
        before = count
        count = _add(state, removed, count, draw_task(model, state))
        if count == before or kind < FROM_COUNTER:
            break
    return count


@inner
def _some_of_host(model, state, removed, count, h, most):
    """Add about half of the tasks of host h."""
    for _ in range(state.on_host[h]):
        t = state.first[h]
        state.first[h] = state.next[t]
        if count < most and uniform(state) < 0.5 and model.tasks.is_movable[t]:
            count = _add(state, removed, count, t)
    return count


@inner
def _some_of_counter(model, state, removed, count, seed, most):
    """Add the tasks of one of the counters of the task `seed`."""
    rules = model.rules
    counters = rules.counters_from[seed + 1] - rules.counters_from[seed]
    if counters > 0:
        counter = rules.counters[rules.counters_from[seed] + random_below(state, counters)]
        for k in range(rules.members_from[counter], rules.members_from[counter + 1]):
            if count < most and model.tasks.is_movable[rules.members[k]]:
                count = _add(state, removed, count, rules.members[k])
    return count


@inner
def _make_room(model, state, removed, most):
    """Take a task out, and off another host as many as it needs there; put it there. How many are out with it, or 0.

    The other host is any, or the one where the task runs now. Mostly it may come to cost no more than before.
    """
    t, h = draw_task(model, state), random_below(state, model.hosts.capacity.shape[0])
    if model.tasks.now[t] >= 0 and uniform(state) < 0.5:
        h = model.tasks.now[t]
    most_cost = state.host_cost[h] if uniform(state) < 0.7 else np.iinfo(np.int64).max
    if state.host[t] == h or not model.hosts.allowed[model.tasks.allowed[t], h]:
        return 0
    count = _add(state, removed, 0, t)
    take(model, state, t)
    for _ in range(state.on_host[h]):
        if count == most or (fits(model, state, h, t, -1) and cost_with(model, state, h, t, -1) <= most_cost):
            break
        other = state.first[h]
        state.first[h] = state.next[other]
        if model.tasks.is_movable[other]:
            count = _add(state, removed, count, other)
            take(model, state, other)
    if fits(model, state, h, t, -1) and _is_allowed(model, state, t, h):
        put(model, state, t, h)
    return count


@inner
def _order(model, state, removed, first, count):
    """Sort the tasks that are out, from number `first` on: by size, the largest first, or at random."""
    by_size = uniform(state) < 0.7
    for k in range(first, count):
        removed.key[k] = uniform(state)
        if by_size:
            removed.key[k] = -model.tasks.size[removed.task[k]] * (0.7 + 0.6 * removed.key[k])
    for k in range(first + 1, count):
        key, task, source = removed.key[k], removed.task[k], removed.source[k]
        at = k
        while at > first and removed.key[at - 1] > key:
            removed.key[at], removed.task[at] = removed.key[at - 1], removed.task[at - 1]
            removed.source[at] = removed.source[at - 1]
            at -= 1
        removed.key[at], removed.task[at], removed.source[at] = key, task, source


@inner
def _put_back(model, state, removed, first, count, blink):
    """Put the tasks from number `first` on back on their cheapest hosts in turn; up to which number they have one."""
    by_ratio = model.hosts.worth.shape[0] > 0 and uniform(state) < 0.5
    for k in range(first, count):
        h = cheapest_host(model, state, removed.task[k], blink, by_ratio)
        if h < 0:
            return k
        put(model, state, removed.task[k], h)
    return count


@inner
def _rules_hold(model, state, removed, count):
    for k in range(count):
        t = removed.task[k]
        if not rules_hold_at(model, state, t, state.host[t]) or not rules_hold_at(model, state, t, removed.source[k]):
            return False
    return True


@cached_njit(nogil=True, error_model="numpy")
def reinsert(model, state, removed, temperature, steps):
    """Draw `steps` sets of tasks, put each back, and keep what the temperature, in units of cost, allows; how many."""
    done, most = 0, removed.task.shape[0]
    if model.tasks.movable.shape[0] == 0:
        return done
    for _ in range(steps):
        threshold = int(-temperature * math.log(1.0 - uniform(state)))
        before = state.totals[TOTAL]
        size, first = 2 + random_below(state, most - 1), 0
        if uniform(state) < MAKE_ROOM:
            count = _make_room(model, state, removed, size)
            first = 1 if count > 0 and state.host[removed.task[0]] >= 0 else 0
        else:
            count = _choose(model, state, removed, size)
            for k in range(count):
                take(model, state, removed.task[k])
        _order(model, state, removed, first, count)
        placed = _put_back(model, state, removed, first, count, BLINK)
        if placed == count and state.totals[TOTAL] - before <= threshold and _rules_hold(model, state, removed, count):
            done += 1
            remember_if_best(state)
            continue
        for k in range(placed):
            take(model, state, removed.task[k])
        for k in range(count):
            put(model, state, removed.task[k], removed.source[k])
    return done


@cached_njit(nogil=True, error_model="numpy")
def place_in_turn(model, state, task, blink):
    """Put tasks, int64[N], on their cheapest hosts in turn; those that fit nowhere stay out. How many have a host."""
    placed = 0
    for k in range(task.shape[0]):
        h = cheapest_host(model, state, task[k], blink, model.hosts.worth.shape[0] > 0)
        if h >= 0:
            put(model, state, task[k], h)
            placed += 1
    return placed


@cached_njit(nogil=True, error_model="numpy")
def take_out(model, state, task):
    """Take tasks, int64[N], off their hosts, as far as they have one."""
    for k in range(task.shape[0]):
        if state.host[task[k]] >= 0:
            take(model, state, task[k])
