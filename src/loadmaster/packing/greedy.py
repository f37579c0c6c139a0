"""GR, SG, GB and SGB: the least loaded host that fits, sorted or not, with backtracking or not."""

import numpy as np

from loadmaster.model.arrays import Longs
from loadmaster.packing.bound import hopeless
from loadmaster.packing.greedy_kernel import GreedyProblem, place_greedily
from loadmaster.packing.instance import TOLERANCE, Instance
from loadmaster.packing.packing import Attempt
from loadmaster.packing.switches import ATTEMPTS, AttemptCounts


def greedy(instance: Instance) -> Attempt:
    """GR: tasks as given, each to the host with the smallest load whose memory fits (section 3.3)."""
    return place(instance, "gr", in_order(instance), False, ATTEMPTS)


def sorted_greedy(instance: Instance) -> Attempt:
    """SG: as GR, tasks with the largest rigid demand first."""
    return place(instance, "sg", largest_first(instance), False, ATTEMPTS)


def greedy_backtracking(
    instance: Instance, attempts: int = ATTEMPTS, attempt_counts: AttemptCounts = "examined"
) -> Attempt:
    """GB: as GR, going back to the task before when a task fits nowhere, for at most `attempts` attempts."""
    return place(instance, "gb", in_order(instance), True, attempts, attempt_counts)


def sorted_greedy_backtracking(
    instance: Instance, attempts: int = ATTEMPTS, attempt_counts: AttemptCounts = "examined"
) -> Attempt:
    """SGB: SG with the backtracking of GB."""
    return place(instance, "sgb", largest_first(instance), True, attempts, attempt_counts)


def in_order(instance: Instance) -> Longs:
    """int64[T]: tasks as given."""
    return np.arange(instance.tasks)


def largest_first(instance: Instance) -> Longs:
    """int64[T]: by the largest rigid demand relative to a host, descending; as given among equals."""
    hard = instance.scaled.hard
    return np.argsort(-hard.max(axis=1, initial=0.0), kind="stable")


def place(
    instance: Instance, name: str, order: Longs, backtrack: bool, limit: int, counts: AttemptCounts = "examined"
) -> Attempt:
    """Place the tasks in `order`, int64[T]; the methods above differ only in what they give here."""
    lost = hopeless(instance)
    if lost is not None:
        return Attempt(None, "infeasible", name, 0.0, True, lost[0], lost[1])
    scaled = instance.scaled
    with np.errstate(divide="ignore"):
        share = 1.0 / scaled.room
    problem = GreedyProblem(scaled.need, share, scaled.hard, scaled.hard_room, order, TOLERANCE, counts == "fitted")
    host = np.empty(instance.tasks, np.int32)
    deepest, attempts, done = place_greedily(problem, limit, backtrack, host)
    if done:
        return Attempt(host, "ok", name, effort=attempts)
    task = int(order[deepest])
    label = instance.task_name(task)
    if backtrack and attempts >= limit:
        reason = f"{limit} attempts did not place task {label}, the {deepest + 1}th in order"
        return Attempt(None, "limit", name, unplaced=task, reason=reason, effort=attempts)
    reason = f"no host has room for task {label}" + (
        "" if backtrack else f" after {deepest} others; another method may do it"
    )
    return Attempt(None, "infeasible", name, 0.0 if backtrack else None, backtrack, task, reason, attempts)
