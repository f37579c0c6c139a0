"""Placement policies used as packers: task after task, the lowest rated host that fits."""

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.model.errors import InputError
from loadmaster.pack.bound import hopeless, upper_bound
from loadmaster.pack.greedy import largest_first
from loadmaster.pack.instance import TOLERANCE, Instance
from loadmaster.pack.level import level_of
from loadmaster.pack.packing import Attempt
from loadmaster.place import Context, Policy


def by_score(instance: Instance, policy: Policy, seed: int = 0, level: float = 0.0) -> Attempt:
    """Place tasks, the largest rigid demand first, each on the host that `policy` rates lowest.

    The policy sees fluid resources first, then rigid ones. Fluid demands may be overdrawn, so a host that has less
    than nothing left of one counts as having nothing. A policy that packs tightly therefore overloads hosts unless
    `level` asks that each task can have that yield; `pack` bisects for the highest level that works.

    Args:
        instance: what to pack.
        policy: any placement policy.
        seed: for policies that draw.
        level: the yield that must fit; at 0 only rigid demands bind.

    Raises:
        InputError: the policy fails, or rates a host with something that is not a finite number.
    """
    lost = hopeless(instance)
    if lost is not None:
        return Attempt(None, "infeasible", policy.name, 0.0, True, lost[0], lost[1])
    scaled = instance.scaled
    fluid = scaled.need * level
    if instance.guaranteed:
        fluid = np.maximum(fluid, scaled.hard[:, scaled.fixed :])
    demand = np.hstack((fluid if level > 0 or instance.guaranteed else scaled.need, scaled.hard[:, : scaled.fixed]))
    binding = np.hstack((fluid, scaled.hard[:, : scaled.fixed]))
    capacity = np.hstack((scaled.room, scaled.hard_room[:, : scaled.fixed]))
    for given in (demand, capacity):
        given.setflags(write=False)
    free, host, last = capacity.copy(), np.full(instance.tasks, -1, np.int32), -1
    for placed, task in enumerate(largest_first(instance)):
        able = np.flatnonzero(((binding[task] <= 0) | (free + TOLERANCE >= binding[task])).all(axis=1))
        if able.size == 0:
            label = instance.task_name(int(task))
            reason = f"no host has room for task {label} after {placed} others"
            return Attempt(None, "infeasible", policy.name, unplaced=int(task), reason=reason)
        rated = []
        for h in able:
            context = Context(int(h), instance.hosts, last, int(task), seed)
            rated.append(_rate(policy, demand[task], np.maximum(free[h], 0.0), capacity[h], context))
        last = int(able[int(np.argmin(rated))])
        host[task] = last
        free[last] -= demand[task]
    return Attempt(host, "ok", policy.name)


def _rate(policy: Policy, demand: Floats, free: Floats, capacity: Floats, context: Context) -> float:
    try:
        with np.errstate(all="ignore"):
            score = policy.rate(demand, free, capacity, context)
    except Exception as error:  # a user's function may fail in any way
        raise InputError(policy.name, f"this policy fails: {type(error).__name__}: {error}") from error
    if not np.isfinite(score):
        raise InputError(policy.name, "a score must be a finite number", fix="check its formula for 0/0 or infinity")
    return score


def best_by_score(instance: Instance, policy: Policy, seed: int = 0, threshold: float = 1e-2) -> Attempt:
    """`by_score` at the highest level that a bisection down to `threshold` finds."""
    best = by_score(instance, policy, seed)
    low, high = 0.0, upper_bound(instance)
    level = high
    while best.host is None or high - low > threshold:
        found = by_score(instance, policy, seed, level)
        if found.host is not None:
            best, low = _higher(instance, best, found), level
            if level == high:
                break
        else:
            high = level
        if high - low <= threshold:
            break
        level = (low + high) / 2
    return best


def _higher(instance: Instance, one: Attempt, other: Attempt) -> Attempt:
    if one.host is None or other.host is None:
        return other if one.host is None else one
    return other if level_of(instance, other.host) >= level_of(instance, one.host) else one
