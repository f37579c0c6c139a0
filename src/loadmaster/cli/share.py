"""`loadmaster share`: what a log's jobs would feel if its machines were shared instead of queued for."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from loadmaster.cli import dask_options as d
from loadmaster.cli import options as o
from loadmaster.cli import run_options as r

if TYPE_CHECKING:
    from loadmaster.kept.store import Store
    from loadmaster.runs.sharing_row import SharingRow
    from loadmaster.runs.sharing_settings import SharingSettings
    from loadmaster.runs.sharing_study import SharingStudy

SHARING = "How machines are shared"
METHODS = "pvm,e-pvm,mosix,e-mosix,fractional,fcfs,easy"


def share(
    context: typer.Context,
    trace: o.OptionalTrace = None,
    hosts: o.Hosts = None,
    methods: Annotated[
        str,
        typer.Option(metavar="A,B,...", help="Time-sharing methods, placement policies (also file.py:function, and "
                     "POLICY+MOVER), fractional, choices of VMs, or disciplines of the batch queue."),
    ] = METHODS,
    policies: Annotated[
        str,
        typer.Option(metavar="A,B,...", help="Placement policies of the batch queue (also max-jobs and "
                     "file.py:function); a row for each discipline and policy."),
    ] = "best-fit-memory",
    sharing: Annotated[
        str, typer.Option(metavar="MODEL", help="How every host divides its CPU: processor-sharing, water-filling or "
                          "file.py:function; each method's own if not given.", rich_help_panel=SHARING)
    ] = "",
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
    packer: Annotated[
        str, typer.Option(metavar="PACKER", help="By what it packs them: a packer, a placement policy or "
                          "file.py:function.", rich_help_panel=SHARING)
    ] = "mcb8",
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
    vms: Annotated[
        str, typer.Option(metavar="S1,S2,...", help="Shares of the VMs of each host, for choices of VMs.",
                          rich_help_panel=SHARING)
    ] = "1,1,1,1",
    estimates: r.Estimates = "user",
    overrun: r.Overrun = "run",
    seed: o.Seed = 0,
    spread: o.SharedSpreadOption = "any",
    format: o.Format = "auto",
    swf_memory: o.SwfMemoryOption = "per-processor",
    swf_partition: o.SwfPartitionOption = "16",
    swf_feedback: o.SwfFeedbackOption = "ignore",
    ignore: o.Ignore = None,
    memory_unit: o.MemoryUnit = None,
    columns: o.Columns = None,
    limit: o.Limit = None,
    strict: o.Strict = False,
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="DIR", help="Where results go, and rows are kept.")
    ] = Path("sharing"),
    on: d.On = None,
    tls_ca: d.TlsCa = None,
    tls_cert: d.TlsCert = None,
    tls_key: d.TlsKey = None,
    as_json: o.AsJson = False,
) -> None:  # fmt: skip
    """Run a log on machines that are shared: processor sharing, migration, or CPU by yield, beside the batch queue."""
    from loadmaster.cli.load import load, noting
    from loadmaster.cli.progress import Bar
    from loadmaster.kept.on_dask import pool_on
    from loadmaster.kept.store import Store
    from loadmaster.model import InputError
    from loadmaster.runs.sharing_settings import FRACTIONAL, check_method, kind_of
    from loadmaster.runs.sharing_study import SharingStudy
    from loadmaster.schedule.time_shared import parts_of

    names = list(dict.fromkeys(r.split(methods)))
    if not names:
        raise InputError(methods, "--methods names nothing", fix="see `loadmaster policies`")
    settings = _settings(
        sharing, thrash, cpu_load, pause, bandwidth, needs, repack, packer, period, budget, least_yield, vms, seed,
        estimates, overrun,
    )  # fmt: skip
    placing = r.split(policies)
    if not placing:
        raise InputError(policies, "--policies names nothing", fix="see `loadmaster policies`")
    for name in names:
        for policy in placing if kind_of(name) == "batch" else [""]:
            check_method(name, settings, policy)
    address = d.dask_address(on, tls_ca, tls_cert, tls_key)
    _refuse_idle(context, trace, names, repack, budget)
    r.make_folder(out)
    reading = o.read_options(
        format, swf_memory, memory_unit, columns, limit, strict, hosts,
        swf_partition=swf_partition, swf_feedback=swf_feedback, ignore=ignore,
    )  # fmt: skip
    case = load(trace, hosts, reading, spread)
    rules = [parts_of(name)[0] for name in names if kind_of(name) == "shared"]
    rules += [policy for policy in placing if any(kind_of(name) == "batch" for name in names)]
    rules += [packer] if FRACTIONAL in names else []
    case = noting(case, *rules, models=[sharing] if sharing else [])
    study = SharingStudy(case, names, settings, placing)
    store = Store.in_folder(out)
    _warn(study, store)
    try:
        with Bar() as watch:
            study.run(store, pool_on(address), watch)
    finally:  # stopped by hand, what is finished is shown all the same
        rows = study.finished(store)
        store.close()
        if rows:
            _show(rows, study, out, as_json)


def _refuse_idle(context: typer.Context, trace: Path | None, names: list[str], repack: str, budget: str | None) -> None:
    """Refuse options that none of the methods looks at."""
    from loadmaster.cli.idle import refuse_reading, refuse_unneeded
    from loadmaster.runs.sharing_settings import kind_of
    from loadmaster.schedule.time_shared import method_named

    refuse_reading(context, trace)
    kinds = {name: kind_of(name) for name in names}
    timed = [name for name, kind in kinds.items() if kind == "shared"]
    packed, queued, divided = ("fractional" in kinds.values(), "batch" in kinds.values(), "vms" in kinds.values())
    moving = packed or any(method_named(name).mover is not None for name in timed)
    shared, movers, yields = "time-shared methods", "methods that migrate", "the method fractional"
    in_periods = packed and (repack == "periods" or (repack == "events" and budget is not None))
    repacking = (packed and repack != "never", f"{yields}, where it repacks")
    refuse_unneeded(context, {
        "thrash": (bool(timed), shared), "cpu_load": (bool(timed), shared), "pause": (moving, movers),
        "bandwidth": (moving, movers), "needs": (packed or bool(timed), f"{shared} and {yields}"),
        "repack": (packed, yields), "least_yield": (packed, yields), "budget": repacking, "packer": repacking,
        "period": (in_periods, f"{yields}, where it repacks by period or within a budget"),
        "vms": (divided, "choices of VMs"), "policies": (queued, "disciplines of the batch queue"),
        "estimates": (queued, "disciplines of the batch queue"), "overrun": (queued, "disciplines of the batch queue"),
        "sharing": (bool(timed) or packed or divided, "methods that share a host's CPU"),
    })  # fmt: skip


def _warn(study: "SharingStudy", store: "Store") -> None:
    """Say on stderr what only a plain engine can do, and how fast it is; and what cannot be repeated."""
    from loadmaster.packing.solve import packer_named
    from loadmaster.report.console import for_notes
    from loadmaster.report.sharing_table import label
    from loadmaster.runs.sharing_settings import FRACTIONAL

    notes = for_notes()
    for task, rate in study.plain(store):
        text = f"{label(task.method, task.policy)}: not compiled, begins at {rate:,.0f} events a second"
        notes.print(f"{text}; a job is two or more (--limit reads fewer)", style="yellow")
    packing = study.settings.fractional
    if FRACTIONAL in study.methods and packing.repack != "never" and packer_named(packing.packer).timed:
        text = f"{packing.packer} packs for up to {packing.pack_time_s:g} s each time"
        notes.print(f"{text}: made again, the run may come out otherwise", style="yellow")


def _settings(
    sharing: str, thrash: float, cpu_load: 'Literal["jobs/speed", "jobs"]', pause: str, bandwidth: str | None,
    needs: 'Literal["told", "learned"]', repack: 'Literal["never", "events", "periods"]', packer: str, period: str,
    budget: str | None, least_yield: float, vms: str, seed: int, estimates: str, overrun: str,
) -> "SharingSettings":  # fmt: skip
    """The options as settings; each is refused under its own name."""
    import math

    from loadmaster.model import InputError
    from loadmaster.model.units import parse_bytes, parse_seconds
    from loadmaster.move.migration import MigrationCost
    from loadmaster.runs.sharing_settings import SharingSettings
    from loadmaster.runs.sharing_vms import check_shares
    from loadmaster.schedule.fractional import Fractional

    period_s, pause_s = parse_seconds(period), parse_seconds(pause)
    for name, value in (
        ("--period", period_s),
        ("--bandwidth", math.inf if bandwidth is None else parse_bytes(bandwidth)),
    ):
        if not value > 0:
            raise InputError(f"{value:g}", f"{name} must be more than zero")
    try:
        shares = tuple(float(share) for share in vms.split(","))
    except ValueError as error:
        raise InputError(vms, "--vms takes the share of each VM of a host", fix="write it like 1,1,2,4") from error
    check_shares(shares)
    return SharingSettings(
        sharing, thrash, cpu_load,
        MigrationCost(pause_s, math.inf if bandwidth is None else parse_bytes(bandwidth)),
        Fractional(
            repack, period_s, least_yield, math.inf if budget is None else parse_bytes(budget), period_s,
            packer=packer,
        ),
        needs, vm_shares=shares, seed=seed, estimates=estimates, overrun=overrun,
    )  # fmt: skip


def _show(rows: "list[SharingRow]", study: "SharingStudy", out: Path, as_json: bool) -> None:
    from loadmaster.cli.load import remarks
    from loadmaster.cli.run_options import command_line
    from loadmaster.report.console import for_notes, for_results
    from loadmaster.report.document import document, left_out, print_document
    from loadmaster.report.sharing_table import label, sharing_table
    from loadmaster.strict_json import to_json
    from loadmaster.whole_file import write_whole

    notes, case, settings = for_notes(), study.case, study.settings
    for remark in remarks(case):
        notes.print(remark)
    done = {(row.method, row.policy) for row in rows}
    content = {
        "unfinished": [label(*pair) for pair in study.pairs if pair not in done],
        "rejected_jobs": left_out(case.rejected),
        "rows": [row.as_dict() for row in rows],
    }  # fmt: skip
    made = document(
        "share", content, command=command_line(), seed=settings.seed, synthetic=case.workload.synthetic,
        notes=case.notes, left_out=left_out(case.skipped),
    )  # fmt: skip
    write_whole(out / "sharing.json", to_json(made) + "\n")
    if as_json:
        print_document(made)
        return
    for_results().print(sharing_table(rows, settings))
    for row in rows:
        if row.parameters != "no migration":
            notes.print(f"{row.method}: {row.parameters}")
    notes.print(f"The rows: {out / 'sharing.json'}")
