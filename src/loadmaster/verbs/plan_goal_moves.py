"""The work of `rebalance` towards a goal: reads the state as a constrained problem and plans moves on it."""

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Longs
from loadmaster.system.counted import counted
from loadmaster.verbs.goal_moves import GoalMoves
from loadmaster.verbs.unused_options import refuse_unused

if TYPE_CHECKING:
    from loadmaster.move.constrained.goal_plan import Goal, GoalPlan, GoalQuestion
    from loadmaster.packing.constrained.problem import ConstrainedProblem
    from loadmaster.packing.constrained.weighted_sum import WeightedSum
    from loadmaster.packing.incumbent import Report
    from loadmaster.verbs.rebalance import RebalanceOptions

GOALS = ("drain", "consolidate", "balance", "fix")
"""The options that name a goal; at most one of them."""


@dataclass(frozen=True, eq=False)
class StateProblem:
    """A state to move tasks in, and what is known beside it.

    Attributes:
        problem: hosts, tasks, constraints.
        full: int64[H, R], amounts at which a host counts as full.
        priority: float64[T], the largest is placed first.
        tied: bool[T], tasks that belong to their host.
        rules: of Kubernetes, as plain values.
        gated: pods that wait for a gate of their own.
        notes: what was assumed of the file.
        price: float64[H], of each host; None where no prices are known.
    """

    problem: "ConstrainedProblem"
    full: Longs
    priority: Floats
    tied: Bools
    rules: tuple[dict[str, Any], ...] = ()
    gated: int = 0
    notes: tuple[str, ...] = ()
    price: Floats | None = None


def has_goal(options: "RebalanceOptions") -> bool:
    """Whether an option names a goal, or demands are met in full, where the goal is to place what waits.

    They are met in full in a state of Kubernetes and on NUMA nodes.
    """
    from loadmaster.packing.kubernetes_objects import is_kubernetes_file
    from loadmaster.packing.objective import LEVEL, summed

    if summed(options.minimise, LEVEL) is not None:
        return True
    if any(getattr(options, name) for name in GOALS) or is_kubernetes_file(Path(options.state)):
        return True
    return options.numa_nodes is not None


def move_towards_goal(
    options: "RebalanceOptions", limit: float, command: str, report: "Report | None" = None
) -> GoalMoves:
    """The moves towards the goal that the options name.

    Args:
        options: of the verb.
        limit: the budget; infinite for none.
        command: the command that makes it again.
        report: called with the least sum and the bound while it is minimised.

    Raises:
        InputError: the state or its hosts cannot be used, or an option changes nothing.
    """
    from loadmaster.model.errors import InputError
    from loadmaster.move.constrained.goal_plan import GoalQuestion, plan_towards
    from loadmaster.packing.constrained.weighted_sum import WeightedSum
    from loadmaster.packing.deadline import Deadline
    from loadmaster.packing.kubernetes_objects import is_kubernetes_file
    from loadmaster.packing.objective import LEVEL, summed
    from loadmaster.system.interrupt import Interrupt

    named = [name for name in GOALS if getattr(options, name)]
    if len(named) > 1:
        raise InputError(" and ".join(options.flag(name) for name in named), "only one goal", fix="leave one out")
    objective = summed(options.minimise, LEVEL)
    if objective is not None and named:
        raise InputError(f"{options.flag(named[0])} and --minimise", "only one goal", fix="leave one out")
    if options.numa_nodes is not None and options.minimise in LEVEL:
        rule = "on NUMA nodes each demand is met in full, so there is no level to raise"
        raise InputError("--minimise level", rule, fix="choose another goal, such as --balance")
    why = "moves towards a goal, on NUMA nodes, and of a state of Kubernetes are found by one search"
    refuse_unused(options, ["method"] if objective is not None else ["method", "seed", "minimise"], why)
    state = _of_kubernetes(options) if is_kubernetes_file(Path(options.state)) else _of_table(options)
    problem, goal = state.problem, _goal(named)
    hosts = np.array([name in _drained(options, problem) for name in problem.host_names], bool)
    bytes_of = problem.demand[:, problem.resources.index("memory")] if "memory" in problem.resources else None
    if options.moves is None and bytes_of is not None:
        unit, cost = "bytes", bytes_of * problem.units[problem.resources.index("memory")]
    elif options.budget is not None:
        raise InputError("--budget", "the tasks have no memory to count", fix="bound the moves with --moves instead")
    else:
        unit, cost = "count", np.ones(problem.tasks)
    question = GoalQuestion(goal, problem, cost.astype(float), limit, state.tied, state.priority, hosts, state.full)
    name = Path(options.state).name
    if objective is None:
        with Interrupt() as interrupt:
            deadline = Deadline.after(options.time_limit, interrupt)
            plan = plan_towards(question, deadline)
        late = f"the search ended at its limit of {options.time_limit:g} s; more time may find more"
        notes = (late,) if deadline.passed() and not interrupt.asked else ()
        made = _result(plan, state, name, unit, command)
        return replace(made, known=(*made.known, *notes), interrupted=interrupt.asked)
    question = replace(question, goal="minimise")
    total = WeightedSum(objective, problem, state.full, state.price)
    option = f"--minimise {objective.text!r}"
    if "cost" in objective.weights and state.price is None:
        raise InputError(option, "the hosts have no prices", fix="give them in --hosts")
    if {"hosts", "cost"} & set(objective.weights) and state.tied.any():
        raise InputError(option, "DaemonSet pods keep each node in use", fix="use --consolidate, which leaves them out")
    return _plan_of_least_sum(question, total, state, (name, unit, command), options, report)


