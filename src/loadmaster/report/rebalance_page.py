"""The page of a plan of moves: the answer, before and after, the moves in order, the hosts as they are filled."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from loadmaster.model.units import MEMORY, show_bytes
from loadmaster.move.change import State
from loadmaster.move.plan import MovePlan
from loadmaster.report.host_fill_chart import filled_chart
from loadmaster.report.moves_chart import moves_chart
from loadmaster.report.page import Block, Chart, Heading, Page, Table, Text
from loadmaster.report.page_footer import page_footer
from loadmaster.report.theme import unchecked


def rebalance_page(
    name: str,
    answer: str,
    notes: Sequence[str],
    facts: Mapping[str, Any],
    now: State,
    plan: MovePlan,
    amount: Callable[[float], str],
    command: str = "",
) -> Page:
    """The page.

    Args:
        name: of the file of the state.
        answer: the sentence on top.
        notes: below it.
        facts: of the plan, as `move.summary` gives them.
        now: the state before the moves.
        plan: the moves.
        amount: a cost in words.
        command: the command that makes it again.
    """
    blocks: list[Block] = [Text(note, "note") for note in (*notes, *facts["missing"])]
    blocks.append(_levels(facts, amount))
    if facts["moves"]:
        blocks += [Heading("The moves, in order"), _moves(facts, amount)]
    if facts["stuck"]:
        blocks += [Heading("What stands in the way of a better placement"), _stuck_tasks_table(facts)]
    with unchecked():
        blocks += _pictures(now, plan)
    footer = {
        "command": command,
        "tasks": f"{now.instance.tasks:,}",
        "hosts": f"{now.instance.hosts:,}",
        "solver": facts["solver"],
        "budget": "none" if facts["budget"] is None else amount(facts["budget"]),
    }
    return Page(answer, [*blocks, *page_footer(footer)], name, "loadmaster rebalance")


def _levels(facts: Mapping[str, Any], amount: Callable[[float], str]) -> Table:
    word = "least yield / weight" if facts["weighted"] else "minimum yield"
    rows = [
        ["before", _level(facts["level_before"]), "-", "-"],
        ["after", _level(facts["level"]), amount(facts["spent"]), f"{len(facts['moves']):,}"],
    ]
    if facts["better"] is not None:
        which = "not reached in time" if facts["status"] == "limit" else "out of reach"
        rows.append([which, _level(facts["better"]["level"]), amount(facts["better"]["spent"]), "-"])
    rows.append(["bound", _level(facts["bound"]), "-", "-"])
    return Table(("placement", word, "moved", "moves"), rows, "No placement of these tasks is better than the bound.")


def _level(value: float | None) -> str:
    return "not complete" if value is None else f"{value:.4f}"


def _moves(facts: Mapping[str, Any], amount: Callable[[float], str]) -> Table:
    cells = [
        [
            str(row["step"]),
            row["task"],
            row["from"] or "new",
            row["to"],
            amount(row["cost"]),
            "temporary place" if row["temporary"] else "",
        ]
        for row in facts["moves"]
    ]
    caption = "Carried out in this order, no host is ever too full."
    heads = ["step", "task", "from", "to", "cost", "note"]
    shown = len(heads) if any(row["temporary"] for row in facts["moves"]) else len(heads) - 1
    return Table(heads[:shown], [row[:shown] for row in cells], caption, prose=True)


def _stuck_tasks_table(facts: Mapping[str, Any]) -> Table:
    cells = [
        [
            row["task"],
            row["from"] or "-",
            row["to"],
            ", ".join(
                f"{show_bytes(value) if name == MEMORY else f'{value:g}'} of {name}"
                for name, value in row["lacks"].items()
            ),
        ]
        for row in facts["stuck"]
    ]
    return Table(("stuck task", "from", "to", "that host lacks"), cells, prose=True)


def _pictures(now: State, plan: MovePlan) -> list[Block]:
    caption = "What the tasks of each host request, before the moves and after; the fullest host before them first."
    blocks: list[Block] = [Heading("Before and after"), Chart(moves_chart(now, plan), caption)]
    moved = {move.task for move in plan.moves}
    for when, host in (("before", now.host), ("after", plan.host)) if moved else ():
        filled = filled_chart(now.instance, host, moved)
        if filled is not None:
            blocks += [
                Heading(f"The hosts {when} the moves"),
                Chart(filled, "Each bar is a host, each piece a task; tasks that move are highlighted."),
            ]
    return blocks
