"""Commands placed one by one as time-shared clusters place them, never moved, with equal shares on each machine."""

from dataclasses import dataclass

import numpy as np

from loadmaster.live.shares.method import CarriedShares, Shares, ShareView, equal_yields
from loadmaster.place.policy import Context, rated, read_only
from loadmaster.scheduling.time_shared import Method
from loadmaster.sharing.host_loads import HostLoads


@dataclass(frozen=True)
class ByPlacement:
    """See `ShareMethod`: PVM, Enhanced PVM and their kin, without a mover.

    Only machines with room for its memory are asked; a command for which there is none waits.
    """

    method: Method

    @property
    def name(self) -> str:
        """Of the method."""
        return self.method.name

    def decide(self, view: ShareView) -> Shares:
        """Every one that waits goes to the lowest rated machine, the first among equals (rules S4 to S6)."""
        batch, last_host = view.batch, view.carried.last_host
        hosts = HostLoads(batch.machines)
        hosts.scale = view.carried.scale
        host = dict(view.running)
        for row, at in host.items():
            hosts.add(row, at, batch.demand[row])
        for row in view.waiting:
            at = self._choose(hosts, view, row, last_host)
            if at >= 0:
                hosts.add(row, at, batch.demand[row])
                host[row] = last_host = at
        return Shares(host, equal_yields(batch, host), CarriedShares(last_host, hosts.scale))

    def _choose(self, hosts: HostLoads, view: ShareView, row: int, last_host: int) -> int:
        best, least = -1, float("inf")
        demand = read_only(view.batch.demand[row])
        for at in range(hosts.hosts):
            free, capacity = hosts.seen_by_policy(at, self.method.scaled)
            if (demand[1:] > free[1:]).any():
                continue
            full = bool((free < demand).any())
            context = Context(at, hosts.hosts, last_host, row, 0)
            with np.errstate(all="ignore"):
                score = rated(
                    self.method.policy, demand, read_only(free), read_only(capacity), context, may_refuse=full
                )
            if best < 0 or score < least:
                best, least = at, score
        return best
