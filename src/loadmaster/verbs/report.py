"""The page of a kept folder, once more; nothing is run again."""

from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from loadmaster.verbs.option import Option, Options

if TYPE_CHECKING:
    from loadmaster.report.page import Page
    from loadmaster.runs import Case


@dataclass(frozen=True)
class ReportOptions(Options):
    """All that `report` can be told."""

    folder: Annotated[
        "str | Path", Option("Folder that a verb has written into with -o.", metavar="DIR", argument=True, typed=Path)
    ]
    _: KW_ONLY
    out: Annotated[
        "str | Path | None",
        Option("Where the page goes; DIR/report.html.", metavar="FILE", flags=("-o", "--out"), typed=Path | None),
    ] = None


@dataclass(frozen=True)
class Reported:
    """A page that was written.

    Attributes:
        kind: whose result the folder holds.
        page: where it is.
        answer: the sentence on top.
        figures: of a live or a simulated run, by name.
        seed: of it; None where nothing is known of one.
        case: its jobs and hosts, of a simulated run.
    """

    kind: str
    page: Path
    answer: str
    figures: dict[str, Any]
    seed: int | None = None
    case: "Case | None" = None


class KeptPage(NamedTuple):
    """A page made of what a folder holds; the rest as of `Reported`."""

    kind: str
    content: "Page"
    answer: str
    figures: dict[str, Any]
    seed: int | None = None
    case: "Case | None" = None


def report_with(options: ReportOptions, command: str = "") -> Reported:
    """Write the page of a live run, or of what a verb has kept, from its record.

    Args:
        options: which folder.
        command: how to make the page again.

    Raises:
        InputError: there is no such folder, nothing in it to make a page of, or it was changed.
    """
    from loadmaster.report.page import write
    from loadmaster.verbs.kept_folder import PAGE

    folder = Path(options.folder)
    page_made = page_of_folder(folder, command)
    page = folder / PAGE if options.out is None else Path(options.out)
    write(page, page_made.content)
    return Reported(page_made.kind, page, page_made.answer, page_made.figures, page_made.seed, page_made.case)


def page_of_folder(folder: Path, command: str = "") -> KeptPage:
    """The page of what `folder` holds.

    Raises:
        InputError: there is no such folder, nothing in it to make a page of, or it was changed.
    """
    from loadmaster.model import InputError
    from loadmaster.model.errors import one_line
    from loadmaster.verbs.kept_folder import kind_of

    kind = kind_of(folder)
    try:
        return _MAKERS[kind](folder, command)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError) as error:
        why = one_line(f"{type(error).__name__}: {error}", 80)
        raise InputError(folder, f"this record is damaged: {why}") from error


def _live(folder: Path, command: str) -> KeptPage:
    from loadmaster.live.queue.timeline import timeline_in
    from loadmaster.report.live_answer import live_answer, live_figures
    from loadmaster.report.live_page import live_page

    timeline = timeline_in(folder)
    return KeptPage("live", live_page(timeline, command), live_answer(timeline), live_figures(timeline))


def _run(folder: Path, command: str) -> KeptPage:
    from loadmaster.report.run_page import run_answer, run_page
    from loadmaster.runs.record import read_record
    from loadmaster.runs.recorded_run import recorded_outcome

    record = read_record(folder)
    outcome = recorded_outcome(record)
    page, answer = run_page(record, outcome, command), run_answer(record, outcome)
    return KeptPage("simulate", page, answer, outcome.row(), record.setting.seed, record.case)


def _result(folder: Path, command: str) -> KeptPage:
    from loadmaster.verbs.open import read_result

    result = read_result(folder)
    return KeptPage(result.verb, result.page(), result.answer, {})


def _shares(folder: Path, command: str) -> KeptPage:
    from loadmaster.live.share_timelines import share_timeline_of
    from loadmaster.report.share_timeline_page import (
        share_timeline_answer,
        share_timeline_figures,
        share_timeline_page,
    )

    timeline = share_timeline_of(folder)
    return KeptPage(
        "shares",
        share_timeline_page(timeline, command),
        share_timeline_answer(timeline),
        share_timeline_figures(timeline),
    )


_MAKERS = {"live": _live, "shares": _shares, "guests": _shares, "simulate": _run, "result": _result}
