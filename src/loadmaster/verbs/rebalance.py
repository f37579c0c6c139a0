"""`rebalance`: a better placement from a running one, within a migration budget."""

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from loadmaster.system.counted import counted
from loadmaster.verbs.moves_result import MovesResult
from loadmaster.verbs.option import Option, called_with
from loadmaster.verbs.task_options import TaskOptions
from loadmaster.verbs.time_limit import TIME_LIMIT
from loadmaster.verbs.unused_options import refuse_unused

if TYPE_CHECKING:
    from loadmaster.model.arrays import Ints
    from loadmaster.move.change import State
    from loadmaster.move.plan import MovePlan
    from loadmaster.packing.incumbent import Report
    from loadmaster.packing.read import TaskFile
    from loadmaster.report.page import Page
    from loadmaster.verbs.goal_moves import GoalMoves
    from loadmaster.verbs.placement_by_cost import PlacementByCost


@dataclass(frozen=True)
class RebalanceOptions(TaskOptions):
    """All that `rebalance` can be told."""

    state: Annotated[
        "str | Path",
        Option(
            "Tasks as for `pack`, with a column host; kubectl's JSON; or a model with costs of its own.",
            argument=True,
            reads=True,
            typed=Path,
        ),
    ]
    _: KW_ONLY
    budget: Annotated[
        str | float | None, Option("The most memory to move, such as 64GiB; numbers are bytes.", typed=str | None)
    ] = None
    moves: Annotated[int | None, Option("Or the largest number of tasks to move.", least=0)] = None
    drain: Annotated[str | None, Option("Goal: move all tasks off these hosts (commas).", metavar="HOSTS")] = None
    consolidate: Annotated[bool, Option("Goal: empty as many hosts as possible.")] = False
    balance: Annotated[bool, Option("Goal: even out how full the hosts are.")] = False
    fix: Annotated[bool, Option("Goal: mend broken rules and hosts that are too full, and nothing else.")] = False
    minimise: Annotated[
        str | None, Option("Goal: level, or a sum of hosts, cost, moves, imbalance, stranded: 'hosts + 0.1*moves'.")
    ] = None
    numa_nodes: Annotated[
        int | None,
        Option("NUMA nodes of each host, equal parts of it; tasks have a column numa_nodes. Goals only.", least=1),
    ] = None
    method: Annotated[Literal["auto", "heuristic", "exact"], Option("auto: exact up to 300 tasks x hosts.")] = "auto"
    time_limit: Annotated[float, TIME_LIMIT] = 30.0
    seed: Annotated[int, Option("Seed of the search for the least cost or sum.", least=0, below=2**63)] = 0

    def running(self) -> "tuple[TaskFile, Ints]":
        """The table of tasks, and int32[T], the host of each; -1 for none.

        Raises:
            InputError: no such file, no hosts, no column `host`, or tasks that take NUMA nodes of hosts without.
        """
        from loadmaster.model.errors import InputError

        read, name = self.read(self.state), Path(self.state).name
        if read.host is None:
            raise InputError(name, "no column host: where does each task run?", fix="use `pack` for new tasks")
        if (read.numa_nodes is not None or read.on_numa_nodes) and self.numa_nodes is None:
            column = "on_numa_nodes" if read.numa_nodes is None else "numa_nodes"
            fix = "give --numa-nodes 2, or leave the column out to plan on whole hosts"
            raise InputError(column, "tasks take NUMA nodes, and the hosts have none", fix=fix)
        return read, read.host


