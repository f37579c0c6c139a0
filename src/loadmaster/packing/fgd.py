"""FGD: shared GPUs by least fragmentation, each task on cards of its own host (Weng et al., USENIX ATC 2023)."""

from dataclasses import replace

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.model.cards import whole_cards
from loadmaster.model.errors import InputError
from loadmaster.model.exact_amounts import exact_capacity, exact_demand
from loadmaster.model.units import CORES, GPUS
from loadmaster.packing.bound import hopeless
from loadmaster.packing.card_placement import card_relaxation
from loadmaster.packing.cards import cards_of
from loadmaster.packing.fgd_kernel import CardProblem, CardState, fragments, place_on_cards
from loadmaster.packing.instance import Instance
from loadmaster.packing.packing import Attempt

MOST_RATINGS = 100_000_000
"""Kinds of tasks times hosts of which ratings are remembered: some gigabytes."""


def fgd(instance: Instance) -> Attempt:
    """Place tasks as given, each on the host, and the card of it, whose fragmentation grows least (rule K18).

    A task that requests at most one GPU shares one card; one that requests more takes as many whole cards. Everything
    must fit in full, fluid resources too, so that every yield is 1. A task that fits nowhere is left over.

    Raises:
        InputError: GPUs are fluid or missing, a host has part of a GPU, or a task requests several and a part.
    """
    instance = with_cards(instance)
    problem = card_problem(instance)
    state = start(problem)
    host = np.full(instance.tasks, -1, np.int32)
    taken = np.zeros((instance.tasks, problem.cards.shape[1]), bool)
    placed = place_on_cards(problem, state, host, taken)
    notes = (_left_over(problem, state),)
    if placed < instance.tasks:
        return _failed(instance, problem, Attempt(None, "infeasible", "fgd", partial=host, cards=taken, notes=notes))
    return Attempt(host, "ok", "fgd", cards=taken, notes=notes)


def _failed(instance: Instance, problem: CardProblem, attempt: Attempt) -> Attempt:
    """Why the first task that is left over found no host: whether that proves anything, and what it lacks."""
    assert attempt.partial is not None
    lost = hopeless(card_relaxation(instance))
    if lost is not None:
        return replace(attempt, bound=0.0, proven=True, unplaced=lost[0], reason=lost[1])
    first = int(np.argmax(attempt.partial < 0))
    kind = problem.kind[first]
    asked = problem.share[kind] * problem.wanted[kind]
    what = f"room on its GPUs for {asked:.4g}, and all else," if asked else "all"
    before = int((attempt.partial[:first] >= 0).sum())
    reason = f"no host has {what} for task {instance.task_name(first)} after {before} others"
    return replace(attempt, unplaced=first, reason=reason)


def with_cards(instance: Instance) -> Instance:
    """The instance with cards of one kind, of its resource `gpus`; itself where it has cards.

    Raises:
        InputError: see `fgd`.
    """
    if instance.cards is not None:
        return instance
    if GPUS not in instance.rigid_names:
        fluid = GPUS in instance.fluid_names
        rule = "FGD gives cards, which are not scaled" if fluid else "FGD places on GPUs, and the hosts have none"
        fix = "leave it out of --fluid" if fluid else "give hosts with GPUs, such as 4x32c128g8gpu, or another method"
        raise InputError(GPUS, rule, fix=fix)
    column = instance.rigid_names.index(GPUS)
    there = whole_cards(instance.rigid_capacity[:, column], instance.host_names)
    hosts = [[((), int(count))] for count in there]
    return replace(instance, cards=cards_of(instance.rigid[:, column], hosts, names=instance.task_names))


def card_problem(instance: Instance) -> CardProblem:
    """The instance with cards: its kinds of tasks, by cores and GPUs, make up the target workload.

    Raises:
        InputError: see `fgd`.
    """
    cards = with_cards(instance).cards
    assert cards is not None
    column = instance.rigid_names.index(GPUS)
    names = [*instance.fluid_names, *(name for name in instance.rigid_names if name != GPUS)]
    demand = exact_demand(np.hstack((instance.fluid, np.delete(instance.rigid, column, axis=1))))
    capacity = np.hstack((instance.fluid_capacity, np.delete(instance.rigid_capacity, column, axis=1)))
    demand, capacity = _cores_first(names, demand), _cores_first(names, exact_capacity(capacity))
    kinds, kind, often = np.unique(
        np.column_stack((demand[:, 0], cards.wanted, cards.share, cards.accepts)),
        axis=0,
        return_inverse=True,
        return_counts=True,
    )
    if len(kinds) * instance.hosts > MOST_RATINGS:
        rule = f"FGD remembers at most {MOST_RATINGS:,} ratings"
        raise InputError(f"{len(kinds)} kinds of tasks x {instance.hosts} hosts", rule, fix="take another method")
    return CardProblem(
        kind.astype(np.int32).reshape(-1),
        np.ascontiguousarray(kinds[:, 0]),
        kinds[:, 1].astype(np.int64),
        np.ascontiguousarray(kinds[:, 2]),
        kinds[:, 3].astype(np.int64),
        often.astype(np.float64),
        demand,
        capacity,
        cards.free(),
        cards.kind,
        cards.accepted,
    )


def start(problem: CardProblem) -> CardState:
    """All hosts empty, and none rated yet."""
    hosts, kinds = len(problem.capacity), len(problem.weight)
    return CardState(
        problem.capacity.copy(),
        problem.cards.copy(),
        np.zeros(hosts, np.int32),
        np.full((kinds, hosts), -1, np.int32),
        np.zeros((kinds, hosts)),
        np.zeros((kinds, hosts), np.int32),
    )


def _cores_first(names: list[str], amounts: Floats) -> Floats:
    """The columns of `amounts` with that of cores in front; of zeros where there is none."""
    cores = amounts[:, [names.index(CORES)]] if CORES in names else np.zeros((len(amounts), 1))
    rest = [r for r, name in enumerate(names) if name != CORES]
    return np.ascontiguousarray(np.hstack((cores, amounts[:, rest])))


def _left_over(problem: CardProblem, state: CardState) -> str:
    free = float(np.maximum(state.cards, 0.0).sum())
    hosts = zip(state.free[:, 0], state.cards, strict=True)
    lost = sum(float(fragments(problem, host, cores, cards)) for host, (cores, cards) in enumerate(hosts))
    lost /= float(problem.weight.sum()) or 1.0
    return f"GPUs left free: {free:.2f}, of which {lost:.2f} are fragments that tasks such as these cannot use"
