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
    from loadmaster.schedule.time_shared import METHODS, MOVERS
    from loadmaster.share.vm_choice import VM_CHOICES

    rows = [("placement", p.name, p.summary, p.source) for p in POLICIES.values()]
    rows += [("discipline", name, summary, source) for name, (_, summary, source) in DISCIPLINES.items()]
    rows += [("time-sharing method", m.name, m.summary, m.source) for m in METHODS.values()]
    rows.append(("time-sharing method", "fractional", "CPU by yield, repacked by mcb8", "Casanova et al. 2008"))
    rows += [("mover", name, summary, source) for name, (_, summary, source) in MOVERS.items()]
    rows += [("VM choice", name, summary, "Delgado 2011") for name, (_, summary) in VM_CHOICES.items()]
    if as_json:
        print(json.dumps([dict(zip(("kind", "name", "summary", "source"), row, strict=True)) for row in rows]))
        return
    table = Table("kind", "name", "what it does", "source")
    for row in rows:
        table.add_row(*row)
    Console().print(table)
