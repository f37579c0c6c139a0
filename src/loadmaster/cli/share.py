"""`loadmaster share`: what a log's jobs would feel if its machines were shared instead of queued for."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from loadmaster.cli import options as o

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.table import Table

    from loadmaster.runs.sharing import SharingRow, SharingSettings

SHARING = "How machines are shared"
METHODS = "pvm,e-pvm,mosix,e-mosix,fractional,fcfs,easy"


def share(
    trace: o.OptionalTrace = None,
    hosts: o.Hosts = None,
    methods: Annotated[
        str,
        typer.Option(metavar="A,B,...", help="Time-sharing methods, placement policies (also file.py:function, and "
                     "POLICY+MOVER), fractional, or disciplines of the batch queue."),
    ] = METHODS,
    thrash: Annotated[
        float, typer.Option(help="Factor by which a host slows down when memory is over-committed.",
                            rich_help_panel=SHARING)
    ] = 10.0,
    cpu_load: Annotated[
        Literal["jobs/speed", "jobs"],
        typer.Option("--cpu-load", help="How the opportunity cost reads a host's load.", rich_help_panel=SHARING),
    ] = "jobs/speed",
    pause: Annotated[
        str, typer.Option(metavar="TIME", help="How long every migrated task stands still.", rich_help_panel=SHARING)
    ] = "0",
    bandwidth: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Memory that a migration moves in a second, such as 1GB.",
                     rich_help_panel=SHARING),
    ] = None,
    needs: Annotated[
        Literal["told", "learned"],
        typer.Option(help="Whether methods are told what tasks need or learn it from earlier ones.",
                     rich_help_panel=SHARING),
    ] = "told",
    repack: Annotated[
        Literal["never", "events", "periods"],
        typer.Option(help="When fractional scheduling packs all tasks anew.", rich_help_panel=SHARING),
    ] = "periods",
    period: Annotated[
        str, typer.Option(metavar="TIME", help="Between repackings by period, and of the budget.",
                          rich_help_panel=SHARING)
    ] = "10min",
    budget: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Memory that fractional scheduling may move in a period; no limit.",
                     rich_help_panel=SHARING),
    ] = None,
    least_yield: Annotated[
        float, typer.Option("--least-yield", help="Jobs wait if they would press a yield below this.",
                            rich_help_panel=SHARING)
    ] = 0.0,
    seed: o.Seed = 0,
    spread: o.SpreadOption = "any",
    format: o.Format = "auto",
    swf_memory: o.SwfMemoryOption = "per-processor",
    memory_unit: o.MemoryUnit = None,
    columns: o.Columns = None,
    limit: o.Limit = None,
    strict: o.Strict = False,
    as_json: o.AsJson = False,
) -> None:  # fmt: skip
    """Run a log on machines that are shared: processor sharing, migration, or CPU by yield, beside the batch queue."""
    import math

    from loadmaster.cli.load import load, remarks
    from loadmaster.cli.run_options import split
    from loadmaster.model import InputError
    from loadmaster.model.units import parse_bytes, parse_seconds
    from loadmaster.move.migration import MigrationCost
    from loadmaster.papers.progress import bar
    from loadmaster.runs.sharing import SharingSettings, check_method, run_sharing
    from loadmaster.schedule.fractional import Fractional
    from loadmaster.share.processor_sharing import ProcessorSharing

    if not split(methods):
        raise InputError(methods, "--methods names nothing", fix="see `loadmaster policies`")
    settings = SharingSettings(
        ProcessorSharing(thrash),
        cpu_load,
        MigrationCost(parse_seconds(pause), math.inf if bandwidth is None else parse_bytes(bandwidth)),
        Fractional(
            repack, parse_seconds(period), least_yield, math.inf if budget is None else parse_bytes(budget),
            parse_seconds(period),
        ),
        needs,
        seed=seed,
    )  # fmt: skip
    for name in split(methods):
        check_method(name, settings)
    case = load(trace, hosts, o.read_options(format, swf_memory, memory_unit, columns, limit, strict, hosts), spread)
    rows = []
    for name in split(methods):
        with bar(name, case.workload.jobs, "jobs") as advance:
            watch = _from_totals(advance, case.workload.jobs)
            rows.append(run_sharing(name, case.workload, case.cluster, settings, watch))
    _show(rows, remarks(case), settings, as_json)


def _from_totals(advance: "Callable[[int], None]", jobs: int) -> "Callable[[int, int], None]":
    """Turns (done, in all), of whatever is counted, into steps of a bar of `jobs`."""
    shown = 0

    def watch(done: int, total: int) -> None:
        nonlocal shown
        now = jobs * done // total
        advance(now - shown)
        shown = now

    return watch


def _show(rows: "list[SharingRow]", said: list[str], settings: "SharingSettings", as_json: bool) -> None:
    import json

    from rich.console import Console

    notes = Console(stderr=True)
    for remark in said:
        notes.print(remark, highlight=False, soft_wrap=True)
    if as_json:
        print(json.dumps([row.as_dict() for row in rows]))
        return
    Console().print(_table(rows, settings))
    for row in rows:
        if row.parameters != "no migration":
            notes.print(f"{row.method}: {row.parameters}", highlight=False, soft_wrap=True)


def _table(rows: "list[SharingRow]", settings: "SharingSettings") -> "Table":
    """One row a method; the last columns only where a task moved or a job was refused."""
    from rich import box
    from rich.table import Table

    from loadmaster.model.units import show_seconds

    table = Table(
        title=f"needs {settings.needs}, thrashing x{settings.sharing.thrash:g}",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    table.add_column("method", no_wrap=True)
    shown = {
        "slowdown": [_ratio(row.mean_slowdown) for row in rows],
        "stretch": [_ratio(row.mean_stretch) for row in rows],
        "p95": [_ratio(row.p95_stretch) for row in rows],
        "max": [_ratio(row.max_stretch) for row in rows],
        "wait": [show_seconds(row.mean_wait_s) for row in rows],
        "yield": [f"{row.mean_yield:.2f}" for row in rows],
        "moves": [f"{row.migrations:,}" for row in rows],
        "refused": [f"{row.refused:,}" for row in rows],
    }
    shown = {name: cells for name, cells in shown.items() if name not in ("moves", "refused") or set(cells) != {"0"}}
    for name in shown:
        table.add_column(name, justify="right", no_wrap=True)
    for row, cells in zip(rows, zip(*shown.values(), strict=True), strict=True):
        table.add_row(row.method, *cells)
    return table


def _ratio(value: float) -> str:
    return f"{value:,.2f}" if value < 100 else f"{value:,.0f}"
