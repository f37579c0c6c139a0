"""A live run as a result: its figures, its record's page and picture."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from loadmaster.verbs.result import Result

if TYPE_CHECKING:
    import polars as pl

    from loadmaster.live.session.finding import Finding
    from loadmaster.report.page import Page


@dataclass(frozen=True, eq=False, repr=False)
class Lived(Result):
    """A live run that is over.

    Attributes:
        folder: of its record.
        figures: its results, with the keys of the JSON document.
        ended: `done`, `stopped` by hand, or `terminated` by SIGTERM.
        stranded: jobs that could not be given back to the engine.
        rows: a row for each command or machine; () of a queue.
        known: facts that a reader must know.
        seed: of its draws; None where nothing draws.
        synthetic: whether a generator made its jobs; None if unknown.
        carries_python: whether its record has a rule from a file, which runs again only if the record is trusted.
    """

    verb: ClassVar[str] = "live"

    folder: Path
    figures: dict[str, Any]
    ended: str
    stranded: tuple[str, ...] = ()
    rows: tuple[dict[str, Any], ...] = ()
    known: tuple[str, ...] = ()
    seed: int | None = None
    synthetic: bool | None = None
    carries_python: bool = False

    @property
    def answer(self) -> str:
        """The run in a few sentences, as its page says."""
        from loadmaster.verbs.kept_folder import LIVE

        if (self.folder / LIVE).is_file():
            from loadmaster.live.queue.timeline import timeline_in
            from loadmaster.report.live_answer import live_answer

            return live_answer(timeline_in(self.folder))
        from loadmaster.live.share_timelines import share_timeline_of
        from loadmaster.report.share_timeline_page import share_timeline_answer

        return share_timeline_answer(share_timeline_of(self.folder))

    @property
    def notes(self) -> tuple[str, ...]:
        """Facts that a reader must know."""
        return self.known

    @property
    def frame(self) -> "pl.DataFrame":
        """A row for each command or machine; of a queue, a row for each job, as its run record has them."""
        import polars as pl

        if self.rows:
            return pl.DataFrame(list(self.rows), infer_schema_length=None)
        from loadmaster.verbs.simulate import opened

        return opened(self.folder).frame

    def plot(self) -> Any:
        """The queue over time, or the share of each task: an Altair chart."""
        from loadmaster.verbs.kept_folder import LIVE

        if (self.folder / LIVE).is_file():
            from loadmaster.live.queue.timeline import timeline_in
            from loadmaster.report.live_charts import queue_over_time, spans_of

            timeline = timeline_in(self.folder)
            return queue_over_time(timeline, spans_of(timeline))
        from loadmaster.live.share_timelines import share_timeline_of
        from loadmaster.report.share_timeline_chart import shares_chart

        return shares_chart(share_timeline_of(self.folder))

    def page(self) -> "Page":
        """The page of its record, as `loadmaster report` makes it."""
        from loadmaster.verbs.report import page_of_folder

        return page_of_folder(self.folder).content


@dataclass(frozen=True, eq=False, repr=False)
class Looked(Result):
    """The result of a call that runs nothing: a look at an engine, or a text to print.

    Attributes:
        what: the kind of call, such as `doctor`.
        found: the findings.
        text: to print; empty where there are findings.
    """

    verb: ClassVar[str] = "live"

    what: str
    found: "tuple[Finding, ...]" = ()
    text: str = ""

    @property
    def good(self) -> bool:
        """Whether nothing prevents a live run."""
        return not any(each.level == "bad" for each in self.found)

    @property
    def answer(self) -> str:
        """The problems that were found, or the text."""
        bad = [each.what for each in self.found if each.level == "bad"]
        return self.text or "; ".join(bad) or f"{self.what}: nothing stands in the way"

    @property
    def frame(self) -> "pl.DataFrame":
        """A row for each finding."""
        from dataclasses import asdict

        import polars as pl

        return pl.DataFrame([asdict(each) for each in self.found], infer_schema_length=None)


@dataclass
class Quiet:
    """No observer from outside. A terminal has its own.

    Attributes:
        so_far: what jobs have waited so far, of a shadow; None until that is known.
    """

    so_far: Any = None

    def __enter__(self) -> "Quiet":
        return self

    def __exit__(self, *_: object) -> None: ...

    def show(self, *cycle: Any) -> None:
        """Called after every cycle, with what `run_live` tells of it."""

    def say(self, note: str) -> None:
        """Called at once with what must be said."""