@dataclass(frozen=True, eq=False, repr=False)
class Rebalanced(MovesResult):
    """The result of `rebalance`, also if nothing better is within the budget.

    Attributes:
        name: of the state.
        now: tasks, hosts and where every task runs.
        plan: the moves, in an order in which no host is ever too full.
        budget: bytes or moves; infinite where there was none.
        time_limit_s: of the search.
        known: what was assumed of the file.
        command: the command that makes it again.
    """

    verb = "rebalance"

    name: str
    now: "State"
    plan: "MovePlan"
    budget: float
    time_limit_s: float = 30.0
    known: tuple[str, ...] = ()
    command: str = ""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was assumed of the file, and whether the search was ended."""
        from loadmaster.move.plan import INTERRUPTED

        return (*self.known, INTERRUPTED) if self.plan.interrupted else self.known

    @property
    def done(self) -> bool:
        """Whether there is a plan that can be carried out, be it to stay."""
        return self.plan.status in ("ok", "limit")

    @cached_property
    def figures(self) -> dict[str, Any]:
        """Level before and after, bound, budget, what is spent, the moves, what stands in the way of better ones."""
        from loadmaster.move.summary import summary

        return summary(self.now, self.plan, self.budget)

    @property
    def answer(self) -> str:
        """The plan in one sentence."""
        facts = self.figures
        if facts["status"] == "infeasible":
            return "no placement of all tasks within the budget " + ("exists" if facts["proven"] else "was found")
        before, after = ("not complete" if v is None else f"{v:.4f}" for v in (facts["level_before"], facts["level"]))
        word, bound = level_word(facts), f"(bound {facts['bound']:.4f})"
        if facts["status"] == "stuck":
            aim = "places all tasks" if facts["level_before"] is None else "raises it"
            how = "" if facts["proven"] else " was found that"
            return f"{word} {before} {bound}: no order of moves within the budget{how} {aim}"
        best = f", {self._searched}"
        if not facts["moves"]:
            return f"Nothing moves: the {word} is {after} {bound}{best}"
        several = len(facts["moves"]) > 1
        moves = f"{counted(len(facts['moves']), 'move')}" if several else "One move"
        moves += f", {amount(facts, facts['spent'])}," if facts["unit"] == "bytes" else ""
        if facts["level_before"] is None:
            return f"{moves} place{'' if several else 's'} all tasks: the {word} is {after} {bound}{best}"
        return f"{moves} bring{'' if several else 's'} the {word} from {before} to {after} {bound}{best}"

    @property
    def _searched(self) -> str:
        """What the plan is the best of."""
        facts = self.figures
        if facts["proven"]:
            return "proven best of all placements" + ("" if facts["budget"] is None else " within the budget")
        if self.plan.interrupted:
            return "the best found until Ctrl-C"
        if facts["status"] == "limit":
            return f"the best found in {self.time_limit_s:g} s"
        return "the best found"

    def plot(self) -> Any:
        """How much of the first fluid resource is requested of every host before and after the moves: a chart."""
        from loadmaster.report.moves_chart import moves_chart

        return moves_chart(self.now, self.plan)

    def page(self) -> "Page":
        """The answer, before and after, the moves in order, the hosts as they are filled."""
        from functools import partial

        from loadmaster.report.rebalance_page import rebalance_page

        facts = self.figures
        words = partial(amount, facts)
        return rebalance_page(self.name, self.answer, self.notes, facts, self.now, self.plan, words, self.command)


def level_word(facts: dict[str, Any]) -> str:
    """What the level is called: with weights it is no yield."""
    return "least yield / weight" if facts["weighted"] else "minimum yield"


def amount(facts: dict[str, Any], value: float) -> str:
    """A cost in words: bytes, or tasks."""
    from loadmaster.model.units import show_bytes

    return show_bytes(value) if facts["unit"] == "bytes" else f"{value:g} task{'' if value == 1 else 's'}"


def rebalance_with(
    options: RebalanceOptions,
    command: str = "",
    progress: Callable[[float, int], None] | None = None,
    report: "Report | None" = None,
) -> "Rebalanced | GoalMoves | PlacementByCost":
    """Plan which tasks move to which hosts: with no host ever too full, or at the least cost of a model.

    Args:
        options: what to move.
        command: how to make it again; made of the options where it is not given.
        progress: told the part of the time that has passed and the best cost, for a model with costs of its own.
        report: called with the best level or sum so far and the bound, for the other states.

    Returns:
        The moves in order, and for a model with costs of its own its placement; `done` says whether there is one.

    Raises:
        InputError: the state or the machines cannot be used, or an option changes nothing.
    """
    from loadmaster.model.errors import InputError
    from loadmaster.model.units import parse_bytes
    from loadmaster.verbs.folder import make_folder
    from loadmaster.verbs.goal_moves import GoalMoves
    from loadmaster.verbs.placement_by_cost import has_own_costs, place_by_cost
    from loadmaster.verbs.plan_goal_moves import has_goal, move_towards_goal

    if has_own_costs(Path(options.state)):
        return place_by_cost(options, command, progress)
    if options.budget is not None and options.moves is not None:
        raise InputError("--budget and --moves", "only one of them can bind", fix="leave one out")
    memory = math.inf if options.budget is None else float(parse_bytes(str(options.budget)))
    limit = memory if options.moves is None else float(options.moves)
    if options.out is not None:
        make_folder(Path(options.out))
    command = command or options.call("rebalance")
    towards = has_goal(options)
    planned = (
        move_towards_goal(options, limit, command, report) if towards else _level_plan(options, limit, command, report)
    )
    if options.out is not None and (planned.done or isinstance(planned, GoalMoves)):
        planned.save(options.out)
    return planned


def _level_plan(options: RebalanceOptions, limit: float, command: str, report: "Report | None") -> Rebalanced:
    """The moves to the highest minimum yield."""
    from loadmaster.move.change import State
    from loadmaster.move.plan import plan_moves
    from loadmaster.packing.incumbent import silent

    refuse_unused(options, ["seed"], "it works only on a model with costs of its own, or with --minimise")
    read, host = options.running()
    now = State(read.instance, host, "count" if options.moves is not None else "bytes")
    plan = plan_moves(now, limit, options.method, options.time_limit, report or silent)
    return Rebalanced(Path(options.state).name, now, plan, limit, options.time_limit, read.notes, command)


rebalance = called_with(RebalanceOptions, rebalance_with)
