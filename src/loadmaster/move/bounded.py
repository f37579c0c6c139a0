"""A better mapping within a migration budget, for any size: evict, relabel, then moves and swaps."""

from collections.abc import Iterator

import numpy as np

from loadmaster.model.arrays import Bools, Ints
from loadmaster.move.change import Change, State, within
from loadmaster.move.evict import evict
from loadmaster.move.relabel import relabelled, relabelled_by_greed
from loadmaster.move.relieve import relieve
from loadmaster.packing.deadline import NO_DEADLINE, Deadline
from loadmaster.packing.instance import TOLERANCE
from loadmaster.packing.level import host_use, level_of
from loadmaster.packing.mcb import mcb

MOST_BINS = 3000
"""Hosts above which bins are named by greed: the best assignment takes the cube of their number."""


def rebalance(state: State, budget: float, threshold: float = 1e-3, deadline: Deadline = NO_DEADLINE) -> Change:
    """The best of several mappings that cost at most `budget`; never worse than doing nothing.

    Evict: bisect on the level; from every host that is too full at that level the cheapest set of tasks is evicted
    and packed, with the new ones, into what is left by MCB8. Relabel: pack everything anew, then give each bin to
    the host that already holds most of it. Both, and the present mapping, are then improved by moves and swaps
    within what is left of the budget.

    Source: ours; Casanova et al. 2008 leave heuristics for section 6.1 to future work.

    Args:
        state: tasks and where they run.
        budget: in the state's unit; infinite for no limit.
        threshold: of the bisection on the level.
        deadline: then the best so far.
    """
    best = Change("infeasible", state.host, float("nan"), 0.0, "rebalance")
    for name, start in _starts(state, budget, threshold, deadline):
        if start is None or not within(state.spent(start), budget) or np.isnan(level_of(state.instance, start)):
            continue
        host = relieve(state, start, budget, deadline)
        level = level_of(state.instance, host)
        spent = state.spent(host)
        better = np.isnan(best.level) or level > best.level + 1e-12
        if better or (level >= best.level - 1e-12 and spent < best.spent - 1e-12):
            best = Change("ok", host, level, spent, f"rebalance:{name}")
    return best


def _starts(state: State, budget: float, threshold: float, deadline: Deadline) -> Iterator[tuple[str, Ints | None]]:
    yield "stay", state.host if (state.host >= 0).all() else None
    if not deadline.passed():
        yield "evict", evict(state, budget, threshold, deadline)
    if not deadline.passed():
        yield "relabel", _relabel(state)


def _relabel(state: State) -> Ints | None:
    """MCB8 from scratch, its bins given to the hosts so that most memory stays."""
    instance, scaled = state.instance, state.instance.scaled
    packed = mcb(instance).host
    if packed is None:
        return None
    room = np.hstack((scaled.room, scaled.hard_room))
    if instance.hosts > MOST_BINS:
        kind = np.unique(room, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int32)
        return relabelled_by_greed(state.host, packed, state.cost, kind)
    fluid = host_use(scaled.need, packed, instance.hosts) * level_of(instance, packed)
    use = np.hstack((fluid, host_use(scaled.hard, packed, instance.hosts)))
    able: Bools = np.ones((instance.hosts, instance.hosts), bool)
    for d in range(use.shape[1]):
        able &= use[:, d, None] <= room[None, :, d] + TOLERANCE
    return relabelled(state.host, packed, state.cost, able)
