"""The head of a result's page: its verb, its answer, its subject. The file may come from any user."""

from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

MOST_BYTES = 1 << 17
"""Of a page that are looked at; the header stands before all data."""
PROGRAM = "loadmaster "


@dataclass(frozen=True)
class PageHead:
    """Texts as they are, not as HTML; empty where the page has none.

    Attributes:
        verb: that made the page, such as `compare`; of a page that is none of ours, empty.
        answer: the title.
        subtitle: of what.
    """

    verb: str = ""
    answer: str = ""
    subtitle: str = ""


def head_of_page(path: Path) -> PageHead:
    """The head of the page in the file `path`; an empty one where it cannot be read."""
    try:
        with path.open("rb") as file:
            text = file.read(MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return PageHead()
    reader = _Reader()
    reader.feed(text.partition("</header>")[0])
    label = reader.texts.get("label", "")
    verb = label.removeprefix(PROGRAM) if label.startswith(PROGRAM) else ""
    return PageHead(verb[:60], reader.texts.get("title", "")[:600], reader.texts.get("subtitle", "")[:300])


class _Reader(HTMLParser):
    """Collects the texts of the title and of the paragraphs of the header."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: dict[str, str] = {}
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = (dict(attrs).get("class") or "").split()
        if tag == "title":
            self._inside = "title"
        elif tag == "p":
            self._inside = next((name for name in ("label", "subtitle") if name in classes), "")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("title", "p"):
            self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside:
            text = self.texts.get(self._inside, "")
            self.texts[self._inside] = " ".join(f"{text} {data}".split())
