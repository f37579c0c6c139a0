"""`loadmaster fewest`: the fewest or cheapest machines that keep the waits of a log under a target."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from loadmaster.cli import options as o
from loadmaster.cli.signature import taking
from loadmaster.verbs.fewest_options import FewestOptions

if TYPE_CHECKING:
    from loadmaster.verbs.fewest import FoundFewest

_NAMES = 3
"""Columns that a narrow terminal keeps."""


@taking(FewestOptions, out=Path("fewest"))
def fewest(options: FewestOptions, as_json: o.AsJson = False) -> None:
    """Find the fewest or cheapest machines under which jobs wait no longer than a target."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.report.console import for_notes
    from loadmaster.verbs.fewest import fewest_with
    from loadmaster.verbs.progress import Bar

    with Bar() as bar:
        result = fewest_with(options, bar, command_line())
    out = Path(options.out or "")
    notes = for_notes()
    if as_json:
        _print_json(result)
        for note in result.notes:
            notes.print(note)
    else:
        _show(result)
    notes.print(f"The full report: {out / 'report.html'}")
    if result.found.interrupted:
        raise typer.Exit(130)
    if not result.enough:
        raise typer.Exit(1)


def _print_json(result: "FoundFewest") -> None:
    from loadmaster.report.document import document, left_out, print_document, rejected_jobs

    fewest = result.found
    target = {"mean_s": fewest.target.mean_s, "p95_s": fewest.target.p95_s, "p99_s": fewest.target.p99_s}
    content = {
        "enough": result.enough,
        "answer": result.answer,
        "target": target,
        "growth": fewest.growth,
        "resample": None if fewest.drawing is None else fewest.drawing.how,
        "best": next((r for r, each in enumerate(fewest.answers) if each is fewest.best), None),
        **rejected_jobs(fewest.case.rejected),
        "rows": result.rows,
    }
    print_document(
        document(
            "fewest",
            content,
            command=fewest.command,
            seed=fewest.answers[0].fewest.setting.seed,
            synthetic=fewest.case.workload.synthetic,
            notes=fewest.notes,
            left_out=left_out(fewest.case.skipped),
        )
    )


def _show(result: "FoundFewest") -> None:
    from rich.table import Table
    from rich.text import Text

    from loadmaster.report.columns import unit_for
    from loadmaster.report.console import for_results, new_table
    from loadmaster.report.fewest import details
    from loadmaster.report.fewest_page import columns_of, subtitle
    from loadmaster.report.terminal_columns import columns_that_fit

    fewest, console = result.found, for_results()
    waits = [each.fewest.outcome.metrics.p99_wait_s for each in fewest.answers if each.fewest.outcome is not None]
    heads, cells = columns_of(fewest, *unit_for(waits))

    def table(more: int) -> Table:
        shown = new_table(title=subtitle(fewest))
        for k, head in enumerate(heads[: _NAMES + more]):
            named = k < _NAMES
            shown.add_column(
                head,
                justify="left" if named else "right",
                overflow="fold",
                no_wrap=not named,
                min_width=12 if named else None,
            )
        for each, row in zip(fewest.answers, cells, strict=True):
            shown.add_row(*map(Text, row[: _NAMES + more]), style="bold green" if each is fewest.best else "")
        return shown

    many = columns_that_fit(console, len(heads) - _NAMES, table)
    console.print(table(many))
    if left := heads[_NAMES + many :]:
        console.print(Text(f"not shown, since this terminal is narrow: {', '.join(left)}", style="dim"))
    console.print(Text(result.answer, style="bold"))
    for line in details(fewest):
        console.print(Text(line))
    for note in result.notes:
        console.print(Text(note, style="yellow" if "synthetic" in note else "dim"))
