"""The result of every verb in Python: an answer, a table, a chart and a page."""

import html
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    import polars as pl

    from loadmaster.report.page import Page
    from loadmaster.results.up_to_date import Maker


PAGE = "report.html"


class Result:
    """Parent of all results: shown in a notebook as its answer and its table, in a terminal as its answer.

    Attributes:
        verb: the verb of the result.
        page_maker: makes report.html, for a verb whose page is not written again if it would not change.
    """

    verb: ClassVar[str] = ""
    page_maker: "ClassVar[Maker | None]" = None

    @property
    def answer(self) -> str:
        """The answer in words."""
        raise NotImplementedError

    @property
    def notes(self) -> tuple[str, ...]:
        """Facts that the reader must know beside the answer, one sentence each."""
        return ()

    @property
    def frame(self) -> "pl.DataFrame":
        """The table, of Polars."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """The table, of pandas.

        Raises:
            MissingExtra: pandas, or what Polars hands it columns with, is not installed.
        """
        from importlib.util import find_spec

        if find_spec("pandas") is None or find_spec("pyarrow") is None:
            from loadmaster.model.errors import MissingExtra

            raise MissingExtra("a table of pandas", "pandas")
        return self.frame.to_pandas()

    def write_frame(self, path: str | Path) -> Path:
        """Write the table as .csv, .parquet or .tex, by the ending of `path`, and return its path.

        Raises:
            InputError: another ending, or the file cannot be written.
        """
        from loadmaster.report.frame_files import write_frame

        write_frame(Path(path), self.frame)
        return Path(path)

    def plot(self) -> Any:
        """The main chart, of Altair."""
        raise NotImplementedError

    def page(self) -> "Page":
        """The content of the page."""
        raise NotImplementedError

    def report(self, path: str | Path) -> Path:
        """Write the page, one file that needs no network, and return its path."""
        from loadmaster.report.page import write

        write(Path(path), self.page())
        return Path(path)

    def save(self, folder: str | Path) -> Path:
        """Write it into `folder`, with its tables and its page; `loadmaster.open` reads it again.

        Raises:
            InputError: the folder cannot be written.
        """
        from loadmaster.report.chart_spec import CHARTS
        from loadmaster.results.up_to_date import entry, up_to_date
        from loadmaster.results.values import write_value
        from loadmaster.verbs.folder import make_folder

        path = Path(folder)
        make_folder(path)
        self.write_tables(path)
        entries = {}
        if self.page_maker is not None:
            page, of = path / PAGE, self.page_maker.of(self, CHARTS)
            if not up_to_date(page, of):
                self.report(page)
            entries = {PAGE: entry(page, of)}
        else:
            self.report(path / PAGE)
        write_value(path, self.verb, self, CHARTS, entries)
        return path

    def write_tables(self, folder: Path) -> None:
        """Write the tables into `folder`, for other programs.

        Args:
            folder: an existing folder.
        """

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.answer}>"

    def _repr_html_(self) -> str:
        parts = [f"<p><b>{html.escape(self.answer)}</b></p>", self.frame._repr_html_()]
        parts += [f"<p>{html.escape(note)}</p>" for note in self.notes]
        return "".join(parts)
