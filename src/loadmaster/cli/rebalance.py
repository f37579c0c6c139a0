"""`loadmaster rebalance`: a better placement from a running one, within a migration budget."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from loadmaster.cli.goal_moves import show_goal_moves
from loadmaster.cli.options import AsJson
from loadmaster.cli.signature import taking
from loadmaster.verbs.rebalance import RebalanceOptions, amount, level_word

if TYPE_CHECKING:
    from loadmaster.verbs.placement_by_cost import PlacementByCost


MOST_BROKEN = 5
"""Constraints that the placement before breaks and that are shown."""


@taking(RebalanceOptions)
def rebalance(options: RebalanceOptions, as_json: AsJson = False) -> None:
    """Plan which tasks move to which hosts: with no host ever too full, or at the least cost of a model."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.report.document import document, print_document
    from loadmaster.verbs.goal_moves import GoalMoves
    from loadmaster.verbs.pack_progress import incumbent_in_words
    from loadmaster.verbs.placement_by_cost import PlacementByCost, has_own_costs
    from loadmaster.verbs.progress import anytime_search, at_work
    from loadmaster.verbs.rebalance import rebalance_with

    if has_own_costs(Path(options.state)):
        with anytime_search("best cost") as progress:
            result = rebalance_with(options, command_line(), progress)
    else:
        with at_work("looking for moves") as show:
            result = rebalance_with(
                options,
                command_line(),
                report=lambda incumbent: show(f"looking for moves: {incumbent_in_words(incumbent)}"),
            )
    if isinstance(result, PlacementByCost):
        _show_costs(result, options, as_json)
        return
    if isinstance(result, GoalMoves):
        show_goal_moves(result, options.out, as_json)
        return
    for note in result.notes:
        typer.echo(f"note: {note}", err=True)
    facts = result.figures
    if as_json:
        synthetic = result.now.instance.synthetic
        print_document(document("rebalance", facts, command=command_line(), synthetic=synthetic, notes=result.notes))
    else:
        _show(result.name, result.answer, facts)
    if options.out is not None and result.done:
        typer.echo(f"{options.out}/moves.csv, report.html", err=True)
    if result.plan.interrupted:
        raise typer.Exit(130)
    if not result.done:
        raise typer.Exit(1)


def _show_costs(made: "PlacementByCost", options: RebalanceOptions, as_json: bool) -> None:
    from loadmaster.cli.command_line import command_line
    from loadmaster.report.console import for_results
    from loadmaster.report.document import document, print_document

    for note in made.notes:
        typer.echo(f"note: {note}", err=True)
    if as_json:
        print_document(document("placement", made.figures, command=command_line(), seed=made.seed, notes=made.notes))
    else:
        console = for_results()
        console.print(f"{made.name}: {made.answer}", highlight=False, soft_wrap=True)
        for sentence in made.broken_before[:MOST_BROKEN]:
            console.print(f"before: {sentence}", highlight=False, soft_wrap=True)
        if made.done:
            console.print(_cost_table(made.figures))
    if options.out is not None and made.done:
        assignment = [made.assignment_name] * (Path(options.out) / made.assignment_name).is_file()
        typer.echo(f"{options.out}/{', '.join([*assignment, 'moves.csv', 'report.html'])}", err=True)
    if not made.done:
        raise typer.Exit(1)


def _cost_table(facts: dict[str, Any]) -> Any:
    from loadmaster.report.console import new_table

    table = new_table("cost", "before", "after")
    total = {"name": "total", "before": facts["cost_before"], "after": facts["cost"]}
    for row in (*facts["costs"], total, {"name": "bound", "before": None, "after": facts["bound"]}):
        table.add_row(row["name"], *("-" if row[when] is None else f"{row[when]:,}" for when in ("before", "after")))
    return table


def _show(title: str, answer: str, facts: dict[str, Any]) -> None:
    from loadmaster.report.console import for_results

    console = for_results()
    console.print(f"{title}: {answer}", highlight=False, soft_wrap=True)
    if facts["moves"]:
        console.print(_move_table(facts))
    elif facts["status"] in ("ok", "limit"):
        console.print(_why_nothing(facts))
    if facts["better"] is not None:
        level, spent = facts["better"]["level"], amount(facts, facts["better"]["spent"])
        head = "Not reached in time" if facts["status"] == "limit" else "Out of reach"
        line = f"{head}: {level_word(facts)} {level:.4f}, for which {spent} would have to move."
        console.print(line, highlight=False, soft_wrap=True)
    if facts["stuck"]:
        console.print(_stuck_table(facts))
    for line in facts["missing"]:
        console.print(line, highlight=False, soft_wrap=True)


def _why_nothing(facts: dict[str, Any]) -> str:
    short_of_it = facts["budget"] is not None and facts["level"] < facts["bound"]
    return "Nothing to move" + (" that the budget allows and that raises it." if short_of_it else ".")


def _move_table(facts: dict[str, Any]) -> Any:
    from loadmaster.report.console import new_table

    table = new_table("step", "task", "from", "to", facts["unit"], "")
    for row in facts["moves"]:
        note = "temporary place" if row["temporary"] else "new" if row["from"] is None else ""
        table.add_row(str(row["step"]), row["task"], row["from"] or "-", row["to"], amount(facts, row["cost"]), note)
    return table


def _stuck_table(facts: dict[str, Any]) -> Any:
    from loadmaster.model.units import MEMORY, show_bytes
    from loadmaster.report.console import new_table

    table = new_table("stuck task", "from", "to", "that host lacks")
    for row in facts["stuck"]:
        lacks = [f"{show_bytes(v) if name == MEMORY else f'{v:g}'} of {name}" for name, v in row["lacks"].items()]
        table.add_row(row["task"], row["from"] or "-", row["to"], ", ".join(lacks))
    return table
