"""Dynamic fractional scheduling in plain Python: the specification of the compiled engine, to the bit."""

import math

import numpy as np

from loadmaster.model.arrays import Floats, Ints, Longs
from loadmaster.scheduling.fractional import FractionalJob, FractionalView
from loadmaster.sharing.model import divided, stuck
from loadmaster.sim.fractional.problem import FractionalProblem, FractionalRun
from loadmaster.sim.timeshared.problem import Progress


def replay_fractional(problem: FractionalProblem, progress: Progress | None = None) -> FractionalRun:
    """Make the run, one moment after another."""
    run = _Run(problem)
    while run.step():
        if progress is not None:
            progress(run.ended, problem.workload.jobs)
    moved = [*run.moved_in.values(), 0.0]
    return FractionalRun(
        run.start_s,
        run.end_s,
        run.last_host,
        run.moves,
        sum(moved),
        max(moved),
        run.least_yield,
        run.events,
    )


class _Run:
    """The state of one run.

    A job's work left is brought up to date only when its rate changes, and a host's load is the sum over its tasks in
    the order in which they came there, so that no rounding depends on how often one looks.
    """

    def __init__(self, problem: FractionalProblem) -> None:
        workload, cluster = problem.workload, problem.cluster
        self.problem, self.workload, self.policy = problem, workload, problem.policy
        self.owner = np.repeat(np.arange(workload.jobs), workload.task_count)
        self.first = workload.first_task
        self.need, self.seen = workload.demand[:, 0], problem.seen
        self.capacity, self.kind = cluster.capacity, problem.kind
        assert cluster.speed is not None
        self.speed = cluster.speed
        self.pause_s = problem.migration.of(workload.demand)
        self.residents: list[list[int]] = [[] for _ in range(cluster.hosts)]
        self.host = np.full(len(self.owner), -1, np.int32)
        self.last_host = self.host.copy()
        self.left, self.since_s = workload.runtime_s.copy(), np.zeros(workload.jobs)
        self.rate = np.zeros(workload.jobs)
        self.start_s, self.end_s = np.full(workload.jobs, np.nan), np.full(workload.jobs, np.nan)
        self.standing: dict[int, float] = {}  # job -> when its memory has travelled
        self.running: set[int] = set()
        self.waiting: list[int] = []
        self.tried = 0  # so many of the first that wait found no room, and nothing has become free since
        self.now, self.arrived, self.ended = 0.0, 0, 0
        self.moves, self.moved_in = np.zeros(workload.jobs, np.int64), {}  # type: ignore[var-annotated]
        self.least_yield, self.events = 1.0, 0

    def step(self) -> bool:
        """Go to the next moment at which anything happens; False when all jobs have ended or been refused."""
        submit_s = self.workload.submit_s
        arrival = float(submit_s[self.arrived]) if self.arrived < len(submit_s) else math.inf
        ends = {job: self._end_of(job) for job in self.running if job not in self.standing}
        period = self._next_period()
        self.now = min(*ends.values(), *self.standing.values(), arrival, period, math.inf)
        if math.isinf(self.now):
            return False
        ending = sorted(job for job, end in ends.items() if end == self.now)
        landing = [job for job, at in self.standing.items() if at == self.now]
        for job in ending:
            self._end(job)
        for job in landing:
            del self.standing[job]
        decide = bool(ending) or arrival == self.now or period == self.now
        self.events += len(ending) + len(landing) + int(period == self.now)
        while self.arrived < len(submit_s) and submit_s[self.arrived] <= self.now:
            self.waiting.append(self.arrived)
            self.arrived += 1
            self.events += 1
        if decide:
            may_repack = self.policy.repack == "events" or (self.policy.repack == "periods" and period == self.now)
            if ending or (may_repack and period == self.now):
                self.tried = 0
            self._admit(may_repack)
            if may_repack and self.running:
                self._improve()
        self._set_rates()
        return True

    def _end_of(self, job: int) -> float:
        return self.since_s[job] + max(self.left[job], 0.0) / self.rate[job] if self.rate[job] > 0 else math.inf

    def _next_period(self) -> float:
        if self.policy.repack != "periods" or not (self.running or self.waiting):
            return math.inf
        period = math.floor(self.now / self.policy.period_s)
        while period * self.policy.period_s <= self.now:
            period += 1
        return period * self.policy.period_s

    def _end(self, job: int) -> None:
        self.end_s[job] = self.now
        self.ended += 1
        self.running.remove(job)
        for task in self._tasks(job):
            self._leave(task)

    def _admit(self, may_repack: bool) -> None:
        """Start those that find room, in the order of arrival; for the first without it everything may be repacked."""
        while True:
            for job in self.waiting[self.tried :]:
                if self.tried > self.policy.lookahead:
                    break
                hosts = self.policy.hosts_for(self._view(), self._ask(job))
                if hosts is None and may_repack and self.tried == 0 and self._could_fit(job):
                    hosts = self._make_room(job)
                if hosts is None:
                    self.tried += 1
                else:
                    self._start(job, hosts)
            if self.running or not self.waiting:
                return
            self.waiting.pop(0)  # even an empty cluster cannot hold it: refused, its times stay NaN
            self.ended += 1
            self.tried = 0

    def _could_fit(self, job: int) -> bool:
        """Whether all hosts together have room for it, however the tasks lie."""
        used = [sum(column) for column in self._loads(self.seen).T.tolist()]
        there = [sum(column) for column in self.capacity.T.tolist()]
        there[0] *= self.policy.most_load
        asked = self._ask(job).tasks * self.seen[job]
        return all(have + more <= most for have, more, most in zip(used, asked, there, strict=True))

    def _make_room(self, job: int) -> Ints | None:
        found = self.policy.room_for(self._view(), self._ask(job))
        if found is None:
            return None
        self._move(found[0])
        return found[1]

    def _improve(self) -> None:
        if (self._loads(self.seen)[:, 0] > self.capacity[:, 0]).any():
            self._move(self.policy.improved(self._view()))

    def _start(self, job: int, hosts: Ints) -> None:
        self.waiting.remove(job)
        self.running.add(job)
        self.start_s[job] = self.since_s[job] = self.now
        for task, host in zip(self._tasks(job), hosts, strict=True):
            self._come(task, int(host))

    def _move(self, after: Ints) -> None:
        """The tasks that run go to `after`; jobs with a task that moves stand still for a while."""
        tasks = np.flatnonzero(self.host >= 0)
        moving = self.host[tasks] != after
        interval = math.floor(self.now / self.policy.budget_interval_s)
        self.moved_in[interval] = self.moved_in.get(interval, 0.0) + float(self._cost(tasks)[moving].sum())
        for task in tasks[moving]:
            self._leave(task)
        for task, host in zip(tasks[moving], after[moving], strict=True):
            self._come(task, int(host))
            job = int(self.owner[task])
            if self.start_s[job] < self.now:  # else it has not run yet
                self.moves[job] += 1
                if self.pause_s[job] > 0:
                    self.standing[job] = self.now + float(self.pause_s[job])
        if moving.any():
            self.tried = 0

    def _come(self, task: int, host: int) -> None:
        self.host[task] = self.last_host[task] = host
        self.residents[host].append(task)

    def _leave(self, task: int) -> None:
        self.residents[self.host[task]].remove(task)
        self.host[task] = -1

    def _set_rates(self) -> None:
        """Every job goes at the least yield x speed of its tasks; a job whose memory travels stands still."""
        pace = np.zeros(len(self.owner))
        for host, tasks in enumerate(self.residents):
            if tasks:
                demand = self.workload.demand[self.owner[tasks]]
                yields = divided(self.problem.sharing, demand, self.capacity[host])
                self.least_yield = min(self.least_yield, float(yields.min()))
                pace[tasks] = yields * self.speed[host]
        for job in self.running:
            rate = 0.0 if job in self.standing else min(pace[task] for task in self._tasks(job))
            if rate != self.rate[job]:
                self.left[job] -= self.rate[job] * (self.now - self.since_s[job])
                self.since_s[job], self.rate[job] = self.now, rate
        if self.running and not self.standing and not any(self.rate[job] > 0.0 for job in self.running):
            raise stuck(self.problem.sharing.name)

    def _view(self) -> FractionalView:
        interval = math.floor(self.now / self.policy.budget_interval_s)
        tasks = np.flatnonzero(self.host >= 0)
        demand, loads = self.seen[self.owner[tasks]], self._loads(self.seen)
        return FractionalView(
            self.host[tasks],
            demand[:, 0],
            demand[:, 1:],
            self._cost(tasks),
            loads[:, 0],
            loads[:, 1:],
            self.capacity[:, 0],
            self.capacity[:, 1:],
            self.speed,
            self.kind,
            self.policy.budget - self.moved_in.get(interval, 0.0),
        )

    def _loads(self, demand: Floats) -> Floats:
        """float64[H, R]: what the tasks of each host request by `demand` float64[J, R]."""
        loads = np.zeros_like(self.capacity)
        for host, tasks in enumerate(self.residents):
            for task in tasks:
                loads[host] += demand[self.owner[task]]
        return loads

    def _ask(self, job: int) -> FractionalJob:
        return FractionalJob(int(self.workload.task_count[job]), float(self.seen[job, 0]), self.seen[job, 1:])

    def _cost(self, tasks: Longs) -> Floats:
        """float64[N]: the memory that travels if a task moves; none for a job that starts now."""
        job = self.owner[tasks]
        memory = self.seen[job, 1] if self.seen.shape[1] > 1 else np.zeros(len(job))
        return np.where(self.start_s[job] < self.now, memory, 0.0)

    def _tasks(self, job: int) -> range:
        return range(self.first[job], self.first[job + 1])
