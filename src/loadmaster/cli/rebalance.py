"""`loadmaster rebalance`: a better placement from a running one, within a migration budget."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from loadmaster.cli.options import AsJson


def rebalance(
    state: Annotated[Path, typer.Argument(help="Tasks as for `pack`, with a column host; empty for a new task.")],
    hosts: Annotated[str, typer.Option(help="Machines: 20x16c64g or a file.")],
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

    from loadmaster.cli.progress import at_work
    from loadmaster.cli.run_options import command_line, make_folder
    from loadmaster.model.errors import InputError
    from loadmaster.model.units import parse_bytes
    from loadmaster.move.adapt import adapt_exactly
    from loadmaster.move.bounded import rebalance as heuristic
    from loadmaster.move.change import State
    from loadmaster.move.sequence import in_safe_order
    from loadmaster.pack.read import read_tasks
    from loadmaster.report.document import document, print_document

    if not 0 < time_limit < math.inf:
        raise InputError(time_limit, "the time limit must be a number of seconds above 0")
    if budget is not None and moves is not None:
        raise InputError("--budget and --moves", "only one of them can bind", fix="leave one out")
    if out is not None:
        make_folder(out)
    read = read_tasks(state, hosts, [name.strip() for name in fluid.split(",")])
    for note in read.notes:
        typer.echo(f"note: {note}", err=True)
    if read.host is None:
        raise InputError(state.name, "no column host: where does each task run?", fix="use `pack` for new tasks")
    now = State(read.instance, read.host, "count" if moves is not None else "bytes")
    limit = float(moves) if moves is not None else math.inf if budget is None else float(parse_bytes(budget))
    cells = now.instance.tasks * now.instance.hosts
    small = method == "exact" or (method == "auto" and cells <= 300)
    with at_work("looking for moves"):
        change = adapt_exactly(now, limit, time_limit) if small else heuristic(now, limit)
        plan = in_safe_order(now, change.host)
    done = not math.isnan(change.level)
    facts = (
        _facts(now, change, plan, limit) if done else {"status": change.status, "proven": change.proven, "moves": []}
    )
    if as_json:
        synthetic = now.instance.synthetic
        print_document(document("rebalance", facts, command=command_line(), synthetic=synthetic, notes=read.notes))
    elif done:
        _show(state.name, now, facts)
    else:
        typer.echo(
            f"{state.name}: no placement of all tasks within the budget" + (" exists" if change.proven else " found")
        )
    if out is not None and done:
        import polars as pl

        pl.DataFrame(facts["moves"], infer_schema_length=None).write_csv(out / "moves.csv")
        typer.echo(f"{out}/moves.csv", err=True)
    if not done:
        raise typer.Exit(1)


def _facts(now: Any, change: Any, plan: Any, limit: float) -> dict[str, Any]:
    import math

    from loadmaster.pack.bound import upper_bound

    instance, cost = now.instance, now.cost

    def name(host: int) -> str | None:
        return None if host < 0 else instance.host_name(host)

    rows = [
        {"step": k, "task": instance.task_name(m.task), "from": name(m.source), "to": name(m.target),
         "cost": float(cost[m.task]) if m.source >= 0 else 0.0, "temporary": m.temporary}
        for k, m in enumerate(plan.moves, start=1)
    ]  # fmt: skip
    return {
        "status": change.status, "solver": change.solver, "proven": change.proven, "unit": now.unit,
        "level_before": None if math.isnan(now.level) else now.level, "level": change.level,
        "bound": upper_bound(instance), "budget": None if math.isinf(limit) else limit, "spent": change.spent,
        "spent_with_temporary": sum(row["cost"] for row in rows),
        "moves": rows, "stuck": [instance.task_name(t) for t in plan.stuck],
    }  # fmt: skip


def _show(title: str, now: Any, facts: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    from loadmaster.model.units import show_bytes

    def amount(value: float) -> str:
        return show_bytes(value) if facts["unit"] == "bytes" else f"{value:g} tasks"

    console = Console()
    before = "not complete" if facts["level_before"] is None else f"{facts['level_before']:.4f}"
    console.print(
        f"{title}: minimum yield {before} -> {facts['level']:.4f} (bound {facts['bound']:.4f}), "
        f"{amount(facts['spent'])} moved by {facts['solver']}" + (", proven best" if facts["proven"] else ""),
        highlight=False,
        soft_wrap=True,
    )
    if facts["moves"]:
        table = Table("step", "task", "from", "to", facts["unit"], "")
        for row in facts["moves"]:
            note = "temporary place" if row["temporary"] else "new" if row["from"] is None else ""
            table.add_row(str(row["step"]), row["task"], row["from"] or "-", row["to"], amount(row["cost"]), note)
        console.print(table)
    else:
        console.print("Nothing to move.")
    if facts["budget"] is not None and facts["spent_with_temporary"] > facts["budget"] * (1 + 1e-9):
        console.print(f"Temporary places bring the total to {amount(facts['spent_with_temporary'])}, over the budget.")
    if facts["stuck"]:
        console.print(f"No safe order for {', '.join(facts['stuck'])}: stop them, make the moves, start them again.")
