"""`loadmaster info`: what is in a log."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from loadmaster.cli.options import (
    AsJson,
    Columns,
    Format,
    Hosts,
    Ignore,
    Limit,
    MemoryUnit,
    SpreadOption,
    Strict,
    SwfFeedbackOption,
    SwfMemoryOption,
    SwfPartitionOption,
    TracePath,
)  # fmt: skip

if TYPE_CHECKING:
    from rich.table import Table

    from loadmaster.traces import Trace
    from loadmaster.traces.summary import Fit, Summary
    from loadmaster.traces.verdict import Verdict


def info(
    context: typer.Context,
    trace: TracePath,
    hosts: Hosts = None,
    spread: SpreadOption = "auto",
    trace_format: Format = "auto",
    swf_memory: SwfMemoryOption = "per-processor",
    swf_partition: SwfPartitionOption = "16",
    swf_feedback: SwfFeedbackOption = "ignore",
    ignore: Ignore = None,
    memory_unit: MemoryUnit = None,
    columns: Columns = None,
    limit: Limit = None,
    strict: Strict = False,
    as_json: AsJson = False,
) -> None:
    """Show what is in a job log: jobs, span, load, demands, what was left out and why."""
    from dataclasses import replace

    from loadmaster.cli.idle import refuse_idle
    from loadmaster.cli.options import read_log, read_options
    from loadmaster.report.document import print_document
    from loadmaster.traces.summary import fit, summarise
    from loadmaster.traces.verdict import verdict_of

    options = read_options(
        trace_format, swf_memory, memory_unit, columns, limit, strict, hosts,
        swf_partition=swf_partition, swf_feedback=swf_feedback, ignore=ignore,
    )  # fmt: skip
    read = read_log(trace, options)
    if read.cluster is None:
        why = "it says where tasks may go, and no machines are known"
        refuse_idle(context, ["spread"], why, "give machines with --hosts")
    summary = summarise(read.workload)
    fitted = None
    if read.cluster is not None:
        fitted = fit(read.workload, read.cluster, spread, machines_of_log=read.machines == "log")
        read = replace(read, notes=(*read.notes, *([fitted.note] if fitted.note else [])))
    verdict = verdict_of(read, summary, fitted, str(trace), _typed(context))
    if as_json:
        print_document(_document(str(trace), read, summary, fitted, verdict))
    else:
        _show(read, summary, fitted, verdict)


def _typed(context: typer.Context) -> str:
    """The options that the user typed, as they stand behind the log in another command."""
    import shlex

    from loadmaster.cli.idle import option, typed

    parts = []
    for name in typed(context):
        value = context.params[name]
        if name not in ("trace", "as_json"):
            parts.append(option(context, name) + ("" if value is True else f" {shlex.quote(str(value))}"))
    return " ".join(parts)


def _document(path: str, read: "Trace", summary: "Summary", fitted: "Fit | None", verdict: "Verdict") -> dict[str, Any]:
    import dataclasses

    from loadmaster.cli.run_options import command_line
    from loadmaster.report.document import document, left_out
    from loadmaster.traces.bonds import bonds_of_cluster, bonds_of_jobs

    content: dict[str, Any] = {"trace": path, "source": read.workload.source, **dataclasses.asdict(summary)}
    content |= {"sentence": verdict.sentence, "next": verdict.command}
    content |= {"about": dict(read.about), "constraints": bonds_of_jobs(read.workload), "cluster": None}
    if fitted is not None:
        kinds = [{"hosts": n, **dict(zip(fitted.total, amounts, strict=True))} for n, amounts in fitted.kinds]
        content["cluster"] = {
            "hosts": fitted.hosts, "total": fitted.total, "kinds": kinds, "offered_load": fitted.load,
            "jobs_that_fit": fitted.jobs, "rejected": left_out(fitted.rejected),
            "constraints": {} if read.cluster is None else bonds_of_cluster(read.cluster),
        }  # fmt: skip
    return document(
        "info", content, command=command_line(), synthetic=read.workload.synthetic, notes=read.notes,
        left_out=left_out(read.skipped),
    )  # fmt: skip


def _show(read: "Trace", summary: "Summary", fitted: "Fit | None", verdict: "Verdict") -> None:
    from rich.table import Table

    from loadmaster.model.units import show_seconds
    from loadmaster.report.console import for_results
    from loadmaster.report.narrow import columns_that_fit

    console = for_results()
    source = read.workload.source
    title = f"{source} (synthetic)" if read.workload.synthetic and "synthetic" not in source else source
    facts = Table.grid(padding=(0, 3))
    facts.add_row("jobs", f"{summary.jobs:,}", f"{summary.serial:.1%} of one core")
    rate = f"{summary.jobs / summary.span_s * 3600:,.4g} jobs an hour" if summary.span_s else ""
    facts.add_row("span", show_seconds(summary.span_s), rate)
    for label, count in (("users", summary.users), ("projects", summary.projects)):
        facts.add_row(label, "not in the log" if count is None else f"{count:,}")
    if fitted is not None:
        facts.add_row("hosts", f"{fitted.hosts:,}", _kinds(fitted))
        load = ", ".join(f"{name} {value:.3g}" for name, value in fitted.load.items())
        facts.add_row("offered load", load, f"of {fitted.jobs:,} jobs that fit" if fitted.rejected.total else "")
    for label, words in _bonds(read):
        facts.add_row(label, words, "")
    console.print(title, style="bold")
    console.print(verdict.sentence, highlight=False)
    console.print(f"Next: {verdict.command}", highlight=False, soft_wrap=True, style="dim")
    console.print()
    console.print(facts)
    many = columns_that_fit(console, len(_SHOWN), lambda most: _spreads(summary, _SHOWN[:most]))
    console.print()
    console.print(_spreads(summary, _SHOWN[:many]))
    if many < len(_SHOWN):
        console.print(f"not shown, since this terminal is narrow: {', '.join(_SHOWN[many:])}", style="dim")
    console.print()
    for sentence in read.skipped.sentences():
        console.print(sentence)
    if fitted is not None:
        for sentence in fitted.rejected.sentences("job"):
            console.print(sentence)
    for note in read.notes:
        console.print(f"Note: {note}", style="yellow" if "wrong" in note else "dim")


def _bonds(read: "Trace") -> list[tuple[str, str]]:
    """What else binds the jobs, and what the cluster lays down: a label and words for each that there is."""
    from loadmaster.traces.bonds import bonds_of_cluster, bonds_of_jobs

    rows = []
    of_jobs = []
    for name, each in bonds_of_jobs(read.workload).items():
        kinds = f" ({each['kinds']:,} kinds)" if "kinds" in each else ""
        of_jobs.append(f"{name.removesuffix('_s').replace('_', ' ')} {each['jobs']:,}{kinds}")
    if of_jobs:
        rows.append(("jobs that say", ", ".join(of_jobs)))
    of_cluster = [] if read.cluster is None else list(bonds_of_cluster(read.cluster).items())
    if of_cluster:
        rows.append(("the site has", ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in of_cluster)))
    return rows


def _spreads(summary: "Summary", statistics: Sequence[str]) -> "Table":
    """A row for each of runtimes, times between arrivals and demands; the statistics in their natural order."""
    from rich import box
    from rich.table import Table

    order = [name for name in next(iter(summary.columns.values())) if name in statistics]
    table = Table("", *order, box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for column in table.columns:
        column.no_wrap = True
    for column in table.columns[1:]:
        column.justify = "right"
    for name, spread in summary.columns.items():
        table.add_row(_label(name), *(_amount(name, spread[statistic]) for statistic in order))
    return table


_SHOWN = ("mean", "median", "max", "min", "p90", "p99", "p10")
"""The statistics, the first to be shown first where a terminal is narrow."""


def _kinds(fitted: "Fit") -> str:
    shown = [
        f"{n:,} x " + " ".join(_amount(name, amount) + _UNIT.get(name, f" {name}")
        for name, amount in zip(fitted.total, amounts, strict=True) if amount > 0)
        for n, amounts in fitted.kinds[:4]
    ]  # fmt: skip
    return ", ".join(shown) + (f", ... ({len(fitted.kinds)} kinds)" if len(fitted.kinds) > 4 else "")


_UNIT = {"cores": " cores", "memory": "", "gpus": " GPUs"}


def _label(name: str) -> str:
    labels = {"runtime_s": "runtime", "gap_s": "between arrivals", "estimate_over_runtime": "estimate / runtime"}
    return labels.get(name, f"{name} a job" if name != "tasks" else "tasks a job")


def _amount(name: str, value: float) -> str:
    from loadmaster.model.units import show_bytes, show_seconds

    if name.endswith("_s"):
        return show_seconds(value)
    if name == "memory":
        return show_bytes(value)
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:,.4g}"
