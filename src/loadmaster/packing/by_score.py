"""Placement policies used as packers: task after task, the lowest rated host that fits."""
# mypy: disable-error-code="no-untyped-call"

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
from numba import types
from numba.core.errors import NumbaExperimentalFeatureWarning

from loadmaster.compiled_rules.policies import RATER, check_policy, never_remembered, rater, refusing
from loadmaster.jit.kernels import cached_njit
from loadmaster.model.arrays import Floats
from loadmaster.packing.bound import hopeless, upper_bound
from loadmaster.packing.by_score_kernel import NOT_FINITE, ScoreProblem, ScoreState, place_by_score
from loadmaster.packing.by_score_plain import place_by_score_plain
from loadmaster.packing.card_placement import card_relaxation, free_cards, requests_of
from loadmaster.packing.cards_kernel import CardRequests
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.greedy import largest_first
from loadmaster.packing.instance import TOLERANCE, Instance
from loadmaster.packing.level import level_of
from loadmaster.packing.packing import Attempt
from loadmaster.place import Policy
from loadmaster.place.policy import not_finite


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
        InputError: the policy is not sound (`check_policy`), fails, or rates a host with no finite number.
    """
    scaled = instance.scaled
    fluid = scaled.need * level
    if instance.guaranteed:
        fluid = np.maximum(fluid, scaled.hard[:, scaled.fixed :])
    demand = np.hstack((fluid if level > 0 or instance.guaranteed else scaled.need, scaled.hard[:, : scaled.fixed]))
    binding = np.hstack((fluid, scaled.hard[:, : scaled.fixed]))
    capacity = np.hstack((scaled.room, scaled.hard_room[:, : scaled.fixed]))
    check_policy(policy, demand, capacity, (*instance.fluid_names, *instance.rigid_names))
    problem = ScoreProblem(
        np.ascontiguousarray(demand),
        np.ascontiguousarray(binding),
        np.ascontiguousarray(capacity),
        largest_first(instance),
        TOLERANCE,
        requests_of(instance.cards, instance.tasks, instance.hosts),
    )
    state = empty_hosts(problem, free_cards(instance))
    placed = _place(problem, policy, seed, state)
    cards = None if instance.cards is None else state.taken
    if placed == instance.tasks:
        return Attempt(state.host, "ok", policy.name, cards=cards)
    return _left_over(instance, problem, Attempt(None, "infeasible", policy.name, partial=state.host, cards=cards))


def _left_over(instance: Instance, problem: ScoreProblem, attempt: Attempt) -> Attempt:
    """Why the first task that is left over found no host: whether that proves anything."""
    assert attempt.partial is not None
    lost = hopeless(card_relaxation(instance))
    if lost is not None:
        return replace(attempt, bound=0.0, proven=True, unplaced=lost[0], reason=lost[1])
    first = int(np.argmax(attempt.partial[problem.order] < 0))
    task = int(problem.order[first])
    reason = f"no host has room for task {instance.task_name(task)} after {first} others"
    return replace(attempt, unplaced=task, reason=reason)


def empty_hosts(problem: ScoreProblem, cards: Floats) -> ScoreState:
    """The state in which no task has a host.

    Args:
        problem: tasks and hosts.
        cards: float64[H, C], what is free of each card.
    """
    hosts, tasks = len(problem.capacity), len(problem.demand)
    return ScoreState(
        problem.capacity.copy(),
        problem.capacity.copy(),
        np.zeros(hosts, np.int32),
        np.zeros(hosts),
        cards.copy(),
        np.full(tasks, -1, np.int32),
        np.zeros((tasks, cards.shape[1]), bool),
    )


def _place(problem: ScoreProblem, policy: Policy, seed: int, state: ScoreState) -> int:
    """How many tasks found a host; compiled, save for a subclass, which only Python can ask."""
    if type(policy) is not Policy:
        return place_by_score_plain(problem, policy, seed, state)
    engine = _engine()
    with refusing(policy):
        placed = engine(problem, rater(policy, only_fitting=False), never_remembered(policy), seed, state)
    if placed == NOT_FINITE:
        raise not_finite(policy.name)
    return int(placed)


@cache
def _engine() -> Callable[..., int]:
    warnings.filterwarnings("ignore", category=NumbaExperimentalFeatureWarning)  # raters are first-class functions
    table, row = types.Array(types.float64, 2, "C"), types.Array(types.float64, 1, "C")
    numbers, order = types.Array(types.int32, 1, "C"), types.Array(types.int64, 1, "C")
    flags, kinds = types.Array(types.boolean, 2, "C"), types.Array(types.int32, 2, "C")
    given = [types.Array(array.dtype, array.ndim, "C", readonly=True) for array in (order, row, order, flags, kinds)]
    requests = types.NamedTuple(given, CardRequests)
    problem = types.NamedTuple((table, table, table, order, types.float64, requests), ScoreProblem)
    state = types.NamedTuple((table, table, numbers, row, table, numbers, flags), ScoreState)
    signature = types.int64(problem, types.FunctionType(RATER), types.boolean, types.int64, state)

    def entry(problem, rate, varies, seed, state):  # type: ignore[no-untyped-def]
        return place_by_score(problem, rate, varies, seed, state)

    engine: Callable[..., int] = cached_njit(signature, nogil=True, error_model="numpy")(entry)
    return engine


def prepare(policy: Policy) -> None:
    """Compile what packing by `policy` takes, if it is not yet.

    Raises:
        InputError: it cannot be compiled.
    """
    if type(policy) is Policy:
        _engine()
        rater(policy, only_fitting=False)


def best_by_score(
    instance: Instance, policy: Policy, seed: int = 0, threshold: float = 1e-2, deadline: Deadline | None = None
) -> Attempt:
    """`by_score` at the highest level that a bisection down to `threshold` finds before the deadline."""
    best = by_score(instance, policy, seed)
    low, high = 0.0, upper_bound(instance)
    level = high
    while best.host is None or high - low > threshold:
        if deadline is not None and deadline.passed():
            return replace(best, notes=(*best.notes, "the time was up before all levels were tried"))
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
