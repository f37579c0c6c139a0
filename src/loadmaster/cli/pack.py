"""`loadmaster pack`: place a whole set of tasks, and say how far from the best possible the placement is."""

from pathlib import Path
from typing import Annotated, Any

import typer

from loadmaster.cli.options import AsJson, Seed


def pack(
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

    from loadmaster.cli.progress import at_work
    from loadmaster.cli.run_options import command_line, make_folder
    from loadmaster.model.errors import InputError
    from loadmaster.pack import PackOptions
    from loadmaster.pack import pack as solve
    from loadmaster.pack.admit import admit as let_in
    from loadmaster.pack.read import read_tasks
    from loadmaster.pack.solve import without
    from loadmaster.report.document import document, print_document

    if exact and method not in (None, "exact"):
        raise InputError(f"--method {method} --exact", "two packers for one placement", fix="leave one of them out")
    if not 0 < time_limit < math.inf:
        raise InputError(time_limit, "the time limit must be a number of seconds above 0")
    if out is not None:
        make_folder(out)
    read = read_tasks(tasks, hosts, [name.strip() for name in fluid.split(",")])
    for note in read.notes:
        typer.echo(f"note: {note}", err=True)
    instance, refused = read.instance, 0
    with at_work("packing"):
        if admit is not None:
            admission = let_in(instance, admit)
            refused = int((~admission.admitted).sum())
            instance = without(instance, ~admission.admitted)
        packing = solve(instance, "exact" if exact else method or "mcb8", PackOptions(time_limit, seed))
    facts = _facts(instance, packing, refused)
    if as_json:
        placement = [None if h < 0 else instance.host_name(int(h)) for h in packing.host]
        content = {**facts, "host": placement, "share": packing.share}
        synthetic = content.pop("synthetic")
        made = document("pack", content, command=command_line(), seed=seed, synthetic=synthetic, notes=read.notes)
        print_document(made)
    else:
        _show(tasks.name, facts)
    if out is not None and packing.placed:
        _write(out, instance, packing)
    if not packing.placed:
        raise typer.Exit(1)


def _facts(instance: Any, packing: Any, refused: int) -> dict[str, Any]:
    placed = packing.placed
    return {
        "status": packing.status, "solver": packing.solver, "tasks": instance.tasks, "jobs": instance.jobs,
        "hosts": instance.hosts, "refused_jobs": refused, "hosts_used": len(set(packing.host.tolist()) - {-1}),
        "min_yield": packing.min_yield if placed else None, "mean_yield": packing.mean_yield if placed else None,
        "level": packing.level if placed else None, "bound": packing.bound, "gap": packing.gap if placed else None,
        "proven": packing.proven, "unplaced": instance.task_name(packing.unplaced) if packing.unplaced >= 0 else None,
        "reason": packing.reason, "effort": packing.effort, "seconds": packing.seconds,
        "synthetic": instance.synthetic,
    }  # fmt: skip


def _show(name: str, facts: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    made = " (synthetic)" if facts["synthetic"] else ""
    console = Console()
    console.print(f"{name}{made}: {facts['tasks']:,} tasks on {facts['hosts']:,} hosts", highlight=False)
    table = Table("", "", show_header=False)
    status = {"ok": "placed", "infeasible": "infeasible", "limit": "stopped at its limit"}[facts["status"]]
    if facts["status"] != "infeasible" and facts["proven"]:
        status += ", proven optimal"
    table.add_row("result", status)
    table.add_row("solver", facts["solver"])
    if facts["refused_jobs"]:
        table.add_row("refused jobs", str(facts["refused_jobs"]))
    if facts["min_yield"] is None:
        table.add_row("why", facts["reason"])
        if facts["status"] == "infeasible":
            table.add_row("proven", "yes: no placement exists" if facts["proven"] else "no: another method may succeed")
    else:
        table.add_row("minimum yield", f"{facts['min_yield']:.4f}")
        table.add_row("mean yield", f"{facts['mean_yield']:.4f}")
        table.add_row("bound on the minimum", f"{facts['bound']:.4f}")
        table.add_row("gap to the bound", f"{facts['gap']:.2%}")
        table.add_row("hosts used", str(facts["hosts_used"]))
    table.add_row("time", f"{facts['seconds']:.3g} s")
    console.print(table)


def _write(out: Path, instance: Any, packing: Any) -> None:
    import polars as pl

    from loadmaster.pack.picture import host_loads

    columns: dict[str, Any] = {
        "task": [instance.task_name(t) for t in range(instance.tasks)],
        "job": instance.job_of,
        "host": [instance.host_name(int(h)) for h in packing.host],
        "yield": packing.job_yield[instance.job_of],
    }
    columns |= {f"share_{name}": packing.share[:, f] for f, name in enumerate(instance.fluid_names)}
    columns |= {name: instance.fluid[:, f] for f, name in enumerate(instance.fluid_names)}
    columns |= {name: instance.rigid[:, r] for r, name in enumerate(instance.rigid_names)}
    frame = pl.DataFrame(columns)
    frame.write_parquet(out / "placement.parquet")
    frame.write_csv(out / "placement.csv")
    chart = host_loads(instance, packing)
    chart.save(out / "hosts.png", scale_factor=2)
    chart.save(out / "hosts.html", inline=True)
    typer.echo(f"{out}/placement.parquet, placement.csv, hosts.png, hosts.html", err=True)
