"""Carries moves out one by one and checks each against the definitions; shares no code with the search."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from loadmaster.model.arrays import Longs
from loadmaster.move.constrained.valid_moves import ValidMove
from loadmaster.packing.constrained.constraints import Capacity, MaxSkew, PlacementConstraint, concerned
from loadmaster.packing.constrained.evaluate import broken_by
from loadmaster.packing.constrained.problem import ConstrainedProblem


def replay(problem: ConstrainedProblem, moves: Sequence[ValidMove]) -> None:
    """See that every move starts where its task is, finds room while the task holds its old host, and breaks nothing.

    A constraint that is broken before may stay broken, at no more places.

    Raises:
        AssertionError: a move does not; a fault of ours.
    """
    at = problem.now.copy()
    free = problem.capacity.copy()
    for running in np.flatnonzero(at >= 0).tolist():
        free[at[running]] -= problem.demand[running]
    bound = any(isinstance(constraint, Capacity) for constraint in problem.constraints)
    rest = [constraint for constraint in problem.constraints if not isinstance(constraint, Capacity)]
    tasks_of = [set(np.asarray(concerned(constraint)).tolist()) for constraint in rest]
    before = [_broken(constraint, problem, at) for constraint in rest]
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
            broken = _broken(constraint, problem, at)
            more = broken - before[number]
            if more and broken.total() > before[number].total():
                raise AssertionError(f"{name}: {next(iter(more))}")
            before[number] = broken


def _broken(constraint: PlacementConstraint, problem: ConstrainedProblem, at: Longs) -> Counter[str]:
    """Where a constraint is broken; a skew as often as it is too large."""
    if isinstance(constraint, MaxSkew):
        members = at[constraint.group.tasks]
        domains = constraint.level.domain[members[members >= 0]]
        counts = np.bincount(domains[domains >= 0], minlength=constraint.level.domains)[constraint.eligible]
        excess = int(counts.max() - counts.min()) - constraint.at_most if counts.size else 0
        return Counter({f"{constraint.group.name} is too uneven": max(0, excess)})
    return Counter(broken_by(constraint, problem, at))
