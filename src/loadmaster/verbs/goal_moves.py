"""`rebalance` towards a goal: hosts drained, emptied or evened out, broken rules mended, pods that wait placed."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from loadmaster.model.arrays import Bools, Floats, Longs
from loadmaster.system.counted import counted
from loadmaster.verbs.moves_result import MovesResult

if TYPE_CHECKING:
    from loadmaster.move.constrained.goal_bounds import GoalBound
    from loadmaster.move.constrained.goal_plan import GoalQuestion
    from loadmaster.packing.constrained.weighted_sum import WeightedSum
    from loadmaster.report.page import Page

_SHOWN = 3


@dataclass(frozen=True, eq=False, repr=False)
class GoalMoves(MovesResult):
    """Moves that can be carried out one after another, and how far they lead.

    Attributes:
        name: of the file.
        question: the goal, the state, what a move of each task costs, the budget, the hosts to drain.
        host: int64[T], the host of each task after the moves; -1 for none.
        moves: int64[N, 3], task, source and target of each move in order; source -1 for a start.
        unit: `bytes` or `count`.
        before, after: figures, by name.
        left: tasks that stay against the goal: task, from, reasons (host and reason), number of hosts asked.
        load_before, load_after: float64[H], the largest part of processors or memory that is requested of each host.
        rules: of Kubernetes: each rule, the pods that it concerns, whether plans keep it.
        gated: pods that wait for a gate of their own.
        known: what was assumed of the file.
        command: the command that makes it again.
        weighted_sum: what was minimised: its text, before and after, bound, gap, proven, its terms; None for no sum.
        interrupted: the user ended the search.
        bound: of one figure of the goal, whatever the budget; None where there is none.
        total: the sum that was minimised; None for no sum.
        nodes: the NUMA nodes that the task of each move takes on arrival; () where hosts are not divided.
        held: bool[T, N], the nodes that each task holds after the moves; None where hosts are not divided.
    """

    verb = "rebalance"

    name: str
    question: "GoalQuestion"
    host: Longs
    moves: Longs
    unit: str
    before: Mapping[str, float]
    after: Mapping[str, float]
    left: tuple[Mapping[str, Any], ...]
    load_before: Floats
    load_after: Floats
    rules: tuple[Mapping[str, Any], ...] = ()
    gated: int = 0
    known: tuple[str, ...] = ()
    command: str = ""
    weighted_sum: Mapping[str, Any] | None = None
    interrupted: bool = False
    bound: "GoalBound | None" = None
    total: "WeightedSum | None" = None
    nodes: tuple[tuple[int, ...], ...] = ()
    held: Bools | None = None

    @property
    def goal(self) -> str:
        """`place`, `drain`, `consolidate`, `balance`, `fix` or `minimise`."""
        return self.question.goal

    @property
    def drained(self) -> tuple[str, ...]:
        """The names of the hosts to drain."""
        return tuple(np.array(self.question.problem.host_names)[self.question.hosts].tolist())

    @property
    def notes(self) -> tuple[str, ...]:
        """What was assumed of the file, and whether the search was ended."""
        from loadmaster.move.plan import INTERRUPTED

        return (*self.known, INTERRUPTED) if self.interrupted else self.known

    @property
    def done(self) -> bool:
        """Whether the goal is reached as far as it can be requested: no task is left on a drained host or broken."""
        return self.goal not in ("drain", "fix") or not self.left

    @cached_property
    def figures(self) -> dict[str, Any]:
        """The goal, the budget, the moves in order, figures before and after, the tasks that stay and why."""
        rows = [self._row(step, *move) for step, move in enumerate(self.moves.tolist(), start=1)]
        last = {row["task"]: row["step"] for row in rows}
        for row in rows:
            row["temporary"] = row["step"] < last[row["task"]]
            if self.nodes:
                row["on_numa_nodes"] = list(self.nodes[row["step"] - 1])
        return {
            "goal": self.goal,
            "drained": list(self.drained),
            "unit": self.unit,
            "budget": self.question.budget if np.isfinite(self.question.budget) else None,
            "spent": float(sum(row["cost"] for row in rows)),
            "complete": not self.left,
            "tasks": self.question.problem.tasks,
            "hosts": self.question.problem.hosts,
            "before": dict(self.before),
            "after": dict(self.after),
            "moves": rows,
            "emptied": list(self._emptied),
            "left": [dict(each) for each in self.left],
            "rules": [dict(each) for each in self.rules],
            "gated": self.gated,
            "weighted_sum": self.weighted_sum,
            "bound": None if self.bound is None else self.bound._asdict(),
        }

    def _row(self, step: int, task: int, source: int, target: int) -> dict[str, Any]:
        problem = self.question.problem
        return {
            "step": step,
            "task": problem.task_names[task],
            "from": problem.host_names[source] if source >= 0 else None,
            "to": problem.host_names[target],
            "cost": float(self.question.cost[task]) if source >= 0 else 0.0,
        }

    @property
    def _emptied(self) -> tuple[str, ...]:
        """Hosts that tasks left and that hold none of the tasks that move."""
        sources = {source for _, source, _ in self.moves.tolist() if source >= 0}
        moved = {task for task, _, _ in self.moves.tolist()}
        kept = {int(self.host[task]) for task in moved}
        empty = sorted(host for host in sources - kept if self.after["hosts_in_use"] < self.before["hosts_in_use"])
        return tuple(self.question.problem.host_names[host] for host in empty) if self.goal == "consolidate" else ()

    @property
    def answer(self) -> str:
        """The plan in one sentence, and the tasks that stay."""
        from loadmaster.model.units import percent

        before, after, steps = self.before, self.after, len(self.moves)
        moves = "no move" if not steps else f"{steps:,} move{'s' if steps > 1 else ''}"
        cost = f" ({self.in_words(self.figures['spent'])})" if self.unit == "bytes" and steps else ""
        if self.goal == "place":
            return self._placed(moves, cost)
        if self.weighted_sum is not None:
            starts = sum(source < 0 for _, source, _ in self.moves.tolist())
            moves = counted(steps - starts, "move")
            moves += f"{cost}, {counted(starts, 'start')}" if starts else cost
            return f"{moves}: {self._sum_in_words(self.weighted_sum)}{self._left_in_words('have no room')}"
        if self.goal == "drain":
            there = int(before["to_drain"])
            names = ", ".join(self.drained)
            left = f"{there - len(self.left):,} of {there:,} tasks leave {names}, {moves}{cost}"
            left += "" if self.left or not steps else f", {self._beside_the_bound()}"
            return left + self._left_in_words("stay")
        if self.goal == "consolidate":
            hosts = f"{after['hosts_in_use']:,.0f} host{'' if after['hosts_in_use'] == 1 else 's'}"
            return (
                f"{moves}{cost}: {hosts} in use instead of {before['hosts_in_use']:,.0f}, "
                f"{self._beside_the_bound()}{': ' + ', '.join(self._emptied) + ' can go' if self._emptied else ''}"
            )
        if self.goal == "balance":
            highest, old_highest, spread, old_spread = (
                percent(figures[name], 0) for name in ("highest_load", "load_deviation") for figures in (after, before)
            )
            return (
                f"{moves}{cost}: the most loaded host is {highest} full instead of {old_highest}, the standard "
                f"deviation of the loads is {spread} instead of {old_spread}, {self._beside_the_bound()}"
            )
        broken = int(before["broken"])
        if not broken:
            return "nothing is broken: no task breaks a rule, and no host is too full"
        mended = f"{broken - len(self.left):,} of {broken:,} tasks that break a rule or fill a host too much are mended"
        return f"{mended}, {moves}{cost}{self._left_in_words('stay')}"

    def _beside_the_bound(self) -> str:
        """How the plan stands beside the bound of its goal."""
        if self.bound is None:
            return "the best found, no bound"
        name, least = self.bound
        value = self.after.get(name, {"spent": self.figures["spent"], "moves": len(self.moves)}.get(name, 0.0))
        if value <= least * (1 + 1e-9) + 1e-12:
            return {"spent": "the least possible", "highest_load": "the lowest possible"}.get(
                name, "the fewest possible"
            )
        shown = {"spent": self.in_words(least), "highest_load": f"{100 * least:.0f} %"}.get(name, f"{least:,.0f}")
        return f"the best found; no plan has less than {shown}"

    def _placed(self, moves: str, cost: str) -> str:
        waiting = int(self.before["waiting"])
        if not waiting:
            return "no task waits, so nothing moves; a goal is --balance, --consolidate, --drain HOSTS or --fix"
        started = waiting - int(self.after["waiting"])
        running = sum(source >= 0 for _, source, _ in self.moves.tolist())
        moving = f", {running:,} running task{'s' if running > 1 else ''} move{'' if running > 1 else 's'}{cost}"
        placed = f"{started:,} of {waiting:,} tasks that wait are placed{moving if running else ''}"
        return placed + self._left_in_words("have no room")

    def _sum_in_words(self, facts: Mapping[str, Any]) -> str:
        from loadmaster.verbs.pack import in_words

        if facts["after"] is None:
            return f"{facts['minimise']} is not known while tasks wait"
        instead = "" if facts["before"] is None else f" instead of {facts['before']:,.6g}"
        return f"{facts['minimise']} is {facts['after']:,.6g}{instead}, {in_words(dict(facts))}"

    def _left_in_words(self, verb: str) -> str:
        if not self.left:
            return ""
        names = ", ".join(each["task"] for each in self.left[:_SHOWN])
        if len(self.left) == 1:
            verb = {"stay": "stays", "have no room": "has no room"}.get(verb, verb)
        return f"; {len(self.left):,} {verb}: {names}{', ...' if len(self.left) > _SHOWN else ''}"

    def in_words(self, value: float) -> str:
        """A cost in words: bytes, or tasks."""
        from loadmaster.model.units import show_bytes

        return show_bytes(value) if self.unit == "bytes" else f"{value:g} task{'' if value == 1 else 's'}"

    def plot(self) -> Any:
        """How full each host is of processors or memory, before and after: an Altair chart."""
        from loadmaster.report.moves_chart import before_and_after_chart

        title = "fullest resource: in use / capacity"
        return before_and_after_chart(self.question.problem.host_names, self.load_before, self.load_after, title)

    def page(self) -> "Page":
        """The answer, figures before and after, the moves in order, the tasks that stay and why, the hosts."""
        from loadmaster.report.goal_moves_page import goal_moves_page

        budget = self.question.budget
        made = {"command": self.command, "budget": self.in_words(budget) if np.isfinite(budget) else "none"}
        return goal_moves_page(self.name, self.answer, self.notes, self.figures, self.plot(), self.in_words, made)
