"""Placements on single cards: gives each placed task its cards, and places those that are left over (rule K22)."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Ints, Longs, frozen_bools, frozen_floats, frozen_ints, frozen_longs
from loadmaster.model.units import GPUS
from loadmaster.packing.bound import once
from loadmaster.packing.cards import Cards
from loadmaster.packing.cards_kernel import CardRequests, OpenTasks, place_left_over, settle_on_cards
from loadmaster.packing.instance import TOLERANCE, Instance
from loadmaster.packing.level import host_use
from loadmaster.packing.packing import Attempt

BEST_FIT = "best-fit"
"""The name of best fit beside the packer that placed nothing."""
MOST_CELLS = 2_000_000_000
"""Tasks x hosts up to which best fit is tried where a packer placed nothing: half a minute at most."""


class CardPlacement(NamedTuple):
    """Hosts and cards of all tasks.

    Attributes:
        host: int32[T], -1 for a task that is left over.
        taken: bool[T, C], the cards of its host that each task takes.
        moved: tasks that are on another host than was given.
    """

    host: Ints
    taken: Bools
    moved: int

    @property
    def placed(self) -> int:
        """Number of tasks with a host."""
        return int((self.host >= 0).sum())


def requests_of(cards: Cards | None, tasks: int, hosts: int) -> CardRequests:
    """What kernels see of `cards`; without cards no task requests one."""
    if cards is None:
        none = frozen_longs(np.zeros(tasks, np.int64))
        return CardRequests(
            none,
            frozen_floats(np.zeros(tasks)),
            none,
            frozen_bools(np.ones((1, 1), bool)),
            frozen_ints(np.zeros((hosts, 0), np.int32)),
        )
    return CardRequests(cards.wanted, cards.share, cards.accepts, cards.accepted, cards.kind)


def free_cards(instance: Instance) -> Floats:
    """float64[H, C]: what is free of each card of empty hosts; -1 where the host has fewer cards."""
    return np.zeros((instance.hosts, 0)) if instance.cards is None else instance.cards.free()


def on_cards(instance: Instance, host: Ints | None) -> CardPlacement:
    """The tasks on single cards: on the hosts given where their cards suffice, else on others, else on none.

    On a host whole cards go first, then the larger parts, each to the card with the least free amount that suffices.
    Tasks that lose their host are placed by best fit, the largest first; if some stay without a host, the smallest
    first, and both again without regard to fluid demands, if that places more.

    Args:
        instance: what is packed.
        host: int32[T], from a packer that takes the cards of a host as one amount, -1 for no host; None for none.
    """
    start = np.full(instance.tasks, -1, np.int32) if host is None else host
    size = instance.scaled.hard.max(axis=1, initial=0.0)
    placements = list[CardPlacement]()
    for fluid, sign in ((True, -1), (True, 1), (False, -1), (False, 1)):
        placements.append(_placed(instance, start, np.argsort(sign * size, kind="stable"), fluid=fluid))
        if placements[-1].placed == instance.tasks:
            break
    return max(placements, key=lambda each: each.placed)  # the first among equals


def placed_by_best_fit(instance: Instance, attempt: Attempt) -> Attempt:
    """An attempt that placed nothing, with hosts for the tasks that best fit can place; as it is where that takes long.

    Args:
        instance: what is packed.
        attempt: without a mapping.
    """
    if instance.tasks * instance.hosts > MOST_CELLS:
        return attempt
    placement = on_cards(instance, None)
    cards = None if instance.cards is None else placement.taken
    if placement.placed == instance.tasks:
        name = f"{attempt.solver}+{BEST_FIT}"
        return replace(
            attempt, host=placement.host, solver=name, cards=cards, status="ok", proven=False, unplaced=-1, reason=""
        )
    return replace(attempt, partial=placement.host, cards=cards)


def settled(instance: Instance, attempt: Attempt) -> Attempt:
    """An attempt that knows amounts alone, on the cards of an instance: tasks whose cards do not suffice are moved."""
    if instance.cards is None:
        return attempt
    given = attempt.partial if attempt.host is None else attempt.host
    placement = on_cards(instance, given)
    if placement.placed < instance.tasks:
        first = int(np.argmax(placement.host < 0))
        reason = attempt.reason or f"no host has cards for task {instance.task_name(first)} beside the others"
        return replace(
            attempt,
            host=None,
            partial=placement.host,
            cards=placement.taken,
            reason=reason,
            status="infeasible" if attempt.status == "ok" else attempt.status,
            proven=attempt.host is None and attempt.proven,
            unplaced=attempt.unplaced if attempt.unplaced >= 0 else first,
        )
    if attempt.host is not None and placement.moved == 0:
        return replace(attempt, cards=placement.taken)
    name = attempt.solver if attempt.host is not None else f"{attempt.solver}+{BEST_FIT}"
    return replace(
        attempt,
        host=placement.host,
        cards=placement.taken,
        solver=name,
        proven=False,
        status="ok",
        level=None,
        reason="",
        unplaced=-1,
    )


def _placed(instance: Instance, start: Ints, order: Longs, *, fluid: bool) -> CardPlacement:
    requests = requests_of(instance.cards, instance.tasks, instance.hosts)
    tasks = open_tasks(instance, start)
    if not fluid:
        tasks = tasks._replace(need=np.zeros(tasks.need.shape), load=np.zeros(tasks.load.shape))
    if instance.cards is not None:
        settle_on_cards(requests, tasks, _tightest_first(instance.cards))
    place_left_over(requests, tasks, order, TOLERANCE)
    moved = int(((start >= 0) & (tasks.host >= 0) & (tasks.host != start)).sum())
    return CardPlacement(tasks.host, tasks.taken, moved)


def open_tasks(instance: Instance, start: Ints, taken: Bools | None = None) -> OpenTasks:
    """The tasks on their hosts, and what is free.

    Args:
        instance: tasks and hosts.
        start: int32[T], the host of each task, -1 for none.
        taken: bool[T, C], the cards that each task takes; None if no task has cards yet.
    """
    scaled, cards = instance.scaled, free_cards(instance)
    there = start >= 0
    free = scaled.hard_room - host_use(scaled.hard[there], start[there], instance.hosts)
    load = host_use(scaled.need[there], start[there], instance.hosts)
    if taken is None:
        taken = np.zeros((instance.tasks, cards.shape[1]), bool)
    elif instance.cards is not None:
        np.subtract.at(cards, start[there], taken[there] * instance.cards.share[there, None])
    return OpenTasks(
        scaled.hard, scaled.need, free, load, scaled.room, scaled.hard_room, cards, start.copy(), taken.copy()
    )


def _tightest_first(cards: Cards) -> Longs:
    """int64[T]: tasks that accept the fewest kinds first, then those of the most cards, then of the largest share."""
    choice = cards.accepted.sum(axis=1)[cards.accepts]
    return np.lexsort((-cards.share, -cards.wanted, choice)).astype(np.int64)


@once
def card_relaxation(instance: Instance) -> Instance:
    """The instance for packers that know amounts alone: what cards demand of amounts stands in further columns.

    Each request of kinds is a resource of its own, of which a host has as many as it has cards of these kinds. A task
    of more than half a card takes a whole one of a resource that counts cards, a task of half a card takes half of it.
    Every placement on cards keeps these amounts, so that what is proven of the relaxation holds for cards.
    """
    cards = instance.cards
    if cards is None:
        return instance
    amount = cards.wanted * cards.share
    columns: list[tuple[str, Floats, Floats]] = []
    half = np.where(cards.share > 0.5, cards.wanted, np.where(cards.share == 0.5, 0.5, 0.0))
    there = cards.kind >= 0
    if ((cards.share > 0.5) & (cards.share < 1)).any():
        columns.append(("whole cards", half, there.sum(axis=1).astype(np.float64)))
    for row, text in enumerate(cards.requests):
        if cards.accepted[row].all():
            continue
        within = ~(cards.accepted & ~cards.accepted[row]).any(axis=1)  # requests that accept no other kind
        demand = np.where(within[cards.accepts], amount, 0.0)
        has = (there & cards.accepted[row][cards.kind]).sum(axis=1).astype(np.float64)
        columns.append((f"{GPUS} of {text}", demand, has))
    if not columns:
        return replace(instance, cards=None)
    names, demands, capacities = zip(*columns, strict=True)
    return replace(
        instance,
        cards=None,
        rigid=np.hstack((instance.rigid, np.column_stack(demands))),
        rigid_capacity=np.hstack((instance.rigid_capacity, np.column_stack(capacities))),
        rigid_names=(*instance.rigid_names, *names),
    )
