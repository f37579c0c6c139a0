"""A picture and a page of `run`: how long every command took, and what became of it."""

from collections.abc import Mapping, Sequence
from typing import Any

from loadmaster.model.units import show_seconds
from loadmaster.report.page import Block, Chart, Heading, Page, Table, Text
from loadmaster.report.page_footer import page_footer
from loadmaster.report.theme import USED, names_axis, rows, themed, tooltip

MOST = 40
"""Bars at most: those of the commands that took longest."""
_LETTERS = 40
_FAILED, _LEFT = "#b3261e", "#9aa5b1"


def commands_chart(results: Sequence[Mapping[str, Any]]) -> Any:
    """A bar for each command, the longest on top, coloured by what became of it."""
    import altair as alt

    ran = sorted((row for row in results if row["seconds"] is not None), key=lambda row: -row["seconds"])[:MOST]
    values = [
        {
            "command": _named(row),
            "seconds": row["seconds"],
            "state": row["state"],
            "attempts": row["attempts"],
            "machine": row["machine"],
        }
        for row in ran
    ]
    colour = alt.Scale(domain=["done", "failed", "not done"], range=[USED, _FAILED, _LEFT])
    chart = alt.Chart(rows(values), width=700, height=max(60, 20 * len(values))).mark_bar(height=12)
    return themed(
        chart.encode(
            x=alt.X("seconds:Q", title="seconds that the command took", scale=alt.Scale(domainMin=0)),
            y=names_axis("command"),
            color=alt.Color("state:N", title=None, scale=colour),
            tooltip=tooltip("command", "state", "machine", attempts="d", seconds=".3~g"),
        )
    )


def commands_page(answer: str, notes: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> Page:
    """The page: the answer, the commands, the picture."""
    timed = sum(row["seconds"] is not None for row in rows)
    caption = f"The {MOST} commands that took longest." if timed > MOST else ""
    cells = [
        [
            str(row["task"]),
            row["command"],
            row["state"],
            "" if row["exit"] is None else str(row["exit"]),
            str(row["attempts"]),
            "" if row["seconds"] is None else show_seconds(row["seconds"]),
            row["machine"],
        ]
        for row in rows
    ]
    heads = ("number", "command", "state", "exit code", "attempts", "time", "machine")
    tones = {(r, 2): "bad" for r, row in enumerate(rows) if row["state"] == "failed"}
    blocks: list[Block] = [Text(note, "note") for note in notes]
    blocks += [Heading("The commands"), Table(heads, cells, prose=True, tones=tones)]
    blocks += [Heading("How long each took"), Chart(commands_chart(rows), caption)] if timed else []
    return Page(answer, [*blocks, *page_footer({})], label="loadmaster run")


def _named(row: Mapping[str, Any]) -> str:
    text = f"{row['task']}: {row['command']}"
    return text if len(text) <= _LETTERS else text[: _LETTERS - 3] + "..."
