"""The page of a live run under CPU shares: the answer, who ran where with what share, and every change with its why."""

from typing import Any

from loadmaster import __version__
from loadmaster.model.units import percent, show_seconds
from loadmaster.report.page import Block, Chart, Facts, Heading, Page, Table, Text
from loadmaster.report.share_timeline_chart import load_chart, shares_chart
from loadmaster.report.theme import themed
from loadmaster.runs.share_timeline import ShareCourse

MOST_ROWS = 40


def share_course_answer(course: ShareCourse) -> str:
    """The run in a sentence or two."""
    figures = [course.figures(task) for task in course.tasks]
    ran = [each for each in figures if each["mean_share"] is not None]
    text = f"In {show_seconds(course.last_s)} {len(ran):,} of {len(figures):,} tasks ran on {len(course.hosts):,} hosts"
    length_s = sum(each["ran_s"] for each in ran)
    if length_s:
        mean = sum(each["mean_share"] * each["ran_s"] for each in ran) / length_s
        least = min(ran, key=lambda each: each["mean_share"])
        text += f", with {percent(mean, 1)} of the CPU they ask for on average; the least had {least['name']}"
        text += f" ({percent(least['mean_share'], 1)})"
    moves = sum(each["moves"] for each in figures)
    refused = sum(course.refused.values())
    text += f". {moves:,} moves and {sum(each['caps'] for each in figures):,} caps were asked, {refused:,} refused."
    return f"{text} {course.unended}." if course.unended else text


def share_course_figures(course: ShareCourse) -> dict[str, Any]:
    """What `--json` tells of a run under CPU shares: its head, and a row for each task."""
    return {
        "engine": course.engine, "method": course.method, "ended": course.ended or None, "lasted_s": course.last_s,
        "decisions": course.decisions, "hosts": dict(course.hosts),
        "refusals": _kinds(course),
        "rows": [course.figures(task) for task in course.tasks],
    }  # fmt: skip


def share_course_page(course: ShareCourse, command: str = "") -> Page:
    """The page of a live run under CPU shares."""
    blocks: list[Block] = []
    if course.unended:
        blocks.append(Text(f"{course.unended}.", "warning"))
    blocks.append(_table(course))
    if course.spans:
        blocks += [
            Heading("Who ran where, with what share"),
            Chart(
                themed(shares_chart(course)),
                "A bar for each task on a host; the stronger its colour, the more it had of what it asks for.",
            ),
            Heading("What every host gave"),
            Chart(themed(load_chart(course)), "Cores that the shares of the tasks on each host come to, over time."),
        ]
    blocks += [*_changes(course), *_refusals(course), *_made(course, command)]
    subtitle = f"{course.method} on {course.engine}, {len(course.hosts):,} hosts"
    answer = share_course_answer(course)
    return Page(answer, blocks, subtitle=subtitle, label=f"loadmaster live, {course.engine}")


def _table(course: ShareCourse) -> Table:
    rows = []
    for task in list(course.tasks)[:MOST_ROWS]:
        each = course.figures(task)
        share, mean = (("" if each[key] is None else percent(each[key], 1)) for key in ("share", "mean_share"))
        row = [each["name"], each["host"] or "", f"{each['cores']:g}", share, mean]
        rows.append([*row, str(each["moves"]), str(each["caps"]), each["how"]])
    more = len(course.tasks) - len(rows)
    caption = f"And {more:,} more." if more > 0 else ""
    columns = ["task", "host", "cores", "share at last", "mean share", "moves", "caps", "how"]
    return Table(columns, rows, caption=caption)


def _changes(course: ShareCourse) -> list[Block]:
    if not course.changes:
        return []
    last = course.changes[-MOST_ROWS:]
    rows = [[show_seconds(each.at_s), course.name_of(each.task), each.what, each.why] for each in last]
    left = len(course.changes) - len(last)
    caption = (
        f"The last {len(last):,} of {len(course.changes):,}; `loadmaster explain` has all of one task." if left else ""
    )
    return [Heading("What changed, and why"), Table(["at", "task", "what", "why"], rows, caption=caption, prose=True)]


def _refusals(course: ShareCourse) -> list[Block]:
    rows = [[text or "no word", kind, f"{count:,}"] for (kind, text), count in course.refused.most_common(20)]
    return (
        [Heading("What was refused"), Table(["the engine's words", "kind", "times"], rows, prose=True)] if rows else []
    )


def _made(course: ShareCourse, command: str) -> list[Block]:
    facts = {
        "engine": course.engine, "method": course.method, "decisions": f"{course.decisions:,}",
        "run": course.command, "ended": course.ended or "not said", "page": command,
        "version": f"loadmaster {__version__}",
    }  # fmt: skip
    return [Heading("How this was made"), Facts({name: value for name, value in facts.items() if value})]


def _kinds(course: ShareCourse) -> dict[str, int]:
    found: dict[str, int] = {}
    for (kind, _), count in course.refused.items():
        found[kind] = found.get(kind, 0) + count
    return found
