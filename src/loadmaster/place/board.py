"""A decision's own copy of what is free: find a host, take it, reserve it. Plain Python, the specification."""

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.model.snapshot import Snapshot
from loadmaster.place.policy import Context, Policy, rated, read_only


class Board:
    """What is left of every host while one decision is made.

    The snapshot is never changed: `free` is a copy. `last_host` follows the tasks placed.
    """

    def __init__(self, snapshot: Snapshot, policy: Policy) -> None:
        self.policy = policy
        self.capacity = snapshot.cluster.capacity
        self.queue = snapshot.queue
        self.seed = snapshot.seed
        self.free = snapshot.free.copy()
        self.last_host = snapshot.last_host
        self.reserved: list[int] = []
        self._open = np.ones(len(self.free), dtype=bool)

    @property
    def exhausted(self) -> bool:
        """Every host is reserved."""
        return not self._open.any()

    def place(self, index: int, spare: Floats | None = None) -> tuple[int, ...] | None:
        """Take hosts for all tasks of the queue's job `index`, one task after another, or none at all.

        Args:
            index: row in the queue.
            spare: float64[H, R], what must hold the tasks beside `free`; what is taken is taken from it too, in place.
        """
        demand = self.queue.demand[index]
        before = self.free.copy(), self.last_host, None if spare is None else spare.copy()
        hosts = []
        for k in range(self.queue.tasks[index]):
            allowed = None if spare is None else (spare >= demand).all(axis=1)
            host = self.find(demand, int(self.queue.first_task[index]) + k, allowed)
            if host < 0:
                self.free, self.last_host, kept = before
                if spare is not None and kept is not None:
                    spare[:] = kept
                return None
            self.free[host] -= demand
            if spare is not None:
                spare[host] -= demand
            self.last_host = host
            hosts.append(host)
        return tuple(hosts)

    def find(self, demand: Floats, task: int, allowed: np.ndarray | None = None) -> int:
        """The lowest rated host that fits, is not reserved and is in `allowed` bool[H]; -1 if none.

        The lowest index among equals.
        """
        best, best_score = -1, np.inf
        usable = self._open if allowed is None else self._open & allowed
        demand, free, capacity = read_only(demand), read_only(self.free), read_only(self.capacity)
        with np.errstate(all="ignore"):
            for host in np.flatnonzero(usable & (free >= demand).all(axis=1)):
                context = Context(int(host), len(free), self.last_host, task, self.seed)
                score = rated(self.policy, demand, free[host], capacity[host], context)
                if best < 0 or score < best_score:
                    best, best_score = int(host), score
        return best

    def reserve(self, index: int) -> None:
        """Keep hosts for the queue's job `index`: most free memory first, until they could hold it when empty.

        Only hosts that could hold one of its tasks when empty are taken (rule Q2); with a single resource
        that resource stands in for memory.
        """
        demand = self.queue.demand[index]
        missing = float(self.queue.tasks[index])
        memory = min(1, demand.shape[0] - 1)
        while missing > 0:
            able = self._open & (self.capacity >= demand).all(axis=1)
            if not able.any():
                return
            host = int(np.argmax(np.where(able, self.free[:, memory], -1.0)))
            self._open[host] = False
            self.reserved.append(host)
            missing -= tasks_held(demand, self.capacity[host])


def tasks_held(demand: Floats, room: Floats) -> float:
    """How many tasks of `demand` go into `room`; infinite if they ask for nothing."""
    asked = demand > 0
    return float(np.min(np.floor(room[asked] / demand[asked]))) if asked.any() else np.inf
