"""Jobs on virtual machines in plain Python: every event computes all speeds again."""

import math

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.sharing.equilibrium import settle, settle_without_redistribution
from loadmaster.sharing.model import stuck
from loadmaster.sharing.vm_choice import VM_CHOICES, VmBoard, speed_at_first
from loadmaster.sim.timeshared.problem import Progress
from loadmaster.sim.vms.problem import VmProblem, VmRun


def replay_vms(problem: VmProblem, progress: Progress | None = None) -> VmRun:
    """Make the run, one event after another; of events at one moment ends come first (`ranking` is incremental)."""
    run = _Run(problem)
    while len(run.ended) < problem.workload.jobs:
        run.step()
        if progress is not None:
            progress(len(run.ended), problem.workload.jobs)
    return VmRun(
        run.start_s,
        run.end_s,
        run.busy_s,
        run.work_s,
        run.full_s,
        run.full_work_s,
        2 * problem.workload.jobs,
        run.rounds,
        run.unsettled,
    )


class _Run:
    def __init__(self, problem: VmProblem) -> None:
        jobs = problem.workload.jobs
        self.problem, self.vms = problem, problem.vms
        self.tasks = problem.workload.task_count
        self.asks, self.task_work_s = problem.asks, problem.work_s
        self.expected_s, self.expected_work_s = problem.expected_s, problem.expected_work_s
        self.now = float(problem.workload.submit_s[0]) if jobs else 0.0
        self.job = np.full(self.vms.count, -1)
        self.speed = np.zeros(self.vms.count)
        self.left = self.task_work_s.copy()  # CPU seconds of each task
        self.start_s, self.end_s = np.full(jobs, np.nan), np.full(jobs, np.nan)
        self.waiting: list[int] = []
        self.ended: set[int] = set()
        self.arrived = 0
        self.rounds = self.unsettled = 0
        self.busy_s = self.work_s = self.full_s = self.full_work_s = 0.0

    def step(self) -> None:
        submit = self.problem.workload.submit_s
        running = self.running()
        ends = {job: self.now + max(self.left[job], 0.0) / self.speed_of(job) for job in running}
        ending = min(ends, key=lambda job: (ends[job], job), default=-1)
        arrival = float(submit[self.arrived]) if self.arrived < len(submit) else math.inf
        then = min(ends.get(ending, math.inf), arrival)
        self.pass_time(then)
        if ends.get(ending, math.inf) <= arrival:
            self.end_s[ending] = then
            self.ended.add(ending)
            self.job[self.job == ending] = -1
            self.settle()
        else:
            self.waiting.append(self.arrived)
            self.arrived += 1
        self.schedule()

    def running(self) -> list[int]:
        return [int(job) for job in np.unique(self.job[self.job >= 0])]

    def speed_of(self, job: int) -> float:
        return float(self.speed[self.job == job][0])

    def pass_time(self, then: float) -> None:
        seconds, used = then - self.now, float(self.speed.sum())
        for job in self.running():
            self.left[job] -= self.speed_of(job) * seconds
        first = self.vms.first
        full = all((self.job[first[p] : first[p + 1]] >= 0).any() for p in range(self.vms.machines))
        self.busy_s += seconds
        self.work_s += used * seconds
        self.full_s += seconds * full
        self.full_work_s += used * seconds * full
        self.now = then

    def settle(self) -> None:
        if self.problem.redistribute:
            problem, asks = self.problem, self.wanted()
            found = settle(self.vms, self.job, self.speed, problem.tolerance, problem.most_rounds, asks)
            self.speed = found.speed
            self.rounds += found.rounds
            self.unsettled += not found.settled
        else:
            self.speed = settle_without_redistribution(self.vms, self.job, self.wanted())
        if not (self.speed[self.job >= 0] > 0.0).all():
            raise stuck(self.vms.sharing.name)

    def wanted(self) -> Floats:
        """float64[V]: cores that the task on each VM can use, no limit where idle."""
        return np.where(self.job >= 0, self.asks[self.job], np.inf)

    def start(self, job: int) -> None:
        self.job[self.choose(job)] = job
        self.start_s[job] = self.now
        self.speed[self.job == job] = 0.0
        self.settle()

    def board(self, job: int) -> VmBoard:
        demand = self.speed / self.vms.speed[self.vms.machine]
        return VmBoard(self.vms, demand, self.job >= 0, self.wanted(), float(self.asks[job]))

    def choose(self, job: int) -> list[int]:
        return VM_CHOICES[self.problem.choice][0](self.board(job), int(self.tasks[job]))

    def schedule(self) -> None:
        """FCFS; then jobs that do not delay the first waiting one overtake it (EASY; rule V5)."""
        while self.waiting and self.tasks[self.waiting[0]] <= self.idle():
            self.start(self.waiting.pop(0))
        if not self.waiting or not self.problem.backfill:
            return
        shadow, extra = self.reservation(int(self.tasks[self.waiting[0]]))
        for job in self.waiting[1:]:
            tasks = int(self.tasks[job])
            runtime = float(self.expected_s[job])
            if self.problem.estimate == "rate" and extra < tasks <= self.idle():
                runtime = float(self.expected_work_s[job]) / speed_at_first(self.board(job), self.choose(job))
            ends_before = self.now + runtime <= shadow
            if tasks <= self.idle() and (ends_before or tasks <= extra):
                self.waiting.remove(job)
                self.start(job)
                if not ends_before:
                    extra -= tasks

    def idle(self) -> int:
        return int((self.job < 0).sum())

    def reservation(self, tasks: int) -> tuple[float, int]:
        """When so many VMs will be idle at the present speeds, and how many more than needed are then."""
        free = self.idle()
        ends = sorted((self.now + self.expected_left(job) / self.speed_of(job), job) for job in self.running())
        for end, job in ends:
            free += int(self.tasks[job])
            if free >= tasks:
                return end, free - tasks
        return math.inf, 0

    def expected_left(self, job: int) -> float:
        """CPU seconds of each task that are still to come, as far as one knows."""
        done = self.task_work_s[job] - self.left[job]
        return max(float(self.expected_work_s[job] - done), 0.0)
