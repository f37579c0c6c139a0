"""`loadmaster reproduce`: re-runs a paper and prints its claims beside our numbers."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from loadmaster.cli import dask_options as d

if TYPE_CHECKING:
    from rich.table import Table

    from loadmaster.papers.claim import Reproduction
    from loadmaster.report.page import Table as PageTable

COLOURS = {"holds": "green", "differs": "red", "report only": "dim", "not measured": "dim"}
TONES = {"holds": "good", "differs": "bad", "report only": "muted", "not measured": "muted"}


def reproduce(
    context: typer.Context,
    paper: Annotated[str, typer.Argument(help="The paper: author and year, such as shai2014.")],
    quick: Annotated[bool, typer.Option(help="A smaller set, in some minutes.")] = False,
    seed: Annotated[int, typer.Option(min=0, help="Seed of every random draw.")] = 0,
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for pages and charts.")] = Path("reproduction"),
    traces: Annotated[Path | None, typer.Option(help="Folder with real logs.")] = None,
    trace: Annotated[Path | None, typer.Option(help="A log of your own.")] = None,
    live: Annotated[
        bool, typer.Option("--live", help="Measure on this machine what only real processes show.")
    ] = False,
    on: d.On = None,
    tls_ca: d.TlsCa = None,
    tls_cert: d.TlsCert = None,
    tls_key: d.TlsKey = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
) -> None:
    """Re-run a paper's tables and figures: published value beside ours."""
    import dataclasses
    import importlib

    from loadmaster.cli.idle import refuse_idle
    from loadmaster.cli.run_options import command_line
    from loadmaster.model.errors import InputError
    from loadmaster.papers import PAPERS, Options
    from loadmaster.report.console import for_notes, for_results
    from loadmaster.report.document import document, print_document
    from loadmaster.report.page import Heading, Text, write_page
    from loadmaster.rules.near import pick

    chosen = pick(paper, PAPERS, what="paper", see=f"known: {', '.join(PAPERS)}")
    logs = [name for name in chosen.reads if name != "live"]
    refuse_idle(context, {"traces", "trace"}.difference(logs), _reads(paper, logs))
    refuse_idle(context, {"live"}.difference(chosen.reads), f"{paper} measures nothing on this machine")
    if traces is not None and not traces.is_dir():
        raise InputError(str(traces), "there is no such folder of logs", where="--traces")
    address = d.dask_address(on, tls_ca, tls_cert, tls_key)
    out.mkdir(parents=True, exist_ok=True)
    result = importlib.import_module(chosen.module).reproduce(Options(quick, seed, out, traces, trace, address, live))
    page = out / f"{paper}.html"
    notes = [Text(note, "note") for note in result.notes]
    blocks = [_claims(result), *notes, Heading("Figures"), *result.blocks]
    write_page(page, result.title, blocks, _verdicts(result), f"loadmaster reproduce {paper}")
    if as_json:
        rows = [dataclasses.asdict(claim) for claim in result.claims]
        content = {"paper": paper, "title": result.title, "quick": quick, "page": str(page), "rows": rows}
        print_document(document("reproduce", content, command=command_line(), seed=seed, notes=result.notes))
        return
    for_results().print(_table(result))
    for_notes().print(f"{_verdicts(result)}; gates, notes and figures: {page}")


def _reads(paper: str, reads: Sequence[str]) -> str:
    return f"{paper} reads {f'logs from --{reads[0]} only' if reads else 'no logs, it makes its own'}"


def _verdicts(result: "Reproduction") -> str:
    counts = Counter[str](claim.verdict for claim in result.claims)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in COLOURS if counts[verdict])


def _claims(result: "Reproduction") -> "PageTable":
    """The claims as the page shows them: under their table or figure, gate and note below each in small print."""
    from loadmaster.report.page import Table as PageTable

    places = dict.fromkeys(claim.where for claim in result.claims)
    claims = [claim for where in places for claim in result.claims if claim.where == where]
    bands = {next(i for i, claim in enumerate(claims) if claim.where == where): where for where in places}
    small = {
        i: ". ".join(
            f"{text[0].upper()}{text[1:]}" for text in (claim.gate and f"gate: {claim.gate}", claim.note) if text
        )
        for i, claim in enumerate(claims)
    }
    return PageTable(
        ("claim", "published", "ours", "n", "verdict"),
        [
            [claim.claim, claim.published, claim.ours, f"{claim.n:,}" if claim.n else "", claim.verdict]
            for claim in claims
        ],
        bands=bands,
        prose=True,
        tones={(i, 4): TONES[claim.verdict] for i, claim in enumerate(claims)},
        below={i: text for i, text in small.items() if text},
    )


def _table(result: "Reproduction") -> "Table":
    """The claims under the table or figure that they are of; gates and notes, which are long, stand on the page."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=result.title, expand=True)
    for name, ratio in (("claim", 4), ("published", 2), ("ours", 3)):
        table.add_column(name, ratio=ratio, overflow="fold")
    table.add_column("verdict", no_wrap=True)
    for where in dict.fromkeys(claim.where for claim in result.claims):
        table.add_row(Text(where, style="bold"))
        for claim in [claim for claim in result.claims if claim.where == where]:
            verdict = Text(claim.verdict, style=COLOURS[claim.verdict])
            table.add_row(claim.claim, claim.published, claim.ours, verdict)
        table.add_section()
    return table
