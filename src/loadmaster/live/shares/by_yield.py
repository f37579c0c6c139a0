"""CPU shares by the fractional scheduler: commands start at once with a part of the CPU that they request."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from loadmaster.live.shares.method import Shares, ShareView, equal_yields, loads
from loadmaster.model.arrays import Floats
from loadmaster.scheduling.fractional import Fractional, FractionalJob, FractionalView


@dataclass(frozen=True)
class ByYield:
    """See `ShareMethod`: decides as in simulations; all is packed anew whenever that raises the least yield."""

    rule: Fractional = field(default_factory=Fractional)
    name: str = "fractional"

    def decide(self, view: ShareView) -> Shares:
        """Those that wait are asked in their order; for the first that finds no room everything may be repacked."""
        host, blocked = dict(view.running), 0
        for row in view.waiting:
            demand = view.batch.demand[row]
            ask = FractionalJob(1, float(demand[0]), demand[1:])
            now, order = fractional_view(view, host)
            hosts = self.rule.hosts_for(now, ask)
            if hosts is None and blocked == 0 and (room := self.rule.room_for(now, ask)) is not None:
                host |= zip(order, map(int, room[0]), strict=True)
                hosts = room[1]
            if hosts is not None:
                host[row] = int(hosts[0])
                continue
            blocked += 1
            if blocked > self.rule.lookahead:
                break
        if (loads(view.batch, host)[:, 0] > view.batch.machines.capacity[:, 0]).any():
            now, order = fractional_view(view, host)
            host |= zip(order, map(int, self.rule.improved(now)), strict=True)
        return Shares(host, equal_yields(view.batch, host), view.carried)


def fractional_view(view: ShareView, host: Mapping[int, int]) -> tuple[FractionalView, list[int]]:
    """What `Fractional` sees with the commands on `host`, and their rows in its order."""
    batch, rows = view.batch, sorted(host)
    demand, capacity, load = batch.demand[rows], batch.machines.capacity, loads(batch, host)
    assert batch.machines.speed is not None
    fractional = FractionalView(
        np.array([host[row] for row in rows], np.int32),
        demand[:, 0],
        demand[:, 1:],
        move_cost(view, rows),
        load[:, 0],
        load[:, 1:],
        capacity[:, 0],
        capacity[:, 1:],
        batch.machines.speed,
        batch.kind,
        float("inf"),
    )
    return fractional, rows


def move_cost(view: ShareView, rows: list[int]) -> Floats:
    """float64[N]: what runs is rather left where it is, the large above all; what waits may go anywhere."""
    memory = view.batch.demand[rows, 1] if view.batch.demand.shape[1] > 1 else np.zeros(len(rows))
    return np.where(np.array([row in view.running for row in rows], bool), memory + 1.0, 0.0)
