"""Enhanced Mosix: when a host gets the loads of others, make the move that lowers the total opportunity cost most."""

from dataclasses import dataclass

from loadmaster.model.arrays import Floats
from loadmaster.move.migration import TaskMove
from loadmaster.move.mover import check_periodic
from loadmaster.sharing.host_loads import HostLoads

LEAST_GAIN = 1e-9
"""A move must lower the total cost by more than this (rule M4); moves closer to each other tie, the first wins."""


@dataclass(frozen=True)
class EnhancedMosix:
    """Opportunity cost for reassignment (Amir et al. 2000, section 4; rule M4).

    Attributes:
        period_s: seconds between ticks.
        fanout: contacts a turn: the same limits on knowledge as Mosix.
    """

    period_s: float = 1.0
    fanout: int = 2
    name: str = "enhanced-mosix"

    def __post_init__(self) -> None:
        check_periodic(self.period_s, self.fanout)

    def turn(self, hosts: HostLoads, host: int, contacts: list[int], demand: Floats, pick: int) -> TaskMove | None:
        """Over all residents and contacts the move with the most negative change of cost (see `PeriodicMover`)."""
        best, best_change = None, 0.0
        for task in hosts.present(host):
            leaving = host_cost(hosts, host, -demand[task]) - host_cost(hosts, host, 0.0 * demand[task])
            for other in contacts:
                if (demand[task] > 0.0)[hosts.capacity[other] <= 0.0].any():
                    continue  # it has nothing at all of what the task requests
                arriving = host_cost(hosts, other, demand[task]) - host_cost(hosts, other, 0.0 * demand[task])
                if leaving + arriving < best_change - LEAST_GAIN:
                    best, best_change = TaskMove(task, other), leaving + arriving
        return best


def host_cost(hosts: HostLoads, host: int, added: Floats) -> float:
    """C_i = sum over resources of n^(use), with `added` on top; the CPU's use is its load over the scale L."""
    base = max(2.0, float(hosts.hosts))
    free, capacity = hosts.seen_by_policy(host, scaled=True)
    cost = 0.0
    for r in range(len(capacity)):
        if capacity[r] > 0.0:
            cost += base ** ((capacity[r] - free[r] + added[r]) / capacity[r])
    return cost
