"""Carries moves out one by one and checks each against the definitions; shares no code with the search."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from loadmaster.model.arrays import Longs
from loadmaster.move.constrained.valid_moves import ValidMove
from loadmaster.packing.constrained.constraints import (
    Capacity,
    MaxSkew,
    OnNumaNodes,
    PlacementConstraint,
    concerned,
)
from loadmaster.packing.constrained.evaluate import broken_by
from loadmaster.packing.constrained.problem import ConstrainedProblem


def replay(problem: ConstrainedProblem, moves: Sequence[ValidMove], nodes: Sequence[tuple[int, ...]] = ()) -> None:
    """See that every move starts where its task is, finds room while the task holds its old host, and breaks nothing.

    A constraint that is broken before may stay broken, at no more places.

    Args:
        problem: hosts, tasks and constraints.
        moves: in order.
        nodes: the NUMA nodes that the task of each move takes; () where hosts are not divided.

    Raises:
        AssertionError: a move does not; a fault of ours.
    """
    at = problem.now.copy()
    free = problem.capacity.copy()
    for running in np.flatnonzero(at >= 0).tolist():
        free[at[running]] -= problem.demand[running]
    bound = any(isinstance(constraint, Capacity) for constraint in problem.constraints)
    rest = [each for each in problem.constraints if not isinstance(each, Capacity | OnNumaNodes)]
    tasks_of = [set(np.asarray(concerned(constraint)).tolist()) for constraint in rest]
    before = [_violations(constraint, problem, at) for constraint in rest]
    for step, (task, source, target) in enumerate(moves, start=1):
        name = f"step {step}, {problem.task_names[task]} to {problem.host_names[target]}"
        if at[task] != source or source == target:
            raise AssertionError(f"{name}: the task is not on the host that it leaves")
        if bound and (problem.demand[task] > free[target]).any():
            raise AssertionError(f"{name}: the host has no room while the task holds its old place")
        free[target] -= problem.demand[task]
        if source >= 0:
            free[source] += problem.demand[task]
        at[task] = target
        for number, constraint in enumerate(rest):
            if task not in tasks_of[number]:
                continue
            broken = _violations(constraint, problem, at)
            more = broken - before[number]
            if more and broken.total() > before[number].total():
                raise AssertionError(f"{name}: {next(iter(more))}")
            before[number] = broken
    for divided in problem.constraints:
        if isinstance(divided, OnNumaNodes):
            _replay_nodes(divided, problem, moves, nodes)


def _replay_nodes(
    constraint: OnNumaNodes, problem: ConstrainedProblem, moves: Sequence[ValidMove], nodes: Sequence[tuple[int, ...]]
) -> None:
    """See that each task takes as many nodes as it needs, and that each of them has room for its part."""
    numa, holds = constraint.numa, dict[tuple[int, int], set[int]]()
    for task, host in enumerate(problem.now.tolist()):
        for node in np.flatnonzero(constraint.held[task]).tolist() if host >= 0 else ():
            holds.setdefault((host, node), set()).add(task)
    for step, ((task, source, target), taken) in enumerate(zip(moves, nodes, strict=True), start=1):
        name = f"step {step}, {problem.task_names[task]} to {problem.host_names[target]}"
        if len(set(taken)) != numa.parts[task] or not set(taken) <= set(range(numa.nodes)):
            raise AssertionError(f"{name}: NUMA nodes {taken} are not {numa.parts[task]} of {numa.nodes}")
        for node in taken:
            there = holds.setdefault((target, node), set())
            use = numa.demand[task] + sum(numa.demand[other] for other in there)
            if (use > numa.capacity[target] + 1.001 * numa.slack).any():
                raise AssertionError(f"{name}: NUMA node {node} has no room")
        for node in range(numa.nodes):
            holds.get((source, node), set()).discard(task)
        for node in taken:
            holds[target, node].add(task)


def _violations(constraint: PlacementConstraint, problem: ConstrainedProblem, at: Longs) -> Counter[str]:
    """Where a constraint is broken; a skew as often as it is too large."""
    if isinstance(constraint, MaxSkew):
        members = at[constraint.group.tasks]
        domains = constraint.level.domain[members[members >= 0]]
        counts = np.bincount(domains[domains >= 0], minlength=constraint.level.domains)[constraint.eligible]
        excess = int(counts.max() - counts.min()) - constraint.at_most if counts.size else 0
        return Counter({f"{constraint.group.name} is too uneven": max(0, excess)})
    return Counter(broken_by(constraint, problem, at))
