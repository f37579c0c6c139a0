"""Replays a log whose moments are compiled and whose decisions a scheduler makes: for rules that no kernel serves."""
# mypy: disable-error-code="no-untyped-call"

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numba import typeof, types

from loadmaster.backfilling import Blocking
from loadmaster.backfilling.counting import hosts_are_one_pool
from loadmaster.compiled_order import ranker, refusing_order
from loadmaster.kernels import kept_njit
from loadmaster.lent import lend
from loadmaster.model import Cluster, Cycles, Schedule, Workload
from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.snapshot import Clock, Decision, Place, Promise, Queue, Running, Snapshot
from loadmaster.order import ORDERS, Order
from loadmaster.order.order import rank_not_finite
from loadmaster.place import POLICIES
from loadmaster.schedule import Discipline, Scheduler
from loadmaster.schedule.binding import Binding, binding_of, binds
from loadmaster.schedule.foresight import USERS, Foresight
from loadmaster.sim.queue.asked_kernel import step
from loadmaster.sim.queue.bound_arrays import open_rows
from loadmaster.sim.queue.bound_records import CutRuns, bound_schedule
from loadmaster.sim.queue.bound_state import (
    DECIDED,
    ENDED,
    HEARD,
    MOMENTS,
    REFUSED,
    REPEATED,
    SENT_BACK,
    STUCK,
)
from loadmaster.sim.queue.compiled import Progress, Table, columns_of, laid_out
from loadmaster.sim.queue.queue_state import ARRIVED, ASKED, PLANNED, STARTED, WAITING
from loadmaster.sim.queue.records import Records

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
        self.binding = binding_of(workload, cluster)
        self.records, self.cut = Records(workload), CutRuns()
        first_fit = POLICIES["first-fit"]
        table, bound = laid_out(
            workload, cluster, first_fit, NOBODY_DECIDES, interval_s, seed, self.records, self.binding, asks=True
        )  # fmt: skip
        assert bound is not None
        self.bound, self.state = bound, table.state
        self._run = _engine_of(table._replace(rules=table.rules._replace(backfilling=ASKED)), bound)
        self._eyes = _Eyes(self, table)
        self.ranking = scheduler.discipline.order.begin(workload, cluster)
        self.binds = binds(workload, cluster)
        self.running: dict[int, int] = {}  # the partition in which each was started, in the order of starts
        self.expected_end_s = np.full(workload.jobs, np.nan)
        self.seen = np.zeros(workload.jobs, bool)
        self.last_host, self.arrived, self.refused = -1, 0, 0
        self.promises: dict[int, Promise] = {}
        self.early_end = self.arrived_now = self.ended_now = False
        self.clock, self.ticked_s = Clock(), 0.0
        self.now_s = -math.inf
        self.cycles: list[tuple[float, int, int, int]] = []

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
        columns = list(zip(*self.cycles, strict=True)) if self.cycles else [(), (), (), ()]
        cycles = Cycles(np.array(columns[0], np.float64), *(np.array(column, np.int64) for column in columns[1:]))
        plain = Schedule(self.records.start_s, self.records.host, cycles)
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
            self.early_end |= bool(how == ENDED and time_s < self.expected_end_s[job])
            self._tick(math.nextafter(time_s, -math.inf))
            self.ranking.ended(job, time_s)
            self.ended_now = True
            if how == SENT_BACK:
                self.ranking.submitted(job, self.now_s)
                self.arrived_now = True
        self._tick(self.now_s)
        come, refused = int(self.state.tally[ARRIVED]), int(own[REFUSED])
        for job in range(self.arrived, come):
            self.ranking.submitted(job, self.now_s)
        self.arrived_now |= come - self.arrived > refused - self.refused
        self.arrived, self.refused = come, refused

    def _tick(self, until_s: float) -> None:
        while self.ticked_s + self.ranking.period_s <= until_s:
            self.ticked_s += self.ranking.period_s
            self.ranking.tick(self.ticked_s)

    def _pass(self) -> None:
        eligible = self._eligible()
        decision = Decision(last_host=self.last_host, promises=self.promises, clock=self.clock)
        if len(eligible):
            decision = self.scheduler.decide(self._eyes.snapshot(eligible))
            self.early_end = self.arrived_now = self.ended_now = False
        queued = int(self.state.tally[WAITING] + self.bound.tally[STUCK])
        self.cycles.append((self.now_s, queued, len(decision.place), decision.winners))
        self._start(decision.place)
        self.last_host, self.promises = decision.last_host, dict(decision.promises)
        self.bound.clock[1], self.clock = decision.wake_s, decision.clock

    def _eligible(self) -> Longs:
        """The jobs that may start; the order is told of those that wait for something else than their arrival."""
        eligible: Longs = np.flatnonzero(self.bound.job.queued)
        fresh = eligible[~self.seen[eligible]]
        if self.binds and len(fresh):
            for job in fresh[self.bound.job.ready_s[fresh] > self.workload.submit_s[fresh]].tolist():
                self.ranking.submitted(job, self.now_s)
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


