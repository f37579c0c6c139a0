"""`loadmaster rebalance`: a better placement from a running one, within a migration budget."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from loadmaster.cli.options import AsJson


def rebalance(
    context: typer.Context,
    state: Annotated[Path, typer.Argument(help="Tasks as for `pack`, with a column host; or kubectl's JSON.")],
    hosts: Annotated[str | None, typer.Option(help="Machines: 20x16c64g or a file; kubectl's JSON has them.")] = None,
    budget: Annotated[str | None, typer.Option(help="The most memory to move, such as 64GiB.")] = None,
    moves: Annotated[int | None, typer.Option(min=0, help="Or the most tasks to move.")] = None,
    method: Annotated[
        Literal["auto", "heuristic", "exact"], typer.Option(help="auto: exact up to 300 tasks x hosts.")
    ] = "auto",
    time_limit: Annotated[float, typer.Option(help="Seconds, for the exact method.")] = 60.0,
    fluid: Annotated[str, typer.Option(help="Resources that may be scaled down, parted by commas.")] = "cores",
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Folder for the moves as a CSV file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Which tasks to move where, in an order in which no host is ever too full."""
    import math

    from loadmaster.cli.idle import refuse_idle
    from loadmaster.cli.progress import at_work
    from loadmaster.cli.run_options import command_line, make_folder
    from loadmaster.model.errors import InputError
    from loadmaster.model.units import parse_bytes
    from loadmaster.move.change import State
    from loadmaster.move.plan import plan_moves
    from loadmaster.move.summary import summary
    from loadmaster.packing.read import read_tasks
    from loadmaster.report.document import document, print_document

    if not 0 < time_limit < math.inf:
        raise InputError(time_limit, "the time limit must be a number of seconds above 0")
    if budget is not None and moves is not None:
        raise InputError("--budget and --moves", "only one of them can bind", fix="leave one out")
    if method == "heuristic":
        refuse_idle(context, ["time_limit"], "it is for the exact method")
    if out is not None:
        make_folder(out)
    read = read_tasks(state, hosts, [name.strip() for name in fluid.split(",")])
    for note in read.notes:
        typer.echo(f"note: {note}", err=True)
    if read.host is None:
        raise InputError(state.name, "no column host: where does each task run?", fix="use `pack` for new tasks")
    now = State(read.instance, read.host, "count" if moves is not None else "bytes")
    limit = float(moves) if moves is not None else math.inf if budget is None else float(parse_bytes(budget))
    with at_work("looking for moves"):
        plan = plan_moves(now, limit, method, time_limit)
    facts = summary(now, plan, limit)
    if as_json:
        synthetic = now.instance.synthetic
        print_document(document("rebalance", facts, command=command_line(), synthetic=synthetic, notes=read.notes))
    else:
        _show(state.name, facts)
    done = plan.status in ("ok", "limit")
    if out is not None and done:
        _write(out, facts["moves"])
    if not done:
        raise typer.Exit(1)


def _show(title: str, facts: dict[str, Any]) -> None:
    from loadmaster.report.console import for_results

    console = for_results()
    console.print(f"{title}: {_headline(facts)}", highlight=False, soft_wrap=True)
    if facts["moves"]:
        console.print(_move_table(facts))
    elif facts["status"] in ("ok", "limit"):
        console.print(_why_nothing(facts))
    if facts["better"] is not None:
        level, spent = facts["better"]["level"], _amount(facts, facts["better"]["spent"])
        line = f"Out of reach: {_level_word(facts)} {level:.4f}, for which {spent} would have to move."
        console.print(line, highlight=False, soft_wrap=True)
    if facts["stuck"]:
        console.print(_stuck_table(facts))
    for line in facts["missing"]:
        console.print(line, highlight=False, soft_wrap=True)


def _why_nothing(facts: dict[str, Any]) -> str:
    short_of_it = facts["budget"] is not None and facts["level"] < facts["bound"]
    return "Nothing to move" + (" that the budget allows and that raises it." if short_of_it else ".")


def _headline(facts: dict[str, Any]) -> str:
    if facts["status"] == "infeasible":
        return "no placement of all tasks within the budget " + ("exists" if facts["proven"] else "was found")
    before, after = ("not complete" if v is None else f"{v:.4f}" for v in (facts["level_before"], facts["level"]))
    word, bound = _level_word(facts), f"(bound {facts['bound']:.4f})"
    if facts["status"] == "stuck":
        aim = "places all tasks" if facts["level_before"] is None else "raises it"
        how = "" if facts["proven"] else " was found that"
        return f"{word} {before} {bound}: no order of moves within the budget{how} {aim}"
    moved = f"{_amount(facts, facts['spent'])} moved by {facts['solver']}"
    return f"{word} {before} -> {after} {bound}, {moved}" + (", proven best" if facts["proven"] else "")


def _level_word(facts: dict[str, Any]) -> str:
    return "least yield / weight" if facts["weighted"] else "minimum yield"


def _amount(facts: dict[str, Any], value: float) -> str:
    from loadmaster.model.units import show_bytes

    return show_bytes(value) if facts["unit"] == "bytes" else f"{value:g} task{'' if value == 1 else 's'}"


def _move_table(facts: dict[str, Any]) -> Any:
    from rich.table import Table

    table = Table("step", "task", "from", "to", facts["unit"], "")
    for row in facts["moves"]:
        note = "temporary place" if row["temporary"] else "new" if row["from"] is None else ""
        table.add_row(str(row["step"]), row["task"], row["from"] or "-", row["to"], _amount(facts, row["cost"]), note)
    return table


def _stuck_table(facts: dict[str, Any]) -> Any:
    from rich.table import Table

    from loadmaster.model.units import MEMORY, show_bytes

    table = Table("stuck task", "from", "to", "that host lacks")
    for row in facts["stuck"]:
        lacks = [f"{show_bytes(v) if name == MEMORY else f'{v:g}'} of {name}" for name, v in row["lacks"].items()]
        table.add_row(row["task"], row["from"] or "-", row["to"], ", ".join(lacks))
    return table


def _write(out: Path, moves: list[dict[str, Any]]) -> None:
    import polars as pl

    from loadmaster.traces.spreadsheet import harmless
    from loadmaster.whole_file import whole_file

    columns = {"step": pl.Int64, "task": pl.String, "from": pl.String, "to": pl.String, "cost": pl.Float64,
               "temporary": pl.Boolean}  # fmt: skip
    with whole_file(out / "moves.csv") as part:
        harmless(pl.DataFrame(moves, schema=columns)).write_csv(part)
    typer.echo(f"{out}/moves.csv", err=True)