def _plan_of_least_sum(
    question: "GoalQuestion",
    total: "WeightedSum",
    state: StateProblem,
    words: tuple[str, str, str],
    options: "RebalanceOptions",
    report: "Report | None",
) -> GoalMoves:
    """The moves to the least sum found; `words` are the file's name, the budget's unit and the command."""
    from loadmaster.move.constrained.cheaper_moves import plan_cheaper_moves
    from loadmaster.move.constrained.goal_plan import plan_of
    from loadmaster.packing.incumbent import Incumbent

    def shown(_: float, least: float, bound: float) -> None:
        if report is not None:
            report(Incumbent(total.objective.text, least, bound))

    made = plan_cheaper_moves(total, question.cost, question.budget, options.time_limit, options.seed, shown)
    planned = _result(plan_of(question, made.moves), state, *words)
    amounts = {
        "minimise": total.objective.text,
        "before": None if math.isnan(made.before) else made.before,
        "after": None if math.isnan(made.after) else made.after,
        "bound": made.bound,
        "gap": made.gap,
        "proven": made.proven,
        "terms_before": made.terms_before,
        "terms_after": made.terms_after,
    }
    return replace(planned, weighted_sum=amounts, interrupted=made.interrupted, total=total)


def _goal(named: list[str]) -> "Goal":
    goals: dict[str, Goal] = {
        "drain": "drain",
        "consolidate": "consolidate",
        "balance": "balance",
        "fix": "fix",
    }
    return goals[named[0]] if named else "place"


def _drained(options: "RebalanceOptions", problem: "ConstrainedProblem") -> set[str]:
    from loadmaster.rules.near import no_such

    names = {name.strip() for name in str(options.drain or "").split(",") if name.strip()}
    for name in sorted(names - set(problem.host_names)):
        see = f"hosts: {', '.join(problem.host_names[:5])}, ..."
        raise no_such(name, problem.host_names, what="host of the state", see=see)
    return names


def _of_kubernetes(options: "RebalanceOptions") -> StateProblem:
    from loadmaster.model.errors import InputError
    from loadmaster.packing.kubernetes_problem import read_kubernetes_problem

    if options.hosts is not None:
        raise InputError("--hosts", "the state names its own nodes", fix="leave it out")
    refuse_unused(options, ["fluid", "numa_nodes"], "Kubernetes gives requests in full, on whole nodes")
    state = read_kubernetes_problem(Path(options.state))
    rules = tuple(each._asdict() for each in state.rules)
    return StateProblem(
        state.problem, state.problem.capacity, state.priority, state.tied, rules, state.gated, state.notes
    )


def _of_table(options: "RebalanceOptions") -> StateProblem:
    from loadmaster.packing.cheapest_hosts import all_rigid
    from loadmaster.packing.constrained.constraints import OnNumaNodes
    from loadmaster.packing.constrained.instance_problem import instance_problem
    from loadmaster.packing.numa_nodes import NumaNodes, held_nodes

    read, host = options.running()
    instance, notes = read.instance, read.notes
    if options.numa_nodes is None:
        problem, full = instance_problem(instance, host, Path(options.state).name)
    else:
        problem, full = instance_problem(all_rigid(instance), host, Path(options.state).name)
        parts = np.ones(problem.tasks, np.int64) if read.numa_nodes is None else read.numa_nodes
        numa = NumaNodes.of(instance, parts, options.numa_nodes)
        held, assumed = held_nodes(numa, host, read.on_numa_nodes or (None,) * problem.tasks)
        problem = replace(problem, constraints=(*problem.constraints, OnNumaNodes(numa, held)))
        if assumed:
            tasks = f"on_numa_nodes names no nodes of {counted(assumed, 'running task')}"
            how = "each is assumed to hold the fullest nodes of its host with room, in the order of the table"
            notes = (*notes, f"{tasks}: {how}")
    none = np.zeros(problem.tasks, bool)
    return StateProblem(problem, full, np.zeros(problem.tasks), none, notes=notes, price=instance.price)


def _result(plan: "GoalPlan", state: StateProblem, name: str, unit: str, command: str) -> GoalMoves:
    from loadmaster.move.constrained.valid_moves import ValidMoves

    question, problem = plan.question, state.problem
    names = problem.host_names
    left = tuple(
        {
            "task": problem.task_names[each.task],
            "from": names[plan.host[each.task]] if plan.host[each.task] >= 0 else None,
            "reasons": [
                {"host": names[reason.host] if reason.host >= 0 else None, "reason": reason.reason}
                for reason in each.reasons
            ],
            "hosts": each.hosts,
        }
        for each in plan.left
    )
    load_before = ValidMoves(problem, question.cost, question.full).load()
    after = ValidMoves(problem, question.cost, question.full, host=plan.host)
    notes = list(state.notes)
    if state.rules and plan.moves:
        notes.append("Make one move after another: before each, wait until the last pod is ready on its new node.")
    return GoalMoves(
        name,
        question,
        plan.host,
        np.array(plan.moves, np.int64).reshape(-1, 3),
        unit,
        plan.before,
        plan.after,
        left,
        load_before,
        after.load(),
        state.rules,
        state.gated,
        tuple(notes),
        command,
        bound=plan.bound,
        nodes=plan.nodes,
        held=plan.held,
    )