class _Eyes:
    """What the scheduler sees of the run."""

    def __init__(self, run: Asking, table: Table) -> None:
        self._run, self._table = run, table
        self._row = open_rows(run.binding)
        self._as_pool = hosts_are_one_pool(run.workload.demand, run.cluster)
        self._uses: dict[int, tuple[tuple[int, float], ...]] = {}
        order = run.scheduler.discipline.order
        self._order = order if type(order) is Order else None
        self._columns = columns_of(run.workload, None, moving=self._order is not None)
        self._ranker = ranker(self._order) if self._order is not None else None

    def snapshot(self, eligible: Longs) -> Snapshot:
        """The moment of a pass."""
        run, state = self._run, self._table.state
        queue, given = self._queue(eligible), dict[str, Any]()
        if run.binds:
            given = {
                "allowed": run.binding.entries.allowed, "left": state.left.copy(),
                "closures": run.binding.calendar.at(run.now_s), "partitions": run.binding.partition_hosts,
                "limits_stop": run.binding.rules.limits_stop,
            }  # fmt: skip
        return Snapshot(
            run.now_s, run.cluster, state.free.copy(), queue, self._busy(), run.last_host, run.seed,
            need=run.ranking.need(queue.job), promises=self._standing(eligible), early_end=run.early_end,
            as_pool=self._as_pool, clock=run.clock, arrived=run.arrived_now, ended=run.ended_now, **given,
        )  # fmt: skip

    def _queue(self, eligible: Longs) -> Queue:
        run, bound, work = self._run, self._run.bound, self._run.workload
        first = bound.job.rows
        rows = _spread(first[eligible], first[eligible + 1] - first[eligible])
        jobs = bound.row.owner[rows].astype(np.int64)
        given = self._bound_columns(run.binding, self._row[rows]) if run.binds else {}
        return Queue(
            jobs, work.demand[jobs], work.task_count[jobs], work.expected_s[jobs], work.projects[jobs],
            work.first_task[jobs], rank=self._ranks(jobs), user=None if work.user is None else work.user[jobs],
            eligible_s=(run.binding.eligible_s if run.binds else work.submit_s)[jobs], **given,
        )  # fmt: skip

    def _bound_columns(self, binding: Binding, entries: Longs) -> dict[str, Any]:
        columns = binding.columns(entries)
        for entry in entries.tolist():
            if entry not in self._uses:
                self._uses[entry] = binding.counters.uses(entry)
        return {**columns, "uses": tuple(map(self._uses.__getitem__, entries.tolist()))}

    def _ranks(self, jobs: Longs) -> Floats | None:
        run = self._run
        if self._order is None or self._ranker is None:
            return run.ranking.ranks(jobs, run.now_s)
        ranks = np.zeros(len(jobs))
        with refusing_order(self._order.name):
            wrong = self._ranker(self._columns, jobs.astype(np.int32), len(jobs), run.now_s, ranks)
        if wrong:
            raise rank_not_finite(self._order.name)
        return ranks

    def _busy(self) -> Running:
        run, work = self._run, self._run.workload
        jobs = np.array(list(run.running), np.int64)
        owner = np.repeat(jobs, work.task_count[jobs])
        tasks = _spread(work.first_task[jobs], work.task_count[jobs])
        hosts, start_s = self._table.log.host[tasks], self._table.log.start_s[owner]
        return Running(owner, hosts, work.demand[owner], run.expected_end_s[owner], work.projects[owner], start_s)

    def _standing(self, eligible: Longs) -> dict[int, Promise]:
        """Promises of earlier passes to jobs that may start still; those of several partitions are promised anew."""
        run = self._run
        if not (run.binds and run.promises):
            return run.promises
        single = np.diff(run.binding.entries.first) == 1
        return {job: run.promises[job] for job in eligible.tolist() if job in run.promises and single[job]}


def _spread(first: Longs, many: Any) -> Longs:
    """first[i], first[i] + 1, ... so many[i] numbers of each."""
    before = np.cumsum(many) - many
    return np.asarray(np.repeat(first - before, many) + np.arange(int(np.sum(many))), np.int64)


def _engine_of(table: Table, bound: Any) -> Callable[[], float]:
    """The compiled step over these arrays."""
    given = (
        table.jobs, table.rules, table.state, table.waiting, table.ranked, table.stairs, table.ends, table.scores,
        table.log, bound,
    )  # fmt: skip
    engine = _engine(tuple(typeof(each) for each in given))
    return lambda: engine(*given)


@cache
def _engine(layout: tuple[Any, ...]) -> Callable[..., float]:
    def entry(jobs, rules, state, waiting, ranked, stairs, ends, scores, log, bound):  # type: ignore[no-untyped-def]
        return step(
            lend(jobs), lend(rules), lend(state), lend(waiting), lend(ranked), lend(stairs), lend(ends), lend(scores),
            lend(log), lend(bound),
        )  # fmt: skip

    engine: Callable[..., float] = kept_njit(types.float64(*layout), nogil=True, error_model="numpy")(entry)
    return engine
