"""The number of table columns that fit into the terminal without cutting a number."""

from collections.abc import Callable

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table


def columns_that_fit(console: Console, most: int, draw: Callable[[int], Table]) -> int:
    """The largest number up to `most`, at least 1, with which `draw(number)` fits a terminal.

    Into a file all are written: the console is widened instead.
    """
    if not console.is_terminal:
        console.width = max(console.width, _width(console, draw(most)))
        return most
    many = most
    while many > 1 and _width(console, draw(many)) > console.width:
        many -= 1
    return many


def _width(console: Console, shown: Table) -> int:
    return Measurement.get(console, console.options.update(width=1000), shown).maximum
