"""ASSIGN-U with reassignment: when a task ends, move those whose place has become too dear (Awerbuch et al. 1994)."""

from dataclasses import dataclass

from loadmaster.model.arrays import Floats
from loadmaster.model.errors import InputError
from loadmaster.move.migration import Move
from loadmaster.share.shared_hosts import SharedHosts


@dataclass(frozen=True)
class AssignUR:
    """The stability condition of Amir et al. 2000, section 3.3 (rule M5), on the CPU load.

    Task j on host i is stable if a^(h + p_i) - a^h <= 2 (a^(l_M + p_M) - a^(l_M)) for every host M, where h is the
    load of i just before j came to it, l_M the load of M now and p the load that j adds. An unstable task moves to
    the host where it adds least cost. O(log n) moves a task, and load within O(log n) of the best.

    Attributes:
        base: the constant a, between 1 and 2.
    """

    base: float = 1.5
    name: str = "assign-u-r"

    def __post_init__(self) -> None:
        if not 1.0 < self.base < 2.0:
            raise InputError(self.base, "the base of ASSIGN-U lies between 1 and 2")

    def next_move(self, hosts: SharedHosts, demand: Floats, load_before: Floats) -> Move | None:
        """The first unstable task, to the host where it adds least (see `TerminationMover`)."""
        for host in range(hosts.hosts):
            for task in hosts.present(host):
                held = self.added(load_before[task], demand[task, 0] / hosts.unit[host])
                others = [
                    self.added(hosts.relative_load(k), demand[task, 0] / hosts.unit[k])
                    for k in range(hosts.hosts) if k != host
                ]  # fmt: skip
                if others and held > 2.0 * min(others):
                    target = others.index(min(others))
                    return Move(task, target + (target >= host))
        return None

    def added(self, load: float, more: float) -> float:
        """a^(load + more) - a^load."""
        return float(self.base ** (load + more) - self.base**load)
