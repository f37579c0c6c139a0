"""How every `live` verb ends: where the record is, what was left behind, and the exit code."""

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from loadmaster.verbs.live_result import Lived

MOST_NAMED = 20


def end(result: "Lived", left: str, *, failed: bool = False) -> None:
    """Say where the record is, and name what could not be handed back.

    Args:
        result: the run.
        left: what those have that could not be.
        failed: something of the work itself went wrong.

    Raises:
        Exit: with 1 where something was left behind or failed, with 130 if it was stopped by hand. A supervisor
            that ends it by SIGTERM, and finds that it has ended well, is told so by 0.
    """
    from loadmaster.report.console import for_notes

    trust = " --trust" if result.carries_python else ""
    text = f"The record: {result.folder}; `loadmaster live --check {result.folder}{trust}` takes its decisions again."
    for_notes().print(text, soft_wrap=True)
    if result.stranded:
        names = ", ".join(name.partition("@")[0] for name in result.stranded[:MOST_NAMED])
        for_notes().print(f"warning: {left}: {names}", style="yellow", soft_wrap=True)
        raise typer.Exit(1)
    if failed:
        raise typer.Exit(1)
    if result.ended == "stopped":
        raise typer.Exit(130)


def print_json(result: "Lived") -> None:
    """The run as one JSON document."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.report.document import document, print_document

    rows = {"rows": list(result.rows)} if "commands" in result.figures or "machines" in result.figures else {}
    print_document(
        document(
            "live",
            {"record": str(result.folder)} | result.figures | rows,
            command=command_line(),
            seed=result.seed,
            synthetic=result.synthetic,
            notes=result.notes,
        )
    )
