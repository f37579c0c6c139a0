"""The page of moves towards a goal: the answer, figures before and after, the moves, the tasks that stay and why."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from loadmaster.model.units import percent
from loadmaster.report.page import Block, Chart, Heading, Page, Table, Text
from loadmaster.report.page_footer import page_footer
from loadmaster.report.theme import unchecked

MOST_ROWS = 1_000
"""Moves, and tasks that stay, that the page lists; moves.csv has all moves."""
_FIGURES = {
    "waiting": "tasks that wait", "hosts_in_use": "hosts in use", "highest_load": "most loaded host",
    "mean_load": "mean load", "load_deviation": "standard deviation of the loads",
    "to_drain": "tasks on drained hosts", "broken": "tasks against a rule",
}  # fmt: skip
"""Figures before and after, and what they are called."""


def goal_moves_page(
    name: str,
    answer: str,
    notes: Sequence[str],
    facts: Mapping[str, Any],
    chart: Any,
    in_words: Callable[[float], str],
    made: Mapping[str, object],
) -> Page:
    """The page.

    Args:
        name: of the file.
        answer: the sentence on top.
        notes: below it.
        facts: `GoalMoves.figures`.
        chart: how full the hosts are.
        in_words: a cost in words.
        made: how it was made, by name.
    """
    blocks: list[Block] = [Text(note, "note") for note in notes]
    blocks.append(_before_and_after(facts))
    if facts["moves"]:
        blocks += [Heading("The moves, in order"), _moves(facts["moves"], in_words)]
    if facts["left"]:
        blocks += [Heading("Tasks that stay, and why"), _left(facts["left"])]
    if facts["rules"]:
        blocks += [Heading("Rules"), _rules(facts["rules"])]
    blocks.append(Heading("The hosts"))
    with unchecked():
        blocks.append(Chart(chart, "The fuller of processors and memory of each host, before the moves and after."))
    return Page(answer, [*blocks, *page_footer(made)], name, "loadmaster rebalance")


def _before_and_after(facts: Mapping[str, Any]) -> Table:
    lines = [
        [_FIGURES[name], _figure(name, value), _figure(name, facts["after"][name])]
        for name, value in facts["before"].items()
    ]
    return Table(("figure", "before", "after"), lines)


def _figure(name: str, value: float) -> str:
    return percent(value, 0) if "load" in name else f"{value:,.0f}"


def _moves(moves: Sequence[Mapping[str, Any]], in_words: Callable[[float], str]) -> Table:
    divided = "on_numa_nodes" in moves[0]
    cells = [
        [
            str(move["step"]),
            move["task"],
            move["from"] or "starts",
            move["to"],
            *([" ".join(map(str, move["on_numa_nodes"]))] if divided else []),
            in_words(move["cost"]),
            "temporary place" if move["temporary"] else "",
        ]
        for move in moves[:MOST_ROWS]
    ]
    more = f"The first {MOST_ROWS:,} of {len(moves):,}; moves.csv has all. " if len(moves) > MOST_ROWS else ""
    caption = f"{more}Carried out in this order, each host has room for a task before it arrives, and no rule breaks."
    heads = ("step", "task", "from", "to", *["NUMA nodes"] * divided, "cost", "note")
    return Table(heads, cells, caption, prose=True)


def _left(left: Sequence[Mapping[str, Any]]) -> Table:
    cells = [
        [each["task"], each["from"] or "waits", "; ".join(_reason(each["task"], reason) for reason in each["reasons"])]
        for each in left[:MOST_ROWS]
    ]
    return Table(("task", "host", "why"), cells, prose=True)


def _reason(task: str, reason: Mapping[str, Any]) -> str:
    words = str(reason["reason"]).removeprefix(f"{task} ")
    return words if reason["host"] is None else f"{reason['host']}: {words}"


def _rules(rules: Sequence[Mapping[str, Any]]) -> Table:
    cells = [[each["rule"], f"{each['pods']:,}", _rule_status(each)] for each in rules]
    return Table(("rule", "pods", "plans"), cells, prose=True)


def _rule_status(rule: Mapping[str, Any]) -> str:
    if rule["kept"]:
        return "kept"
    return "not kept" if rule["rule"].startswith("preferred") else "not modelled: these pods stay, or go on waiting"
