"""Shows what a look at an engine found."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from loadmaster.live.session.finding import Finding

STYLES = {"ok": "green", "note": "yellow", "bad": "red"}


def show(what: str, findings: "Sequence[Finding]", as_json: bool) -> None:
    """Print it line by line or as JSON.

    Raises:
        Exit: with code 1 where something stands in the way.
    """
    from dataclasses import asdict

    from rich.text import Text

    from loadmaster.cli.command_line import command_line
    from loadmaster.report.console import for_results
    from loadmaster.report.document import document, print_document

    bad = any(finding.level == "bad" for finding in findings)
    if as_json:
        content = {what: not bad, "rows": [asdict(finding) for finding in findings]}
        print_document(document("live", content, command=command_line()))
    else:
        for finding in findings:
            fix = f"; {finding.fix}" if finding.fix else ""
            mark = (f"{finding.level:4}", STYLES[finding.level])
            for_results().print(Text.assemble(mark, " ", finding.what + fix), soft_wrap=True)
    if bad:
        raise typer.Exit(1)
