"""`loadmaster pack`: place a whole set of tasks, and say how far from the best possible the placement is."""

from pathlib import Path
from typing import Annotated, Any

import typer

from loadmaster.cli.options import AsJson, Seed


def pack(
    context: typer.Context,
    tasks: Annotated[Path, typer.Argument(help="Tasks: CSV, Parquet, openb pods, or OptaPlanner's JSON.")],
    hosts: Annotated[str | None, typer.Option(help="Machines: 20x16c64g or a file.")] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="The packer, default mcb8, or a placement policy (also file.py:function); see `loadmaster policies`.",
            show_default=False,
        ),
    ] = None,
    exact: Annotated[bool, typer.Option("--exact", help="The optimum with its proof, if time allows.")] = False,
    time_limit: Annotated[float, typer.Option(help="Seconds, for exact solvers and local search.")] = 60.0,
    fluid: Annotated[str, typer.Option(help="Resources that may be scaled down, parted by commas.")] = "cores",
    admit: Annotated[float | None, typer.Option(help="Refuse jobs until the others keep this yield.")] = None,
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Folder for placement and picture.")] = None,
    as_json: AsJson = False,
) -> None:
    """Place all tasks at once: hosts, CPU shares, the least and the mean yield, the bound and the gap to it."""
    import math

    import numpy as np

    from loadmaster.cli.idle import refuse_idle
    from loadmaster.cli.progress import at_work
    from loadmaster.cli.run_options import command_line, make_folder
    from loadmaster.model.errors import InputError
    from loadmaster.packing import PackOptions
    from loadmaster.packing import pack as solve
    from loadmaster.packing.admit import admit as let_in
    from loadmaster.packing.read import read_tasks
    from loadmaster.packing.solve import packer_named
    from loadmaster.packing.summary import summary, task_rows
    from loadmaster.place.load import remarks_on
    from loadmaster.report.document import document, print_document

    if exact and method not in (None, "exact"):
        raise InputError(f"--method {method} --exact", "two packers for one placement", fix="leave one of them out")
    if not 0 < time_limit < math.inf:
        raise InputError(time_limit, "the time limit must be a number of seconds above 0")
    if not exact and not packer_named(method or "mcb8").timed:
        refuse_idle(context, ["time_limit"], "it is for exact solvers and local search")
    if out is not None:
        make_folder(out)
    name, options = "exact" if exact else method or "mcb8", PackOptions(time_limit, seed)
    read = read_tasks(tasks, hosts, [name.strip() for name in fluid.split(",")])
    known = (*read.notes, *remarks_on(name))
    for note in known:
        typer.echo(f"note: {note}", err=True)
    instance, admitted = read.instance, np.ones(read.instance.jobs, bool)
    with at_work("packing"):
        if admit is None:
            packing = solve(instance, name, options)
        else:
            admission = let_in(instance, admit, name, options)
            instance, packing, admitted = admission.instance, admission.packing, admission.admitted
    for note in packing.notes:
        typer.echo(f"note: {note}", err=True)
    notes = (*known, *packing.notes)
    facts, rows = summary(instance, packing, read.instance, admitted), task_rows(read.instance, packing, admitted)
    if as_json:
        synthetic = facts.pop("synthetic")
        content = {**facts, "rows": rows}
        made = document("pack", content, command=command_line(), seed=seed, synthetic=synthetic, notes=notes)
        print_document(made)
    else:
        _show(tasks.name, facts, admit)
    if out is not None and packing.placed:
        _write(out, read.instance, rows)
        _draw(out, instance, packing)
    if not packing.placed:
        raise typer.Exit(1)


def _show(name: str, facts: dict[str, Any], admit: float | None) -> None:
    from rich.table import Table

    from loadmaster.report.console import for_results

    made = " (synthetic)" if facts["synthetic"] else ""
    console = for_results()
    console.print(f"{name}{made}: {facts['tasks']:,} tasks on {facts['hosts']:,} hosts")
    table = Table("", "", show_header=False)
    status = {"ok": "placed", "infeasible": "infeasible", "limit": "stopped at its limit"}[facts["status"]]
    if facts["status"] != "infeasible" and facts["proven"]:
        status += ", proven optimal" + (" for the jobs let in" if facts["refused"] else "")
    table.add_row("result", status)
    table.add_row("solver", facts["solver"])
    if facts["refused"]:
        table.add_row("refused jobs", f"{len(facts['refused']):,}: {_some(facts['refused'])}")
    for label, value in _missing(facts, admit) if facts["min_yield"] is None else _yields(facts):
        table.add_row(label, value)
    table.add_row("time", f"{facts['seconds']:.3g} s")
    console.print(table)


def _missing(facts: dict[str, Any], admit: float | None) -> list[tuple[str, str]]:
    """Why there is no placement, and what can be done."""
    rows = [("why", facts["reason"])]
    if facts["status"] == "infeasible":
        rows.append(("proven", "yes: no placement exists" if facts["proven"] else "no: another method may succeed"))
    if facts["fits_nowhere"]:
        rows.append(("fit on no host", f"{len(facts['fits_nowhere']):,}: {_some(facts['fits_nowhere'])}"))
    if facts["could_place"] is not None:
        rows.append(("could be placed", f"{facts['could_place']:,} of {facts['tasks']:,} tasks, or more"))
    if admit is None:
        rows.append(("what helps", "--admit 0.5 refuses jobs until each of the others has half of what it asks"))
    return rows


def _yields(facts: dict[str, Any]) -> list[tuple[str, str]]:
    rows = [
        ("minimum yield", f"{facts['min_yield']:.4f}"),
        ("bound on the minimum", f"{facts['min_yield_bound']:.4f}"),
        ("mean yield", f"{facts['mean_yield']:.4f}"),
    ]
    if facts["weighted"]:
        rows += [("least yield / weight", f"{facts['level']:.4f}"), ("bound on that", f"{facts['bound']:.4f}")]
    return [*rows, ("gap to the bound", f"{facts['gap']:.2%}"), ("hosts used", str(facts["hosts_used"]))]


def _some(names: list[str], most: int = 10) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")


def _write(out: Path, asked: Any, rows: list[dict[str, Any]]) -> None:
    import polars as pl

    from loadmaster.traces.spreadsheet import harmless
    from loadmaster.whole_file import whole_file

    columns: dict[str, Any] = {
        name: [row[name] for row in rows] for name in ("task", "job", "refused", "host", "yield")
    }
    columns |= {f"share_{name}": [row["share"][name] for row in rows] for name in asked.fluid_names}
    if rows and "cards" in rows[0]:
        columns["cards"] = [" ".join(map(str, row["cards"])) for row in rows]
    columns |= {name: asked.fluid[:, f] for f, name in enumerate(asked.fluid_names)}
    columns |= {name: asked.rigid[:, r] for r, name in enumerate(asked.rigid_names)}
    frame = pl.DataFrame(columns, schema_overrides={"host": pl.String, "yield": pl.Float64})
    with whole_file(out / "placement.parquet") as part:
        frame.write_parquet(part)
    with whole_file(out / "placement.csv") as part:
        harmless(frame).write_csv(part)


def _draw(out: Path, instance: Any, packing: Any) -> None:
    from loadmaster.packing.picture import host_loads
    from loadmaster.report.page import write_picture
    from loadmaster.whole_file import whole_file

    chart = host_loads(instance, packing)
    write_picture(out / "hosts.png", chart)
    with whole_file(out / "hosts.html") as part:
        chart.save(str(part), format="html", inline=True)
    typer.echo(f"{out}/placement.parquet, placement.csv, hosts.png, hosts.html", err=True)
