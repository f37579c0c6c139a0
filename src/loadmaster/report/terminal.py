"""A comparison as one table for the terminal; a narrow one loses the last columns, which the report has."""

from collections.abc import Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from loadmaster.report.answer import answer
from loadmaster.report.columns import BEST, Column, change_text, columns_for, marked
from loadmaster.report.comparison import Comparison, Group, load_words
from loadmaster.report.narrow import columns_that_fit
from loadmaster.runs import Outcome


def print_comparison(console: Console, comparison: Comparison) -> None:
    """The table, then the answer, then what the user must know of the data; warnings go to stderr, by the caller."""
    columns = columns_for(comparison)
    many = columns_that_fit(console, len(columns), lambda most: table(comparison, columns[:most]))
    console.print(table(comparison, columns[:many]))
    if many < len(columns):
        names = ", ".join(column.title for column in columns[many:])
        console.print(Text(f"not shown, since this terminal is narrow: {names}", style="dim"))
    console.print()
    console.print(Text(answer(comparison), style="bold"))
    for remark in comparison.remarks:
        console.print(Text(remark, style="yellow" if "synthetic" in remark else "dim"))


def table(comparison: Comparison, columns: Sequence[Column]) -> Table:
    """One row a run; a line between loads and disciplines; the best of each marked."""
    several = len(comparison.policies) > 1
    shown = Table(title=title(comparison), **_LOOK)
    shown.add_column("policy", overflow="fold", min_width=17, max_width=24)
    for index, column in enumerate(columns):
        shown.add_column("\n".join(column.title.rsplit(" ", 1)), justify="right", no_wrap=True)
        if index == 0 and several:
            shown.add_column("change", justify="right", no_wrap=True)
    for group in comparison.groups:
        if len(comparison.groups) > 1:
            shown.add_row(Text(_group_title(comparison, group), style="bold cyan"))
        marks = [marked(column, group) for column in columns]
        for row, outcome in enumerate(group.outcomes):
            cells = [_cell(column, outcome, mark[row]) for column, mark in zip(columns, marks, strict=True)]
            if several:
                cells.insert(1, Text(change_text(group, outcome)))
            shown.add_row(Text(outcome.setting.policy, style=_BEST_STYLE if marks[0][row] else ""), *cells)
        shown.add_section()
    return shown


def title(comparison: Comparison) -> str:
    """What was simulated."""
    case = comparison.case
    first = comparison.outcomes[0].setting
    cores = f"{case.cluster.total[0]:,.0f} {case.cluster.resources[0]}"
    cycle = f"a cycle every {first.interval_s:g} s" if first.interval_s > 0 else "decisions at every event"
    kind = "synthetic " if case.workload.synthetic else ""
    text = f"{case.workload.source}: " if case.workload.source and not case.workload.synthetic else ""
    text += f"{case.workload.jobs:,} {kind}jobs on {case.cluster.hosts:,} hosts ({cores}), {cycle}"
    if len(comparison.groups) == 1:
        text += f", {first.discipline}, {load_words(comparison.outcomes[0].load)}"
    return text


def _group_title(comparison: Comparison, group: Group) -> str:
    return load_words(group.load) + (f", {group.discipline}" if len(comparison.disciplines) > 1 else "")


def _cell(column: Column, outcome: Outcome, best: bool) -> Text:
    text = column.show(column.value(outcome))
    if column.lower_is_better is None:
        return Text(text)
    return Text(f"{text} {BEST if best else ' '}", style=_BEST_STYLE if best else "")


_LOOK: dict[str, Any] = {
    "title_justify": "left",
    "title_style": "bold",
    "box": box.SIMPLE_HEAD,
    "show_edge": False,
    "pad_edge": False,
    "padding": 0,
}
_BEST_STYLE = "bold green"
