"""The page of a placement by cost: the answer, costs before and after, how full the hosts are, the moves."""

from collections.abc import Mapping, Sequence
from typing import Any

from loadmaster.report.page import Block, Chart, Heading, Page, Table, Text
from loadmaster.report.page_footer import page_footer
from loadmaster.report.theme import unchecked

MOST_MOVES = 1_000
"""Moves that the page lists; moves.csv has all."""


def placement_cost_page(
    name: str, answer: str, notes: Sequence[str], facts: Mapping[str, Any], chart: Any, made: Mapping[str, object]
) -> Page:
    """The page.

    Args:
        name: of the file.
        answer: the sentence on top.
        notes: below it.
        facts: `PlacementByCost.figures`.
        chart: how full the hosts are.
        made: how it was made, by name.
    """
    blocks: list[Block] = [Text(note, "note") for note in notes]
    blocks += [_costs(facts), Heading("The hosts")]
    with unchecked():
        blocks.append(Chart(chart, "The fullest resource of each host before the moves and after."))
    if facts["moves"]:
        blocks += [Heading("The moves"), _moves(facts["moves"])]
    return Page(answer, [*blocks, *page_footer(made)], name, "loadmaster rebalance")


def _costs(facts: Mapping[str, Any]) -> Table:
    lines = [[row["name"], _number(row["before"]), _number(row["after"])] for row in facts["costs"]]
    lines.append(["total", _number(facts["cost_before"]), _number(facts["cost"])])
    lines.append(["bound", "-", _number(facts["bound"])])
    return Table(("cost", "before", "after"), lines, "No placement costs less than the bound.")


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _moves(moves: Sequence[Mapping[str, Any]]) -> Table:
    cells = [[move["task"], move["from"] or "new", move["to"]] for move in moves[:MOST_MOVES]]
    more = f"The first {MOST_MOVES:,} of {len(moves):,}; moves.csv has all. " if len(moves) > MOST_MOVES else ""
    caption = f"{more}All capacities hold if the tasks move at once, each on both its hosts for transient resources."
    return Table(("task", "from", "to"), cells, caption, prose=True)
