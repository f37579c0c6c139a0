"""`loadmaster pack`: place a whole set of tasks, and say how far from the best possible the placement is."""

from typing import Any

import typer

from loadmaster.cli.options import AsJson
from loadmaster.cli.signature import taking
from loadmaster.system.counted import counted
from loadmaster.verbs.pack import PlacingOptions


@taking(PlacingOptions)
def pack(options: PlacingOptions, as_json: AsJson = False) -> None:
    """Place all tasks at once: hosts, CPU shares, the least and the mean yield, the bound and the gap to it."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.report.document import document, print_document
    from loadmaster.verbs.pack import pack_with
    from loadmaster.verbs.pack_progress import packing_shown

    with packing_shown() as report:
        result = pack_with(options, command_line(), report)
    for note in result.notes:
        typer.echo(f"note: {note}", err=True)
    if as_json:
        content = {name: value for name, value in result.figures.items() if name != "synthetic"} | {"rows": result.rows}
        print_document(
            document(
                "pack",
                content,
                command=command_line(),
                seed=options.seed,
                synthetic=result.figures["synthetic"],
                notes=result.notes,
            )
        )
    else:
        _show(result.name, result.figures, options.admit)
    if options.out is not None:
        from loadmaster.report.picture import can_draw

        names = f"placement.parquet, placement.csv, {'hosts.png, ' * (result.some_placed and can_draw())}report.html"
        typer.echo(f"{options.out}/{names}", err=True)
    if result.packing.interrupted:
        raise typer.Exit(130)
    if not result.placed:
        raise typer.Exit(1)


def _show(name: str, facts: dict[str, Any], admit: float | None) -> None:
    from loadmaster.report.console import for_results, new_table
    from loadmaster.verbs.pack import in_words

    synthetic = " (synthetic)" if facts["synthetic"] else ""
    console = for_results()
    console.print(f"{name}{synthetic}: {counted(facts['tasks'], 'task')} on {counted(facts['hosts'], 'host')}")
    table = new_table("", "", show_header=False)
    status = {"ok": "placed", "infeasible": "infeasible", "limit": "stopped at its limit"}[facts["status"]]
    if facts["status"] == "infeasible" and facts["placed_tasks"]:
        status = "not all tasks are placed"
    if facts["min_yield"] is not None:
        status = in_words(facts) + (" for the jobs let in" if facts["refused"] else "")
    table.add_row("result", status)
    table.add_row("solver", facts["solver"])
    if facts["refused"]:
        table.add_row("refused jobs", f"{len(facts['refused']):,}: {_some(facts['refused'])}")
    for label, value in _missing(facts, admit) if facts["min_yield"] is None else _yields(facts):
        table.add_row(label, value)
    table.add_row("time", f"{facts['seconds']:.3g} s")
    console.print(table)


def _missing(facts: dict[str, Any], admit: float | None) -> list[tuple[str, str]]:
    """What is left over and why, and what can be done."""
    from loadmaster.verbs.pack import placed_in_words

    rows = [("placed", placed_in_words(facts)), ("why not all", facts["reason"])]
    if facts["status"] == "infeasible":
        rows.append(
            ("proven", "yes: no placement of all tasks exists" if facts["proven"] else "no: another method may succeed")
        )
    if facts["fits_nowhere"]:
        rows.append(("fit on no host", f"{len(facts['fits_nowhere']):,}: {_some(facts['fits_nowhere'])}"))
    if facts["left_over"] and facts["placed_tasks"]:
        rows.append(("left over", f"{len(facts['left_over']):,}: {_some(_with_demand(facts['left_over']), 5)}"))
    if admit is None and facts["minimise"] == "level":
        rows.append(("what helps", "--admit 0.5 refuses jobs until each of the others has half of what it requests"))
    return rows


def _yields(facts: dict[str, Any]) -> list[tuple[str, str]]:
    if facts["minimise"] != "level":
        return _costs(facts)
    rows = [
        ("minimum yield", f"{facts['min_yield']:.4f}"),
        ("bound on the minimum", f"{facts['min_yield_bound']:.4f}"),
        ("mean yield", f"{facts['mean_yield']:.4f}"),
    ]
    if facts["weighted"]:
        rows += [("least yield / weight", f"{facts['level']:.4f}"), ("bound on that", f"{facts['bound']:.4f}")]
    return [*rows, _gap(facts), ("hosts used", str(facts["hosts_used"]))]


def _costs(facts: dict[str, Any]) -> list[tuple[str, str]]:
    hosts = ("hosts used", f"{facts['hosts_used']:,}")
    if facts["minimise"] == "hosts":
        return [hosts, ("bound on the hosts", f"{facts['cost_bound']:,.10g}"), _gap(facts)]
    if facts["minimise"] != "cost":
        terms = [(name, f"{value:,.6g}") for name, value in facts["terms"].items()]
        bound = ("bound on that", f"{facts['cost_bound']:,.6g}")
        alone = len(terms) == 1 and terms[0][0] == facts["minimise"]
        return [(facts["minimise"], f"{facts['cost']:,.6g}"), *([] if alone else terms), bound, _gap(facts), hosts]
    bound = ("bound on the price", f"{facts['cost_bound']:,.10g}")
    return [("price an hour", f"{facts['cost']:,.10g}"), bound, _gap(facts), hosts]


def _gap(facts: dict[str, Any]) -> tuple[str, str]:
    from loadmaster.model.units import percent

    return "gap to the bound", "unknown" if facts["gap"] is None else percent(facts["gap"], 2)


def _with_demand(left_over: list[dict[str, Any]]) -> list[str]:
    """Tasks that are left over, each with what it requests."""
    from loadmaster.model.units import MEMORY, show_bytes

    def amount(name: str, value: float) -> str:
        return show_bytes(value) if name == MEMORY else f"{value:.4g} {name}"

    texts = []
    for row in left_over:
        asked = [amount(name, value) for name, value in row["demand"].items()]
        texts.append(
            f"{row['task']} ({', '.join([*asked, row.get('gpu_kind') or ''] if row.get('gpu_kind') else asked)})"
        )
    return texts


def _some(names: list[str], most: int = 10) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most:,} more" if len(names) > most else "")
