"""`loadmaster info` for a running state: its hosts, running and waiting tasks, and what is left."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loadmaster.packing.state_facts import ResourceFacts
    from loadmaster.verbs.info_state import StateDescribed


def show_state(path: str, result: "StateDescribed", as_json: bool) -> None:
    """Print what a state of running tasks is, as sentences and a table, or as JSON."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.report.console import for_notes, for_results, new_table
    from loadmaster.report.document import document, print_document

    if as_json:
        content = {"state": path, **result.figures}
        print_document(document("info", content, command=command_line(), synthetic=False, notes=result.notes))
        return
    console = for_results()
    console.print(Path(path).name, style="bold")
    console.print(result.answer, highlight=False, soft_wrap=True)
    heads = ("all nodes", "running pods", "waiting pods", "most free on a node", "stranded")
    table = new_table("resource", *heads)
    for each in result.facts.resources:
        table.add_row(each.name, *_amounts(each))
    console.print(table)
    for note in result.notes:
        for_notes().print(f"note: {note}")


def _amounts(each: "ResourceFacts") -> list[str]:
    from loadmaster.model.units import MEMORY, percent, show_bytes

    def shown(value: float) -> str:
        return show_bytes(value) if each.name == MEMORY else f"{value:,.4g}"

    part = each.used / each.total if each.total else 0.0
    return [
        shown(each.total),
        f"{shown(each.used)} ({percent(part, 0)})",
        shown(each.waiting),
        shown(each.largest_free),
        shown(each.stranded),
    ]
