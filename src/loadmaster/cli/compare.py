"""`loadmaster compare`: replay a log under several policies and show which keeps the queue shortest."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loadmaster.cli import dask_options as d
from loadmaster.cli import options as o
from loadmaster.cli import run_options as r
from loadmaster.cli import site_options as s

if TYPE_CHECKING:
    from loadmaster.report.comparison import Comparison
    from loadmaster.runs import Setting

DEFAULT_POLICIES = (
    "first-fit,best-fit-cores,best-fit-memory,worse-fit-cores,worse-fit-memory,mix-fit,opportunity-cost,max-jobs"
)


def compare(
    context: typer.Context,
    trace: o.OptionalTrace = None,
    hosts: o.Hosts = None,
    site: s.Site = None,
    site_accounts: s.SiteAccounts = None,
    policies: Annotated[
        str, typer.Option(metavar="A,B,...", help="Placement policies; also file.py:function and max-jobs.")
    ] = DEFAULT_POLICIES,
    disciplines: Annotated[str, typer.Option(metavar="A,B,...", help="Disciplines, ORDER+BACKFILLING.")] = "netbatch",
    loads: Annotated[str, typer.Option(metavar="L1,L2,...", help="Offered loads to scale the log to.")] = "",
    beta: Annotated[
        str, typer.Option(metavar="B1,B2,...", help="Factors on the times between arrivals, instead of loads.")
    ] = "",
    baseline: Annotated[
        str, typer.Option(metavar="POLICY", help="What the others are measured against; the first policy.")
    ] = "",
    interval: r.Interval = "30s",
    reservations: r.Reservations = "all",
    lookahead: r.Lookahead = "all",
    shares: r.Shares = "",
    max_jobs_members: r.MaxJobsMembers = "",
    max_jobs_target: r.MaxJobsTarget = "jobs",
    estimates: r.Estimates = "user",
    overrun: r.Overrun = "run",
    seed: o.Seed = 0,
    spread: o.SpreadOption = "auto",
    format: o.Format = "auto",
    swf_memory: o.SwfMemoryOption = "per-processor",
    swf_partition: o.SwfPartitionOption = "16",
    swf_feedback: o.SwfFeedbackOption = "ignore",
    ignore: o.Ignore = None,
    memory_unit: o.MemoryUnit = None,
    columns: o.Columns = None,
    limit: o.Limit = None,
    strict: o.Strict = False,
    check: r.Check = False,
    on: d.On = None,
    tls_ca: d.TlsCa = None,
    tls_cert: d.TlsCert = None,
    tls_key: d.TlsKey = None,
    store: Annotated[str, typer.Option(metavar="URL", help="Database of finished runs; in DIR if not given.")] = "",
    picture: Annotated[Path | None, typer.Option(help="Also write the main chart, .png or .svg.")] = None,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="Where report and results go.")] = Path(
        "report"
    ),
    as_json: o.AsJson = False,
) -> None:
    """Replay a log under several placement policies, and show which keeps the queue shortest."""
    from loadmaster.cli.idle import refuse_idle_foresight, refuse_idle_settings, refuse_reading
    from loadmaster.cli.load import load, remarks
    from loadmaster.cli.progress import Bar
    from loadmaster.kept.on_dask import pool_on
    from loadmaster.report.comparison import Comparison
    from loadmaster.report.page import check_picture
    from loadmaster.runs import Store, sweep

    address = d.dask_address(on, tls_ca, tls_cert, tls_key)
    refuse_reading(context, trace)
    at = s.site_of(site, site_accounts, hosts)

    def wanted(betas: list[float]) -> "list[Setting]":
        return r.settings(
            policies, disciplines, betas, interval=interval, seed=seed, reservations=reservations,
            lookahead=lookahead, shares=shares, members=max_jobs_members, target=max_jobs_target,
            site=at.discipline if at is not None else "", estimates=estimates, overrun=overrun,
        )  # fmt: skip

    idle = refuse_idle_settings(context, wanted([1.0]))
    r.make_folder(out)
    if picture is not None:
        check_picture(picture)
    with Bar() as bar:
        reading = o.read_options(
            format, swf_memory, memory_unit, columns, limit, strict, hosts,
            swf_partition=swf_partition, swf_feedback=swf_feedback, ignore=ignore,
        )  # fmt: skip
        case = load(trace, hosts, reading, spread, at)
        settings = s.with_row(wanted(r.betas(case, loads, beta)), at)
        idle += refuse_idle_foresight(context, case, settings)
        case = r.noting_runs(case, settings)
        r.warn_of_plain(case, settings)
        against = r.baseline(baseline, settings)
        kept = Store(store) if store else Store.in_folder(out)
        outcomes = sweep(case, settings, kept, pool_on(address), check=check, watch=bar)
        kept.close()
    comparison = Comparison(case, outcomes, against, [*remarks(case), *idle], r.command_line(), (*case.notes, *idle))
    _write(comparison, out, picture)
    _show(comparison, out, as_json)


def _write(comparison: "Comparison", out: Path, picture: Path | None) -> None:
    from loadmaster.report.compare_page import main_chart, write_report
    from loadmaster.report.page import write_picture
    from loadmaster.report.summary import write_summary

    write_summary(out / "summary.parquet", comparison)
    write_report(out / "report.html", comparison)
    if picture is not None:
        write_picture(picture, main_chart(comparison))


def _show(comparison: "Comparison", out: Path, as_json: bool) -> None:
    from loadmaster.report.compare_document import comparison_document
    from loadmaster.report.comparison import faults
    from loadmaster.report.console import for_notes, for_results
    from loadmaster.report.document import print_document
    from loadmaster.report.terminal import print_comparison

    notes = for_notes()
    if as_json:
        print_document(comparison_document(comparison))
        for remark in comparison.remarks:
            notes.print(remark)
    else:
        print_comparison(for_results(), comparison)
    for fault in faults(comparison):
        notes.print(f"warning: {fault}", style="bold red")
    notes.print(f"The full report: {out / 'report.html'}")
