"""Packing on NUMA nodes: best fit in several orders, then in orders drawn at random until the time is up (rule K24)."""

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Ints, Longs
from loadmaster.packing.cheapest_hosts import all_rigid, cost_of, simple_bound
from loadmaster.packing.deadline import NO_DEADLINE, Deadline
from loadmaster.packing.incumbent import Incumbent
from loadmaster.packing.instance import Instance
from loadmaster.packing.numa_nodes import NumaNodes, broken_nodes
from loadmaster.packing.packing import Attempt, Packing
from loadmaster.packing.pattern_problem import in_full
from loadmaster.packing.solve import PackOptions, finish
from loadmaster.system.interrupt import Interrupt

NAME = "numa-best-fit"
UNUSED = 1e6
"""A host without a task counts as having so much more room, so that it comes last."""
SPREAD = 0.3
"""An order at random multiplies each size by up to so much more or less."""


class NodePlacement(NamedTuple):
    """int32[T] hosts, -1 for none; bool[T, N] the nodes that each task takes; float64[H, N, R] what is free."""

    host: Ints
    taken: Bools
    free: Floats


def pack_on_numa_nodes(
    instance: Instance, numa: NumaNodes, options: PackOptions = PackOptions(), tries: int | None = None
) -> Packing:
    """The placement of all tasks on the fewest hosts found; where not all fit, of the most tasks.

    Args:
        instance: tasks and hosts; each demand is met in full.
        numa: the nodes, and what tasks request of them.
        options: time limit, seed and report.
        tries: so many orders instead of the time limit.

    Example:
        >>> three = Instance.of(hosts=3, cpu=[0.5, 0.4, 0.6], memory=[0.1, 0.1, 0.1])
        >>> packing = pack_on_numa_nodes(three, NumaNodes.of(three, [1, 1, 2], 2))
        >>> packing.host.tolist(), packing.cost, packing.cost_bound
        ([1, 1, 0], 2.0, 2.0)
    """
    began = time.perf_counter()
    with Interrupt() as interrupt:
        deadline = Deadline.after(options.time_limit_s, interrupt)
        bound = fewest_hosts(instance, numa)
        best, tried = best_fit(numa, largest_first(numa)), 1
        assert best is not None
        for order in _orders(numa, options.seed):
            options.report(Incumbent("hosts", _hosts_in_use(best), bound))
            if (_complete(best) and _hosts_in_use(best) <= bound) or deadline.passed() or tried == tries:
                break
            made = best_fit(numa, order, deadline)
            if made is None:
                break
            best, tried = max(best, made, key=_merit), tried + 1
    assert not broken_nodes(numa, best.host, best.taken)
    packing = _packing(instance, numa, best, (bound, tried, interrupt.asked))
    return replace(packing, seconds=time.perf_counter() - began)


def best_fit(numa: NumaNodes, order: Longs, deadline: Deadline = NO_DEADLINE) -> NodePlacement | None:
    """Each task on the host with the least room left, of those in use if one can take it; on its fullest nodes.

    None if the time was up before the last task.

    Args:
        numa: the nodes, and what tasks request of them.
        order: int64[T], the tasks in turn.
        deadline: when to stop.
    """
    free, tasks = numa.all_free(), len(numa.parts)
    host, taken = np.full(tasks, -1, np.int32), np.zeros((tasks, numa.nodes), bool)
    scale, slack = numa.mean_node, numa.slack
    room = np.ascontiguousarray(np.moveaxis(free + slack, 2, 0))  # float64[R, H, N], as a step through it is quick
    left = (free / scale).sum(axis=(1, 2)) + UNUSED
    for task in order.tolist():
        if deadline.passed():
            return None
        fits = np.logical_and.reduce([have >= ask for have, ask in zip(room, numa.demand[task], strict=True)])
        chosen = int(np.argmin(np.where(fits.sum(axis=1) >= numa.parts[task], left, np.inf)))
        if fits[chosen].sum() < numa.parts[task]:
            continue
        nodes = numa.fullest(free[chosen], fits[chosen], task)
        free[chosen, nodes] -= numa.demand[task]
        room[:, chosen] = (free[chosen] + slack).T
        host[task], taken[task, nodes], left[chosen] = chosen, True, (free[chosen] / scale).sum()
    return NodePlacement(host, taken, free)


def largest_first(numa: NumaNodes) -> Longs:
    """int64[T]: tasks of several nodes first, then the larger part of a node."""
    return np.lexsort((-_size(numa), -numa.parts)).astype(np.int64)


def fewest_hosts(instance: Instance, numa: NumaNodes) -> float:
    """No placement of all tasks uses fewer hosts: all demands together, and tasks that fill more than half a node."""
    return max(simple_bound(in_full(all_rigid(instance), np.ones(instance.hosts))), numa.fewest_hosts())


def _orders(numa: NumaNodes, seed: int) -> Iterator[Longs]:
    """By size alone, as listed, then the usual order with sizes drawn anew."""
    size, rng = _size(numa), np.random.default_rng(seed)
    yield np.argsort(-size * numa.parts, kind="stable").astype(np.int64)
    yield np.arange(len(size))
    while True:
        drawn = size * rng.uniform(1 - SPREAD, 1 + SPREAD, len(size))
        yield np.lexsort((-drawn, -numa.parts if rng.random() < 0.5 else -drawn * numa.parts)).astype(np.int64)


def _size(numa: NumaNodes) -> Floats:
    size: Floats = (numa.demand / numa.mean_node).max(axis=1, initial=0.0)
    return size


def _complete(placement: NodePlacement) -> bool:
    return bool((placement.host >= 0).all())


def _hosts_in_use(placement: NodePlacement) -> float:
    return float(len(np.unique(placement.host[placement.host >= 0])))


def _merit(placement: NodePlacement) -> tuple[int, float]:
    """More tasks with a host are better, then fewer hosts."""
    return int((placement.host >= 0).sum()), -_hosts_in_use(placement)


def _packing(instance: Instance, numa: NumaNodes, best: NodePlacement, effort: tuple[float, int, bool]) -> Packing:
    bound, tried, interrupted = effort
    if not _complete(best):
        task = int(np.argmax(best.host < 0))
        reasons = (numa.why_not(best.free, task, h) for h in range(numa.hosts))
        reason = next((each for each in reasons if each is not None), "")
        never = bound > numa.hosts or not numa.may_take(numa.all_free(), task).any()
        attempt = Attempt(
            None, "infeasible", NAME, proven=never, unplaced=task, reason=reason, effort=tried, partial=best.host
        )
    else:
        attempt = Attempt(best.host, "ok", NAME, effort=tried)
    found = finish(instance, replace(attempt, interrupted=interrupted))
    packing = replace(found, minimise="hosts", numa=best.taken, numa_parts=numa.parts)
    if not packing.placed:
        return packing
    cost = cost_of(np.ones(instance.hosts), packing.host)
    return replace(packing, cost=cost, cost_bound=min(bound, cost), proven=cost <= bound)
