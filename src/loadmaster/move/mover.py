"""What a mover for time-shared hosts is."""

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from loadmaster.model.arrays import Floats
from loadmaster.model.errors import InputError, one_line
from loadmaster.move.migration import TaskMove
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

    def turn(self, hosts: HostLoads, host: int, contacts: list[int], demand: Floats, pick: int) -> TaskMove | None:
        """The move that `host` makes, if any; pure.

        Args:
            hosts: the tasks on each host; read, never changed.
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

    def next_move(self, hosts: HostLoads, demand: Floats, load_before: Floats) -> TaskMove | None:
        """The next move, if any; pure.

        Args:
            hosts: the tasks on each host.
            demand: float64[T, R], what each task uses.
            load_before: float64[T], the CPU load of the task's host just before the task came to it.
        """
        ...


Mover = PeriodicMover | TerminationMover


def check_mover(mover: object) -> None:
    """Refuse an object that is not a mover: it would never be called.

    Raises:
        InputError: it is not None and has the methods and attributes of neither kind.
    """
    if mover is not None and not isinstance(mover, PeriodicMover | TerminationMover):
        raise InputError(
            type(mover).__name__,
            "this is not a mover: it has no method that gives a move",
            fix="give it name, period_s, fanout and turn(...), or name and next_move(...)",
        )


def checked_move(
    mover: Mover, ask: Callable[[], TaskMove | None], hosts: HostLoads, host: int | None = None
) -> TaskMove | None:
    """The move that `mover` makes when it is asked, if that can be made.

    Args:
        mover: its name, for messages.
        ask: asks it.
        hosts: the tasks on each host.
        host: whose task it must be; None where it may be any host's.

    Raises:
        InputError: it fails, or names what is not there.
    """
    try:
        move = ask()
        if move is None:
            return None
        task, to = move
    except InputError:
        raise
    except Exception as error:  # whatever the user's own raises
        why = one_line(f"{type(error).__name__}: {error}", 100)
        raise InputError(mover.name, f"this mover fails: {why}", fix="give TaskMove(task, host), or None") from error
    if to not in range(hosts.hosts):
        raise InputError(mover.name, f"moves a task to host {to}, and hosts go from 0 to {hosts.hosts - 1}")
    if host is not None and task not in hosts.present(host):
        raise InputError(mover.name, f"moves task {task}, which does not run on host {host}", fix="see hosts.present")
    return move


def check_periodic(period_s: float, fanout: int) -> None:
    """Refuse a period or a number of contacts with which a run would never end or no task would ever move.

    Raises:
        InputError: it is one.
    """
    if not 0.0 < period_s < float("inf"):
        raise InputError(period_s, "the period of a mover must be more than zero seconds")
    if fanout < 1:
        raise InputError(fanout, "a mover needs at least one contact a turn")
