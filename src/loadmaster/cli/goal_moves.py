"""The output of `loadmaster rebalance` towards a goal."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from loadmaster.verbs.goal_moves import GoalMoves

MOST_LEFT = 5
"""Tasks that stay and that are shown with their reasons."""


def show_goal_moves(result: "GoalMoves", out: "str | Path | None", as_json: bool) -> None:
    """Print the answer, the moves, the tasks that stay and why; or one JSON document. Exit 1 if the goal is missed."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.report.console import for_results
    from loadmaster.report.document import document, print_document

    for note in result.notes:
        typer.echo(f"note: {note}", err=True)
    facts = result.figures
    if as_json:
        print_document(document("moves", facts, command=command_line(), notes=result.notes))
    else:
        console = for_results()
        console.print(f"{result.name}: {result.answer}", highlight=False, soft_wrap=True)
        if facts["moves"]:
            console.print(_move_table(result))
        for left in facts["left"][:MOST_LEFT]:
            for line in reasons_in_words(left):
                console.print(line, highlight=False, soft_wrap=True)
        if len(facts["left"]) > MOST_LEFT:
            more = len(facts["left"]) - MOST_LEFT
            line = f"{more:,} more {'stays' if more == 1 else 'stay'}; --json gives the reasons of all"
            console.print(line, highlight=False, soft_wrap=True)
    if out is not None:
        typer.echo(f"{out}/moves.csv, report.html", err=True)
    if result.interrupted:
        raise typer.Exit(130)
    if not result.done:
        raise typer.Exit(1)


def reasons_in_words(left: dict[str, Any]) -> list[str]:
    """Why a task stays: a line for each host that has a reason."""
    reasons, told = left["reasons"], [each for each in left["reasons"] if each["host"] is not None]
    where = "waits" if left["from"] is None else f"stays on {left['from']}"
    if not told:
        return [f"{left['task']} {where}: {each['reason'].removeprefix(left['task'] + ' ')}" for each in reasons]
    lines = [f"{left['task']} {where}; each other host and why not:"]
    lines += [f"  {each['host']}: {each['reason'].removeprefix(left['task'] + ' ')}" for each in told]
    more = left["hosts"] - len(told)
    return [*lines, f"  and {more:,} more host{'s' if more > 1 else ''}"] if more > 0 else lines


def _move_table(result: "GoalMoves") -> Any:
    from loadmaster.report.console import new_table

    facts = result.figures
    divided = "on_numa_nodes" in facts["moves"][0]
    table = new_table("step", "task", "from", "to", *["NUMA nodes"] * divided, facts["unit"], "")
    for row in facts["moves"]:
        note = "temporary place" if row["temporary"] else "starts" if row["from"] is None else ""
        nodes = [" ".join(map(str, row["on_numa_nodes"]))] if divided else []
        cost = result.in_words(row["cost"])
        table.add_row(str(row["step"]), row["task"], row["from"] or "-", row["to"], *nodes, cost, note)
    return table
