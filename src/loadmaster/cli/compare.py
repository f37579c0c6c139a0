"""`loadmaster compare`: replay a log under several policies and show which keeps the queue shortest."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loadmaster.cli import options as o
from loadmaster.cli.signature import taking
from loadmaster.verbs.compare import CompareOptions

if TYPE_CHECKING:
    from loadmaster.report.comparison import Comparison


@taking(CompareOptions, out=Path("report"))
def compare(
    options: CompareOptions,
    picture: Annotated[Path | None, typer.Option(help="Also write the main chart, .png or .svg.")] = None,
    table: Annotated[Path | None, typer.Option(help="Also write the table, .csv, .parquet or .tex.")] = None,
    as_json: o.AsJson = False,
) -> None:
    """Replay a log under several placement policies, and show which keeps the queue shortest."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.report.frame_files import check_frame_file
    from loadmaster.report.picture import check_picture, write_picture
    from loadmaster.verbs.compare import compare_with
    from loadmaster.verbs.progress import Bar

    if picture is not None:
        check_picture(picture)
    if table is not None:
        check_frame_file(table)
    with Bar() as bar:
        result = compare_with(options, bar, command_line())
    out = Path(options.out or "")
    if picture is not None:
        write_picture(picture, result.plot())
    if table is not None:
        result.write_frame(table)
    _show(result.comparison, out, as_json)


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
