"""One self-contained HTML page: headings, text, tables and interactive charts, readable without a network."""

import html
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Heading:
    """A section's title."""

    text: str


@dataclass(frozen=True)
class Text:
    """A paragraph; `tone` is `plain`, `note` or `warning`."""

    text: str
    tone: str = "plain"


@dataclass(frozen=True)
class Table:
    """A table; cells are text already formatted."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""


@dataclass(frozen=True)
class Chart:
    """An Altair chart with the sentence a reader should take from it."""

    chart: Any
    caption: str = ""


Block = Heading | Text | Table | Chart


def write_page(path: Path, title: str, blocks: Sequence[Block], subtitle: str = "") -> None:
    """Write the page to `path`; charts share one embedded copy of the Vega runtime."""
    import vl_convert

    charts: list[dict[str, Any]] = []
    body = "\n".join(_block(block, charts) for block in blocks)
    runtime = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    specs = json.dumps(charts).replace("</", "<\\/")
    path.write_text(
        f"<!doctype html><meta charset=utf-8><title>{html.escape(title)}</title><style>{_STYLE}</style>"
        f"<main><h1>{html.escape(title)}</h1><p class=subtitle>{html.escape(subtitle)}</p>{body}</main>"
        f"<script type=module>{runtime}\nconst specs={specs};"
        "specs.forEach((spec, i) => vegaEmbed('#chart' + i, spec, {actions: false}));</script>",
        encoding="utf-8",
    )


def _block(block: Block, charts: list[dict[str, Any]]) -> str:
    if isinstance(block, Heading):
        return f"<h2>{html.escape(block.text)}</h2>"
    if isinstance(block, Text):
        return f"<p class={block.tone}>{html.escape(block.text)}</p>"
    if isinstance(block, Table):
        head = "".join(f"<th>{html.escape(name)}</th>" for name in block.columns)
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in block.rows
        )
        return f"<table><caption>{html.escape(block.caption)}</caption><tr>{head}</tr>{rows}</table>"
    charts.append(block.chart.to_dict())
    return (
        f"<figure><div id=chart{len(charts) - 1}></div><figcaption>{html.escape(block.caption)}</figcaption></figure>"
    )


_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; color: #1c2430; background: #fff }
main { max-width: 1100px; margin: 2rem auto; padding: 0 1rem }
.subtitle { color: #5b6675 } .note { color: #5b6675 } .warning { background: #fff3d6; padding: .5rem .75rem }
table { border-collapse: collapse; margin: 1rem 0 } caption { text-align: left; color: #5b6675 }
td, th { padding: .25rem .75rem; border-bottom: 1px solid #e3e7ec; text-align: right }
td:first-child, th:first-child { text-align: left } figure { margin: 1.5rem 0 } figcaption { color: #5b6675 }
"""
