"""One self-contained HTML page: headings, text, tables and interactive charts, readable without a network."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from loadmaster.model import InputError
from loadmaster.system.whole_file import write_whole


@dataclass(frozen=True)
class Heading:
    """A section's title."""

    kind: ClassVar = "heading"
    text: str


@dataclass(frozen=True)
class Text:
    """A paragraph; `tone` is `plain`, `note` or `warning`."""

    kind: ClassVar = "text"
    text: str
    tone: str = "plain"


@dataclass(frozen=True)
class Table:
    """A table; cells are text already formatted. A reader can sort it, within each band.

    Attributes:
        best: (row, column) of the cells to stress.
        bands: number of a row -> the title of the rows from there on.
        prose: cells are words, not numbers.
        tones: (row, column) -> `good`, `fair`, `bad` or `muted`.
        below: number of a row -> small print below it.
        rules: number of a row -> the rule that it is of, as charts name it.
    """

    kind: ClassVar = "table"
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    best: frozenset[tuple[int, int]] = frozenset()
    bands: Mapping[int, str] = field(default_factory=dict)
    prose: bool = False
    tones: Mapping[tuple[int, int], str] = field(default_factory=dict)
    below: Mapping[int, str] = field(default_factory=dict)
    rules: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Chart:
    """A chart with the sentence a reader should take from it.

    Attributes:
        chart: of Altair, or a specification of Vega-Lite.
        caption: the text below it.
        alt: what it shows, for screen readers; the heading above and the caption if it is not given.
    """

    kind: ClassVar = "chart"
    chart: Any
    caption: str = ""
    alt: str = ""


@dataclass(frozen=True)
class Facts:
    """Names and their values, such as a configuration; values are shown as they are."""

    kind: ClassVar = "facts"
    values: Mapping[str, str]


Block = Heading | Text | Table | Chart | Facts


@dataclass(frozen=True)
class Page:
    """What stands on a page.

    Attributes:
        title: the page's main sentence.
        blocks: the blocks below it, in order.
        subtitle: below the title.
        label: a small word above the title, such as the name of the report.
    """

    title: str
    blocks: Sequence[Block]
    subtitle: str = ""
    label: str = ""


def write(path: Path, page: Page) -> None:
    """Write `page` to the HTML file `path`; charts share one embedded copy of Vega, and nothing is fetched.

    Raises:
        InputError: the file cannot be written.
    """
    from loadmaster.report.rendering import rendered

    try:
        write_whole(path, rendered(page))
    except OSError as error:
        raise InputError(path, f"this page cannot be written: {error.strerror or error}") from error
