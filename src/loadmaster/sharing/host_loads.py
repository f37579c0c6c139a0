"""The hosts of a time-shared cluster during a run: tasks, loads, and the view that a policy gets."""

from typing import Literal

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.model.cluster import Cluster
from loadmaster.model.errors import InputError
from loadmaster.sharing.load_scale import raised_scale
from loadmaster.sharing.thrashing import overcommitted

CpuLoad = Literal["jobs/speed", "jobs"]
"""How the CPU load of a host is read: threads over its cores and speed, or threads over its cores alone."""


class HostLoads:
    """Loads, use and residents of H hosts; plain Python, the specification of the compiled engine's state.

    The engine changes it through `add` and `remove` alone; policies and movers only look.

    Attributes:
        unit: float64[H], the capacity that one unit of load stands for: cores x speed, or cores (`CpuLoad`).
        power: float64[H], cores x speed, whatever the reading.
        load: float64[H], cores asked by the tasks on the host and by those on their way to it.
        used: float64[H, R], the same for every resource; column 0 is `load`.
        residents: for every host the tasks on it, in the order of their arrival there.
        travelling: tasks on their way to the host on which they are counted.
        scale: L, the load at which the cluster counts as full (`raised_scale`).
    """

    def __init__(self, cluster: Cluster, cpu_load: CpuLoad = "jobs/speed") -> None:
        assert cluster.speed is not None
        if cpu_load not in ("jobs/speed", "jobs"):
            raise InputError(cpu_load, "no such reading of the CPU load", fix="use jobs/speed or jobs")
        self.capacity = cluster.capacity
        self.speed = cluster.speed
        self.cores = np.ascontiguousarray(cluster.capacity[:, 0])
        self.power = self.cores * self.speed
        self.unit = self.power if cpu_load == "jobs/speed" else self.cores
        self.used = np.zeros_like(cluster.capacity)
        self.residents: list[list[int]] = [[] for _ in range(cluster.hosts)]
        self.travelling: set[int] = set()
        self.scale = 1.0

    @property
    def hosts(self) -> int:
        """Number of hosts, H."""
        return len(self.unit)

    @property
    def load(self) -> Floats:
        """float64[H]: cores asked."""
        return np.asarray(self.used[:, 0])

    def present(self, host: int) -> list[int]:
        """The tasks that run on `host` and may be moved: residents that are not travelling."""
        return [task for task in self.residents[host] if task not in self.travelling]

    def relative_load(self, host: int) -> float:
        """The CPU load of `host` in the reading chosen."""
        return float(self.used[host, 0] / self.unit[host])

    def overcommitted(self, host: int) -> bool:
        """Whether a resource other than the cores is requested beyond what the host has (rule A2)."""
        return overcommitted(self.used[host], self.capacity[host])

    def seen_by_policy(self, host: int, scaled: bool) -> tuple[Floats, Floats]:
        """(free, capacity), float64[R] each, as a placement policy of any room sees this host.

        With `scaled` the host's CPU is `scale` times larger: the load at which the cluster counts as full is what
        an opportunity cost takes for its capacity. Free amounts are negative where a host is over-committed.
        """
        capacity = self.capacity[host].copy()
        capacity[0] = self.unit[host] * (self.scale if scaled else 1.0)
        return capacity - self.used[host], capacity

    def add(self, task: int, host: int, demand: Floats) -> None:
        """Count `task` on `host`, and raise the scale if this is the highest load so far."""
        self.used[host] += demand
        self.residents[host].append(task)
        self.scale = raised_scale(self.scale, self.relative_load(host))

    def remove(self, task: int, host: int, demand: Floats) -> None:
        """Take `task` off `host`; an empty host uses exactly nothing, whatever rounding left."""
        self.used[host] -= demand
        self.residents[host].remove(task)
        if not self.residents[host]:
            self.used[host] = 0.0
