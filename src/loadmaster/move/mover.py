"""What a mover for time-shared hosts is."""

from typing import Protocol

from loadmaster.model.arrays import Floats
from loadmaster.move.migration import Move
from loadmaster.share.shared_hosts import SharedHosts


class PeriodicMover(Protocol):
    """Acts every `period_s` seconds; each host in turn looks at `fanout` others and moves at most one task."""

    name: str
    period_s: float
    fanout: int

    def turn(self, hosts: SharedHosts, host: int, contacts: list[int], demand: Floats, pick: int) -> Move | None:
        """The move that `host` makes, if any; pure.

        Args:
            hosts: who is where; looked at, never changed.
            host: whose turn it is.
            contacts: the others it hears of.
            demand: float64[T, R], what each task uses.
            pick: a random whole number from 0 up to 2**32, for movers that draw.
        """
        ...


class TerminationMover(Protocol):
    """Acts whenever a task ends, one move after another until it has none left."""

    name: str

    def next_move(self, hosts: SharedHosts, demand: Floats, load_before: Floats) -> Move | None:
        """The next move, if any; pure.

        Args:
            hosts: who is where.
            demand: float64[T, R], what each task uses.
            load_before: float64[T], the CPU load of the task's host just before the task came to it.
        """
        ...


Mover = PeriodicMover | TerminationMover
