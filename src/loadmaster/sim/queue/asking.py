"""Replays a log whose moments are compiled and whose decisions a scheduler makes: for rules that no kernel serves."""

import math
from dataclasses import replace

import numpy as np

from loadmaster.backfilling import Blocking
from loadmaster.model import Cluster, Schedule, Workload
from loadmaster.model.arrays import Longs
from loadmaster.model.cycles import CycleLog
from loadmaster.model.snapshot import Decision, NextLoops, Place, Promise
from loadmaster.order import ORDERS
from loadmaster.order.order import tick_until
from loadmaster.place import POLICIES
from loadmaster.schedule import Discipline, Scheduler
from loadmaster.schedule.binding import binding_of, binds
from loadmaster.schedule.foresight import USERS, Foresight
from loadmaster.sim.queue.asked_snapshot import Eyes
from loadmaster.sim.queue.bound_records import CutRuns, bound_schedule
from loadmaster.sim.queue.bound_state import (
    DECIDED,
    HEARD,
    MOMENTS,
    REFUSED,
    REPEATED,
    SENT_BACK,
    STUCK,
)
from loadmaster.sim.queue.compiled_asking import stepper
from loadmaster.sim.queue.laid_out import laid_out
from loadmaster.sim.queue.queue_state import ARRIVED, ASKED, PLANNED, STARTED, WAITING
from loadmaster.sim.queue.records import Records
from loadmaster.sim.queue.served import Progress

NOBODY_DECIDES = Discipline(ORDERS["fcfs"], Blocking())


def replay_asking(
    workload: Workload,
    cluster: Cluster,
    scheduler: Scheduler,
    *,
    interval_s: float,
    seed: int,
    progress: Progress | None = None,
    foresight: Foresight = USERS,
) -> Schedule:
    """Replay `workload` exactly as `reference.replay` does: `scheduler` decides, all between two passes is compiled.

    Nobody may be stopped for another; of `foresight`, estimates must be known as the log begins, and kill nobody.
    """
    told = foresight.told(workload)
    engine = Asking(told, cluster, scheduler, interval_s, seed)
    while engine.step():
        if progress is not None:
            progress(engine.started, workload.jobs)
    return engine.schedule() if foresight == USERS else replace(engine.schedule(), expected_s=told.expected_s)


