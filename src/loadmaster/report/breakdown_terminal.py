"""A breakdown in the terminal: a table for each grouping, and the groups that gain and lose."""

from collections.abc import Sequence
from functools import partial

from rich.console import Console
from rich.table import Table
from rich.text import Text

from loadmaster.report.breakdown import GroupTable, RuleGroups, left_out_words, stranded_table, tables
from loadmaster.report.breakdown_changes import change_sentences
from loadmaster.report.console import new_table
from loadmaster.report.terminal_columns import columns_that_fit


def print_breakdown(
    console: Console, rules: Sequence[RuleGroups], by: Sequence[str], *, waits_known: bool = True
) -> None:
    """Print a table for each grouping; the first of several rules is what the others are compared with."""
    for name, (title, groups) in zip(by, tables(rules, by, waits_known=waits_known), strict=True):
        _print_table(console, title, groups)
        if words := left_out_words(groups):
            console.print(Text(words, style="dim"))
        for sentence in change_sentences(rules, name):
            console.print(Text(sentence))
        if len(rules) > 1 and (stranded := stranded_table(rules, name)):
            _print_table(console, *stranded)


def _print_table(console: Console, title: str, groups: GroupTable) -> None:
    """A table, as many of its columns as the terminal has room for."""
    console.print()
    many = columns_that_fit(console, len(groups.heads), partial(_table, title, groups))
    console.print(_table(title, groups, many))
    if many < len(groups.heads):
        console.print(Text(f"not shown, since this terminal is narrow: {', '.join(groups.heads[many:])}", "dim"))


def _table(title: str, groups: GroupTable, most: int) -> Table:
    table = new_table(*groups.heads[:most], title=title)
    for column in table.columns[1:]:
        column.justify = "right"
        column.no_wrap = True
    for row in groups.rows:
        table.add_row(*(Text(cell) for cell in row[:most]))
    return table
