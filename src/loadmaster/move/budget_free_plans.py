"""Plans that are drawn up without the user's budget, and the best part of them that the budget pays for.

Each candidate depends on the state alone. A larger budget pays for all that a smaller one pays for, so the best level
never falls as the budget grows (rule M10).
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Ints
from loadmaster.move.bounded import rebalance
from loadmaster.move.change import GAIN, State, TaskTransfer, within
from loadmaster.move.climb import climb
from loadmaster.move.sequence import in_safe_order
from loadmaster.move.worth import worthwhile
from loadmaster.packing.deadline import NO_DEADLINE, Deadline
from loadmaster.packing.level import level_of

HALVINGS = 12
"""The budgets tried are the cost of all tasks, halved up to so many times, and smaller ones between them."""
SHRINK = 0.9
"""Between two halvings each next budget is at most this part of the last."""
MOST_LOOKS = 1000
"""So many levels are worked out on the way of a plan, evenly."""
MOST_CELLS = 20_000
"""Tasks x hosts up to which budgets between the halvings are tried too."""
CLIMB_SHARE, MAPPING_SHARE = 0.2, 0.5
"""Parts of the time left for single moves, and for the next mapping."""


class PlanStage(NamedTuple):
    """A state on the way of a plan: number of moves made, what they cost in all, its level."""

    moves: int
    spent: float
    level: float


class CandidatePlan(NamedTuple):
    """Moves in order, the stages on their way that raise the level, and what found them."""

    moves: tuple[TaskTransfer, ...]
    stages: tuple[PlanStage, ...]
    solver: str

    def best_within(self, budget: float) -> PlanStage | None:
        """The highest stage that `budget` pays for; None if it pays for none."""
        return next((stage for stage in reversed(self.stages) if within(stage.spent, budget)), None)


def candidate_plans(state: State, budget: float, deadline: Deadline = NO_DEADLINE) -> Iterator[CandidatePlan]:
    """Single moves from the present mapping, then mappings for several budgets, each followed by single moves.

    Up to `MOST_CELLS` the smallest budgets come first. So a larger budget begins with the candidates of a smaller one,
    and is no worse where the time is up before the last. Beyond, the budgets near the given one come first.

    Args:
        state: tasks and where they run.
        budget: mappings of budgets that are more than twice as large are left out.
        deadline: then no more of them.
    """
    if (state.host >= 0).all():
        yield candidate(state, climb(state, state.host, np.inf, deadline.share(CLIMB_SHARE)), "climb")
    tried = set[bytes]()
    budgets = list(_budgets(state, budget))
    if state.instance.tasks * state.instance.hosts <= MOST_CELLS:
        budgets.reverse()
    for smaller in budgets:
        if deadline.passed():
            return
        change = worthwhile(state, rebalance(state, smaller, deadline=deadline.share(MAPPING_SHARE)))
        if np.isnan(change.level) or change.host.tobytes() in tried:
            continue
        tried.add(change.host.tobytes())
        yield from towards(state, change.host, change.solver, smaller, deadline)


def towards(
    state: State, mapping: Ints, solver: str, budget: float, deadline: Deadline = NO_DEADLINE
) -> Iterator[CandidatePlan]:
    """The moves to `mapping` as far as there is an order, within `budget` and without one, then single moves."""
    for limit in (np.inf, budget):
        order = in_safe_order(state, mapping, limit)
        moves = list(order.moves)
        if (order.host >= 0).all():
            moves += climb(state, order.host, np.inf, deadline.share(CLIMB_SHARE))
        yield candidate(state, moves, solver)
        if deadline.passed() or not any(move.temporary for move in order.moves):
            return


def candidate(state: State, moves: Sequence[TaskTransfer], solver: str) -> CandidatePlan:
    """The moves up to the last that raises the level, with their stages."""
    at, best, spent, stages = state.host.copy(), state.level, 0.0, list[PlanStage]()
    cost, every = state.cost, 1 + len(moves) // MOST_LOOKS
    for k, move in enumerate(moves, start=1):
        at[move.task] = move.target
        spent += float(cost[move.task]) if move.source >= 0 else 0.0
        if k % every and k < len(moves):
            continue
        level = level_of(state.instance, at) if (at >= 0).all() else float("nan")
        if not np.isnan(level) and not level <= best + GAIN:
            best = level
            stages.append(PlanStage(k, spent, level))
    return CandidatePlan(tuple(moves[: stages[-1].moves]) if stages else (), tuple(stages), solver)


def _budgets(state: State, budget: float) -> Iterator[float]:
    """Budgets from the first halving that is no less than `budget` downwards, the same below it for every budget."""
    total = float(state.cost.sum())
    between = state.instance.tasks * state.instance.hosts <= MOST_CELLS
    for k in range(HALVINGS + 1):
        high, low = total / 2**k, total / 2 ** (k + 1)
        if low >= budget > 0 or (budget <= 0 and k < HALVINGS):
            continue
        yield high
        while between and (high := high * SHRINK) > low:
            yield high
    yield 0.0
