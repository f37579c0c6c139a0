"""The engine in plain Python, one event after another: slow, obvious, and what every kernel must agree with."""

import heapq
import math
from collections.abc import Callable

import numpy as np

from loadmaster.backfilling.counting import hosts_are_one_pool
from loadmaster.model.arrays import Longs
from loadmaster.model.cluster import Cluster
from loadmaster.model.schedule import Cycles, Schedule
from loadmaster.model.snapshot import Decision, Promise, Queue, Running, Snapshot
from loadmaster.model.workload import Workload
from loadmaster.schedule import Scheduler


def replay(
    workload: Workload,
    cluster: Cluster,
    scheduler: Scheduler,
    *,
    interval_s: float = 30.0,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Schedule:
    """Replay `workload` on `cluster`; every `interval_s` seconds `scheduler` looks at the queue.

    Decisions happen at whole multiples of `interval_s`, and only at those before which something happened that could
    change them; with 0 they happen at every such event itself. A moment is dealt with in this order (rule Q1): ended
    tasks free their hosts, the order's clock ticks, arrivals join the queue, the scheduler decides.

    Args:
        workload: jobs; one goes at the speed of its slowest host.
        cluster: the hosts.
        scheduler: the policy and the discipline.
        interval_s: seconds between decisions.
        seed: for policies that draw.
        progress: told of jobs started and jobs in all.

    Returns:
        The schedule. Jobs that are never started keep NaN and -1.
    """
    engine = _Replay(workload, cluster, scheduler, interval_s, seed)
    while engine.step():
        if progress is not None:
            progress(engine.arrived - len(engine.waiting), workload.jobs)
    return engine.schedule()


def at_or_after(time_s: float, interval_s: float) -> float:
    """The first moment of decision at or after `time_s`.

    Example:
        >>> at_or_after(31.0, 30.0), at_or_after(30.0, 30.0), at_or_after(31.5, 0.0)
        (60.0, 30.0, 31.5)
    """
    if interval_s <= 0 or not math.isfinite(time_s):
        return time_s
    cycle = math.floor(time_s / interval_s)
    return (cycle if cycle * interval_s >= time_s else cycle + 1) * interval_s


class _Replay:
    """All that changes while a log is replayed."""

    def __init__(
        self, workload: Workload, cluster: Cluster, scheduler: Scheduler, interval_s: float, seed: int
    ) -> None:
        self.workload, self.cluster, self.scheduler = workload, cluster, scheduler
        self.interval_s, self.seed = interval_s, seed
        self.ranking = scheduler.discipline.order.begin(workload, cluster)
        self.as_pool = hosts_are_one_pool(workload.demand, cluster)
        self.first_task = workload.first_task
        self.start_s = np.full(workload.jobs, np.nan)
        self.host = np.full(int(self.first_task[-1]), -1, np.int32)
        self.free = np.array(cluster.capacity)
        self.waiting: list[int] = []
        self.running: dict[int, float] = {}  # job -> expected end, in the order of starts
        self.ends: list[tuple[float, int]] = []
        self.arrived = 0
        self.last_host = -1
        self.promises: dict[int, Promise] = {}
        self.early_end = False
        self.wake_s = math.inf
        self.ticked_s = 0.0
        self.cycles: list[tuple[float, int, int, int]] = []

    def step(self) -> bool:
        """Deal with the next moment of decision; False when there is none."""
        now = at_or_after(self._next_event(), self.interval_s)
        if not math.isfinite(now):
            return False
        self._end_jobs(now)
        self._tick(now)
        self._admit(now)
        self.wake_s = math.inf
        if self.waiting:
            decision = self.scheduler.decide(self._snapshot(now))
            self.cycles.append((now, len(self.waiting), len(decision.place), decision.winners))
            self._carry_out(decision, now)
        return True

    def schedule(self) -> Schedule:
        """What has happened."""
        columns = list(zip(*self.cycles, strict=True)) if self.cycles else [(), (), (), ()]
        cycles = Cycles(
            np.array(columns[0], dtype=np.float64),
            np.array(columns[1], dtype=np.int64),
            np.array(columns[2], dtype=np.int64),
            np.array(columns[3], dtype=np.int64),
        )
        return Schedule(self.start_s, self.host, cycles)

    def _next_event(self) -> float:
        """When something happens next that could start a job: infinite when nobody can start any more."""
        event = self.ends[0][0] if self.ends and (self.waiting or self.arrived < self.workload.jobs) else math.inf
        if self.arrived < self.workload.jobs:
            event = min(event, float(self.workload.submit_s[self.arrived]))
        return min(event, self.wake_s) if self.waiting else event

    def _end_jobs(self, now: float) -> None:
        while self.ends and self.ends[0][0] <= now:
            end_s, job = heapq.heappop(self.ends)
            self.early_end |= end_s < self.running.pop(job)
            self._tick(math.nextafter(end_s, -math.inf))
            self.ranking.ended(job, end_s)
            for task in range(self.first_task[job], self.first_task[job + 1]):
                self.free[self.host[task]] += self.workload.demand[job]

    def _tick(self, until_s: float) -> None:
        period_s = self.ranking.period_s
        while self.ticked_s + period_s <= until_s:
            self.ticked_s += period_s
            self.ranking.tick(self.ticked_s)

    def _admit(self, now: float) -> None:
        while self.arrived < self.workload.jobs and self.workload.submit_s[self.arrived] <= now:
            self.waiting.append(self.arrived)
            self.ranking.submitted(self.arrived, now)
            self.arrived += 1

    def _carry_out(self, decision: Decision, now: float) -> None:
        for place in decision.place:
            job = place.job
            self.start_s[job] = now
            self.host[self.first_task[job] : self.first_task[job + 1]] = place.hosts
            for host in place.hosts:
                self.free[host] -= self.workload.demand[job]
            slowest = self._slowest(place.hosts)
            self.running[job] = now + float(self.workload.expected_s[job]) / slowest
            heapq.heappush(self.ends, (now + float(self.workload.runtime_s[job]) / slowest, job))
            self.ranking.started(job, now)
        started = {place.job for place in decision.place}
        self.waiting = [job for job in self.waiting if job not in started]
        self.last_host = decision.last_host
        self.promises = dict(decision.promises)
        self.early_end = False
        self.wake_s = decision.wake_s

    def _slowest(self, hosts: tuple[int, ...]) -> float:
        assert self.cluster.speed is not None
        return float(self.cluster.speed[list(hosts)].min())

    def _snapshot(self, now: float) -> Snapshot:
        jobs = np.array(self.waiting, dtype=np.int64)
        need = self.ranking.need(jobs)
        return Snapshot(
            now, self.cluster, self.free.copy(), self._queue(jobs, now), self._busy(), self.last_host, self.seed,
            need=need, promises=self.promises, early_end=self.early_end, as_pool=self.as_pool,
        )  # fmt: skip

    def _queue(self, jobs: Longs, now: float) -> Queue:
        work = self.workload
        return Queue(
            jobs, work.demand[jobs], work.task_count[jobs], work.expected_s[jobs], work.projects[jobs],
            self.first_task[jobs], rank=self.ranking.ranks(jobs, now),
        )  # fmt: skip

    def _busy(self) -> Running:
        tasks = [(job, t) for job in self.running for t in range(self.first_task[job], self.first_task[job + 1])]
        owner = np.array([job for job, _ in tasks], dtype=np.int64)
        ends = np.array([self.running[job] for job, _ in tasks], float)
        hosts = self.host[[task for _, task in tasks]]
        return Running(owner, hosts, self.workload.demand[owner], ends, self.workload.projects[owner])
