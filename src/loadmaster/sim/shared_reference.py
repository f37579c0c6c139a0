"""Time-shared hosts in plain Python: every task's remaining work is brought up to date at every event.

Slow and obvious. The compiled engine keeps one clock a host instead and must come to the same run.
"""

import math

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.move.contacts import PICK, contacts_of, draw, order_of_turns
from loadmaster.move.migration import Move
from loadmaster.move.mover import PeriodicMover, TerminationMover
from loadmaster.place.policy import Context
from loadmaster.share.shared_hosts import SharedHosts
from loadmaster.sim.shared_run import SharedProblem, SharedRun


class _Run:
    """The state of one run; `step` handles the next event."""

    def __init__(self, problem: SharedProblem) -> None:
        workload = problem.workload
        self.problem = problem
        self.owner = problem.owner
        self.tasks = len(self.owner)
        self.demand = workload.demand[self.owner]
        self.seen = problem.demand_seen
        self.pause_s = problem.migration.of(workload.demand)[self.owner]
        self.hosts = SharedHosts(problem.cluster, problem.cpu_load)
        self.now = 0.0
        self.left = workload.runtime_s[self.owner].copy()
        self.running: set[int] = set()
        self.landing: dict[int, float] = {}  # task on its way -> when it gets there
        self.arrived = 0
        self.ended = 0
        self.tick = 1
        self.last_host = -1
        self.host = np.full(self.tasks, -1, np.int32)
        self.first_host = np.full(self.tasks, -1, np.int32)
        self.end_s = np.full(self.tasks, np.nan)
        self.moves = np.zeros(self.tasks, np.int32)
        self.load_before = np.zeros(self.tasks)
        self.events = 0

    def step(self) -> None:
        """Go to the next event: of those at one moment ends come first, then landings, arrivals, the tick."""
        rate = {task: self.rate(int(self.host[task])) for task in sorted(self.running)}
        ends = {task: self.now + max(self.left[task], 0.0) / speed for task, speed in rate.items()}
        ending = min(ends, key=lambda task: (ends[task], task), default=-1)
        landing = min(self.landing, key=lambda task: (self.landing[task], task), default=-1)
        submit = self.problem.workload.submit_s
        times = (
            ends.get(ending, math.inf),
            self.landing.get(landing, math.inf),
            float(submit[self.arrived]) if self.arrived < len(submit) else math.inf,
            self.next_tick(),
        )
        then = min(times)
        for task, speed in rate.items():
            self.left[task] -= speed * (then - self.now)
        self.now = then
        handlers = (lambda: self.end(ending), lambda: self.land(landing), self.arrive, self.take_turns)
        handlers[times.index(then)]()

    def rate(self, host: int) -> float:
        load = sum(self.demand[task, 0] for task in self.hosts.residents[host] if task in self.running)
        hosts = self.hosts
        return self.problem.sharing.rate(
            float(load), float(hosts.cores[host]), float(hosts.speed[host]), hosts.overcommitted(host)
        )

    def next_tick(self) -> float:
        """The first multiple of the period at or after now that is still to come; none while nobody is there."""
        mover = self.problem.method.mover
        if not isinstance(mover, PeriodicMover) or not (self.running or self.landing):
            return math.inf
        while self.tick * mover.period_s < self.now:
            self.tick += 1
        return self.tick * mover.period_s

    def end(self, task: int) -> None:
        self.running.remove(task)
        self.hosts.remove(task, int(self.host[task]), self.demand[task])
        self.end_s[task] = self.now
        self.ended += 1
        self.events += 1
        mover = self.problem.method.mover
        if isinstance(mover, TerminationMover):
            move = mover.next_move(self.hosts, self.demand, self.load_before)
            while move is not None:
                self.migrate(move)
                move = mover.next_move(self.hosts, self.demand, self.load_before)

    def land(self, task: int) -> None:
        del self.landing[task]
        self.hosts.travelling.remove(task)
        self.running.add(task)
        self.events += 1

    def arrive(self) -> None:
        """All tasks of the next job, each placed with those before it already in place."""
        first, last = self.problem.workload.first_task[self.arrived : self.arrived + 2]
        for task in range(first, last):
            host = choose(self.problem, self.hosts, self.seen[self.arrived], task, self.last_host)
            self.put(task, host)
            self.first_host[task] = self.last_host = host
            self.running.add(task)
            self.events += 1
        self.arrived += 1

    def take_turns(self) -> None:
        mover, seed, hosts = self.problem.method.mover, self.problem.seed, self.hosts
        assert isinstance(mover, PeriodicMover)
        for host in order_of_turns(seed, self.tick, hosts.hosts):
            if not hosts.present(host):
                continue
            contacts = contacts_of(seed, self.tick, host, hosts.hosts, mover.fanout)
            pick = draw(seed, self.tick, host, PICK, 1 << 32)
            move = mover.turn(hosts, host, contacts, self.demand, pick)
            if move is not None:
                self.migrate(move)
        self.tick += 1

    def migrate(self, move: Move) -> None:
        """The task is counted on its new host at once, and runs there when its memory has travelled."""
        self.hosts.remove(move.task, int(self.host[move.task]), self.demand[move.task])
        self.put(move.task, move.host)
        self.moves[move.task] += 1
        if self.pause_s[move.task] > 0:
            self.running.remove(move.task)
            self.hosts.travelling.add(move.task)
            self.landing[move.task] = self.now + self.pause_s[move.task]

    def put(self, task: int, host: int) -> None:
        self.load_before[task] = self.hosts.relative_load(host)
        self.hosts.add(task, host, self.demand[task])
        self.host[task] = host


def choose(problem: SharedProblem, hosts: SharedHosts, demand: Floats, task: int, last_host: int) -> int:
    """The lowest rated host among those that come into question, the lowest index among equals."""
    method = problem.method
    seen = [hosts.seen_by_policy(host, method.scaled) for host in range(hosts.hosts)]
    candidates = list(range(hosts.hosts))
    if not method.overcommit:
        room = [free >= demand for free, _ in seen]
        for fits in ([r.all() for r in room], [r[1:].all() for r in room]):
            if any(fits):
                candidates = [host for host in candidates if fits[host]]
                break
    scores = [
        method.policy.rate(demand, *seen[host], Context(host, hosts.hosts, last_host, task, problem.seed))
        for host in candidates
    ]
    return candidates[scores.index(min(scores))]


def replay_shared(problem: SharedProblem) -> SharedRun:
    """Make the run, one event after another."""
    run = _Run(problem)
    while run.ended < run.tasks:
        run.step()
    return SharedRun(run.end_s, run.first_host, run.host, run.moves, run.hosts.scale, run.events)
