"""The page of a live run under CPU shares: the answer, each task's host and share, the reason of each change."""

from typing import Any

from loadmaster.model.units import percent, show_seconds
from loadmaster.report.page import Block, Chart, Facts, Heading, Page, Table, Text
from loadmaster.report.share_timeline_chart import load_chart, shares_chart
from loadmaster.report.theme import themed
from loadmaster.runs.share_timeline import ShareTimeline
from loadmaster.system.build import shown_version
from loadmaster.system.counted import counted

MOST_ROWS = 40


def share_timeline_answer(timeline: ShareTimeline) -> str:
    """The run in a sentence or two."""
    figures = [timeline.figures(task) for task in timeline.tasks]
    ran = [each for each in figures if each["mean_share"] is not None]
    hosts = len(timeline.hosts)
    text = f"In {show_seconds(timeline.last_s)} {len(ran):,} of {len(figures):,} tasks ran on {counted(hosts, 'host')}"
    length_s = sum(each["ran_s"] for each in ran)
    if length_s:
        mean = sum(each["mean_share"] * each["ran_s"] for each in ran) / length_s
        least = min(ran, key=lambda each: each["mean_share"])
        text += f", with {percent(mean, 1)} of the CPU they request on average; the least had {least['name']}"
        text += f" ({percent(least['mean_share'], 1)})"
    moves = sum(each["moves"] for each in figures)
    refused = sum(timeline.refused.values())
    caps = sum(each["caps"] for each in figures)
    text += f". Requests: {counted(moves, 'move')}, {counted(caps, 'cap')}; {refused:,} refused."
    return f"{text} {timeline.unended}." if timeline.unended else text


def share_timeline_figures(timeline: ShareTimeline) -> dict[str, Any]:
    """What `--json` tells of a run under CPU shares: its head, and a row for each task."""
    return {
        "engine": timeline.engine,
        "method": timeline.method,
        "ended": timeline.ended or None,
        "lasted_s": timeline.last_s,
        "decisions": timeline.decisions,
        "hosts": dict(timeline.hosts),
        "refusals": _kinds(timeline),
        "rows": [timeline.figures(task) for task in timeline.tasks],
    }


def share_timeline_page(timeline: ShareTimeline, command: str = "") -> Page:
    """The page of a live run under CPU shares."""
    blocks: list[Block] = []
    if timeline.unended:
        blocks.append(Text(f"{timeline.unended}.", "warning"))
    blocks.append(_table(timeline))
    if timeline.spans:
        blocks += [
            Heading("The tasks on each host, and their shares"),
            Chart(
                themed(shares_chart(timeline)),
                "A bar for each task on a host; the stronger its colour, the more it had of what it requests.",
            ),
            Heading("What every host gave"),
            Chart(themed(load_chart(timeline)), "Cores that the shares of the tasks on each host come to, over time."),
        ]
    blocks += [*_changes(timeline), *_refusals(timeline), *_made(timeline, command)]
    subtitle = f"{timeline.method} on {timeline.engine}, {counted(len(timeline.hosts), 'host')}"
    answer = share_timeline_answer(timeline)
    return Page(answer, blocks, subtitle=subtitle, label=f"loadmaster live, {timeline.engine}")


def _table(timeline: ShareTimeline) -> Table:
    rows = []
    for task in list(timeline.tasks)[:MOST_ROWS]:
        each = timeline.figures(task)
        share, mean = (("" if each[key] is None else percent(each[key], 1)) for key in ("share", "mean_share"))
        row = [each["name"], each["host"] or "", f"{each['cores']:g}", share, mean]
        rows.append([*row, str(each["moves"]), str(each["caps"]), each["how"]])
    more = len(timeline.tasks) - len(rows)
    caption = f"And {more:,} more." if more > 0 else ""
    columns = ["task", "host", "cores", "share at last", "mean share", "moves", "caps", "how"]
    return Table(columns, rows, caption=caption)


def _changes(timeline: ShareTimeline) -> list[Block]:
    if not timeline.changes:
        return []
    last = timeline.changes[-MOST_ROWS:]
    rows = [[show_seconds(each.at_s), timeline.name_of(each.task), each.what, each.why] for each in last]
    left = len(timeline.changes) - len(last)
    caption = (
        f"The last {len(last):,} of {len(timeline.changes):,}; `loadmaster explain` has all of one task."
        if left
        else ""
    )
    return [Heading("What changed, and why"), Table(["at", "task", "what", "why"], rows, caption=caption, prose=True)]


def _refusals(timeline: ShareTimeline) -> list[Block]:
    rows = [[text or "no word", kind, f"{count:,}"] for (kind, text), count in timeline.refused.most_common(20)]
    return (
        [Heading("What was refused"), Table(["the engine's words", "kind", "times"], rows, prose=True)] if rows else []
    )


def _made(timeline: ShareTimeline, command: str) -> list[Block]:
    facts = {
        "engine": timeline.engine,
        "method": timeline.method,
        "decisions": f"{timeline.decisions:,}",
        "run": timeline.command,
        "ended": timeline.ended or "not said",
        "page": command,
        "version": shown_version(),
    }
    return [Heading("How this was made"), Facts({name: value for name, value in facts.items() if value})]


def _kinds(timeline: ShareTimeline) -> dict[str, int]:
    counts: dict[str, int] = {}
    for (kind, _), count in timeline.refused.items():
        counts[kind] = counts.get(kind, 0) + count
    return counts
