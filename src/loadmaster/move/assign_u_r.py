"""ASSIGN-U with reassignment: when a task ends, tasks whose host is too expensive now move (Awerbuch et al. 1994)."""

from dataclasses import dataclass

from loadmaster.model.arrays import Floats
from loadmaster.move.migration import TaskMove
from loadmaster.sharing.host_loads import HostLoads


@dataclass(frozen=True)
class AssignUR:
    """The stability condition of Amir et al. 2000, section 3.3, on the CPU load.

    Task j on host i is stable if a^(h + p_i) - a^h <= 2 (a^(l_M + p_M) - a^(l_M)) for every host M, where h is the
    load of i just before j came to it, l_M the load of M now and p the load that j adds. An unstable task moves to
    the host where it adds least cost: O(log n) moves a task.

    The theory counts loads in units of the best attainable largest load, without which that bound is not true: the
    cost of a long queue then rises with every task in it, and each that ends moves another. As the paper's section 4
    has it, the cost is n^(load / L), L being the load at which the cluster counts as full (`HostLoads.scale`): so
    a = n^(1 / L), n at least 2.
    """

    name: str = "assign-u-r"

    def next_move(self, hosts: HostLoads, demand: Floats, load_before: Floats) -> TaskMove | None:
        """The first unstable task, to the host where it adds least (see `TerminationMover`)."""
        base = max(2.0, float(hosts.hosts)) ** (1.0 / hosts.scale)
        for host in range(hosts.hosts):
            for task in hosts.present(host):
                held = added(base, load_before[task], demand[task, 0] / hosts.unit[host])
                others = [
                    added(base, hosts.relative_load(k), demand[task, 0] / hosts.unit[k])
                    for k in range(hosts.hosts)
                    if k != host
                ]
                if others and held > 2.0 * min(others):
                    target = others.index(min(others))
                    return TaskMove(task, target + (target >= host))
        return None


def added(base: float, load: float, more: float) -> float:
    """base^(load + more) - base^load."""
    return float(base ** (load + more) - base**load)
