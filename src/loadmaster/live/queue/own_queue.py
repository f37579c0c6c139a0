"""A simulated queue beside a site that a shadow observes: it goes on from cycle to cycle under a rule (rule X16)."""

import math
from collections.abc import Callable

import numpy as np

from loadmaster.live.queue.allocations import Allocation
from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.observed_history import ObservedHistory, ObservedMoment
from loadmaster.live.queue.resume_from_live import ResumedEngine
from loadmaster.live.queue.rows import limit_s
from loadmaster.model.constraints import STATUSES
from loadmaster.model.snapshot import Place
from loadmaster.model.time_grid import at_or_after
from loadmaster.scheduling import Scheduler

_CANCELLED, _NODE_FAIL = STATUSES.index("cancelled"), STATUSES.index("node_fail")


class OwnQueue(ResumedEngine):
    """The same jobs come to the same hosts, which fail when they fail; which jobs start when and where is decided here.

    A job runs as long as it did at the site once that is known, and until then as long as is expected of it.

    Args:
        history: at the site.
        scheduler: decides.
        interval_s: seconds between cycles; 0: at every event.
        seed: for policies that draw.
        watch: called again and again; it raises to stop the computation.
    """

    def __init__(
        self,
        history: ObservedHistory,
        scheduler: Scheduler,
        interval_s: float,
        seed: int,
        watch: Callable[[], None] = lambda: None,
    ) -> None:
        self._watch = watch
        self._all = {name: _row_with_runtime(name, history) for name in history.rows}
        super().__init__(self._all, history.ledger, scheduler, interval_s, seed)
        ran = history.ran
        self.status = np.array([STATUSES.index(ran[name].status) if name in ran else 0 for name in self.ids], np.int32)
        self.arrivals.close()
        self.began_s: dict[str, float] = {}
        self.adopt(history.ledger)
        self.memory.order_state.know(self._all, self.cluster, history.ledger.listing["names"])
        for moment in history.moments:
            self._meet(moment)

    @property
    def open(self) -> set[str]:
        """Jobs that wait or run here."""
        return {self.ids[job] for job in (*self.pending.waiting, *self.occupancy.running)}

    def _meet(self, moment: ObservedMoment) -> None:
        """All that is decided here before an observation, then what it tells, in the order of rule Q1."""
        if self.interval_s == 0:  # a decision at every event does not wait for an observation
            for name in moment.arrived:
                self._until(max(self.now_s, self._submit_s(name)))
                self._come(name)
                self._passes()
        self._until(moment.now_s)
        self._leave(moment)
        self._fail_hosts(moment)
        freed = self._away - (away := {self.number[name] for name in moment.away})
        self._away, self.arrived_now = away, self.arrived_now or bool(freed)
        for name in moment.arrived:
            self._come(name)
        self._passes()

    def _until(self, moment_s: float) -> None:
        """Go on by itself, then up to the ends of that moment."""
        self._watch()
        while at_or_after(self._next_event(), self.interval_s) < moment_s:
            self.step()
            self._watch()
        self.now_s = moment_s
        self._end_and_fail()
        self._tick(moment_s)

    def _passes(self) -> None:
        if self.early_end or self.arrived_now or self.ended_now or self.wake_s <= self.now_s:
            self.wake_s = math.inf
            while self._pass():
                pass

    def _come(self, name: str) -> None:
        if name not in self._here:
            self._here.add(name)
            self._arrive(name)

    def _submit_s(self, name: str) -> float:
        return float(self.workload.submit_s[self.number[name]])

    def _leave(self, moment: ObservedMoment) -> None:
        for job in (self.number[name] for name in moment.withdrawn):
            if job in self.pending.waiting:
                self.pending.waiting.remove(job)
            elif job in self.occupancy.running:
                self.occupancy.end_sooner(job, moment.now_s, _CANCELLED)
        self._end_and_fail()

    def _fail_hosts(self, moment: ObservedMoment) -> None:
        up = np.array(moment.up, bool)
        if up.shape != self._up.shape or bool((up == self._up).all()):
            return
        fails = self._up & ~up
        for job in [job for job in self.occupancy.running if fails[self.occupancy.hosts_of(job)].any()]:
            self.stop(job, moment.now_s, _NODE_FAIL, again=True)
        self._up, self.ended_now = up, True

    def _look(self, ledger: Ledger, *, know: bool) -> None:
        self._up, self._here, self._away = np.array(ledger.listing["up"], bool), set(ledger.rows), set()
        self.memory.order_state.know(self._all, self.cluster, ledger.listing["names"])
        self.memory.order_state.tick(ledger.now_s)
        self.now_s = ledger.now_s

    def _adopt_run(self, name: str, run: Allocation) -> None:
        super()._adopt_run(name, run)
        job = self.number[name]
        if job in self.occupancy.running:
            lasts_s = float(self.workload.runtime_s[job]) / self.occupancy.running[job].speed
            self.occupancy.end_at(job, max(run.start_s + lasts_s, self.now_s), int(self.status[job]))

    def _start(self, place: Place) -> None:
        super()._start(place)
        self.began_s.setdefault(self.ids[place.job], self.now_s)

    def _tick(self, until_s: float) -> None:
        self.memory.order_state.tick(until_s)


def _row_with_runtime(name: str, history: ObservedHistory) -> dict[str, object]:
    """The row of a job with how long it runs: as it did, or else as is expected."""
    row = history.rows[name]
    lasts_s = history.ran[name].work_s if name in history.ran else max(limit_s(row), history.running.get(name, 0.0))
    return {**row, "estimate_s": limit_s(row), "runtime_s": max(lasts_s, 1e-3)}
