"""What a mover for time-shared hosts is."""

from typing import Protocol, runtime_checkable

from loadmaster.model.arrays import Floats
from loadmaster.model.errors import InputError
from loadmaster.move.migration import Move
from loadmaster.sharing.host_loads import HostLoads


@runtime_checkable
class PeriodicMover(Protocol):
    """Acts every `period_s` seconds; each host in turn looks at `fanout` others and moves at most one task."""

    @property
    def name(self) -> str:
        """As on the command line."""
        ...

    @property
    def period_s(self) -> float:
        """Seconds between ticks."""
        ...

    @property
    def fanout(self) -> int:
        """Contacts a turn."""
        ...

    def turn(self, hosts: HostLoads, host: int, contacts: list[int], demand: Floats, pick: int) -> Move | None:
        """The move that `host` makes, if any; pure.

        Args:
            hosts: who is where; looked at, never changed.
            host: whose turn it is.
            contacts: the others it hears of.
            demand: float64[T, R], what each task uses.
            pick: a random whole number from 0 up to 2**32, for movers that draw.
        """
        ...


@runtime_checkable
class TerminationMover(Protocol):
    """Acts whenever a task ends, one move after another until it has none left."""

    @property
    def name(self) -> str:
        """As on the command line."""
        ...

    def next_move(self, hosts: HostLoads, demand: Floats, load_before: Floats) -> Move | None:
        """The next move, if any; pure.

        Args:
            hosts: who is where.
            demand: float64[T, R], what each task uses.
            load_before: float64[T], the CPU load of the task's host just before the task came to it.
        """
        ...


Mover = PeriodicMover | TerminationMover


def check_mover(mover: object) -> None:
    """Refuse what is no mover: nobody would ever ask it, and nobody move.

    Raises:
        InputError: it is not None and has the methods and attributes of neither kind.
    """
    if mover is not None and not isinstance(mover, PeriodicMover | TerminationMover):
        raise InputError(
            type(mover).__name__, "this is no mover: no host can ask it for a move",
            fix="give it name, period_s, fanout and turn(...), or name and next_move(...)",
        )  # fmt: skip


def check_periodic(period_s: float, fanout: int) -> None:
    """Refuse a period or a number of contacts with which a run would never end or nobody ever move.

    Raises:
        InputError: it is one.
    """
    if not 0.0 < period_s < float("inf"):
        raise InputError(period_s, "the period of a mover must be more than zero seconds")
    if fanout < 1:
        raise InputError(fanout, "a mover needs at least one contact a turn")
