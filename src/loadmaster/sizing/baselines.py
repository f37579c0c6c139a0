"""Baselines for sizers: a fixed number of machines, one for each task, and one with all durations known."""

import math
from dataclasses import dataclass

from loadmaster.model.arrays import Floats
from loadmaster.sizing.silva import SilvaRule
from loadmaster.sizing.snapshot import Actions, BagSnapshot, Rental


@dataclass(frozen=True)
class FixedHosts:
    """`count` machines from the start to the end, each given back when nothing is left to take.

    Attributes:
        count: machines; never more than there are tasks.
        type: index of their type.
    """

    count: int
    type: int = 0
    name: str = "fixed"
    tick_s: float = math.inf

    def decide(self, snapshot: BagSnapshot) -> Actions:
        """Rent at the start; a machine that was lost is replaced while tasks wait."""
        idle = [host.host for host in snapshot.hosts if host.idle]
        release = tuple(idle[snapshot.unstarted :])
        without_task = sum(host.task < 0 for host in snapshot.hosts)  # those that boot will take a task as well
        missing = min(self.count - len(snapshot.hosts), snapshot.unstarted - without_task)
        rent = (Rental(self.type, missing),) if missing > 0 else ()
        return Actions(rent=rent, release=release)


@dataclass(frozen=True)
class FixedMix:
    """Machines of several types from the start to the end, each given back when nothing is left to take.

    Attributes:
        counts: machines of each type that can be rented, in its order; together never more than there are tasks.
    """

    counts: tuple[int, ...]
    name: str = "fixed-mix"
    tick_s: float = math.inf

    def decide(self, snapshot: BagSnapshot) -> Actions:
        """Rent at the start; a machine that was lost is replaced while tasks wait."""
        idle = [host.host for host in snapshot.hosts if host.idle]
        left = snapshot.unstarted - sum(host.task < 0 for host in snapshot.hosts)
        rent = []
        for kind, count in enumerate(self.counts):
            missing = min(count - sum(host.type == kind for host in snapshot.hosts), left)
            if missing > 0:
                rent.append(Rental(kind, missing))
                left -= missing
        return Actions(rent=tuple(rent), release=tuple(idle[snapshot.unstarted :]))


def all_at_once(tasks: int) -> FixedHosts:
    """One machine a task: greedy cycle sharing in the manner of BOINC (Silva et al. 2008, section 2)."""
    return FixedHosts(tasks, name="all-at-once")


def oracle(duration_s: Floats, host_time_s: float = 3600.0) -> FixedHosts:
    """The optimum if durations were known: as many machines as the work fills, all at once."""
    return FixedHosts(max(1, math.ceil(float(duration_s.sum()) / host_time_s - 1e-9)), name="oracle")


def user_guess(
    tasks: int, guess_s: float, host_time_s: float, creation_ratio: float = 0.5, increase_ratio: float = 0.5
) -> SilvaRule:
    """Start from a user's guess of the mean duration, then the paper's rule (Silva et al. 2008, section 6).

    Args:
        tasks: of the bag.
        guess_s: work of one task.
        host_time_s: work that a machine does in the time it is used for, one charging unit: an hour in the paper.
        creation_ratio: part of the machines that the guess requests that is rented at the start.
        increase_ratio: see `SilvaRule`.

    Example:
        >>> user_guess(100, 60.0, 3600.0, creation_ratio=1.0).first_hosts
        2
        >>> user_guess(100, 60.0, 60.0, creation_ratio=1.0).first_hosts
        100
    """
    machines = math.ceil(tasks * guess_s / host_time_s - 1e-9)
    first = min(tasks, max(1, math.floor(creation_ratio * machines)))
    return SilvaRule(creation_ratio, increase_ratio, first_hosts=first, name="user-guess")
