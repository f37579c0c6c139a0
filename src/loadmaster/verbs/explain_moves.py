"""`explain` of a task of a plan of `rebalance`: why it moves or stays, why not there, and what that would take."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.move.change import within
from loadmaster.packing.numa_nodes import shown_nodes
from loadmaster.report.explanation import amounts
from loadmaster.verbs.explain_placement import ExplainedTask, explain_task
from loadmaster.verbs.goal_moves import GoalMoves
from loadmaster.verbs.pack import Packed
from loadmaster.verbs.placement_by_cost import PlacementByCost
from loadmaster.verbs.rebalance import Rebalanced, amount, level_word

if TYPE_CHECKING:
    from loadmaster.packing.constrained.problem import ConstrainedProblem
    from loadmaster.packing.instance import Instance
    from loadmaster.packing.kubernetes_packing import PodsPlacedAnew

Planned = Rebalanced | GoalMoves | PlacementByCost
"""The results of `rebalance`."""


@dataclass(frozen=True, eq=False)
class PlanFigure:
    """What a plan improves.

    Attributes:
        name: such as "minimum yield".
        of: its value for a placement, int64[T] with -1 for none.
        words: a value in words.
    """

    name: str
    of: Callable[[Longs], float]
    words: Callable[[float], str]

    def change(self, before: Longs, after: Longs) -> str:
        """How it differs between two placements: "the minimum yield would be 0.5 instead of 0.75"."""
        old, new = self.words(self.of(before)), self.words(self.of(after))
        return f"the {self.name} would stay {old}" if old == new else f"the {self.name} would be {new} instead of {old}"


@dataclass(frozen=True, eq=False)
class PlannedPlacement:
    """Where a plan leads, of whatever search.

    Attributes:
        now, host: int64[T], the host of each task before and after; -1 for none.
        moves: task, source and target of each move in order; source -1 for a start.
        cost: float64[T], of a move of each task; None where moves have no order and no cost.
        budget: of all moves; infinite for none.
        words: a cost in words.
        figure: what the plan improves; None where that is no figure of a placement.
    """

    now: Longs
    host: Longs
    moves: list[tuple[int, int, int]]
    cost: Floats | None
    budget: float
    words: Callable[[float], str]
    figure: PlanFigure | None

    @property
    def left(self) -> float:
        """What the moves leave of the budget."""
        return self.budget - sum(float(self.cost[t]) for t, at, _ in self.moves if at >= 0 and self.cost is not None)


def explain_planned_task(planned: Planned, name: str, top: int, command: str) -> ExplainedTask:
    """The task called `name`, beside the other tasks as they are after all moves.

    Raises:
        InputError: no such task, or there is no placement.
    """
    from loadmaster.model.errors import InputError

    if isinstance(planned, PlacementByCost) and not planned.done:
        raise InputError(planned.name, "there is no placement to explain", fix="see its answer")
    plan = _plan(planned)
    explained = explain_task(_placed(planned, plan), name, top, command)
    return replace(explained, planned=tuple(_sentences(planned, plan, explained)))


def _sentences(planned: Planned, plan: PlannedPlacement, explained: ExplainedTask) -> list[str]:
    """What the plan does with the task, and what it would change to leave it, or to place it elsewhere."""
    instance, reasons, task = explained.packed.instance, explained.reasons, explained.task
    own, source, left = reasons.own, int(plan.now[task]), plan.host.copy()
    steps = [step for step, move in enumerate(plan.moves, start=1) if move[0] == task]
    cost = 0.0 if plan.cost is None or source < 0 else float(plan.cost[task])
    said = []
    if not steps:
        said += ["The plan does not move it."] if own >= 0 else []
        if not within(cost, plan.left):
            said.append(
                f"A move of it costs {plan.words(cost)}; the budget has {plan.words(max(plan.left, 0.0))} left."
            )
    else:
        order = f" ({_steps(steps)} of {len(plan.moves)})" if plan.cost is not None else ""
        stops = [instance.host_name(plan.moves[step - 1][2]) for step in steps[:-1]]
        way = f" by way of {' and '.join(f'host {name}' for name in stops)}" if stops else ""
        price = f", which costs {plan.words(cost * len(steps))}" if cost else ""
        origin = "starts it there" if source < 0 else f"moves it there from host {instance.host_name(source)}"
        said.append(f"The plan {origin}{way}{order}{price}.")
    if isinstance(planned, GoalMoves) and planned.held is not None and own >= 0:
        said.append(f"It {'takes' if steps else 'keeps'} {shown_nodes(planned.held[task])} there.")
    if steps and source >= 0 and source != own:
        why, name = reasons.why_not(source), instance.host_name(source)
        left[task] = source
        if why:
            said.append(f"Host {name} could not hold it after the moves: {why[0]}.")
        elif plan.figure is not None:
            said.append(f"Were it on host {name} as before, {plan.figure.change(plan.host, left)}.")
        else:
            said.append(f"After the moves host {name} could hold it again.")
    return [*said, *_better_place(planned, plan, explained)]


def _better_place(planned: Planned, plan: PlannedPlacement, explained: ExplainedTask) -> list[str]:
    """What another host would change, where the table has no level; and a host that only a better placement has."""
    instance, task, said = explained.packed.instance, explained.task, list[str]()
    shown, own = explained.reasons.hosts(explained.top), explained.reasons.own
    open_hosts = [each.host for each in shown if not each.why_not and each.host not in (own, plan.now[task])]
    if isinstance(planned, Rebalanced):
        for row in planned.figures["stuck"]:
            if row["task"] == instance.task_name(task):
                lacks = amounts((*row["lacks"],), np.array([*row["lacks"].values()])) if row["lacks"] else "a way there"
                said.append(f"A better placement has it on host {row['to']}, which lacks {lacks} for it now.")
    elif plan.figure is not None and open_hosts and own >= 0:
        there = []
        for host in open_hosts:
            moved = plan.host.copy()
            moved[task] = host
            there.append((plan.figure.of(moved), host, moved))
        _, host, moved = min(there, key=lambda each: each[:2])
        said.append(f"On host {instance.host_name(host)}, {plan.figure.change(plan.host, moved)}.")
    return said


def _steps(steps: list[int]) -> str:
    return f"step{'s' * (len(steps) > 1)} {' and '.join(map(str, steps))}"


def _plan(planned: Planned) -> PlannedPlacement:
    """The plan of each search in the same form."""
    if isinstance(planned, Rebalanced):
        from loadmaster.packing.level import level_of

        state, facts = planned.now, planned.figures
        level = PlanFigure(level_word(facts), lambda host: level_of(state.instance, host), lambda value: f"{value:.4f}")
        return PlannedPlacement(
            state.host.astype(np.int64),
            planned.plan.host.astype(np.int64),
            [move[:3] for move in planned.plan.moves],
            state.cost,
            planned.budget,
            lambda value: amount(facts, value),
            level if (planned.plan.host >= 0).all() else None,
        )
    if isinstance(planned, GoalMoves):
        moves = [(task, source, target) for task, source, target in planned.moves.tolist()]
        question = planned.question
        figure = _goal_figure(planned)
        return PlannedPlacement(
            question.problem.now, planned.host, moves, question.cost, question.budget, planned.in_words, figure
        )
    problem, host = planned.problem, planned.host
    moves = [(t, int(problem.now[t]), int(host[t])) for t in np.flatnonzero(host != problem.now).tolist()]

    def total(placement: Longs) -> float:
        from loadmaster.packing.constrained.evaluate import evaluate

        return evaluate(problem, placement).total

    return PlannedPlacement(
        problem.now, host, moves, None, math.inf, str, PlanFigure("cost", total, lambda c: f"{c:,}")
    )


def _goal_figure(planned: GoalMoves) -> PlanFigure | None:
    """What the goal improves, as a figure of a placement."""
    from loadmaster.model.units import percent
    from loadmaster.move.constrained.goal_plan import figures_of
    from loadmaster.move.constrained.valid_moves import ValidMoves

    question = planned.question

    def figure(name: str) -> Callable[[Longs], float]:
        def value(host: Longs) -> float:
            return figures_of(question, ValidMoves(question.problem, question.cost, question.full, host=host))[name]

        return value

    if planned.total is not None and (planned.host >= 0).all():
        return PlanFigure(f"sum {planned.total.objective.text}", planned.total.value, lambda value: f"{value:,.6g}")
    if planned.goal == "balance":
        return PlanFigure("load of the fullest host", figure("highest_load"), lambda value: percent(value, 0))
    if planned.goal == "consolidate":
        return PlanFigure("number of hosts in use", figure("hosts_in_use"), lambda value: f"{value:,.0f}")
    return None


def _placed(planned: Planned, plan: PlannedPlacement) -> Packed:
    """The placement that the plan leads to, as `pack` would give it."""
    from loadmaster.packing.packing import Attempt
    from loadmaster.packing.solve import finish

    instance, pods = _instance(planned)
    host = plan.host.astype(np.int32)
    complete = isinstance(planned, Rebalanced) and plan.figure is not None and not math.isnan(planned.plan.level)
    attempt = Attempt(host, "ok", "rebalance") if complete else Attempt(None, "limit", "rebalance", partial=host)
    all_jobs = np.ones(instance.jobs, bool)
    made = finish(instance, attempt)
    return Packed(planned.name, instance, instance, made, all_jobs, (), [], planned.command, pods)


def _instance(planned: Planned) -> "tuple[Instance, PodsPlacedAnew | None]":
    """Tasks and hosts, and the problem with their rules."""
    from loadmaster.packing.constrained.constraints import AllowedHosts, OnNumaNodes
    from loadmaster.packing.constrained.groups import TaskGroup
    from loadmaster.packing.instance import Instance
    from loadmaster.packing.kubernetes_packing import PodsPlacedAnew

    if isinstance(planned, Rebalanced):
        return replace(planned.now.instance, cards=None), None
    problem: ConstrainedProblem = planned.problem if isinstance(planned, PlacementByCost) else planned.question.problem
    if isinstance(planned, GoalMoves) and planned.held is not None:
        constraints = [
            replace(each, held=planned.held) if isinstance(each, OnNumaNodes) else each for each in problem.constraints
        ]
        problem = replace(problem, now=planned.host, constraints=tuple(constraints))
    if isinstance(planned, GoalMoves) and planned.question.hosts.any():
        everything = TaskGroup("all tasks", np.arange(problem.tasks, dtype=np.int32))
        kept = AllowedHosts(everything, ~planned.question.hosts, "a host that is not drained")
        problem = replace(problem, constraints=(*problem.constraints, kept))
    units = np.array(problem.units or (1.0,) * len(problem.resources))
    instance = Instance(
        np.zeros((problem.tasks, 0)),
        problem.demand * units,
        np.zeros((problem.hosts, 0)),
        problem.capacity * units,
        fluid_names=(),
        rigid_names=problem.resources,
        task_names=problem.task_names,
        host_names=problem.host_names,
        source=problem.source,
    )
    return instance, PodsPlacedAnew(problem, np.arange(problem.tasks), np.arange(problem.hosts), instance, ())
