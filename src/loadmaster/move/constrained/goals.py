"""Where moves may lead: tasks that wait are placed, hosts drained or emptied, loads evened out, broken rules mended."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from loadmaster.model.arrays import Bools, Floats
from loadmaster.move.constrained.stages import MoveSequence, StageNotes
from loadmaster.move.constrained.valid_moves import ValidMoves
from loadmaster.packing.constrained.constraints import Capacity, MaxSkew, OnNumaNodes, PlacementConstraint, Stays
from loadmaster.packing.constrained.evaluate import broken_by

LEAST_GAIN = 0.01
"""A move that evens out lowers the larger load of its two hosts by at least this part of a host."""
MOST_MOVES = 10_000
"""So many moves are enough to even out."""

NewState = Callable[[], ValidMoves]
"""Makes the state before all moves."""


def place_waiting(new_state: NewState, priority: Floats) -> Iterator[MoveSequence]:
    """Start tasks that wait, the highest priority first: all that have room, then those for which room can be made."""
    state = new_state()
    notes = StageNotes(state)
    waiting = [int(t) for t in np.lexsort((np.arange(len(priority)), -priority)) if state.host[t] < 0]
    for task in waiting:
        if state.deadline.passed():
            break
        target = next(state.targets(task), None)
        if target is not None:
            state.go(task, target)
            notes.note(notes.reached + 1)
    for task in waiting:
        if state.deadline.passed():
            break
        if state.host[task] < 0 and state.relocate(task):
            notes.note(notes.reached + 1)
    yield notes.sequence()


def drain(new_state: NewState, hosts: Bools, cost: Floats) -> Iterator[MoveSequence]:
    """Move all tasks off `hosts`, bool[H], in three orders: the largest first, the smallest, the cheapest."""
    for order in ("largest", "smallest", "cheapest"):
        state = new_state()
        state.closed |= hosts
        size = state.size
        key = {"largest": -size, "smallest": size, "cheapest": cost}[order]
        notes = StageNotes(state)
        there = [int(t) for t in np.argsort(key, kind="stable") if state.host[t] >= 0 and hosts[state.host[t]]]
        for task in there:
            if state.deadline.passed():
                break
            if state.relocate(task):
                notes.note(notes.reached + 1)
        yield notes.sequence()


def consolidate(new_state: NewState, tied: Bools) -> Iterator[MoveSequence]:
    """Empty as many hosts as possible: those that cost least first, or those with the fewest tasks.

    Args:
        new_state: the state before the moves.
        tied: bool[T], tasks that belong to their host and do not count as a use of it.
    """
    for by_cost in (True, False):
        state = new_state()
        notes = StageNotes(state)
        for host in _emptiable(state, tied, by_cost):
            if state.deadline.passed():
                break
            start = len(state.moves)
            tasks = np.flatnonzero((state.host == host) & ~tied)
            tasks = tasks[np.argsort(-state.size[tasks], kind="stable")]
            state.closed[host] = True
            if all(_to_a_used_host(state, int(task), tied) for task in tasks):
                notes.note(notes.reached + 1)
            else:
                state.undo(start)
                state.closed[host] = False
        yield notes.sequence()


def balance(new_state: NewState) -> Iterator[MoveSequence]:
    """Move a task off the most loaded host that one can be moved off, again and again while that evens out.

    A move counts if the larger load of its two hosts falls by at least `LEAST_GAIN`.
    """
    state = new_state()
    notes = StageNotes(state)
    while len(state.moves) < MOST_MOVES and not state.deadline.passed() and _relieve(state):
        notes.note(notes.reached + 1)
    yield notes.sequence()


def mend(new_state: NewState) -> Iterator[MoveSequence]:
    """Move tasks so that fewer constraints are broken: only tasks that break one, each while that helps."""
    state = new_state()
    notes, helped = StageNotes(state), True
    while helped and not state.deadline.passed():
        helped = False
        for task in breaking_tasks(state):
            if state.deadline.passed():
                break
            before, start = _broken_of(state, task), len(state.moves)
            if before > 0 and state.relocate(task):
                gain = before - _broken_of(state, task)
                if gain > 0:
                    notes.note(notes.reached + gain)
                    helped = True
                else:
                    state.undo(start)
    yield notes.sequence()


def breaking_tasks(state: ValidMoves) -> list[int]:
    """The tasks on hosts where a constraint would not let them be, and those of a spread that is too uneven."""
    tasks = [int(t) for t in np.flatnonzero(state.host >= 0) if state.placement.why_not(int(t), int(state.host[t]))]
    for constraint in state.problem.constraints:
        if isinstance(constraint, MaxSkew) and any(broken_by(constraint, state.problem, state.host)):
            counts = state.placement.counts.of(constraint.group, constraint.level)
            fullest = np.flatnonzero(counts == counts.max())
            tasks += [
                t
                for t in constraint.group.tasks.tolist()
                if state.host[t] >= 0 and constraint.level.domain[state.host[t]] in fullest
            ]
    tasks = list(dict.fromkeys(tasks))
    return sorted(tasks, key=lambda t: (-len(state.placement.why_not(t, int(state.host[t]))), t))


def _broken_of(state: ValidMoves, task: int) -> float:
    """How much is broken of the constraints that say something of `task`."""
    return sum(_amount_broken(state, each) for each in state.placement.constraints_of(task))


def _amount_broken(state: ValidMoves, constraint: PlacementConstraint) -> float:
    """The number of broken places; of a skew or a capacity by how much it is exceeded."""
    if isinstance(constraint, Stays):
        return 0
    if isinstance(constraint, Capacity):
        over = np.maximum(state.placement.use - state.problem.capacity, 0)
        return float((over / np.maximum(state.problem.capacity, 1)).sum())
    if isinstance(constraint, OnNumaNodes):
        nodes = state.placement.nodes
        assert nodes is not None
        over = np.maximum(-nodes.free - constraint.numa.slack, 0.0) / constraint.numa.mean_node
        return float(over.sum())
    if isinstance(constraint, MaxSkew):
        counts = state.placement.counts.of(constraint.group, constraint.level)[constraint.eligible]
        return max(0, int(np.ptp(counts)) - constraint.at_most) if counts.size else 0
    return sum(1 for _ in broken_by(constraint, state.problem, state.host))


def _emptiable(state: ValidMoves, tied: Bools, by_cost: bool) -> Sequence[int]:
    """The hosts in use that all tasks may leave, the cheapest to empty first, or those with the fewest tasks."""
    use = np.zeros((state.problem.hosts, 2))
    stuck = np.zeros(state.problem.hosts, bool)
    for task in np.flatnonzero((state.host >= 0) & ~tied).tolist():
        use[state.host[task]] += (state.cost_of(task), 1.0)
        stuck[state.host[task]] |= not state.may_move(task)
    order = np.lexsort((state.load(), use[:, 0 if by_cost else 1]))
    return [int(h) for h in order if use[h, 1] > 0 and not stuck[h]]


def _to_a_used_host(state: ValidMoves, task: int, tied: Bools) -> bool:
    used = np.bincount(state.host[(state.host >= 0) & ~tied], minlength=state.problem.hosts) > 0
    target = next(state.targets(task, used), None)
    if target is None:
        return False
    state.go(task, target)
    return True


def _relieve(state: ValidMoves) -> bool:
    """Make the first move that evens out, from the most loaded host downwards; False if there is none."""
    load = state.load()
    for host in np.argsort(-load, kind="stable").tolist():
        best, move = load[host] - LEAST_GAIN, None
        if best <= load.min():
            return False
        for task in np.flatnonzero(state.host == host).tolist():
            if not state.may_move(task):
                continue
            target = next(state.targets(task, load < best, emptiest=True), None)
            if target is None:
                continue
            left, right = state.load_without(task), state.load_with(task, target)
            if max(left, right) < best:
                best, move = max(left, right), (task, target)
        if move is not None:
            state.go(*move)
            return True
    return False
