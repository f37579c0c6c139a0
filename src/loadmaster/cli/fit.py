"""`loadmaster fit`: which queue of the site explains the recorded waits, or that none can."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from loadmaster.cli import options as o
from loadmaster.cli.signature import taking
from loadmaster.verbs.fit import FitOptions

if TYPE_CHECKING:
    from loadmaster.verbs.fit import Fitting


@taking(FitOptions, out=Path("fit"))
def fit(options: FitOptions, as_json: o.AsJson = False) -> None:
    """Find the queue of a site that reproduces the recorded waits best, or say why no queue can."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.verbs.fit import fit_with
    from loadmaster.verbs.progress import Bar

    with Bar() as bar:
        result = fit_with(options, bar, command_line())
    out = Path(options.out or "")
    _show(result, out, as_json)
    if result.refused:
        raise typer.Exit(1)


def _show(result: "Fitting", out: Path, as_json: bool) -> None:
    from loadmaster.report.console import for_notes, for_results
    from loadmaster.report.document import document, left_out, print_document
    from loadmaster.report.fit_claims import fit_document, verdict_sentence

    notes, fit = for_notes(), result.found
    for note in result.notes:
        notes.print(note)
    if as_json:
        content = fit_document(fit, result.cpu_s, "" if result.refused else result.text)
        print_document(
            document(
                "fit",
                content,
                command=fit.command,
                synthetic=fit.synthetic,
                notes=fit.notes,
                left_out=left_out(fit.skipped),
            )
        )
    else:
        console = for_results()
        if verdict_sentence(fit):
            console.print(verdict_sentence(fit), highlight=False)
        console.print(result.answer, style="bold", highlight=False)
        if fit.fit is not None:
            _table(result)
    if not result.refused:
        notes.print(f"The queue: {out / 'site.yaml'}, for --site of compare and simulate")
    notes.print(f"The full report: {out / 'report.html'}")


def _table(result: "Fitting", most: int = 8) -> None:
    from rich.table import Table

    from loadmaster.report.console import for_results, new_table
    from loadmaster.report.fit_page import tried_table
    from loadmaster.report.terminal_columns import columns_that_fit

    content = tried_table(result.found, most)

    def table(count: int) -> Table:
        shown = new_table(*content.columns[:count])
        for column in shown.columns[1:]:
            column.justify = "right"
        for row in content.rows:
            shown.add_row(*row[:count])
        return shown

    console = for_results()
    console.print()
    console.print(table(columns_that_fit(console, len(content.columns), table)))
    console.print(content.caption, style="dim")
    console.print(f"{result.cpu_s:.0f} s of CPU time for the trials made now", style="dim")
