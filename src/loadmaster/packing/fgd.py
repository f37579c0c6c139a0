"""FGD: shared GPUs by least fragmentation, each task on cards of its own host (Weng et al., USENIX ATC 2023)."""

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.errors import InputError
from loadmaster.model.exact import exact_capacity, exact_demand
from loadmaster.model.units import CORES, GPUS
from loadmaster.packing.bound import hopeless
from loadmaster.packing.fgd_kernel import CardProblem, CardState, fragments, place_on_cards
from loadmaster.packing.instance import Instance
from loadmaster.packing.packing import Attempt

MOST_RATINGS = 100_000_000
"""Kinds of tasks times hosts of which ratings are remembered: some gigabytes."""


def fgd(instance: Instance) -> Attempt:
    """Place tasks as given, each on the host, and the card of it, whose fragmentation grows least (rule K18).

    A task that asks for at most one GPU shares one card; one that asks for more takes as many whole cards. Everything
    must fit in full, fluid resources too, so that every yield is 1.

    Raises:
        InputError: GPUs are fluid or missing, a host has part of a GPU, or a task asks for several and a part.
    """
    problem = card_problem(instance)
    state = start(problem)
    host = np.full(instance.tasks, -1, np.int32)
    taken = np.zeros((instance.tasks, problem.cards.shape[1]), bool)
    placed = place_on_cards(problem, state, host, taken)
    if placed < instance.tasks:
        return _failed(instance, problem, placed)
    return Attempt(host, "ok", "fgd", cards=taken, notes=(_left(problem, state),))


def _failed(instance: Instance, problem: CardProblem, placed: int) -> Attempt:
    """Why the task after the first `placed` found no host: whether that proves anything, and what it lacks."""
    lost = hopeless(instance)
    if lost is not None:
        return Attempt(None, "infeasible", "fgd", 0.0, True, lost[0], lost[1], could_place=placed)
    kind = problem.kind[placed]
    asked = problem.share[kind] * problem.wanted[kind]
    what = f"room on its GPUs for {asked:.4g}, and all else," if asked else "all"
    reason = f"no host has {what} for task {instance.task_name(placed)} after {placed} others"
    return Attempt(None, "infeasible", "fgd", unplaced=placed, reason=reason, could_place=placed)


def card_problem(instance: Instance) -> CardProblem:
    """The instance with cards: its kinds of tasks, by cores and GPUs, make up the target workload.

    Raises:
        InputError: see `fgd`.
    """
    if GPUS not in instance.rigid_names:
        fluid = GPUS in instance.fluid_names
        rule = "FGD gives cards, which are not scaled" if fluid else "FGD places on GPUs, and the hosts have none"
        fix = "leave it out of --fluid" if fluid else "give hosts with GPUs, such as 4x32c128g8gpu, or another method"
        raise InputError(GPUS, rule, fix=fix)
    column = instance.rigid_names.index(GPUS)
    names = [*instance.fluid_names, *(name for name in instance.rigid_names if name != GPUS)]
    demand = exact_demand(np.hstack((instance.fluid, np.delete(instance.rigid, column, axis=1))))
    capacity = np.hstack((instance.fluid_capacity, np.delete(instance.rigid_capacity, column, axis=1)))
    demand, capacity = _cores_first(names, demand), _cores_first(names, exact_capacity(capacity))
    count, share = _cards_asked(instance, exact_demand(instance.rigid[:, [column]])[:, 0])
    kinds, kind, often = np.unique(
        np.column_stack((demand[:, 0], count, share)), axis=0, return_inverse=True, return_counts=True
    )  # fmt: skip
    if len(kinds) * instance.hosts > MOST_RATINGS:
        rule = f"FGD remembers at most {MOST_RATINGS:,} ratings"
        raise InputError(f"{len(kinds)} kinds of tasks x {instance.hosts} hosts", rule, fix="take another method")
    return CardProblem(
        kind.astype(np.int32).reshape(-1), np.ascontiguousarray(kinds[:, 0]), kinds[:, 1].astype(np.int64),
        np.ascontiguousarray(kinds[:, 2]), often.astype(np.float64), demand, capacity, _cards(instance, column),
    )  # fmt: skip


def start(problem: CardProblem) -> CardState:
    """All hosts empty, and none rated yet."""
    hosts, kinds = len(problem.capacity), len(problem.weight)
    return CardState(
        problem.capacity.copy(), problem.cards.copy(), np.zeros(hosts, np.int32), np.full((kinds, hosts), -1, np.int32),
        np.zeros((kinds, hosts)), np.zeros((kinds, hosts), np.int32),
    )  # fmt: skip


def _cores_first(names: list[str], amounts: Floats) -> Floats:
    """The columns of `amounts` with that of cores in front; of zeros where there is none."""
    cores = amounts[:, [names.index(CORES)]] if CORES in names else np.zeros((len(amounts), 1))
    rest = [r for r, name in enumerate(names) if name != CORES]
    return np.ascontiguousarray(np.hstack((cores, amounts[:, rest])))


def _cards_asked(instance: Instance, gpus: Floats) -> tuple[Longs, Floats]:
    """int64[T] cards, and float64[T], the share of each."""
    broken = (gpus > 1) & (gpus != np.floor(gpus))
    if broken.any():
        task = int(np.argmax(broken))
        rule = f"task {instance.task_name(task)} must ask for part of one GPU, or for whole ones"
        raise InputError(f"{gpus[task]:g} gpus", rule, fix="round it up, or take another method, which adds parts up")
    return np.ceil(gpus).astype(np.int64), np.minimum(gpus, 1.0)


def _cards(instance: Instance, column: int) -> Floats:
    """float64[H, K]: 1 for every card of every host, -1 where it has fewer."""
    gpus = instance.rigid_capacity[:, column]
    broken = gpus != np.floor(gpus)
    if broken.any():
        host = int(np.argmax(broken))
        rule = f"host {instance.host_name(host)} must have whole GPUs"
        raise InputError(f"{gpus[host]:g} gpus", rule)
    return np.where(np.arange(int(gpus.max(initial=0.0))) < gpus[:, None], 1.0, -1.0)


def _left(problem: CardProblem, state: CardState) -> str:
    free = float(np.maximum(state.cards, 0.0).sum())
    hosts = zip(state.free[:, 0], state.cards, strict=True)
    lost = sum(float(fragments(problem, cores, cards)) for cores, cards in hosts)
    lost /= float(problem.weight.sum()) or 1.0
    return f"GPUs left free: {free:.2f}, of which {lost:.2f} are fragments that tasks such as these cannot use"
