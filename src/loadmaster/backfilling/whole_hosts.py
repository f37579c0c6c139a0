"""A table of whole hosts that are reserved for some time each: Slurm's backfill pass plans with it."""

import numpy as np

from loadmaster.model.arrays import Bools
from loadmaster.model.snapshot import Closure


class WholeHosts:
    """Reservations; one that begins exactly at the end of a job is in its way, as in Slurm (rule Q15)."""

    def __init__(self) -> None:
        self._rows: list[Closure] = []

    def reserve(self, row: Closure) -> None:
        """Take hosts out of the table for some time."""
        self._rows.append(row)

    def open(self, job: int, start_s: float, end_s: float, hosts: int) -> Bools:
        """bool[hosts]: the hosts without a reservation from `start_s` until `end_s`, both included."""
        usable = np.ones(hosts, dtype=bool)
        for row in self._rows:
            if row.to_s > start_s and row.from_s <= end_s and row.shuts_out(job):
                usable &= ~row.hosts
        return usable

    def ends(self, after_s: float) -> list[float]:
        """Moments after `after_s` at which reservations end."""
        return [row.to_s for row in self._rows if row.to_s > after_s]
