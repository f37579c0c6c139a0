"""A table loses whole columns where a terminal is narrow, and nothing in a file."""

import io

import pytest
from rich.console import Console
from rich.table import Table

from loadmaster.report.terminal_columns import columns_that_fit


def drawn(many):
    table = Table(*("ten wide.." for _ in range(many)), box=None, padding=0)
    table.add_row(*("0123456789" for _ in range(many)))
    return table


@pytest.mark.parametrize(("width", "many"), [(5, 1), (39, 3), (40, 4), (200, 6)])
def test_a_terminal_gets_as_many_columns_as_fit(width, many):
    assert columns_that_fit(Console(file=io.StringIO(), width=width, force_terminal=True), 6, drawn) == many


def test_a_file_gets_all_and_is_made_wide_enough():
    console = Console(file=io.StringIO(), width=20)
    assert columns_that_fit(console, 6, drawn) == 6
    assert console.width == 60
