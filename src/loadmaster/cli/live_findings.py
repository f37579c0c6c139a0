"""Prints the findings of a check of an engine."""

from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from loadmaster.verbs.live_result import Looked

STYLES = {"ok": "green", "note": "yellow", "bad": "red"}


def show(looked: "Looked", as_json: bool) -> None:
    """Print it line by line or as JSON; a text as it is.

    Raises:
        Exit: with code 1 where something stands in the way.
    """
    from dataclasses import asdict

    from rich.text import Text

    from loadmaster.cli.command_line import command_line
    from loadmaster.report.console import for_results
    from loadmaster.report.document import document, print_document

    if looked.text:
        print(looked.text, end="")
    elif as_json:
        content = {looked.what: looked.good, "rows": [asdict(finding) for finding in looked.found]}
        print_document(document("live", content, command=command_line()))
    else:
        for finding in looked.found:
            fix = f"; {finding.fix}" if finding.fix else ""
            mark = (f"{finding.level:4}", STYLES[finding.level])
            for_results().print(Text.assemble(mark, " ", finding.what + fix), soft_wrap=True)
    if not looked.good:
        raise typer.Exit(1)
