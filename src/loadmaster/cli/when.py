"""`loadmaster when`: the job, the answer, and what would start it sooner."""

from typing import TYPE_CHECKING

import typer

from loadmaster.cli import options as o
from loadmaster.cli.signature import taking
from loadmaster.verbs.when import WhenOptions

if TYPE_CHECKING:
    from loadmaster.verbs.when import StartOfJob


@taking(WhenOptions)
def when(options: WhenOptions, as_json: o.AsJson = False) -> None:
    """Forecast when a waiting job starts, how sure that is, and what would start it sooner."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.report.console import for_notes
    from loadmaster.verbs.progress import Bar
    from loadmaster.verbs.when import when_with

    with Bar(summary=False) as bar:
        result = when_with(options, bar, command_line())
    if as_json:
        _print_json(result)
    else:
        _show(result)
    for note in result.found.notes:
        for_notes().print(note, style="yellow" if "synthetic" in note else "dim")
    if options.out is not None:
        for_notes().print(f"The full report: {options.out}/report.html")
    if result.never:
        raise typer.Exit(1)


def _print_json(result: "StartOfJob") -> None:
    from loadmaster.report.document import document, print_document
    from loadmaster.report.start_claims import coverage_row

    found = result.found
    content = {
        "answer": result.answer,
        "job": found.job.name,
        "listed": found.date(0.0) or None,
        "running": found.running,
        "waiting": found.waiting,
        "waited_s": found.job.waited_s,
        "never": result.never,
        "sampled": found.sampled,
        "samples": int(found.forecast.wait_s.size),
        "rule": found.rule,
        "coverage": coverage_row(found.coverage),
        "rows": result.rows,
    }
    print_document(document("when", content, command=found.command, seed=found.seed, notes=found.notes))


def _show(result: "StartOfJob") -> None:
    from rich.text import Text

    from loadmaster.report.console import for_results, new_table
    from loadmaster.report.start_claims import HEADS, change_cells, details
    from loadmaster.report.start_page import subtitle

    console, found = for_results(), result.found
    console.print(Text(subtitle(found)))
    console.print(Text(result.answer, style="bold"))
    for line in details(found):
        console.print(Text(line))
    if found.changes:
        table = new_table(title="What would start it sooner")
        for k, head in enumerate(HEADS):
            table.add_column(head, justify="left" if k < 2 else "right", overflow="fold")
        for row in change_cells(found):
            table.add_row(*map(Text, row))
        console.print(table)
