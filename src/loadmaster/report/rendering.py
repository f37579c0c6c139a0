"""A page as HTML: Jinja2's templates in `page_parts`, which escape every text that is put into them."""

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from loadmaster.report.compressed_assets import compressed, compressed_library, library, part
from loadmaster.report.page import Block, Chart, Heading, Page, Table
from loadmaster.report.theme import DARK, for_a_page
from loadmaster.report.words import as_words
from loadmaster.system.strict_json import plain

if TYPE_CHECKING:
    from jinja2 import Environment

MANY = 4
"""Headings from which a page begins with links to them."""


class PlacedBlock(NamedTuple):
    """A block and its name on the page; headings and charts have one."""

    block: Block
    name: str


class TableLine(NamedTuple):
    """A row of a table: its cells with their tones, the small print below it, and the rule that it is of."""

    cells: list[tuple[str, str]]
    below: str
    rule: str


def rendered(page: Page) -> str:
    """The page as one HTML text; the same page gives the same text."""
    placed, specs = _placed(page.blocks)
    scripts = [part("tables.js")] if specs or any(each.block.kind == "table" for each in placed) else []
    if specs:
        scripts += [part("choice.js"), part("charts.js").replace("COLOURS", json.dumps(DARK))]
    headings = [each for each in placed if each.block.kind == "heading"]
    return (
        environment()
        .get_template("page.html")
        .render(
            page=page,
            blocks=placed,
            headings=headings if len(headings) >= MANY else [],
            style=part("page.css"),
            scripts=scripts,
            specs=_packed_specs(specs) if specs else "",
            library=compressed_library() if specs else "",
            policy=policy_of_scripts([*scripts, library()] if specs else scripts),
        )
    )


@cache
def environment() -> "Environment":
    """Where templates are found, for pages that are built on these too: what is put into them is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    templates = Environment(
        loader=PackageLoader("loadmaster.report", "page_parts"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals["bodies"] = bodies
    templates.filters["words"] = as_words
    return templates


def policy_of_scripts(scripts: Sequence[str]) -> str:
    """What a browser may do with a page: run these scripts to the letter, and nothing else; fetch nothing.

    The text of a Content-Security-Policy. Text that came onto a page in spite of all could not run.
    """
    hashes = " ".join(f"'sha256-{_sha256(script)}'" for script in scripts)
    return f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {hashes}"


@cache
def _sha256(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def bodies(table: Table) -> Iterator[tuple[str, list[TableLine]]]:
    """The rows of a table band by band: the band's title, empty where the table has none there, and its lines."""
    starts = sorted({0, *table.bands})
    for start, end in zip(starts, [*starts[1:], len(table.rows)], strict=True):
        if start < end or start in table.bands:
            yield table.bands.get(start, ""), [_line(table, i) for i in range(start, end)]


def _line(table: Table, i: int) -> TableLine:
    cells = [
        (cell, table.tones.get((i, j), "best" if (i, j) in table.best else "")) for j, cell in enumerate(table.rows[i])
    ]
    return TableLine(cells, table.below.get(i, ""), table.rules.get(i, ""))


def _placed(blocks: Sequence[Block]) -> tuple[list[PlacedBlock], list[dict[str, Any]]]:
    """The blocks with their names, and the specifications of the charts, each with its description."""
    placed: list[PlacedBlock] = []
    specs: list[dict[str, Any]] = []
    section, sections = "", 0
    for block in blocks:
        name = ""
        if type(block) is Heading:
            section, sections = block.text, sections + 1
            name = f"section{sections}"
        elif type(block) is Chart:
            name = f"chart{len(specs)}"
            specs.append(specification(block, section))
        placed.append(PlacedBlock(block, name))
    return placed, specs


def specification(block: Chart, section: str = "") -> dict[str, Any]:
    """A chart as the library takes it; `section` is the heading that it stands under."""
    of = block.chart  # checking each row of its data takes most of the time
    if type(of) is dict:
        spec: dict[str, Any] = dict(of)
    else:
        with for_a_page():
            spec = of.to_dict(validate=False)
    alt = block.alt or ". ".join(filter(None, (section, block.caption)))
    return {**spec, "description": alt} if alt else spec


def _packed_specs(specs: list[dict[str, Any]]) -> str:
    return compressed(json.dumps(plain(specs), separators=(",", ":"), allow_nan=False))
