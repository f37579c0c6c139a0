"""`loadmaster tune`: search for a better rule, and measure its gain on weeks that the search does not use."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from loadmaster.cli.options import AsJson
from loadmaster.cli.signature import taking
from loadmaster.verbs.tune import TuneOptions

if TYPE_CHECKING:
    from loadmaster.verbs.tune import Tuned


@taking(TuneOptions, out=Path("tuned"))
def tune(options: TuneOptions, as_json: AsJson = False) -> None:
    """Search for a better rule on a log's first weeks; measure its gain on the last; write the rule."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.report.document import print_document
    from loadmaster.report.tune_document import tune_document
    from loadmaster.verbs.progress import Bar
    from loadmaster.verbs.tune import CHANGES_FILE, tune_with

    with Bar() as bar:
        result = tune_with(options, bar, command_line())
    if as_json:
        print_document(tune_document(result.tuning, result.notes, result.command))
    else:
        _show(result)
    for note in result.notes:
        typer.echo(f"note: {note}", err=True)
    changes = CHANGES_FILE if result.slurm_conf else None
    names = [name for name in (result.file, changes, "report.html", "trials.parquet") if name is not None]
    typer.echo(f"{options.out}/{', '.join(names)}", err=True)


def _show(result: "Tuned") -> None:
    from loadmaster.report.console import for_results, new_table
    from loadmaster.report.tune_claims import gain_claimed, rule_table

    console = for_results()
    console.print(result.answer, highlight=False)
    heads, rows = rule_table(result.tuning)
    table = new_table(*heads)
    table.columns[0].overflow = "fold"
    for column in table.columns[1:]:
        column.justify = "right"
    for row in rows:
        table.add_row(*row)
    if rows:
        console.print(table)
    if result.rule is not None and result.file is not None:
        console.print(result.rule.text, highlight=False, markup=False, soft_wrap=True)  # broken lines are no Python
    if result.slurm_conf:
        sure = "" if gain_claimed(result.tuning) else " of the best candidate, of which no gain is claimed"
        console.print(f"The lines of slurm.conf{sure}:", highlight=False)
        for line in result.slurm_conf:
            console.print(line, highlight=False, markup=False, soft_wrap=True)
