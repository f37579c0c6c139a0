"""Moves to a placement with a smaller weighted sum: searched without a budget, carried out as far as it pays."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.move.constrained.follow_kernel import follow
from loadmaster.move.constrained.goals import place_waiting
from loadmaster.move.constrained.replay import replay
from loadmaster.move.constrained.stages import MoveSequence, MoveStage, best_moves
from loadmaster.move.constrained.valid_moves import ValidMove, ValidMoves, arrival_nodes
from loadmaster.packing.constrained.annealing import anneal_placement
from loadmaster.packing.constrained.constraints import Capacity, OnNumaNodes
from loadmaster.packing.constrained.costs import TaskMoveCost
from loadmaster.packing.constrained.exchange_kernel import LONGEST, Path
from loadmaster.packing.constrained.layout import TOTAL
from loadmaster.packing.constrained.model_arrays import empty_state, search_model
from loadmaster.packing.constrained.problem import ConstrainedProblem
from loadmaster.packing.constrained.state_kernel import place_all
from loadmaster.packing.constrained.weighted_sum import WeightedSum
from loadmaster.packing.deadline import Deadline

MOST_PASSES = 50
"""A move that has no room is tried again after the others, so many times."""


class TargetSearch(NamedTuple):
    """One of the searches for placements to move to.

    Attributes:
        share: of the time.
        held: whether each task that moves holds its old host until all have moved: then any order of moves is valid.
        charge: for each unit of the budget, in units of what the first search gains for one.
    """

    share: float
    held: bool
    charge: float


SEARCHES = (
    TargetSearch(0.4, held=False, charge=0.0),
    TargetSearch(0.2, held=True, charge=0.0),
    TargetSearch(0.15, held=True, charge=0.3),
    TargetSearch(0.15, held=True, charge=1.0),
    TargetSearch(0.1, held=True, charge=3.0),
)
"""None looks at the budget, so that a larger budget is never worse."""
LEAST_S = 0.01
"""The shortest search."""
AFTER_WAYS = 2.0
"""The last moves and the check of all moves take so many times as long as the moves to one placement."""


@dataclass(frozen=True, eq=False)
class CheaperMoves:
    """Moves that can be carried out one after another.

    Attributes:
        moves: in order.
        host: int64[T], where the tasks are after them.
        spent: what they cost of the budget.
        before: the sum before; NaN while a task waits.
        after: the sum after; NaN while a task waits.
        bound: no placement of all tasks has a lower sum; 0 where nothing is known.
        terms_before, terms_after: each amount, without its weight.
        interrupted: the user ended the search.
    """

    moves: tuple[ValidMove, ...]
    host: Longs
    spent: float
    before: float
    after: float
    bound: float
    terms_before: dict[str, float]
    terms_after: dict[str, float]
    interrupted: bool

    @property
    def proven(self) -> bool:
        """No placement of all tasks has a lower sum."""
        return self.after <= self.bound * (1 + 1e-9) + 1e-12

    @property
    def gap(self) -> float | None:
        """How far the sum is above its bound, as a part of the bound; None without a bound."""
        if np.isnan(self.after):
            return None
        if self.proven:
            return 0.0
        return (self.after - self.bound) / self.bound if self.bound > 0 else None


def plan_cheaper_moves(
    total: WeightedSum,
    cost: Floats,
    budget: float,
    time_limit_s: float = 30.0,
    seed: int = 0,
    progress: Callable[[float, float, float], None] | None = None,
    slices: int | None = None,
) -> CheaperMoves:
    """The moves within the budget to the least sum found; each is replayed by an independent checker (rule B11).

    Args:
        total: the sum, on hosts, tasks and constraints.
        cost: float64[T], what a move of each task costs of the budget; a start costs nothing.
        budget: of all moves; infinite for none.
        time_limit_s: of all searches.
        seed: of every draw.
        progress: told the part of the time that has passed, the least sum so far and the bound.
        slices: for each search so many slices of fixed length instead of the time limit; then one seed gives one plan.
    """
    problem = replace(total.problem, costs=tuple(total.costs()))
    sequences, interrupted, deadline = list[MoveSequence](), False, Deadline.after(time_limit_s)
    try:
        for ended, target in _targets(total, problem, cost, (deadline, seed, slices), progress):
            interrupted = ended
            sequences += _ways(problem, target, cost)
    except KeyboardInterrupt:
        interrupted = True
    if not sequences:
        sequences += place_waiting(lambda: ValidMoves(problem, cost, total.full), np.zeros(problem.tasks))
    moves = best_moves(sequences, budget)
    replay(problem, moves, arrival_nodes(problem, moves))
    host = problem.now.copy()
    for move in moves:
        host[move.task] = move.target
    spent = float(sum(cost[move.task] for move in moves if move.source >= 0))
    before, after = (total.value(at) if (at >= 0).all() else float("nan") for at in (problem.now, host))
    amounts = total.amounts(problem.now), total.amounts(host)
    return CheaperMoves(moves, host, spent, before, after, total.bound, *amounts, interrupted)


def _targets(
    total: WeightedSum,
    problem: ConstrainedProblem,
    cost: Floats,
    effort: tuple[Deadline, int, int | None],
    progress: Callable[[float, float, float], None] | None,
) -> Iterator[tuple[bool, Longs]]:
    """Whether the user ended the search, and int64[T], a placement to move to."""
    deadline, seed, slices = effort
    passed, gain, least, bound, ways_s = 0.0, 0.0, float("inf"), total.bound, 0.0
    for search in SEARCHES:
        if search.charge > 0 and gain <= 0:
            passed += search.share
            continue
        under_charge = _with_charge(problem, np.ceil(cost * gain * search.charge).astype(np.int64), search.held)

        def shown(part: float, units: int, search: TargetSearch = search, passed: float = passed) -> None:
            nonlocal least
            least = min(least, total.reached(units)) if search.charge == 0 else least
            if progress is not None:
                progress(passed + part * search.share, least, bound)

        if slices is None and passed > 0 and deadline.passed():
            return
        limit_s = max((deadline.left_s() - AFTER_WAYS * ways_s) * search.share / (1.0 - passed), LEAST_S)
        enough = total.enough if search.charge == 0 else 0
        annealed = anneal_placement(under_charge, limit_s, seed, shown, slices, enough)
        passed += search.share
        if annealed.placed:
            moved = (annealed.host != problem.now) & (problem.now >= 0)
            spent = float(cost[moved].sum())
            if search.charge == 0 and spent > 0:
                gain = max(gain, (annealed.first_cost - annealed.cost) / spent)
            left_s = deadline.left_s()
            yield annealed.interrupted, annealed.host
            ways_s = max(ways_s, left_s - deadline.left_s())
        if annealed.interrupted:
            return


def _with_charge(problem: ConstrainedProblem, charge: Longs, held: bool) -> ConstrainedProblem:
    """The problem with a charge for each move, int64[T]; with `held` tasks that move hold both hosts to the end.

    It has no NUMA nodes: the moves to what is found are made as far as nodes have room.
    """
    costs = (*problem.costs, TaskMoveCost("charge", charge)) if charge.any() else problem.costs
    kinds = len(problem.resources)
    others = tuple(each for each in problem.constraints if not isinstance(each, Capacity | OnNumaNodes))
    bound = any(isinstance(each, Capacity) for each in problem.constraints)
    room = (Capacity(np.full(kinds, held)),) if bound else ()
    return replace(problem, costs=costs, constraints=(*room, *others))


def _ways(problem: ConstrainedProblem, target: Longs, cost: Floats) -> Iterator[MoveSequence]:
    """The moves to `target`, as far as there is room and no rule breaks, host by host in two orders.

    First the hosts that are cheapest to leave; first the hosts that are fullest. Tasks that wait start first.
    """
    now, size = problem.now, (problem.demand / np.maximum(problem.capacity.mean(axis=0), 1)).max(axis=1, initial=0.0)
    pending = np.flatnonzero((target != now) & (target >= 0))
    there = now[pending] >= 0
    of_host = np.bincount(now[pending][there], cost[pending][there], problem.hosts)
    load = np.bincount(now[now >= 0], size[now >= 0], problem.hosts)
    for key in (of_host, -load):
        rank = np.where(there, key[np.maximum(now[pending], 0)], -np.inf)
        order = pending[np.lexsort((-size[pending], now[pending], rank))]
        yield _send_to_targets(problem, order, target, cost)


def _send_to_targets(problem: ConstrainedProblem, order: Longs, target: Longs, cost: Floats) -> MoveSequence:
    """The tasks of `order`, int64[N], sent to their targets, those without room again after the others."""
    if any(isinstance(each, OnNumaNodes) for each in problem.constraints):
        order, target = _on_nodes(problem, order, target, cost)
    model = search_model(problem)
    state = empty_state(model, 0)
    place_all(model, state, np.array(problem.now))
    path = Path(*(np.zeros(LONGEST, np.int64) for _ in range(3)))
    missing = _Missing(problem)
    moves, spent = list[ValidMove](), 0.0
    stages = [MoveStage(0, 0.0, missing.reached(int(state.totals[TOTAL])))]
    for _ in range(MOST_PASSES):
        units = np.zeros(len(order), np.int64)
        if not len(order) or not follow(model, state, path, order, target[order], units):
            break
        for task, now_units in zip(order[units >= 0].tolist(), units[units >= 0].tolist(), strict=True):
            move = ValidMove(task, int(problem.now[task]), int(target[task]))
            moves.append(move)
            spent += float(cost[task]) if move.source >= 0 else 0.0
            missing.go(move)
            stages.append(MoveStage(len(moves), spent, missing.reached(now_units)))
        order = order[units < 0]
    return MoveSequence(tuple(moves), tuple(stages))


def _on_nodes(problem: ConstrainedProblem, order: Longs, target: Longs, cost: Floats) -> tuple[Longs, Longs]:
    """The tasks of `order`, int64[N], that nodes have room for, in an order of valid moves; int64[T], their targets.

    A task whose target has no room goes to another host of the targets, if the host that it leaves is none of them.
    """
    state, goal, pending = ValidMoves(problem, cost, problem.capacity), target.copy(), order.tolist()
    used = np.bincount(target[target >= 0], minlength=problem.hosts) > 0
    for _ in range(MOST_PASSES):
        before = len(pending)
        pending = [task for task in pending if not _try_move(state, task, int(target[task]))]
        if len(pending) in (0, before):
            break
    for task in pending:
        other = next(state.targets(task, used), None) if problem.now[task] < 0 or not used[problem.now[task]] else None
        if other is not None:
            state.go(task, other)
            goal[task] = other
    return np.array([move.task for move in state.moves], np.int64), goal


def _try_move(state: ValidMoves, task: int, host: int) -> bool:
    """Whether the task may go to `host`; then it is there."""
    able = not state.placement.why_not(task, host)
    if able:
        state.go(task, host)
    return able


class _Missing:
    """Tasks that wait and hosts that are too full: what counts before the sum does."""

    def __init__(self, problem: ConstrainedProblem) -> None:
        self._demand = problem.demand
        self._free = problem.capacity.copy()
        there = problem.now >= 0
        np.subtract.at(self._free, problem.now[there], problem.demand[there])
        self._number = int((~there).sum()) + int((self._free < 0).any(axis=1).sum())

    def go(self, move: ValidMove) -> None:
        """A task leaves one host for another, or starts."""
        if move.source < 0:
            self._number -= 1
        else:
            was_full = bool((self._free[move.source] < 0).any())
            self._free[move.source] += self._demand[move.task]
            self._number -= was_full and not (self._free[move.source] < 0).any()
        self._free[move.target] -= self._demand[move.task]

    def reached(self, units: int) -> float:
        """More is better: first fewer of them, then a smaller sum."""
        return -float(self._number) * float(1 << 62) - float(units)