class Asking:
    """A run in which a scheduler is asked at every pass."""

    def __init__(
        self, workload: Workload, cluster: Cluster, scheduler: Scheduler, interval_s: float, seed: int
    ) -> None:
        self.workload, self.cluster, self.scheduler, self.seed = workload, cluster, scheduler, seed
        self.binding, self.binds = binding_of(workload, cluster), binds(workload, cluster)
        self.records, self.cut = Records(workload), CutRuns()
        first_fit = POLICIES["first-fit"]
        table, bound = laid_out(
            workload, cluster, first_fit, NOBODY_DECIDES, interval_s, seed, self.records, self.binding, asks=True
        )  # fmt: skip
        assert bound is not None
        self.bound, self.state = bound, table.state
        self._run = stepper(table._replace(rules=table.rules._replace(backfilling=ASKED)), bound)
        self._eyes = Eyes(self, table)
        self.ranking = scheduler.discipline.order.begin(workload, cluster)
        self.running: dict[int, int] = {}  # the partition in which each was started, in the order of starts
        self.expected_end_s = np.full(workload.jobs, np.nan)
        self.seen = np.zeros(workload.jobs, bool)
        self.last_host, self.arrived, self.refused = -1, 0, 0
        self.promises: dict[int, Promise] = {}
        self.early_end = self.arrived_now = self.ended_now = False
        self.clock, self.ticked_s = NextLoops(), 0.0
        self.now_s = -math.inf
        self.cycles = CycleLog()

    @property
    def started(self) -> int:
        """Jobs that have started, those that did so twice counted once at most."""
        return min(int(self.state.tally[STARTED]), self.workload.jobs)

    def step(self) -> bool:
        """Go on to the next pass and decide; False when there is none."""
        now_s = float(self._run())
        self.cut.keep(self.bound, self.workload.task_count)
        if not math.isfinite(now_s):
            return False
        self.now_s = now_s
        if not self.bound.tally[REPEATED]:
            self._hear()
            self.bound.clock[1] = math.inf
        if self.state.tally[WAITING] + self.bound.tally[STUCK] > 0:
            self._pass()
        return True

    def schedule(self) -> Schedule:
        """What has happened."""
        plain = Schedule(self.records.start_s, self.records.host, self.cycles.cycles())
        return bound_schedule(plain, self.binding, self.bound, self.cut, self.cluster)

    def _hear(self) -> None:
        """The order is told what has happened since the last pass; flags say what a backfilling may want to know."""
        own, moments_s = self.bound.tally, self.bound.closures.moments_s
        self.ended_now |= bool(own[MOMENTS] < len(moments_s) and moments_s[own[MOMENTS]] <= self.now_s)
        for n in range(int(own[HEARD])):
            job, time_s, how = (
                int(self.bound.news[n].job),
                float(self.bound.news[n].time_s),
                int(self.bound.news[n].how),
            )
            del self.running[job]
            self.early_end |= bool(time_s < self.expected_end_s[job])
            self._tick(math.nextafter(time_s, -math.inf))
            self.ranking.ended(job, time_s)
            self.ended_now = True
            if how == SENT_BACK:
                self.ranking.submitted(job, self.now_s)
                self.arrived_now = True
        self._tick(self.now_s)
        come, refused = int(self.state.tally[ARRIVED]), int(own[REFUSED])
        for job in range(self.arrived, come):
            self.ranking.submitted(job, float(self.workload.submit_s[job]))
        self.arrived_now |= come - self.arrived > refused - self.refused
        self.arrived, self.refused = come, refused

    def _tick(self, until_s: float) -> None:
        self.ticked_s = tick_until(self.ranking, self.ticked_s, until_s)

    def _pass(self) -> None:
        eligible = self._eligible()
        decision = Decision(last_host=self.last_host, promises=self.promises, clock=self.clock)
        if len(eligible):
            decision = self.scheduler.decide(self._eyes.snapshot(eligible))
            self.early_end = self.arrived_now = self.ended_now = False
        queued = int(self.state.tally[WAITING] + self.bound.tally[STUCK])
        self.cycles.add(self.now_s, queued, len(decision.place), decision.winners, decision.chosen, decision.options)
        self._start(decision.place)
        self.last_host, self.promises = decision.last_host, dict(decision.promises)
        self.bound.clock[1], self.clock = decision.wake_s, decision.clock

    def _eligible(self) -> Longs:
        """The jobs that may start; the order is told of those that wait for something else than their arrival."""
        eligible: Longs = np.flatnonzero(self.bound.job.queued)
        fresh = eligible[~self.seen[eligible]]
        if self.binds and len(fresh):
            released_s = np.where(self.bound.job.single[fresh], self.now_s, self.bound.job.ready_s[fresh])
            late = np.flatnonzero(released_s > self.workload.submit_s[fresh])
            for job, time_s in zip(fresh[late].tolist(), released_s[late].tolist(), strict=True):
                self.ranking.submitted(job, time_s)
            self.arrived_now = True
        self.seen[fresh] = True
        return eligible

    def _start(self, places: tuple[Place, ...]) -> None:
        """What was decided is written where the next step finds it."""
        state, at = self.state, 0
        speed = self.cluster.speed
        assert speed is not None
        for number, place in enumerate(places):
            job, hosts = place.job, np.array(place.hosts, np.int32)
            rows = slice(int(self.bound.job[job].rows), int(self.bound.job[job + 1].rows))
            state.plan_job[1, number] = rows.start + int(np.argmax(self.bound.row.queue[rows] == place.partition))
            state.plan_task[number] = at
            state.undo_host[at : at + len(hosts)] = hosts
            np.subtract.at(state.free, hosts, self.workload.demand[job])
            self.expected_end_s[job] = self.now_s + float(self.workload.expected_s[job]) / float(speed[hosts].min())
            self.running[job] = place.partition
            self.ranking.started(job, self.now_s)
            at += len(hosts)
        state.tally[PLANNED] = len(places)
        self.bound.tally[DECIDED] = 1
