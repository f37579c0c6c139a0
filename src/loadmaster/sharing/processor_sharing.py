"""Processor sharing: all tasks of a host have the same yield, so that all progress equally."""

from dataclasses import dataclass

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.sharing.model import Claims


@dataclass(frozen=True)
class ProcessorSharing:
    """The sharing model of time-shared hosts and of fractional scheduling (rules S1 and S9).

    A task that requests c cores runs c threads, and every thread gets the same part of the host's cores, at most
    one core. So all tasks of a host have one yield, `min(1, cores / load)`, for any demands. This is water-filling with
    the demands for shares. With one core and tasks of one thread this is the 1 / L of Amir et al. 2000.

    Example:
        >>> ProcessorSharing().common_yield(load=8.0, cores=1.0)
        0.125
    """

    name: str = "processor-sharing"

    def common_yield(self, load: float, cores: float) -> float:
        """The yield of every task of a host with so many `cores`, where `load` are requested in all."""
        return min(1.0, cores / load) if load > 0.0 else 1.0

    def yields(self, demand: Floats, capacity: Floats, claims: Claims) -> Floats:
        """The common yield n times (see `SharingModel`); the claims are not looked at."""
        return np.full(len(demand), self.common_yield(float(demand[:, 0].sum()), float(capacity[0])))
