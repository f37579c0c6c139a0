"""`loadmaster reproduce`: re-runs a paper and prints its claims beside our numbers."""

from typing import TYPE_CHECKING

from loadmaster.cli.options import AsJson
from loadmaster.cli.signature import taking
from loadmaster.verbs.reproduce import ReproduceOptions

if TYPE_CHECKING:
    from rich.table import Table

    from loadmaster.papers.claim import Reproduction

COLOURS = {
    "holds": "green", "ordering holds, size differs": "yellow", "differs": "red", "report only": "dim",
    "not measured": "dim",
}  # fmt: skip


@taking(ReproduceOptions)
def reproduce(options: ReproduceOptions, as_json: AsJson = False) -> None:
    """Re-run a paper's tables and figures: published value beside ours."""
    import dataclasses

    from loadmaster.cli.command_line import command_line
    from loadmaster.report.console import for_notes, for_results
    from loadmaster.report.document import document, print_document
    from loadmaster.verbs.reproduce import reproduce_with, verdicts

    reproduced = reproduce_with(options, command=command_line())
    result = reproduced.reproduction
    if as_json:
        rows = [dataclasses.asdict(claim) for claim in result.claims]
        content = {
            "paper": reproduced.paper,
            "title": result.title,
            "quick": options.quick,
            "page": str(reproduced.file),
            "rows": rows,
        }
        print_document(document("reproduce", content, command=command_line(), seed=options.seed, notes=result.notes))
        return
    for_results().print(_table(result))
    for_notes().print(f"{verdicts(result)}; gates, notes and figures: {reproduced.file}")


def _table(result: "Reproduction") -> "Table":
    """The claims under the table or figure that they are of; gates and notes, which are long, stand on the page."""
    from rich.text import Text

    from loadmaster.report.console import new_table

    table = new_table(title=result.title, expand=True)
    for name, ratio in (("claim", 4), ("published", 2), ("ours", 3)):
        table.add_column(name, ratio=ratio, overflow="fold")
    table.add_column("verdict", width=15)
    for where in dict.fromkeys(claim.where for claim in result.claims):
        table.add_row(Text(where, style="bold"))
        for claim in [claim for claim in result.claims if claim.where == where]:
            verdict = Text(claim.verdict, style=COLOURS[claim.verdict])
            table.add_row(claim.claim, claim.published, claim.ours, verdict)
        table.add_section()
    return table
