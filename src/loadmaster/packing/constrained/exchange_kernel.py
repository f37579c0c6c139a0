"""Annealing over moves, swaps, chains and rings of tasks, compiled: each exchange is judged by a change of cost."""
# mypy: disable-error-code="no-untyped-def"

import math
from typing import NamedTuple

import numpy as np

from loadmaster.jit.kernels import cached_njit, inner
from loadmaster.model.arrays import Longs
from loadmaster.packing.constrained.layout import TOTAL
from loadmaster.packing.constrained.state_kernel import (
    cost_with,
    draw_task,
    fits,
    move_cost,
    put,
    random_below,
    remember_if_best,
    rules_hold_at,
    take,
    uniform,
)

LONGEST = 4
"""Tasks of an exchange at most."""
MOVE, HOME, SWAP = 0.35, 0.4, 0.85
"""Up to these parts of all draws: a move, a move back to where the task runs now, a swap; the rest chains and rings."""


class Path(NamedTuple):
    """An exchange: int64[LONGEST] each. Task k goes to the host of task k + 1, the last task to a goal."""

    task: Longs
    source: Longs
    target: Longs


@inner
def exchange(model, state, path, length, goal, threshold):
    """Carry out an exchange if it costs at most `threshold` and no rule is broken; the hosts of the path all differ.

    The first `length` entries of `path.task` are the tasks; the last goes to `goal`, perhaps the host of the first.
    """
    ring = goal == state.host[path.task[0]]
    for k in range(length):
        path.source[k] = state.host[path.task[k]]
        path.target[k] = goal if k == length - 1 else state.host[path.task[k + 1]]
    for k in range(length):
        leaves = -1
        if k < length - 1:
            leaves = path.task[k + 1]
        elif ring:
            leaves = path.task[0]
        if not fits(model, state, path.target[k], path.task[k], leaves):
            return False
    slack = threshold + model.costs.group_weight * length
    if _change(model, state, path, length, ring) > slack:
        return False
    before = state.totals[TOTAL]
    _carry_out(model, state, path.task, path.target, length)
    if state.totals[TOTAL] - before <= threshold and _rules_hold(model, state, path, length):
        return True
    _carry_out(model, state, path.task, path.source, length)
    return False


@inner
def _change(model, state, path, length, ring):
    """What the exchange adds to the cost, without the largest of groups."""
    change = 0
    for k in range(length):
        t, h = path.task[k], path.source[k]
        comes = -1
        if k > 0:
            comes = path.task[k - 1]
        elif ring:
            comes = path.task[length - 1]
        change += cost_with(model, state, h, comes, t) - state.host_cost[h]
        change += move_cost(model, t, path.target[k]) - move_cost(model, t, h)
    if not ring:
        goal = path.target[length - 1]
        change += cost_with(model, state, goal, path.task[length - 1], -1) - state.host_cost[goal]
    return change


@inner
def _carry_out(model, state, task, target, length):
    for k in range(length):
        take(model, state, task[k])
    for k in range(length):
        put(model, state, task[k], target[k])


@inner
def _rules_hold(model, state, path, length):
    for k in range(length):
        if not rules_hold_at(model, state, path.task[k], path.target[k]):
            return False
        if not rules_hold_at(model, state, path.task[k], path.source[k]):
            return False
    return True


@inner
def _draw(model, state, path):
    """Draw an exchange: its length, and its goal; length 0 if the draw is none."""
    hosts = model.hosts.capacity.shape[0]
    if model.tasks.movable.shape[0] == 0:
        return 0, -1
    kind = uniform(state)
    path.task[0] = draw_task(model, state)
    start = state.host[path.task[0]]
    if kind < MOVE:
        goal = random_below(state, hosts)
        return (1 if goal != start else 0), goal
    if kind < HOME:
        goal = model.tasks.now[path.task[0]]
        return (1 if goal >= 0 and goal != start else 0), goal
    path.task[1] = draw_task(model, state)
    middle = state.host[path.task[1]]
    if middle == start:
        return 0, -1
    if kind < SWAP:
        return 2, start
    goal = random_below(state, hosts)
    if goal in (middle, start):
        return 0, -1
    if uniform(state) < 0.5:
        return 2, goal
    if state.first[goal] < 0:
        return 0, -1
    path.task[2] = state.first[goal]
    state.first[goal] = state.next[path.task[2]]
    return 3, start


@cached_njit(nogil=True, error_model="numpy")
def anneal(model, state, path, temperature, steps):
    """Draw `steps` exchanges and carry out those that the temperature, in units of cost, allows; how many."""
    done = 0
    for _ in range(steps):
        length, goal = _draw(model, state, path)
        if length == 0:
            continue
        threshold = int(-temperature * math.log(1.0 - uniform(state)))
        if exchange(model, state, path, length, goal, threshold):
            done += 1
            remember_if_best(state)
    return done


@cached_njit(nogil=True, error_model="numpy")
def mean_rise(model, state, path, steps):
    """The mean change of cost of those of `steps` drawn exchanges that fit and cost more; 0 if there is none."""
    rise, count = 0.0, 0
    for _ in range(steps):
        length, goal = _draw(model, state, path)
        if length == 0:
            continue
        before = state.totals[TOTAL]
        if exchange(model, state, path, length, goal, np.int64(1) << 60):
            change = state.totals[TOTAL] - before
            _carry_out(model, state, path.task, path.source, length)
            if change > 0:
                rise += change
                count += 1
    return rise / count if count else 0.0


@cached_njit(nogil=True, error_model="numpy")
def try_moves(model, state, path, task, goal, done):
    """Try single moves in turn, whatever they cost: task[k] to goal[k], int64[N]; done, bool[N], which were made."""
    for k in range(task.shape[0]):
        path.task[0] = task[k]
        done[k] = goal[k] != state.host[task[k]] and exchange(model, state, path, 1, goal[k], np.int64(1) << 60)
