"""`report`: writes the page of a result's folder again; nothing is run again."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar

from loadmaster.verbs.group_options import GroupOptions
from loadmaster.verbs.option import Option
from loadmaster.verbs.unused_options import refuse_unused

if TYPE_CHECKING:
    from loadmaster.report.live_breakdown import LiveBreakdown
    from loadmaster.report.page import Page
    from loadmaster.runs import Case

T = TypeVar("T")


@dataclass(frozen=True)
class ReportOptions(GroupOptions):
    """All that `report` can be told."""

    folder: Annotated[
        "str | Path", Option("Folder that a verb has written into with -o.", metavar="DIR", argument=True, typed=Path)
    ]
    _: KW_ONLY
    out: Annotated[
        "str | Path | None",
        Option("File of the page; default: DIR/report.html.", metavar="FILE", flags=("-o", "--out"), typed=Path | None),
    ] = None
    last: Annotated[
        str | float,
        Option(
            "Group only the jobs that arrived in this time before the record's end, such as 7d.",
            metavar="TIME",
            typed=str,
        ),
    ] = ""


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
        breakdown: of a live run that was requested by group.
    """

    kind: str
    page: Path
    answer: str
    figures: dict[str, Any]
    seed: int | None = None
    case: "Case | None" = None
    breakdown: "LiveBreakdown | None" = None


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
        InputError: there is no such folder, nothing in it to make a page of, or it was changed; or an option changes
            nothing.
    """
    from loadmaster.report.breakdown import write_breakdown
    from loadmaster.report.page import write
    from loadmaster.verbs.kept_folder import PAGE, kind_of

    folder = Path(options.folder)
    if kind_of(folder) != "live":
        refuse_unused(options, ("by", "last"), "it works only on the record of a live queue")
    breakdown: LiveBreakdown | None = None
    if options.by or options.last != "":
        page_made, breakdown = _checked(lambda: _live_by_group(options, command), folder)
    else:
        page_made = page_of_folder(folder, command)
    page = folder / PAGE if options.out is None else Path(options.out)
    write(page, page_made.content)
    if breakdown is not None:
        write_breakdown(page.parent, breakdown.rules, breakdown.by)
    return Reported(
        page_made.kind, page, page_made.answer, page_made.figures, page_made.seed, page_made.case, breakdown
    )


def page_of_folder(folder: Path, command: str = "") -> KeptPage:
    """The page of what `folder` holds.

    Raises:
        InputError: there is no such folder, nothing in it to make a page of, or it was changed.
    """
    from loadmaster.verbs.kept_folder import kind_of

    kind = kind_of(folder)
    return _checked(lambda: _MAKERS[kind](folder, command), folder)


def _checked(make: Callable[[], T], folder: Path) -> T:
    """What `make` makes of the record in `folder`.

    Raises:
        InputError: the record is damaged.
    """
    from loadmaster.model import InputError
    from loadmaster.model.errors import one_line

    try:
        return make()
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, ArithmeticError) as error:
        why = one_line(f"{type(error).__name__}: {error}", 80)
        raise InputError(folder, f"this record is damaged: {why}") from error


def _live(folder: Path, command: str) -> KeptPage:
    from loadmaster.live.queue.timeline import timeline_in
    from loadmaster.report.live_answer import live_answer, live_figures
    from loadmaster.report.live_page import live_page

    timeline = timeline_in(folder)
    return KeptPage("live", live_page(timeline, command), live_answer(timeline), live_figures(timeline))


def _live_by_group(options: ReportOptions, command: str) -> "tuple[KeptPage, LiveBreakdown]":
    from math import inf

    from loadmaster.live.queue.run_record import run_record_in
    from loadmaster.live.queue.timeline import timeline_in
    from loadmaster.model.units import parse_seconds
    from loadmaster.report.breakdown_page import breakdown_blocks
    from loadmaster.report.live_answer import live_answer, live_figures
    from loadmaster.report.live_breakdown import live_breakdown
    from loadmaster.report.live_page import live_page
    from loadmaster.report.page import Text

    folder = Path(options.folder)
    last_s = parse_seconds(str(options.last)) if options.last != "" else inf
    record, timeline = run_record_in(folder), timeline_in(folder)
    breakdown = live_breakdown(record, timeline, options.groupings_of(record.workload), last_s)
    blocks = [Text(breakdown.answer), *breakdown_blocks(breakdown.rules, breakdown.by)]
    page = live_page(timeline, command, blocks)
    return KeptPage("live", page, live_answer(timeline), live_figures(timeline)), breakdown


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
