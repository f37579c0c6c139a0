"""`loadmaster diff`: two records of runs compared job by job."""

from loadmaster.cli import options as o
from loadmaster.cli.signature import taking
from loadmaster.verbs.diff import DiffOptions


@taking(DiffOptions)
def diff(options: DiffOptions, as_json: o.AsJson = False) -> None:
    """Compare two run records job by job: starts, hosts and metrics that differ."""
    import typer

    from loadmaster.cli.command_line import command_line
    from loadmaster.report.console import for_notes, for_results, new_table
    from loadmaster.report.document import document, print_document
    from loadmaster.report.record_difference import JOB_HEADS, job_rows, metric_rows
    from loadmaster.verbs.diff import diff_with

    result = diff_with(options, command_line())
    difference = result.difference
    if as_json:
        synthetic = difference.first.case.workload.synthetic
        print_document(
            document("diff", result.figures, command=command_line(), synthetic=synthetic, notes=result.notes)
        )
    else:
        console = for_results()
        console.print(result.answer, soft_wrap=True, markup=False)
        tables = (
            (("metric", "first", "second"), metric_rows(difference)),
            (JOB_HEADS, job_rows(difference, options.top)),
        )
        for heads, rows in tables:
            shown = new_table(*heads)
            for row in rows:
                shown.add_row(*row)
            if rows:
                console.print(shown)
        for note in result.notes:
            for_notes().print(note, soft_wrap=True, markup=False)
    if not result.equal:
        raise typer.Exit(1)
