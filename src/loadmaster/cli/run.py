"""`loadmaster run`: executes a file of shell commands on machines that a sizer rents and gives back."""

import typer

from loadmaster.cli.options import AsJson
from loadmaster.cli.signature import taking
from loadmaster.verbs.run import BagRunOptions


@taking(BagRunOptions)
def run(options: BagRunOptions, as_json: AsJson = False) -> None:
    """Run a bag of shell commands for real on Dask; the same command given again continues the run."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.report.document import document, print_document
    from loadmaster.verbs.run import run_with

    result = run_with(options)
    if as_json:
        print_document(document("run", dict(result.figures), command=command_line()))
    else:
        print("\n".join(result.words))
    if not result.done:
        raise typer.Exit(1)
