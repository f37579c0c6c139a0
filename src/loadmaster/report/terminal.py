"""A comparison as one table for the terminal; a narrow one loses the last columns, which the report has."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from loadmaster.report.answer import answer, more_of_the_answer
from loadmaster.report.breakdown_terminal import print_breakdown
from loadmaster.report.claims import claim_headings, claim_texts
from loadmaster.report.columns import (
    BEST,
    Column,
    change_text,
    columns_for,
    marked,
    possible_cells,
    recorded_cell,
)
from loadmaster.report.comparison import Comparison, Group, load_words
from loadmaster.report.console import new_table
from loadmaster.report.possible_claims import possible_lines, possible_sentences
from loadmaster.report.record_claims import RECORDED, record_sentence
from loadmaster.report.run_breakdown import shown_rules
from loadmaster.report.terminal_columns import columns_that_fit
from loadmaster.runs import Outcome
from loadmaster.system.counted import counted


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
    for line in more_of_the_answer(comparison):
        console.print(Text(line))
    if recorded := record_sentence(comparison):
        console.print(Text(recorded))
    for sentence in possible_sentences(comparison):
        console.print(Text(sentence))
    for remark in comparison.remarks:
        console.print(Text(remark, style="yellow" if "synthetic" in remark else "dim"))
    if comparison.by:
        print_breakdown(console, shown_rules(comparison), comparison.by)


def table(comparison: Comparison, columns: Sequence[Column]) -> Table:
    """One row a run; a line between loads and disciplines; the best of each marked."""
    several, claims = comparison.compares, claim_headings(comparison)
    shown, several_machines = new_table(title=title(comparison), padding=0), comparison.several_machines
    if several_machines:
        shown.add_column(comparison.hosts_heading, overflow="fold", min_width=12, max_width=26)
    shown.add_column("policy", overflow="fold", min_width=17, max_width=24)
    for index, column in enumerate(columns):
        shown.add_column("\n".join(column.title.split(" ", 1)), justify="right", no_wrap=True)
        if index == 0 and several:
            shown.add_column("change", justify="right", no_wrap=True)
        if index == 0:
            for head in claims:
                shown.add_column(head.replace(" (", "\n("), justify="right", no_wrap=True)
    if comparison.recorded is not None:
        recorded_row = [recorded_cell(column, comparison.recorded.values, comparison.on_hosts) for column in columns]
        blank = [""] * (several + len(claims))
        shown.add_row(*[""] * several_machines, RECORDED, recorded_row[0] + "  ", *blank, *recorded_row[1:])
        shown.add_section()
    for group in comparison.groups:
        _add_possible(shown, comparison, group, columns, several + len(claims))
        if comparison.heads(group) and (words := _group_title(comparison, group)):
            shown.add_row(Text(words, style="bold cyan"))
        marks = [marked(column, group) for column in columns]
        for row, outcome in enumerate(group.outcomes):
            cells = [_cell(column, outcome, mark[row]) for column, mark in zip(columns, marks, strict=True)]
            cells[1:1] = [Text(text) for text in claim_texts(comparison, outcome)]
            if several:
                cells.insert(1, Text(change_text(comparison, outcome)))
            names = [outcome.setting.hosts if row == 0 else ""] if several_machines else []
            shown.add_row(*names, Text(outcome.setting.policy, style=_BEST_STYLE if marks[0][row] else ""), *cells)
        shown.add_section()
    return shown


def _add_possible(shown: Table, comparison: Comparison, group: Group, columns: Sequence[Column], between: int) -> None:
    """The rows of what is possible, above the first group of its load on its machines."""
    lines = possible_lines(comparison, group)
    if lines and comparison.heads(group):
        shown.add_row(Text(load_words(group.load), style="bold cyan"))
    for name, metrics, bound in lines:
        cells = possible_cells(columns, metrics, bound)
        names = [group.hosts] if comparison.several_machines else []
        shown.add_row(*names, name, cells[0] + "  ", *[""] * between, *cells[1:])
    if lines:
        shown.add_section()


def title(comparison: Comparison) -> str:
    """What was simulated."""
    case = comparison.case
    first = comparison.outcomes[0].setting
    cores = f"{case.cluster.total[0]:,.0f} {case.cluster.resources[0]}"
    cycle = f"a cycle every {first.interval_s:g} s" if first.interval_s > 0 else "decisions at every event"
    text = f"{case.workload.source}: " if case.workload.source and not case.workload.synthetic else ""
    where = f"{counted(case.cluster.hosts, 'host')} ({cores})"
    if comparison.several_machines:
        where = f"{len(comparison.machines)} sets of machines"
    if comparison.of_changes:
        changes = len(comparison.machines) - 1
        where = f"a site and {counted(changes, 'change')} of it"
    text += f"{case.jobs_in_words} on {where}, {cycle}"
    if len({(group.load, group.discipline) for group in comparison.groups}) == 1:
        text += f", {first.discipline}, {load_words(comparison.outcomes[0].load)}"
    return text


def _group_title(comparison: Comparison, group: Group) -> str:
    return load_words(group.load) + (f", {group.discipline}" if len(comparison.disciplines) > 1 else "")


def _cell(column: Column, outcome: Outcome, best: bool) -> Text:
    text = column.show(column.value(outcome))
    if column.lower_is_better is None:
        return Text(text)
    return Text(f"{text} {BEST if best else ' '}", style=_BEST_STYLE if best else "")


_BEST_STYLE = "bold green"
