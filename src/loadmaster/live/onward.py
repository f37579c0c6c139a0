"""From where a live run stands the simulator goes on by itself: who starts when, if jobs run as long as is supposed."""

import math
from collections.abc import Mapping

from loadmaster.live.allocations import Allocation
from loadmaster.live.ledger import Ledger
from loadmaster.live.resume_from_live import ResumedEngine
from loadmaster.schedule import Scheduler


class ForecastSimulation(ResumedEngine):
    """The queue of a ledger, worked off by a scheduler.

    Nobody comes, and no host changes: that is what nobody knows.

    Args:
        ledger: where the run stands.
        scheduler: who decides.
        interval_s: seconds between cycles.
        lasts_s: of every job there, how long it holds its hosts from its start on; more than it has run already.
    """

    def __init__(self, ledger: Ledger, scheduler: Scheduler, interval_s: float, lasts_s: Mapping[str, float]) -> None:
        rows = {
            name: {**row, "estimate_s": row.get("estimate_s", row["runtime_s"]), "runtime_s": lasts_s[name]}
            for name, row in ledger.rows.items()
        }
        super().__init__(rows, ledger, scheduler, interval_s, ledger.seed)
        self._lasts_s = lasts_s
        self.adopt(ledger)
        self.arrivals.close()

    def starts(self, name: str) -> float:
        """When a job that waits starts, in seconds from the ledger's origin; infinite if it never does."""
        job = self.number[name]
        while job in self.pending.waiting and self.step():
            pass
        start_s = float(self.occupancy.start_s[job])
        return math.inf if math.isnan(start_s) else start_s

    def _found(self, name: str, run: Allocation) -> None:
        super()._found(name, run)
        job = self.number[name]
        if job in self.occupancy.running:
            self.occupancy.end_at(job, run.start_s + self._lasts_s[name], self.occupancy.running[job].status)

    def _tick(self, until_s: float) -> None:
        self.memory.order_state.tick(until_s)
