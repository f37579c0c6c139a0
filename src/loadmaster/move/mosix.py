"""A reconstruction of Mosix: balance the load, keep some memory free, with the loads of only a few other hosts."""

from dataclasses import dataclass

from loadmaster.model.arrays import Floats
from loadmaster.model.errors import InputError
from loadmaster.move.migration import TaskMove
from loadmaster.move.mover import check_periodic
from loadmaster.sharing.host_loads import HostLoads


@dataclass(frozen=True)
class Mosix:
    """A reconstruction (rule M3): the paper calls Mosix "improved load balancing that keeps some memory free".

    A turn of one host: if its memory is fuller than it should be, move a task that relieves it to a contact with
    room; else, or if there is none, move a random task to the contact with the least load, if that load plus a
    stability factor is still below the host's own. Print these parameters with every result.

    Attributes:
        period_s: seconds between ticks.
        fanout: contacts a turn.
        free_fraction: the part of each host's memory to keep free.
        stability: how many tasks' load the other must be below, so that tasks do not bounce (Kerrighed's rule: 1.3).
    """

    period_s: float = 1.0
    fanout: int = 2
    free_fraction: float = 0.05
    stability: float = 1.3
    name: str = "mosix"

    def __post_init__(self) -> None:
        check_periodic(self.period_s, self.fanout)
        if not 0.0 <= self.free_fraction < 1.0:
            raise InputError(self.free_fraction, "the part of the memory to keep free lies between 0 and 1")
        if not self.stability >= 0.0:
            raise InputError(self.stability, "the stability factor is zero or more tasks")

    def turn(self, hosts: HostLoads, host: int, contacts: list[int], demand: Floats, pick: int) -> TaskMove | None:
        """Relieve the memory, else balance the load (see `PeriodicMover`)."""
        return self._relieve(hosts, host, contacts, demand) or self._balance(hosts, host, contacts, demand, pick)

    def _relieve(self, hosts: HostLoads, host: int, contacts: list[int], demand: Floats) -> TaskMove | None:
        """The smallest task that is at least the excess, else the largest, of those for which a contact has room."""
        if hosts.used.shape[1] < 2:
            return None
        keep = 1.0 - self.free_fraction
        excess = hosts.used[host, 1] - keep * hosts.capacity[host, 1]
        if excess <= 0:
            return None
        best, best_key = None, (2, 0.0)
        for task in hosts.present(host):
            memory = demand[task, 1]
            key = (0, memory) if memory >= excess else (1, -memory)
            if best is not None and key >= best_key:
                continue
            room = [k for k in contacts if hosts.used[k, 1] + memory <= keep * hosts.capacity[k, 1]]
            if room:
                best, best_key = TaskMove(task, min(room, key=lambda k: hosts.used[k, 0] / hosts.power[k])), key
        return best

    def _balance(self, hosts: HostLoads, host: int, contacts: list[int], demand: Floats, pick: int) -> TaskMove | None:
        """A random task among those that fit the free memory of the contact with the least load."""
        if not contacts:
            return None
        target = min(contacts, key=lambda k: (hosts.used[k, 0] + self.stability) / hosts.power[k])
        if (hosts.used[target, 0] + self.stability) / hosts.power[target] >= hosts.used[host, 0] / hosts.power[host]:
            return None
        after = hosts.used[target] + demand[hosts.present(host)]
        fitting = [
            t
            for t, use in zip(hosts.present(host), after, strict=True)
            if (use[1:] <= hosts.capacity[target, 1:]).all()
        ]
        return TaskMove(fitting[pick % len(fitting)], target) if fitting else None
