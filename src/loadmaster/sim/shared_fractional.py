"""Jobs on hosts that give each task a part of the CPU it asks for: dynamic fractional scheduling, event by event."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from loadmaster.model import Cluster, Workload
from loadmaster.model.arrays import Floats, Ints
from loadmaster.move.migration import MigrationCost
from loadmaster.schedule.fractional import Fractional, FractionalView, yields


@dataclass(frozen=True, eq=False)
class FractionalRun:
    """What became of every job.

    Attributes:
        start_s, end_s: float64[J], NaN for jobs that no empty cluster could hold at the least yield.
        host: int32[T], the last host of every task.
        moves: tasks moved; moved_memory: their memory.
        most_moved: the most memory moved within one budget interval.
        least_yield: the least yield that any task ever had.
        mean_yield: work done over work that could have been done at yield 1 while running.
    """

    start_s: Floats
    end_s: Floats
    host: Ints
    moves: int
    moved_memory: float
    most_moved: float
    least_yield: float
    mean_yield: float


@dataclass(frozen=True, eq=False)
class FractionalProblem:
    """One run to make: `runtime_s` is the time that a job takes at yield 1 on hosts of speed 1.

    Attributes:
        told: float64[J, R], the demand that decisions see; None: the truth. CPU is shared by what is really used.
    """

    workload: Workload
    cluster: Cluster
    policy: Fractional = field(default_factory=Fractional)
    migration: MigrationCost = field(default_factory=MigrationCost)
    told: Floats | None = None


def simulate_fractional(
    problem: FractionalProblem, progress: Callable[[int, int], None] | None = None
) -> FractionalRun:
    """Run all jobs of `problem` to their end.

    Plain NumPy: an event costs time in proportion to the tasks present, and the packing, which dominates, is
    compiled. All tasks of a job go at the speed of the slowest; what the others leave is not given away.

    Example:
        >>> jobs = Workload.of(submit_s=[0, 0], runtime_s=[60, 60], cores=[4, 4], memory=[1, 1])
        >>> run = simulate_fractional(FractionalProblem(jobs, Cluster.uniform(1, cores=4, memory=4)))
        >>> run.end_s.tolist(), run.least_yield
        ([120.0, 120.0], 0.5)
    """
    run = _Run(problem)
    while run.step():
        if progress is not None:
            progress(run.ended, problem.workload.jobs)
    moved = [*run.moved_in.values(), 0.0]
    mean = run.work_done / run.work_possible if run.work_possible > 0 else 1.0
    return FractionalRun(
        run.start_s, run.end_s, run.last_host, run.moves, sum(moved), max(moved), run.least_yield, mean
    )


class _Run:
    def __init__(self, problem: FractionalProblem) -> None:
        workload, cluster = problem.workload, problem.cluster
        self.problem, self.workload, self.policy = problem, workload, problem.policy
        self.owner = np.repeat(np.arange(workload.jobs), workload.task_count)
        self.first = workload.first_task
        demand = workload.demand[self.owner]
        seen = demand if problem.told is None else problem.told[self.owner]
        self.need, self.seen, self.rigid = demand[:, 0], seen[:, 0], seen[:, 1:]
        self.cores, self.others = cluster.capacity[:, 0].copy(), cluster.capacity[:, 1:].copy()
        assert cluster.speed is not None
        self.speed = cluster.speed
        rows = np.column_stack((cluster.capacity, self.speed))
        self.kind = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int32)
        self.pause_s = problem.migration.of(workload.demand)
        self.host = np.full(len(self.owner), -1, np.int32)
        self.last_host = self.host.copy()
        self.left = workload.runtime_s.copy()
        self.start_s, self.end_s = np.full(workload.jobs, np.nan), np.full(workload.jobs, np.nan)
        self.standing: dict[int, float] = {}  # job -> when its memory has travelled
        self.running: list[int] = []
        self.waiting: list[int] = []
        self.rates = np.zeros(0)
        self.now, self.arrived, self.ended, self.period = 0.0, 0, 0, 1
        self.moves, self.moved_in = 0, {}  # type: int, dict[int, float]
        self.least_yield, self.work_done, self.work_possible = 1.0, 0.0, 0.0

    def step(self) -> bool:
        """Go to the next event; False when all jobs have ended or been refused."""
        workload = self.workload
        arrival = float(workload.submit_s[self.arrived]) if self.arrived < workload.jobs else math.inf
        with np.errstate(divide="ignore"):
            ends = self.now + np.maximum(self.left[self.running], 0.0) / self.rates
        end = float(ends.min(initial=math.inf))
        landing = min(self.standing.values(), default=math.inf)
        period = self._next_period()
        then = min(end, landing, arrival, period)
        if math.isinf(then):
            return False
        self._pass_time(then)
        if end == then:
            self._end(self.running[int(np.argmin(ends))])
        elif landing == then:
            self.standing = {job: at for job, at in self.standing.items() if at > then}
        elif arrival == then:
            self.waiting.append(self.arrived)
            self.arrived += 1
        if landing != then or end == then:
            self._decide(period=end != then and arrival != then)
        self._set_rates()
        return True

    def _next_period(self) -> float:
        if self.policy.repack != "periods" or not (self.running or self.waiting):
            return math.inf
        while self.period * self.policy.period_s <= self.now:
            self.period += 1
        return self.period * self.policy.period_s

    def _pass_time(self, then: float) -> None:
        done = self.rates * (then - self.now)
        self.left[self.running] -= done
        self.work_done += float(done.sum())
        self.work_possible += len(self.running) * (then - self.now)
        self.now = then

    def _end(self, job: int) -> None:
        self.end_s[job] = self.now
        self.ended += 1
        self.running.remove(job)
        self.host[self.first[job] : self.first[job + 1]] = -1

    def _view(self, cpu: Floats) -> FractionalView:
        interval = int(self.now // self.policy.budget_interval_s)
        return FractionalView(
            self.host, np.flatnonzero(self.host >= 0),
            [np.arange(self.first[job], self.first[job + 1]) for job in self.waiting], cpu, self.rigid, self.cores,
            self.others, self.kind, self.policy.budget - self.moved_in.get(interval, 0.0),
        )  # fmt: skip

    def _decide(self, period: bool) -> None:
        before = self.host.copy()
        after = self.policy.decide(self._view(self.seen), period)
        moved = np.flatnonzero((before >= 0) & (after != before))
        self.host = after
        for job in [job for job in self.waiting if after[self.first[job]] >= 0]:
            self.waiting.remove(job)
            self.running.append(job)
            self.start_s[job] = self.now
        if not self.running and self.waiting:
            self.ended += 1
            self.waiting.pop(0)  # even an empty cluster cannot hold it: refused, its times stay NaN
            self._decide(period)
        if len(moved):
            interval = int(self.now // self.policy.budget_interval_s)
            memory = float(self.rigid[moved, 0].sum()) if self.rigid.shape[1] else 0.0
            self.moves += len(moved)
            self.moved_in[interval] = self.moved_in.get(interval, 0.0) + memory
            for job in np.unique(self.owner[moved]):
                if self.pause_s[job] > 0:
                    self.standing[int(job)] = self.now + float(self.pause_s[job])
        self.last_host = np.where(after >= 0, after, self.last_host).astype(np.int32)

    def _set_rates(self) -> None:
        """Every job goes at the least yield x speed of its tasks' hosts; a job whose memory travels stands still."""
        share = yields(self._view(self.need), self.host)
        self.least_yield = min(self.least_yield, float(share.min()))
        if not self.running:
            self.rates = np.zeros(0)
            return
        tasks = np.concatenate([np.arange(self.first[job], self.first[job + 1]) for job in self.running])
        counts = [int(self.first[job + 1] - self.first[job]) for job in self.running]
        starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
        pace = (share * self.speed)[self.host[tasks]]
        self.rates = np.minimum.reduceat(pace, starts)
        for k, job in enumerate(self.running):
            if job in self.standing:
                self.rates[k] = 0.0
