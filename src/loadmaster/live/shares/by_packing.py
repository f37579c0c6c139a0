"""CPU shares by a packer: at every change it packs all running commands and as many waiting ones as fit."""

from dataclasses import dataclass

import numpy as np

from loadmaster.live.shares.batch import Batch
from loadmaster.live.shares.by_yield import move_cost
from loadmaster.live.shares.method import Shares, ShareView, equal_yields
from loadmaster.move.relabel import relabelled
from loadmaster.packing import Packing, PackOptions
from loadmaster.packing.instance import Instance
from loadmaster.packing.solve import Packer, finish

LOOKAHEAD = 100
"""So many commands are asked after the first that found no room."""


@dataclass(frozen=True)
class ByPacking:
    """See `ShareMethod`: shares are those of `pack`, whose mean is raised once the least cannot be.

    Attributes:
        packer: that does not stop by the clock, so that a decision can be taken again.
        least_yield: a command waits as long as it would press any share below this.
    """

    packer: Packer
    least_yield: float = 0.0

    @property
    def name(self) -> str:
        """Of the packer."""
        return self.packer.name

    def decide(self, view: ShareView) -> Shares:
        """Machines are renamed so that little moves; where the packer fails, what runs stays where it is."""
        rows, blocked, best = list(view.running), 0, None
        if rows:
            best = self._packed(view.batch, rows)
        for row in view.waiting:
            packing = self._packed(view.batch, [*rows, row])
            if packing is not None and packing.min_yield >= self.least_yield:
                rows, best = [*rows, row], packing
                continue
            blocked += 1
            if blocked > LOOKAHEAD:
                break
        if best is None:
            host = dict(view.running)
            return Shares(host, equal_yields(view.batch, host), view.carried)
        return self._shares(view, rows, best)

    def _packed(self, batch: Batch, rows: list[int]) -> Packing | None:
        demand, capacity = batch.demand[rows], batch.machines.capacity
        instance = Instance(
            demand[:, :1],
            demand[:, 1:],
            capacity[:, :1],
            capacity[:, 1:],
            fluid_names=batch.machines.resources[:1],
            rigid_names=batch.machines.resources[1:],
        )
        packing = finish(instance, self.packer.solve(instance, PackOptions()))
        return packing if packing.placed and packing.min_yield > 0 else None

    def _shares(self, view: ShareView, rows: list[int], packing: Packing) -> Shares:
        kind = view.batch.kind
        before = np.array([view.running.get(row, -1) for row in rows], np.int32)
        after = relabelled(before, packing.host, move_cost(view, rows), kind[:, None] == kind)
        host = {row: int(at) for row, at in zip(rows, after, strict=True)}
        share = {row: float(min(1.0, part)) for row, part in zip(rows, packing.job_yield, strict=True)}
        return Shares(host, share, view.carried)
