"""One self-contained HTML page: headings, text, tables and interactive charts, readable without a network."""

import html
import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any

from loadmaster.model import InputError
from loadmaster.strict_json import plain
from loadmaster.whole_file import whole_file, write_whole


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
    """A table; cells are text already formatted.

    Attributes:
        best: (row, column) of the cells to stress.
        bands: number of a row -> the title of the rows from there on.
        prose: cells are words, not numbers.
        tones: (row, column) -> `good`, `bad` or `muted`.
        below: number of a row -> small print below it.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    best: frozenset[tuple[int, int]] = frozenset()
    bands: Mapping[int, str] = field(default_factory=dict)
    prose: bool = False
    tones: Mapping[tuple[int, int], str] = field(default_factory=dict)
    below: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Chart:
    """An Altair chart with the sentence a reader should take from it."""

    chart: Any
    caption: str = ""


@dataclass(frozen=True)
class Facts:
    """Names and their values, such as a configuration; values are shown as they are."""

    values: Mapping[str, str]


Block = Heading | Text | Table | Chart | Facts


def write_page(path: Path, title: str, blocks: Sequence[Block], subtitle: str = "", label: str = "") -> None:
    """Write the page to `path`; charts share one embedded copy of the Vega runtime, and nothing is fetched.

    Args:
        path: the HTML file.
        title: the page's main sentence.
        blocks: what stands on it, in order.
        subtitle: below the title.
        label: a small word above the title, such as the name of the report.

    Raises:
        InputError: the file cannot be written.
    """
    specs: list[dict[str, Any]] = []
    body = "\n".join(_block(block, specs) for block in blocks)
    text = _PAGE.format(
        title=html.escape(title), label=html.escape(label), subtitle=html.escape(subtitle), style=_STYLE, body=body,
        script=_script(specs) if specs else "",
    )  # fmt: skip
    try:
        write_whole(path, text)
    except OSError as error:
        raise InputError(path, f"this page cannot be written: {error.strerror or error}") from error


def write_picture(path: Path, chart: Any, scale: float = 2.0) -> None:
    """Write a chart as .png or .svg.

    Raises:
        InputError: another ending, or the file cannot be written.
    """
    check_picture(path)
    try:
        with whole_file(path) as part:
            chart.save(str(part), format=path.suffix[1:], scale_factor=scale)
    except OSError as error:
        raise InputError(path, f"this picture cannot be written: {error.strerror or error}") from error


def check_picture(path: Path) -> None:
    """See, before any work is done, that a picture can be written there.

    Raises:
        InputError: the name ends in neither .png nor .svg, or there is no such folder.
    """
    if path.suffix not in (".png", ".svg"):
        raise InputError(path, "a picture is written as .png or .svg", fix="end its name so")
    if not path.parent.is_dir():
        raise InputError(path, "no such folder for a picture", fix="make the folder first")


def _script(specs: list[dict[str, Any]]) -> str:
    data = json.dumps(plain(specs), separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return f'<script type="application/json" id="specs">{data}</script>\n<script type="module">{_runtime()}</script>'


@cache
def _runtime() -> str:
    """The whole of Vega, and the lines that draw the page's charts with it; kept on disk, it takes seconds to make."""
    import altair
    import vl_convert

    version = ".".join(altair.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    draw = (
        "const specs = JSON.parse(document.getElementById('specs').textContent);"
        "specs.forEach((spec, i) => vegaEmbed('#chart' + i, spec, {actions: false, renderer: 'svg'}));"
    )
    made_by = metadata.version("vl-convert-python")
    name = sha256(f"{draw} {version} {made_by}".encode()).hexdigest()[:16]
    kept = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "loadmaster" / f"vega-{name}.js"
    with suppress(OSError):
        return kept.read_text(encoding="utf-8")
    made = str(vl_convert.javascript_bundle(draw, version)).replace("</script", "<\\/script")
    with suppress(OSError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_whole(kept, made)
    return made


def _block(block: Block, specs: list[dict[str, Any]]) -> str:
    match block:
        case Heading(text):
            return f"<h2>{html.escape(text)}</h2>"
        case Text(text, tone):
            return f'<p class="{html.escape(tone)}">{html.escape(text)}</p>'
        case Facts(values):
            return (
                "<dl>"
                + "".join(f"<dt>{html.escape(k)}</dt><dd>{html.escape(v)}</dd>" for k, v in values.items())
                + "</dl>"
            )
        case Table():
            return _table(block)
        case Chart(chart, caption):
            specs.append(chart.to_dict(validate=False))  # checking each row of data takes most of the time
            below = f"<figcaption>{html.escape(caption)}</figcaption>" if caption else ""
            return f'<figure><div class="chart" id="chart{len(specs) - 1}"></div>{below}</figure>'


def _table(table: Table) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in table.columns)
    lines = []
    for i, row in enumerate(table.rows):
        if i in table.bands:
            lines.append(f'<tr class="band"><th colspan="{len(table.columns)}">{html.escape(table.bands[i])}</th></tr>')
        tones = [table.tones.get((i, j), "best" if (i, j) in table.best else "") for j in range(len(row))]
        cells = "".join(
            f'<td class="{tone}">{html.escape(cell)}</td>' if tone else f"<td>{html.escape(cell)}</td>"
            for cell, tone in zip(row, tones, strict=True)
        )
        lines.append(f'<tr class="above">{cells}</tr>' if i in table.below else f"<tr>{cells}</tr>")
        if i in table.below:
            small = html.escape(table.below[i])
            lines.append(f'<tr class="below"><td colspan="{len(table.columns)}">{small}</td></tr>')
    caption = f"<caption>{html.escape(table.caption)}</caption>" if table.caption else ""
    kind = "prose" if table.prose else "numbers"
    inside = f"{caption}<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody>"
    return f'<div class="wide"><table class="{kind}">{inside}</table></div>'


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<header><div><p class="label">{label}</p><h1>{title}</h1><p class="subtitle">{subtitle}</p></div></header>
<main>
{body}
</main>
{script}
</body>
</html>
"""

_STYLE = """
:root { --ink: #1c2430; --muted: #5b6675; --rule: #e3e7ec; --best: #0b7a4b; --accent: #1f5fa8 }
* { box-sizing: border-box }
body { font: 15px/1.55 Inter, "Segoe UI", "Helvetica Neue", Arial, sans-serif; margin: 0; color: var(--ink);
  background: #fff }
header { background: #f6f8fa; border-bottom: 1px solid var(--rule) }
header > div, main { max-width: 1080px; margin: 0 auto; padding: 0 1.5rem }
header > div { padding-top: 2rem; padding-bottom: 1.5rem }
.label { margin: 0 0 .4rem; color: var(--accent); font-size: .8rem; font-weight: 600; letter-spacing: .06em;
  text-transform: uppercase }
.label:empty { display: none }
h1 { font-size: 1.65rem; line-height: 1.25; margin: 0 0 .5rem; font-weight: 650; max-width: 52rem }
h2 { font-size: 1.15rem; margin: 2.75rem 0 .25rem; font-weight: 650 }
p { margin: .5rem 0; max-width: 52rem }
.subtitle, .note, figcaption, caption, dt { color: var(--muted) }
.warning { background: #fff3d6; border-left: 3px solid #e0a100; padding: .5rem .9rem; border-radius: 3px }
main { padding-top: 1.25rem; padding-bottom: 4rem }
.wide, .chart { overflow-x: auto }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; width: 100% }
caption { text-align: left; padding-bottom: .5rem }
th { font-weight: 600; font-size: .82rem; color: var(--muted); vertical-align: bottom }
td, th { padding: .38rem .6rem; border-bottom: 1px solid var(--rule); text-align: right }
td:first-child, th:first-child { text-align: left; padding-left: 0; white-space: nowrap }
tbody tr:hover { background: #f6f8fa }
tr.band th { padding-top: 1.1rem; color: var(--ink); font-size: .9rem }
table.prose td, table.prose th { text-align: left; white-space: normal; vertical-align: top }
table.prose td:first-child { min-width: 19rem } table.prose td:nth-child(2) { min-width: 8rem }
tr.above td { border-bottom: 0; padding-bottom: 0 }
tr.below td { color: var(--muted); font-size: .85rem; padding: 0 10% .5rem 0 }
td.good { color: var(--best); font-weight: 600 } td.bad { color: #b3261e; font-weight: 600 }
td.muted { color: var(--muted) }
td.best { color: var(--best); font-weight: 650 }
td.best::after { content: " \\2605"; font-size: .75em }
figure { margin: 1rem 0 1.5rem } figcaption { font-size: .9rem; margin-top: .35rem; max-width: 52rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.5rem; font-size: .92rem }
dd { margin: 0; overflow-wrap: anywhere }
details summary { cursor: pointer; color: var(--muted) }
@media print { header { background: none } h2 { break-after: avoid } figure { break-inside: avoid } }
"""
