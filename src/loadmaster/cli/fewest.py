"""`loadmaster fewest`: the fewest or cheapest machines that keep the waits of a log under a target."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from loadmaster.cli import options as o
from loadmaster.cli.signature import taking
from loadmaster.verbs.fewest import FewestOptions

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
        made = fewest_with(options, bar, command_line())
    out = Path(options.out or "")
    notes = for_notes()
    if as_json:
        _print_json(made)
        for note in made.notes:
            notes.print(note)
    else:
        _show(made)
    notes.print(f"The full report: {out / 'report.html'}")
    if not made.enough:
        raise typer.Exit(1)


def _print_json(made: "FoundFewest") -> None:
    from loadmaster.report.document import document, left_out, print_document, rejected_jobs

    found = made.found
    target = {"mean_s": found.target.mean_s, "p95_s": found.target.p95_s, "p99_s": found.target.p99_s}
    content = {
        "enough": made.enough, "answer": made.answer, "target": target, "growth": found.growth,
        "resample": None if found.drawing is None else found.drawing.how,
        "best": next((r for r, each in enumerate(found.answers) if each is found.best), None),
        **rejected_jobs(found.case.rejected), "rows": made.rows,
    }  # fmt: skip
    print_document(document(
        "fewest", content, command=found.command, seed=found.answers[0].fewest.setting.seed,
        synthetic=found.case.workload.synthetic, notes=found.notes, left_out=left_out(found.case.skipped),
    ))  # fmt: skip


def _show(made: "FoundFewest") -> None:
    from rich.table import Table
    from rich.text import Text

    from loadmaster.report.columns import unit_for
    from loadmaster.report.console import for_results, new_table
    from loadmaster.report.fewest import details
    from loadmaster.report.fewest_page import columns_of, subtitle
    from loadmaster.report.terminal_columns import columns_that_fit

    found, console = made.found, for_results()
    waits = [each.fewest.outcome.metrics.p99_wait_s for each in found.answers if each.fewest.outcome is not None]
    heads, cells = columns_of(found, *unit_for(waits))

    def table(more: int) -> Table:
        shown = new_table(title=subtitle(found))
        for k, head in enumerate(heads[: _NAMES + more]):
            named = k < _NAMES
            shown.add_column(head, justify="left" if named else "right", overflow="fold", no_wrap=not named,
                             min_width=12 if named else None)  # fmt: skip
        for each, row in zip(found.answers, cells, strict=True):
            shown.add_row(*map(Text, row[: _NAMES + more]), style="bold green" if each is found.best else "")
        return shown

    many = columns_that_fit(console, len(heads) - _NAMES, table)
    console.print(table(many))
    if left := heads[_NAMES + many :]:
        console.print(Text(f"not shown, since this terminal is narrow: {', '.join(left)}", style="dim"))
    console.print(Text(made.answer, style="bold"))
    for line in details(found):
        console.print(Text(line))
    for note in made.notes:
        console.print(Text(note, style="yellow" if "synthetic" in note else "dim"))
