"""`loadmaster live libvirt`: virtual machines of several hosts, capped and moved while they run."""

from collections.abc import Sequence
from typing import Any

from loadmaster.cli import options as o
from loadmaster.cli.signature import taking
from loadmaster.verbs.live_libvirt import LibvirtOptions

MOST_ROWS = 40


@taking(LibvirtOptions)
def libvirt(options: LibvirtOptions, as_json: o.AsJson = False) -> None:
    """Cap and move virtual machines while they run; none is started, stopped or destroyed."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.cli.live_end import end, print_json
    from loadmaster.cli.live_findings import show
    from loadmaster.report.console import for_notes, for_results
    from loadmaster.verbs.live_libvirt import libvirt_with
    from loadmaster.verbs.live_result import Looked

    result = libvirt_with(options, _say, command_line())
    if isinstance(result, Looked):
        show(result, as_json)
        return
    if as_json:
        print_json(result)
    else:
        moved, refused = result.figures["moved"], sum(result.figures["refusals"].values())
        for_results().print(_table(result.rows))
        for_results().print(f"{moved:,} moved, {refused:,} refused, {result.figures['cycles']:,} cycles")
        for name, why in result.figures["left_out"]:
            for_notes().print(f"{name.rpartition('@')[0]} is left out: {why}", soft_wrap=True)
        for note in result.notes:
            for_notes().print(note, soft_wrap=True)
    end(result, "these machines still have caps of this run")


def _say(text: str) -> None:
    from loadmaster.report.console import for_notes

    for_notes().print(text, soft_wrap=True)


def _table(rows: Sequence[dict[str, Any]]) -> Any:
    from loadmaster.model.units import percent
    from loadmaster.report.console import new_table

    table = new_table("machine", "host", "cores", "memory", "share")
    for row in rows[:MOST_ROWS]:
        host = f"{row['host']} to {row['to']}" if row["to"] else row["host"]
        table.add_row(
            row["name"], host, f"{row['cores']:g}", f"{row['memory'] / 2**30:.3g} GiB", percent(row["share"], 1)
        )
    if len(rows) > MOST_ROWS:
        table.add_row(f"and {len(rows) - MOST_ROWS:,} more", "", "", "", "")
    return table
