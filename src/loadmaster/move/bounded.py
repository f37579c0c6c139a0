"""A better mapping within a migration budget, for any size: evict, relabel, then moves and swaps."""

from collections.abc import Iterator

import numpy as np
from scipy.optimize import linear_sum_assignment

from loadmaster.model.arrays import Bools, Floats, Ints
from loadmaster.move.change import Change, State
from loadmaster.move.relieve import relieve
from loadmaster.pack.bound import upper_bound
from loadmaster.pack.instance import TOLERANCE
from loadmaster.pack.level import host_use, level_of
from loadmaster.pack.mcb import mcb, work_for
from loadmaster.pack.mcb_kernel import McbProblem, probe

SUBSETS_UP_TO = 12
MOST_BINS = 3000


def rebalance(state: State, budget: float, threshold: float = 1e-3) -> Change:
    """The best of several mappings that cost at most `budget`; never worse than doing nothing.

    Evict: bisect on the level; from every host that is too full at that level the cheapest set of tasks is evicted
    and packed, with the new ones, into what is left by MCB8. Relabel: pack everything anew, then give each bin to
    the host that already holds most of it. Both, and the present mapping, are then improved by moves and swaps
    within what is left of the budget.

    Source: ours; Casanova et al. 2008 leave heuristics for section 6.1 to future work.
    """
    found = [(name, host) for name, host in _starts(state, budget, threshold) if host is not None]
    best = Change("infeasible", state.host, float("nan"), 0.0, "rebalance")
    for name, start in found:
        if state.spent(start) > budget * (1 + 1e-12) + 1e-12 or np.isnan(level_of(state.instance, start)):
            continue
        host = relieve(state, start, budget)
        level = level_of(state.instance, host)
        spent = state.spent(host)
        better = np.isnan(best.level) or level > best.level + 1e-12
        if better or (level >= best.level - 1e-12 and spent < best.spent - 1e-12):
            best = Change("ok", host, level, spent, f"rebalance:{name}")
    return best


def _starts(state: State, budget: float, threshold: float) -> Iterator[tuple[str, Ints | None]]:
    yield "stay", state.host if (state.host >= 0).all() else None
    yield "evict", _evict(state, budget, threshold)
    yield "relabel", _relabel(state)


def _evict(state: State, budget: float, threshold: float) -> Ints | None:
    """The mapping of the highest level whose evictions stay within the budget."""
    low, high = 0.0, upper_bound(state.instance)
    best = None
    for level in (high, 0.0):
        host = _evicted_at(state, level)
        if host is not None and state.spent(host) <= budget * (1 + 1e-12):
            best = host
            break
    if best is None or level > 0.0:
        return best
    while high - low > threshold:
        level = (low + high) / 2
        host = _evicted_at(state, level)
        if host is not None and state.spent(host) <= budget * (1 + 1e-12):
            best, low = host, level
        else:
            high = level
    return best


def _evicted_at(state: State, level: float) -> Ints | None:
    """Evict until every host can give `level`, pack the evicted and the new into what is left; None if it fails."""
    instance, scaled = state.instance, state.instance.scaled
    rigid = instance.rigid.shape[1]
    fluid = scaled.need * level
    if instance.guaranteed:
        fluid = np.maximum(fluid, scaled.hard[:, rigid:])
    demand = np.hstack((fluid, scaled.hard[:, :rigid]))
    room = np.hstack((scaled.room, scaled.hard_room[:, :rigid]))
    out = state.host < 0
    used = host_use(demand[~out], state.host[~out], instance.hosts)
    for h in np.flatnonzero((used > room + TOLERANCE).any(axis=1)):
        residents = np.flatnonzero(state.host == h)
        out[residents[_cheapest(demand[residents], state.cost[residents], room[h])]] = True
    free = room - host_use(demand[~out], state.host[~out], instance.hosts)
    if not out.any():
        return state.host
    moving = np.flatnonzero(out)
    dims = demand.shape[1]
    problem = McbProblem(
        demand[moving][None], np.zeros((1, len(moving), dims)), np.arange(len(moving))[None], np.maximum(free, 0.0), 8,
        TOLERANCE,
    )  # fmt: skip
    work = work_for(problem)
    if probe(problem, work, 1.0) < len(moving):
        return None
    host = state.host.copy()
    host[moving] = work.host
    return host


def _cheapest(demand: Floats, cost: Floats, room: Floats) -> Bools:
    """bool[n]: the cheapest tasks to evict so that the others fit; by trying all sets, or by greed if many."""
    count = len(cost)
    if count <= SUBSETS_UP_TO:
        sets = ((np.arange(2**count)[:, None] >> np.arange(count)) & 1).astype(bool)
        stays = (~sets) @ demand <= room + TOLERANCE
        price = np.where(stays.all(axis=1), sets @ cost, np.inf)
        return np.asarray(sets[int(np.argmin(price))])
    out = np.zeros(count, bool)
    while ((used := demand[~out].sum(axis=0)) > room + TOLERANCE).any():
        over = used > room + TOLERANCE
        gain = demand[:, over].max(axis=1) / (cost + 1e-12)
        gain[out] = -1.0
        out[int(np.argmax(gain))] = True
    return out


def _relabel(state: State) -> Ints | None:
    """MCB8 from scratch, its bins given to the hosts so that most memory stays (the assignment problem)."""
    instance = state.instance
    packed = mcb(instance).host
    if packed is None or instance.hosts > MOST_BINS:
        return None
    kept = np.zeros((instance.hosts, instance.hosts))
    old = state.host >= 0
    np.add.at(kept, (packed[old], state.host[old]), state.cost[old])
    scaled = instance.scaled
    if not instance.uniform:
        use = np.hstack((host_use(scaled.need, packed, instance.hosts), host_use(scaled.hard, packed, instance.hosts)))
        room = np.hstack((scaled.room, scaled.hard_room))
        level = level_of(instance, packed)
        use[:, : scaled.need.shape[1]] *= level
        allowed = (use[:, None, :] <= room[None, :, :] + TOLERANCE).all(axis=2)
        kept = np.where(allowed, kept, -1e18)
    _, name = linear_sum_assignment(kept, maximize=True)
    return np.asarray(name[packed], np.int32)
