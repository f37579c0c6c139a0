"""`loadmaster info`: what is in a log."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loadmaster.cli.options import AsJson
from loadmaster.cli.signature import taking
from loadmaster.verbs.info import InfoOptions

if TYPE_CHECKING:
    from rich.table import Table

    from loadmaster.traces.summary import Summary
    from loadmaster.verbs.info import Described


@taking(InfoOptions)
def info(
    options: InfoOptions,
    picture: Annotated[
        Path | None, typer.Option(help="Also draw use and recorded waiting over time, .png or .svg; needs machines.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what a job log contains: jobs, span, load, demands, and what was left out; also kubectl's nodes and pods."""
    from loadmaster.cli.info_state import show_state
    from loadmaster.report.document import print_document
    from loadmaster.report.picture import check_picture, write_picture
    from loadmaster.verbs.info import info_with
    from loadmaster.verbs.info_state import StateDescribed
    from loadmaster.verbs.pipe_input import as_named

    if picture is not None:
        check_picture(picture)
    result = info_with(options)
    if picture is not None:
        write_picture(picture, result.room_picture())
    if isinstance(result, StateDescribed):
        show_state(as_named(str(options.trace)), result, as_json)
    elif as_json:
        print_document(_document(as_named(str(options.trace)), result))
    else:
        _show(result)


def _document(path: str, result: "Described") -> dict[str, Any]:
    from loadmaster.cli.command_line import command_line
    from loadmaster.report.document import document, left_out

    read = result.read
    return document(
        "info",
        {"trace": path, **result.figures},
        command=command_line(),
        synthetic=read.workload.synthetic,
        notes=read.notes,
        left_out=left_out(read.skipped),
    )


def _show(result: "Described") -> None:
    from rich.table import Table

    from loadmaster.report.console import for_results
    from loadmaster.report.guide_facts import guide_facts
    from loadmaster.report.log_facts import log_facts, log_title
    from loadmaster.report.room_claims import room_sentence
    from loadmaster.report.terminal_columns import columns_that_fit

    read, summary, fitted = result.read, result.summary, result.fitted
    console = for_results()
    facts = Table.grid(padding=(0, 3))
    for row in (*log_facts(read, summary, fitted), *guide_facts(read, result.window, result.seen, result.use)):
        facts.add_row(*row)
    console.print(log_title(read), style="bold")
    console.print(result.answer, highlight=False)
    if result.really is not None:
        console.print(room_sentence(result.really, result.rejected), highlight=False)
    elif result.waits is not None:
        console.print(result.waits.sentence, highlight=False)
    console.print(f"Next: {result.next}", highlight=False, soft_wrap=True, style="dim")
    console.print()
    console.print(facts)
    many = columns_that_fit(console, len(_SHOWN), lambda most: _spreads(summary, _SHOWN[:most]))
    console.print()
    console.print(_spreads(summary, _SHOWN[:many]))
    if many < len(_SHOWN):
        console.print(f"not shown, since this terminal is narrow: {', '.join(_SHOWN[many:])}", style="dim")
    if result.groupings:
        from loadmaster.report.breakdown_terminal import print_breakdown

        print_breakdown(console, result.rule_groups, result.groupings, waits_known=result.waits is not None)
    console.print()
    for sentence in read.skipped.sentences():
        console.print(sentence)
    if fitted is not None:
        for sentence in fitted.rejected.sentences("job"):
            console.print(sentence)
    for note in read.notes:
        console.print(f"Note: {note}", style="yellow" if "wrong" in note else "dim")


def _spreads(summary: "Summary", statistics: Sequence[str]) -> "Table":
    """A row for each of runtimes, times between arrivals and demands; the statistics in their natural order."""
    from loadmaster.report.arrivals_chart import amount, label
    from loadmaster.report.console import new_table

    order = [name for name in next(iter(summary.columns.values())) if name in statistics]
    table = new_table("", *order, header_style="bold")
    for column in table.columns:
        column.no_wrap = True
    for column in table.columns[1:]:
        column.justify = "right"
    for name, spread in summary.columns.items():
        table.add_row(label(name), *(amount(name, spread[statistic]) for statistic in order))
    return table


_SHOWN = ("mean", "median", "max", "min", "p90", "p99", "p10")
"""The statistics, the first to be shown first where a terminal is narrow."""
