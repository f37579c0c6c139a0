"""Progress of a packing on stderr: the best placement so far, its bound and the gap."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from loadmaster.verbs.progress import at_work

if TYPE_CHECKING:
    from loadmaster.packing.incumbent import Incumbent, Report


@contextmanager
def packing_shown() -> Iterator["Report"]:
    """A line on the terminal from two seconds on; gives the function that it learns the incumbents by.

    Example:
        >>> from loadmaster.packing.incumbent import Incumbent
        >>> with packing_shown() as report:
        ...     report(Incumbent("hosts", 22, 20))
    """
    with at_work("packing") as show:
        yield lambda incumbent: show(f"packing: {incumbent_in_words(incumbent)}")


def incumbent_in_words(incumbent: "Incumbent") -> str:
    """The best value, its bound and the gap.

    Example:
        >>> from loadmaster.packing.incumbent import Incumbent
        >>> incumbent_in_words(Incumbent("level", 0.65, 0.66)), incumbent_in_words(Incumbent("hosts", 22, 20))
        ('level 0.6500, bound 0.6600, gap 1.52 %', 'hosts 22, bound 20, gap 10.00 %')
    """
    from loadmaster.model.units import percent

    def amount(value: float) -> str:
        return f"{value:.4f}" if incumbent.quantity == "level" else f"{value:,.10g}"

    if incumbent.value != incumbent.value:
        return f"{incumbent.quantity}: no placement yet, bound {amount(incumbent.bound)}"
    gap = "unknown" if incumbent.bound == 0 else percent(incumbent.gap, 2)
    return f"{incumbent.quantity} {amount(incumbent.value)}, bound {amount(incumbent.bound)}, gap {gap}"
