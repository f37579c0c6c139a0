"""`loadmaster policies`: everything that can be named on the command line."""

from typing import Annotated

import typer

from loadmaster.cli import options as o


def policies(
    name: Annotated[str | None, typer.Argument(help="Only names with this in them.", show_default=False)] = None,
    kind: Annotated[
        str | None, typer.Option(help="Only this kind: placement, packer, order, backfilling, ...", show_default=False)
    ] = None,
    as_json: o.AsJson = False,
) -> None:
    """List every rule that can be named: placement policies, packers, orders, backfillings, movers, sizers, ..."""
    from rich import box
    from rich.table import Table

    from loadmaster.report.console import for_results
    from loadmaster.runs.kinds import listed

    rows = list(listed(kind, name))
    if as_json:
        from loadmaster.cli.run_options import command_line
        from loadmaster.report.document import document, print_document

        content = {"rows": [{"kind": of, **rule._asdict()} for of, rule in rows]}
        print_document(document("policies", content, command=command_line()))
        return
    table = Table("kind", "name", "what it does", "source", box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    before = ""
    for of, rule in rows:
        if before and of != before:
            table.add_section()
        table.add_row(of if of != before else "", *rule)
        before = of
    for_results().print(table)
