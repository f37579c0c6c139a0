"""The moves to make, in order: the best that can be carried out within a budget, and what a better one lacks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

import numpy as np

from loadmaster.jit.first_compilation import FIRST_TIME
from loadmaster.model.arrays import Ints
from loadmaster.move.adapt import adapt_exactly
from loadmaster.move.bounded import rebalance
from loadmaster.move.budget_free_plans import CandidatePlan, PlanStage, candidate_plans, towards
from loadmaster.move.change import GAIN, Change, State, TaskTransfer
from loadmaster.move.reach import best_reachable, small_enough
from loadmaster.move.sequence import SafeOrder, carried_out, in_safe_order, spent_by
from loadmaster.move.worth import worthwhile
from loadmaster.packing.bound import ceiling
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.incumbent import Incumbent, Report, silent
from loadmaster.packing.level import level_of
from loadmaster.system.interrupt import Interrupt

Method = Literal["auto", "heuristic", "exact"]
MOST_CELLS = 300
"""Tasks x hosts up to which `auto` is exact."""
FIRST_SHARE = 0.3
"""The part of the time for the first mapping. Where it is not proven, the candidates come next, then an exact one."""
INTERRUPTED = "Ctrl-C stopped the search: these are the best moves that it had found"
LADDER_SHARE, LADDER_STEP = 0.5, 1.2
"""The part of the time left for exact mappings of smaller budgets, and the ratio of two of these budgets."""
LAST_STEPS = 3
"""The search ends before the deadline by the time that so many orders of moves take: the last steps take as long."""
FEW_MOVES = 100
"""Of no more moves each is tried whether it can be left out."""


@dataclass(frozen=True, eq=False)
class MovePlan:
    """Moves that can be carried out one after another within the budget.

    Attributes:
        status: `ok`; `limit`: ok, and the time was up before it was known to be the best; `stuck`: a better mapping is
            within the budget, but no order of moves to it or to any other better one was found; `infeasible`: no
            mapping of all tasks is within the budget, or none was found (see `proven`).
        moves: in order; none if it is `stuck` or `infeasible`.
        host: int32[T], where every task is after them.
        level: the level then; NaN while some task does not run or a host is too full.
        spent: what all moves cost, those to temporary places too.
        solver: what found it.
        proven: no moves within the budget, in whatever order, reach a higher level.
        better: a mapping within the budget, were each task to move once, to which no order was found; or None.
        blocked: how far the moves to `better` get without any budget, and the tasks that are stuck then.
        interrupted: the user ended the search.
    """

    status: Literal["ok", "limit", "stuck", "infeasible"]
    moves: tuple[TaskTransfer, ...]
    host: Ints
    level: float
    spent: float
    solver: str
    proven: bool
    better: Change | None = None
    blocked: SafeOrder | None = None
    interrupted: bool = False


def plan_moves(
    state: State, budget: float, method: Method = "auto", time_limit_s: float = 60.0, report: Report = silent
) -> MovePlan:
    """The moves to the highest level that can be carried out at a cost of at most `budget`, all moves counted.

    First the best mapping is sought as if each task could move at once (`adapt_exactly` or `rebalance`). A proven one
    that has an order within the budget is the plan. Else states small enough are searched to the end
    (`best_reachable`), and larger ones get the best part of the candidates of `budget_free_plans` (rule M10).

    Args:
        state: tasks and where they run.
        budget: in the state's unit; infinite for no limit.
        method: `auto` is exact up to 300 tasks x hosts.
        time_limit_s: of the search; Ctrl-C ends it too, and the plan is the best so far.
        report: called with the best level so far and the bound.

    Example:
        >>> from loadmaster.packing import Instance
        >>> full = State(Instance.of(2, cpu=[1.0, 0.6, 0.4], memory=[0.6, 0.3, 0.3]), np.array([0, 0, 1], np.int32))
        >>> plan = plan_moves(full, 0.3)
        >>> plan.status, plan.moves, plan.level
        ('ok', (TaskTransfer(task=1, source=0, target=1, temporary=False),), 1.0)
    """
    with Interrupt() as interrupt:
        deadline = Deadline.after(time_limit_s, interrupt)
        plan = _plan(state, budget, method, deadline, report)
    return replace(plan, interrupted=interrupt.asked)


def _plan(state: State, budget: float, method: Method, deadline: Deadline, report: Report) -> MovePlan:
    report(Incumbent("level", state.level, ceiling(state.instance)))
    small = state.instance.tasks * state.instance.hosts <= MOST_CELLS
    exactly = method == "exact" or (method == "auto" and small)
    change = _best_mapping(state, budget, exactly, deadline)
    if np.isnan(change.level) and change.proven:
        return MovePlan("infeasible", (), state.host, float("nan"), 0.0, change.solver, change.proven)
    found = _full_plan(state, budget, change) if change.proven else None
    if found is not None:
        return found
    began_s = FIRST_TIME.clock_s()
    blocked = None if np.isnan(change.level) else in_safe_order(state, change.host)
    in_time = deadline.before(LAST_STEPS * (FIRST_TIME.clock_s() - began_s))
    found = _exact_plan(state, budget, in_time) or _best_candidate(state, budget, change, (exactly, in_time, report))
    if exactly and not (found.proven or change.proven or in_time.passed()):
        change, found = _exact_at_last(state, budget, change, found, in_time)
        blocked = None if np.isnan(change.level) else in_safe_order(state, change.host)
    late = in_time.passed() and not found.proven
    if np.isnan(change.level) and np.isnan(found.level):
        return MovePlan("infeasible", (), state.host, float("nan"), 0.0, change.solver, change.proven)
    if np.isnan(change.level) or found.level >= change.level - GAIN:
        cut = late or (change.status == "limit" and not found.proven)
        return replace(found, status="limit" if cut else "ok", proven=found.proven or change.proven)
    if np.isnan(found.level) or found.level <= state.level + GAIN:
        whole = _full_plan(state, budget, change)
        if whole is not None:
            return replace(whole, status="limit")
        found = replace(found, status="stuck", moves=(), host=state.host, level=state.level, spent=0.0)
    status = "limit" if late and found.status == "ok" else found.status
    return replace(found, status=status, better=change, blocked=blocked)


def _exact_at_last(
    state: State, budget: float, change: Change, found: MovePlan, deadline: Deadline
) -> tuple[Change, MovePlan]:
    """The better mapping and plan once the exact search has had the rest of the time."""
    later = worthwhile(state, adapt_exactly(state, budget, deadline.left_s()))
    if np.isnan(later.level) and not np.isnan(found.level):
        return change, found
    if later.proven or np.isnan(change.level) or later.level > change.level:
        change = later
    whole = _full_plan(state, budget, change) if change.proven and not np.isnan(change.level) else None
    return change, found if whole is None else whole


def _best_mapping(state: State, budget: float, exactly: bool, deadline: Deadline) -> Change:
    if state.level >= ceiling(state.instance) - GAIN:
        return Change("ok", state.host, state.level, 0.0, "stay", True)
    if exactly:
        change = adapt_exactly(state, budget, max(deadline.left_s() * FIRST_SHARE, 0.1))
        if change.proven or change.status == "infeasible":
            return worthwhile(state, change)
        other = rebalance(state, budget, deadline=deadline.share(FIRST_SHARE))
        if np.isnan(change.level) or other.level > change.level:
            change = replace(other, status="limit" if other.status == "ok" else other.status)
        return worthwhile(state, change)
    return worthwhile(state, rebalance(state, budget, deadline=deadline.share(FIRST_SHARE)))


def _exact_plan(state: State, budget: float, deadline: Deadline) -> MovePlan | None:
    """The best there is, for small states; None for larger ones, or if the time is up."""
    if deadline.passed() or not small_enough(state):
        return None
    reached = best_reachable(state, budget, deadline.left_s())
    if reached is None:
        return None
    moves = with_stops_marked(reached.moves)
    return _plan_of(state, moves, "search", proven=True)


def _full_plan(state: State, budget: float, change: Change) -> MovePlan | None:
    """The moves to the mapping of `change`; None if no order of them is within the budget."""
    order = in_safe_order(state, change.host, budget)
    if order.stuck:
        return None
    return MovePlan("ok", order.moves, order.host, change.level, order.spent, change.solver, change.proven)


def _best_candidate(state: State, budget: float, change: Change, how: tuple[bool, Deadline, Report]) -> MovePlan:
    """The best part of a plan that the budget pays for; no plan depends on the budget (`budget_free_plans`).

    Where the time is up before the first mapping of a candidate, the moves to the mapping of `change` stand in.
    """
    exactly, deadline, report = how
    best, bound = _plan_of(state, (), "stay"), ceiling(state.instance)
    plans = list[CandidatePlan]()
    for smaller in _proven_mappings(state, change, exactly, deadline):
        whole = _full_plan(state, smaller.spent, smaller)
        if whole is not None:
            best = whole
            break
        plans += towards(state, smaller.host, smaller.solver, smaller.spent)
    if exactly and not change.proven:
        plans += _plans_of_smaller_budgets(state, budget, deadline.share(LADDER_SHARE))
    mapped = False

    def last_resort() -> Iterator[CandidatePlan]:
        if deadline.passed() and not mapped and not np.isnan(change.level):
            yield from towards(state, change.host, change.solver, budget, deadline)

    for plan in chain(plans, candidate_plans(state, budget, deadline), last_resort()):
        mapped = mapped or plan.solver != "climb"
        stage = plan.best_within(budget)
        if stage is not None and _is_better(stage, best):
            moves = plan.moves[: stage.moves]
            best = MovePlan("ok", moves, state.host, stage.level, stage.spent, plan.solver, proven=False)
            report(Incumbent("level", best.level, bound))
    if best.solver == "stay":
        return best
    return _plan_of(state, _thinned(state, best.moves, deadline), best.solver, proven=best.level >= bound * (1 - 1e-12))


def _plans_of_smaller_budgets(state: State, budget: float, deadline: Deadline) -> Iterator[CandidatePlan]:
    """Plans to the proven mappings of budgets that do not depend on the user's, from small ones up to `budget`.

    Small budgets leave little to search. A plan that one of them pays for is then a candidate for every larger budget.
    """
    smaller, most = float(state.cost[state.cost > 0].min(initial=np.inf)), min(budget, float(state.cost.sum()))
    while smaller <= most and not deadline.passed():
        change = adapt_exactly(state, smaller, deadline.left_s())
        if not change.proven:
            return
        if not np.isnan(change.level):
            yield from towards(state, change.host, change.solver, smaller)
        smaller = LADDER_STEP * max(smaller, change.spent)


def _proven_mappings(state: State, change: Change, exactly: bool, deadline: Deadline) -> Iterator[Change]:
    """The best mappings of ever smaller budgets, each of exactly what the last one cost less a little."""
    while change.spent > 0 and change.proven and not deadline.passed():
        change = _best_mapping(state, change.spent, exactly, deadline)
        if np.isnan(change.level):
            return
        yield change
        if change.spent > 0 and not deadline.passed():
            change = _best_mapping(state, change.spent * (1 - 1e-6), exactly, deadline)


def _is_better(stage: PlanStage, plan: MovePlan) -> bool:
    """Whether a stage has a higher level than the plan, or the same for less; a NaN level is the lowest."""
    return bool(np.isnan(plan.level)) or (stage.level, -stage.spent) > (plan.level, -plan.spent)


def _plan_of(state: State, moves: Sequence[TaskTransfer], solver: str, proven: bool = False) -> MovePlan:
    host = carried_out(state, moves)
    assert host is not None
    level = level_of(state.instance, host) if (host >= 0).all() else float("nan")
    return MovePlan("ok", tuple(moves), host, level, spent_by(state, moves), solver, proven)


def _thinned(state: State, moves: Sequence[TaskTransfer], deadline: Deadline) -> list[TaskTransfer]:
    """The moves without those of each task that the level can do without, the dearest first."""
    kept = list(moves)
    goal = _plan_of(state, kept, "").level
    if len(kept) > FEW_MOVES or np.isnan(goal):
        return kept
    for task in sorted({move.task for move in kept}, key=lambda t: -state.cost[t]):
        if deadline.passed():
            break
        fewer = [move for move in kept if move.task != task]
        at = carried_out(state, fewer)
        if at is not None and (at >= 0).all() and level_of(state.instance, at) >= goal - 1e-12:
            kept = fewer
    return kept


def with_stops_marked(moves: Sequence[TaskTransfer]) -> tuple[TaskTransfer, ...]:
    """The moves, `temporary` where the task moves once more."""
    last = {move.task: k for k, move in enumerate(moves)}
    return tuple(move._replace(temporary=k < last[move.task]) for k, move in enumerate(moves))
