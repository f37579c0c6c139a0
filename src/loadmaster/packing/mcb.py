"""MCB1 to MCB8: multi-capacity bin packing inside a bisection on the level (Casanova et al. 2008, section 3.4)."""

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.packing.bound import hopeless, upper_bound
from loadmaster.packing.first_fit_kernel import LEVELS, WIDTH
from loadmaster.packing.instance import TOLERANCE, Instance
from loadmaster.packing.level import level_of
from loadmaster.packing.mcb_kernel import McbProblem, McbWork, probe, search
from loadmaster.packing.packing import Attempt
from loadmaster.packing.switches import DEFAULT, McbSwitches


def mcb(instance: Instance, key: int = 8, switches: McbSwitches = DEFAULT) -> Attempt:
    """Pack by MCB`key`: tasks parted into lists by their larger demand, each host filled against its imbalance.

    The level is that of the mapping found and not of the probe that found it, unless `switches.report` says so.

    With more than two resources the lists are those of Permutation Pack with a window of two (Leinberger et al.
    1999): by the largest and the second largest demand. Unequal hosts are filled from the smallest to the largest.

    Args:
        instance: what to pack.
        key: 1..8; 8 is the paper's best, the larger demand in descending order.
        switches: how to search.
    """
    name = f"mcb{key}"
    lost = hopeless(instance)
    if lost is not None:
        return Attempt(None, "infeasible", name, 0.0, True, lost[0], lost[1])
    order = filling_order(instance)
    problem = problem_of(instance, key, order)
    work = work_for(problem)
    high = upper_bound(instance)
    best = np.empty(instance.tasks, np.int64)
    level, probes = search(problem, work, high, switches.threshold, switches.probe_high, best)
    mapping: Longs | None = order[best] if level >= 0 else None
    if switches.grid and level < high:
        found, more = _scan(instance, problem, work, (max(level, 0.0), high), switches.grid, order, mapping)
        probes += more
        if found is not None:
            mapping, level = found
    if mapping is None:
        reason = f"{name} found no mapping in {probes} probes; another method may"
        return Attempt(None, "infeasible", name, reason=reason, effort=probes)
    reported = level if switches.report == "probe" else None
    return Attempt(mapping.astype(np.int32), "ok", name, effort=probes, level=reported)


def reaches(instance: Instance, level: float, key: int = 8) -> bool:
    """Whether one try at `level` finds a mapping; far less work than `mcb`, which may still find one if not."""
    if hopeless(instance) is not None:
        return False
    problem = problem_of(instance, key, filling_order(instance))
    return bool(probe(problem, work_for(problem), level) == instance.tasks)


def filling_order(instance: Instance) -> Longs:
    """int64[H]: hosts from the smallest to the largest sum of relative capacities, by index among equals."""
    scaled = instance.scaled
    return np.argsort(scaled.room.sum(axis=1) + scaled.hard_room.sum(axis=1), kind="stable").astype(np.int64)


def problem_of(instance: Instance, key: int, order: Longs) -> McbProblem:
    """The kernel's view: fluid resources first, then the rigid ones."""
    scaled = instance.scaled
    fluid = scaled.need.shape[1]
    floor = np.hstack((scaled.need * 0.0, scaled.hard[:, : scaled.fixed]))
    if instance.guaranteed:
        floor[:, :fluid] = scaled.hard[:, scaled.fixed :]
    slope = np.hstack((scaled.need, np.zeros((instance.tasks, scaled.fixed))))
    room = np.ascontiguousarray(np.hstack((scaled.room, scaled.hard_room[:, : scaled.fixed]))[order])
    dims = floor.shape[1]
    once = not instance.guaranteed and (key in (4, 8) or (key in (3, 7) and dims == 2))
    rows = _orders(floor + slope, key) if once and dims > 1 else np.arange(instance.tasks)[None, :]
    return McbProblem(floor[rows], slope[rows], rows, room, key, TOLERANCE)


def work_for(problem: McbProblem) -> McbWork:
    """Scratch for the probes of `problem`.

    Row r is dealt to a leaf that is at most the r-th of its list, so `capacity` is more than the number of tasks. The
    levels above the leaves have an eighth of the nodes below them, and less than `WIDTH` more to make whole blocks.
    """
    tasks, dims = problem.task.shape[1], problem.room.shape[1]
    kinds = dims * dims
    capacity = (tasks // WIDTH + 1) * WIDTH
    above = tasks // (WIDTH - 1) + kinds * WIDTH * LEVELS
    per_list = np.empty((3, kinds), np.int64)
    free, gone, missing, coming = np.empty((4, dims))
    return McbWork(
        capacity,
        np.empty((kinds * capacity + above, dims)),
        np.empty(kinds * capacity, np.int64),
        np.empty((kinds, LEVELS), np.int64),
        per_list[0],
        per_list[1],
        np.empty(kinds, np.bool_),
        per_list[2],
        free,
        gone,
        missing,
        coming,
        np.arange(dims),
        np.empty(tasks, np.int64),
    )


def _orders(demand: Floats, key: int) -> Longs:
    """int64[D, T]: the order within a list led by resource d; it is the same at every level."""
    sign = 1.0 if key <= 4 else -1.0
    dims = demand.shape[1]
    values = []
    for d in range(dims):
        value = demand[:, d]
        if key in (3, 7):
            with np.errstate(divide="ignore", invalid="ignore"):
                value = np.where(demand[:, 1 - d] > 0, value / demand[:, 1 - d], np.inf)
        values.append(np.argsort(sign * value, kind="stable"))
    return np.ascontiguousarray(values, dtype=np.int64)


def _scan(
    instance: Instance,
    problem: McbProblem,
    work: McbWork,
    between: tuple[float, float],
    grid: int,
    order: Longs,
    mapping: Longs | None,
) -> tuple[tuple[Longs, float] | None, int]:
    """A better mapping from a level above the bisection's result, with that level; and the number of probes."""
    best = level_of(instance, mapping) if mapping is not None else -1.0
    low, high = between
    for step in range(grid, 0, -1):
        level = low + (high - low) * step / (grid + 1)
        if level <= best:
            return None, grid - step
        if probe(problem, work, level) == instance.tasks:
            found: Longs = order[work.host]
            if level_of(instance, found) > best:
                return (found, level), grid - step + 1
    return None, grid
