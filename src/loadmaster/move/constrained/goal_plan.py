"""A plan towards a goal: its moves, how far they lead, and why the tasks that are left do not go elsewhere."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Longs
from loadmaster.move.constrained.goal_bounds import GoalBound, goal_bound
from loadmaster.move.constrained.goals import balance, breaking_tasks, consolidate, drain, mend, place_waiting
from loadmaster.move.constrained.replay import replay
from loadmaster.move.constrained.stages import MoveSequence, best_moves
from loadmaster.move.constrained.valid_moves import ValidMove, ValidMoves, arrival_nodes
from loadmaster.packing.constrained.constraints import Stays
from loadmaster.packing.constrained.problem import ConstrainedProblem
from loadmaster.packing.deadline import NO_DEADLINE, Deadline

Goal = Literal["place", "drain", "consolidate", "balance", "fix", "minimise"]
MOST_SHORTENED = 100
"""Up to so many moves each second move of a task is tried whether it can be made at once."""
MOST_REASONS = 5
"""Hosts whose reasons are given for one task."""


@dataclass(frozen=True, eq=False)
class GoalQuestion:
    """What is requested.

    Attributes:
        goal: `place`: tasks that wait; `drain`: no task on `hosts`; `consolidate`: few hosts in use; `balance`: even
            loads; `fix`: no broken constraint; `minimise`: a small weighted sum, see `plan_cheaper_moves`.
        problem: hosts, tasks and constraints.
        cost: float64[T], of a move of each task; a start costs nothing.
        budget: of all moves; infinite for none.
        tied: bool[T], tasks that belong to their host; they do not count as a use of it.
        priority: float64[T], the largest is placed first.
        hosts: bool[H], to drain.
        full: int64[H, R], amounts at which a host counts as full; its capacity, or less where tasks share it.
    """

    goal: Goal
    problem: ConstrainedProblem
    cost: Floats
    budget: float
    tied: Bools
    priority: Floats
    hosts: Bools
    full: Longs


class HostReason(NamedTuple):
    """Why a task may not go to a host; host -1 for a reason that holds for all."""

    host: int
    reason: str


class LeftTask(NamedTuple):
    """A task that does not get where the goal wants it, and why."""

    task: int
    reasons: tuple[HostReason, ...]
    hosts: int


@dataclass(frozen=True, eq=False)
class GoalPlan:
    """Moves that can be carried out one after another.

    Attributes:
        question: what was requested.
        moves: in order.
        host: int64[T], where the tasks are after them.
        spent: what they cost.
        left: tasks that stay, against the goal.
        before, after: figures of the goal, by name.
        bound: of one of the figures, whatever the budget; None where there is none.
        nodes: the NUMA nodes that the task of each move takes on arrival; () where hosts are not divided.
        held: bool[T, N], the nodes that each task holds after the moves; None where hosts are not divided.
    """

    question: GoalQuestion
    moves: tuple[ValidMove, ...]
    host: Longs
    spent: float
    left: tuple[LeftTask, ...]
    before: dict[str, float] = field(default_factory=dict)
    after: dict[str, float] = field(default_factory=dict)
    bound: GoalBound | None = None
    nodes: tuple[tuple[int, ...], ...] = ()
    held: Bools | None = None

    @property
    def started(self) -> int:
        """Number of tasks that waited and start."""
        return sum(move.source < 0 for move in self.moves)


def plan_towards(question: GoalQuestion, deadline: Deadline = NO_DEADLINE) -> GoalPlan:
    """The plan; each of its moves is replayed by a checker that shares no code with the search (rule B8).

    The search ends at the deadline, with the best moves so far.

    Example:
        >>> from loadmaster.packing.constrained.constraints import Capacity
        >>> demand, capacity = np.array([[3], [2]]), np.array([[4], [4]])
        >>> two = ConstrainedProblem(("cores",), demand, capacity, np.array([0, 0]), (Capacity(np.array([False])),))
        >>> none, even = np.zeros(2, bool), np.zeros(2)
        >>> plan_towards(GoalQuestion("balance", two, np.ones(2), np.inf, none, even, none, capacity)).moves
        (ValidMove(task=0, source=0, target=1),)
    """
    moves = _without_detours(question, best_moves(_sequences(question, deadline), question.budget))
    replay(question.problem, moves, arrival_nodes(question.problem, moves))
    return plan_of(question, moves)


def plan_of(question: GoalQuestion, moves: tuple[ValidMove, ...]) -> GoalPlan:
    """The plan that makes `moves`, which are valid: how far they lead, and which tasks they leave."""
    state = ValidMoves(question.problem, question.cost, question.full)
    before = figures_of(question, state)
    for move in moves:
        state.go(move.task, move.target)
    left = tuple(_why_task_stays(question, state, task) for task in _against_the_goal(question, state))
    after, bound = figures_of(question, state), goal_bound(question)
    nodes, in_use = arrival_nodes(question.problem, moves), state.placement.nodes
    held = None if in_use is None else in_use.held
    return GoalPlan(question, moves, state.host, state.spent, left, before, after, bound, nodes, held)


def _sequences(question: GoalQuestion, deadline: Deadline) -> Iterator[MoveSequence]:
    def new_state() -> ValidMoves:
        return ValidMoves(question.problem, question.cost, question.full, deadline)

    if question.goal == "place":
        yield from place_waiting(new_state, question.priority)
    elif question.goal == "drain":
        yield from drain(new_state, question.hosts, question.cost)
    elif question.goal == "consolidate":
        yield from consolidate(new_state, question.tied)
    elif question.goal == "balance":
        yield from balance(new_state)
    else:
        yield from mend(new_state)


def _without_detours(question: GoalQuestion, moves: tuple[ValidMove, ...]) -> tuple[ValidMove, ...]:
    """The moves with each task that moves twice sent to its last host at once, where that is valid too."""
    last: dict[int, int] = {}
    for step, move in enumerate(moves):
        first = last.get(move.task)
        if first is not None and len(moves) <= MOST_SHORTENED:
            direct = [moves[first]._replace(target=move.target)] if moves[first].source != move.target else []
            shorter = (*moves[:first], *direct, *moves[first + 1 : step], *moves[step + 1 :])
            if _is_valid(question, shorter):
                return _without_detours(question, shorter)
        last[move.task] = step
    return moves


def _is_valid(question: GoalQuestion, moves: tuple[ValidMove, ...]) -> bool:
    """Whether each move is valid when its turn comes."""
    state = ValidMoves(question.problem, question.cost, question.full)
    for task, source, target in moves:
        if state.host[task] != source or state.placement.why_not(task, target):
            return False
        state.go(task, target)
    return True


def figures_of(question: GoalQuestion, state: ValidMoves) -> dict[str, float]:
    """Tasks that wait, hosts in use, the highest and the mean load, tasks on hosts to drain, broken constraints."""
    used = np.unique(state.host[(state.host >= 0) & ~question.tied])
    load, there = state.load(), state.host >= 0
    figures = {
        "waiting": float((~there).sum()),
        "hosts_in_use": float(len(used)),
        "highest_load": float(load.max(initial=0)),
        "mean_load": float(load.mean()) if len(load) else 0.0,
        "load_deviation": float(load.std()) if len(load) else 0.0,
    }
    if question.goal == "drain":
        on_them = there & question.hosts[np.maximum(state.host, 0)] & ~question.tied
        figures["to_drain"] = float(on_them.sum())
    if question.goal == "fix":
        figures["broken"] = float(len(breaking_tasks(state)))
    return figures


def _against_the_goal(question: GoalQuestion, state: ValidMoves) -> list[int]:
    if question.goal in ("place", "minimise"):
        return [int(t) for t in np.flatnonzero(state.host < 0)]
    if question.goal == "drain":
        state.closed |= question.hosts
        there = (state.host >= 0) & question.hosts[np.maximum(state.host, 0)] & ~question.tied
        return [int(t) for t in np.flatnonzero(there)]
    return breaking_tasks(state) if question.goal == "fix" else []


def _why_task_stays(question: GoalQuestion, state: ValidMoves, task: int) -> LeftTask:
    """Why a task stays: a rule of its own, the budget, or what hosts say, those first that its own rules admit."""
    problem = question.problem
    for constraint in state.placement.constraints_of(task):
        reason = constraint.why_not(state.placement, task, -2) if isinstance(constraint, Stays) else None
        if reason is not None:
            return LeftTask(task, (HostReason(-1, reason),), problem.hosts)
    placement = state.placement
    others = ~state.closed & (np.arange(problem.hosts) != state.host[task])
    own, room = placement.own_hosts(task), placement.has_room(task)
    for host in np.flatnonzero(others & own & room).tolist():
        if placement.keeps_the_rest(task, host):
            why = "it fits there, but the budget does not pay for the move"
            return LeftTask(task, (HostReason(host, why),), int(others.sum()))
    nearest = np.lexsort((np.arange(problem.hosts), ~room, ~own))
    shown = [host for host in nearest.tolist() if others[host]][:MOST_REASONS]
    reasons = tuple(HostReason(host, placement.why_not(task, host)[0]) for host in shown)
    return LeftTask(task, reasons, int(others.sum()))
