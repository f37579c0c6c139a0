"""`loadmaster policies`: everything that can be named on the command line."""

from typing import Annotated

import typer


def policies(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """List every policy and discipline, with its source."""
    import json

    from rich.console import Console
    from rich.table import Table

    from loadmaster.order import DISCIPLINES
    from loadmaster.place import POLICIES

    rows = [("placement", p.name, p.summary, p.source) for p in POLICIES.values()]
    rows += [("discipline", name, summary, source) for name, (_, summary, source) in DISCIPLINES.items()]
    if as_json:
        print(json.dumps([dict(zip(("kind", "name", "summary", "source"), row, strict=True)) for row in rows]))
        return
    table = Table("kind", "name", "what it does", "source")
    for row in rows:
        table.add_row(*row)
    Console().print(table)
