"""Decides on CPU shares: from what runs and what waits it works out what runs where next, and with what share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from loadmaster.live.shares.batch import Batch
from loadmaster.model.arrays import Floats


@dataclass(frozen=True)
class CarriedShares:
    """What one decision leaves for the next.

    Attributes:
        last_host: the machine of the command that was placed last, -1 before the first.
        scale: L, the load at which the machines count as full (rule S5).
    """

    last_host: int = -1
    scale: float = 1.0

    def plain(self) -> list[float]:
        """As a record holds it: `CarriedShares(*plain)` is this again."""
        return [self.last_host, self.scale]


@dataclass(frozen=True)
class ShareView:
    """What a decision sees.

    Attributes:
        batch: all commands and machines.
        running: the machine of every command that runs, by their rows, in the order in which they started.
        waiting: rows of commands, in their order.
        carried: what the last decision left.
    """

    batch: Batch
    running: Mapping[int, int]
    waiting: Sequence[int]
    carried: CarriedShares = CarriedShares()


@dataclass(frozen=True)
class Shares:
    """A decision.

    Attributes:
        host: the machine of every command that is to run, by row; those that ran are among them.
        share: of what each of them asks of the CPU, in (0, 1].
        carried: for the next decision.
    """

    host: Mapping[int, int]
    share: Mapping[int, float]
    carried: CarriedShares = field(default_factory=CarriedShares)


class ShareMethod(Protocol):
    """Decides on CPU shares; a pure function of the view."""

    @property
    def name(self) -> str:
        """As `--method` names it."""
        ...

    def decide(self, view: ShareView) -> Shares:
        """What runs where, and with what share."""
        ...


def equal_yields(batch: Batch, host: Mapping[int, int]) -> dict[int, float]:
    """The same share for all commands of a machine: min(1, its cores / what they request) (rule K2)."""
    load = loads(batch, host)[:, 0]
    cores = batch.machines.capacity[:, 0]
    return {row: float(min(1.0, cores[at] / load[at])) for row, at in host.items()}


def loads(batch: Batch, host: Mapping[int, int]) -> Floats:
    """float64[H, R]: what the commands of each machine request."""
    demand = np.zeros_like(batch.machines.capacity)
    for row, at in host.items():
        demand[at] += batch.demand[row]
    return demand
