"""`loadmaster reproduce`: re-runs a paper and prints its claims beside our numbers."""

from pathlib import Path
from typing import Annotated

import typer


def reproduce(
    paper: Annotated[str, typer.Argument(help="The paper: author and year, such as shai2014.")],
    quick: Annotated[bool, typer.Option(help="A smaller set, in about a minute.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of every random draw.")] = 0,
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for pages and charts.")] = Path("reproduction"),
    traces: Annotated[Path | None, typer.Option(help="Folder with real logs.")] = None,
    trace: Annotated[Path | None, typer.Option(help="A log of your own.")] = None,
    on: Annotated[str | None, typer.Option(help="A Dask scheduler, such as tcp://host:8786.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Re-run a paper's tables and figures: published value beside ours."""
    import dataclasses
    import importlib
    import json

    from rich.console import Console
    from rich.table import Table

    from loadmaster.model.errors import InputError
    from loadmaster.papers import PAPERS, Options
    from loadmaster.report.page import Heading, Text, write_page
    from loadmaster.report.page import Table as PageTable

    if paper not in PAPERS:
        raise InputError(paper, "no such paper", fix=f"known: {', '.join(PAPERS)}")
    out.mkdir(parents=True, exist_ok=True)
    result = importlib.import_module(PAPERS[paper]).reproduce(Options(quick, seed, out, traces, trace, on))
    columns = ("where", "claim", "published", "ours", "verdict", "gate", "n", "note")
    rows = [[str(getattr(claim, column)) for column in columns] for claim in result.claims]
    page = out / f"{paper}.html"
    notes = [Text(note, "note") for note in result.notes]
    write_page(page, result.title, [PageTable(columns, rows), *notes, Heading("Figures"), *result.blocks])
    if as_json:
        print(json.dumps([dataclasses.asdict(claim) for claim in result.claims]))
        return
    table = Table(*columns, title=result.title)
    for row in rows:
        table.add_row(*row)
    Console().print(table)
    Console(stderr=True).print(f"{page}")
