"""Time-shared hosts in plain Python: the specification of the compiled engine, to the bit; runs any sharing model.

A host's clock says how much each of its tasks has done. Everything else is searched for anew at every event.
"""

import math
from functools import partial

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.move.contacts import PICK, contacts_of, draw, order_of_turns
from loadmaster.move.migration import TaskMove
from loadmaster.move.mover import PeriodicMover, TerminationMover, checked_move
from loadmaster.place.policy import Context, rated, read_only
from loadmaster.sharing.host_loads import HostLoads
from loadmaster.sharing.model import divided, stuck
from loadmaster.sharing.processor_sharing import ProcessorSharing
from loadmaster.sim.timeshared.clocks import CommonClock, OwnClocks
from loadmaster.sim.timeshared.problem import Progress, TimesharedProblem, TimesharedRun


class _Run:
    """The state of one run; `step` handles the next event."""

    def __init__(self, problem: TimesharedProblem) -> None:
        workload = problem.workload
        self.problem = problem
        self.owner = problem.owner
        self.tasks = len(self.owner)
        self.demand = workload.demand[self.owner]
        self.seen = problem.demand_seen
        self.pause_s = problem.migration.of(workload.demand)[self.owner]
        self.hosts = HostLoads(problem.cluster, problem.cpu_load)
        self.now = 0.0
        self.left = workload.runtime_s[self.owner].copy()  # work left of a task that waits or travels
        clock = CommonClock if type(problem.sharing) is ProcessorSharing else OwnClocks
        self.clocks: list[CommonClock | OwnClocks] = [clock() for _ in range(problem.cluster.hosts)]
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
        ending = min(self.clocks, key=lambda clock: (clock.due, clock.next_task))
        landing = min(self.landing, key=lambda task: (self.landing[task], task), default=-1)
        submit = self.problem.workload.submit_s
        times = (
            ending.due,
            self.landing.get(landing, math.inf),
            float(submit[self.arrived]) if self.arrived < len(submit) else math.inf,
            self.next_tick(),
        )
        self.now = min(times)
        if math.isinf(self.now):
            raise stuck(self.problem.sharing.name)
        handlers = (lambda: self.end(ending.next_task), lambda: self.land(landing), self.arrive, self.take_turns)
        handlers[times.index(self.now)]()

    def run(self, task: int) -> None:
        """Let `task` run on the host where it is counted."""
        host = int(self.host[task])
        clock = self.clocks[host]
        clock.bring_up(self.now)
        clock.add(task, float(self.left[task]))
        self.change_rates(host)

    def stop(self, task: int) -> None:
        """Stop `task`, remember what it has left, and take it off its host."""
        host = int(self.host[task])
        clock = self.clocks[host]
        clock.bring_up(self.now)
        self.left[task] = clock.remove(task)
        self.hosts.remove(task, host, self.demand[task])
        self.change_rates(host)

    def change_rates(self, host: int) -> None:
        """Something changed on `host`, whose clock has been brought up: its sharing model is asked anew."""
        self.clocks[host].go_at(self.rates(host) if self.clocks[host].is_busy else {})

    def rates(self, host: int) -> dict[int, float]:
        """Seconds of work that each task running on `host` does in a second."""
        hosts, here = self.hosts, self.hosts.residents[host]
        demand = self.demand[here]
        demand[[task in hosts.travelling for task in here], 0] = 0.0  # their memory is there, they do not run
        yields = divided(self.problem.sharing, demand, hosts.capacity[host])
        loss = self.problem.thrash if hosts.overcommitted(host) else 1.0
        speed = float(hosts.speed[host])
        pace = {task: speed * float(part) / loss for task, part in zip(here, yields, strict=True)}
        return {task: rate for task, rate in pace.items() if task not in hosts.travelling}

    def next_tick(self) -> float:
        """The first multiple of the period at or after now that is still to come; none while there is no task."""
        mover = self.problem.method.mover
        nobody = not self.landing and not any(clock.is_busy for clock in self.clocks)
        if not isinstance(mover, PeriodicMover) or nobody:
            return math.inf
        while self.tick * mover.period_s < self.now:
            self.tick += 1
        return self.tick * mover.period_s

    def end(self, task: int) -> None:
        self.stop(task)
        self.end_s[task] = self.now
        self.ended += 1
        self.events += 1
        mover = self.problem.method.mover
        if isinstance(mover, TerminationMover):
            ask = partial(mover.next_move, self.hosts, self.demand, self.load_before)
            while move := checked_move(mover, ask, self.hosts):
                self.migrate(move)

    def land(self, task: int) -> None:
        del self.landing[task]
        self.hosts.travelling.remove(task)
        self.run(task)
        self.events += 1

    def arrive(self) -> None:
        """All tasks of the next job, each placed with those before it already in place."""
        first, last = self.problem.workload.first_task[self.arrived : self.arrived + 2]
        for task in range(first, last):
            host = choose(self.problem, self.hosts, self.seen[self.arrived], task, self.last_host)
            self.put(task, host)
            self.first_host[task] = self.last_host = host
            self.run(task)
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
            turn = partial(mover.turn, hosts, host, contacts, self.demand, pick)
            move = checked_move(mover, turn, hosts, host)
            if move is not None:
                self.migrate(move)
        self.tick += 1

    def migrate(self, move: TaskMove) -> None:
        """The task is counted on its new host at once, and runs there when its memory has travelled."""
        self.stop(move.task)
        self.put(move.task, move.host)
        self.moves[move.task] += 1
        if self.pause_s[move.task] <= 0:
            self.run(move.task)
            return
        self.hosts.travelling.add(move.task)
        self.clocks[move.host].bring_up(self.now)  # its memory fills up at once
        self.change_rates(move.host)
        self.landing[move.task] = self.now + self.pause_s[move.task]

    def put(self, task: int, host: int) -> None:
        self.load_before[task] = self.hosts.relative_load(host)
        self.hosts.add(task, host, self.demand[task])
        self.host[task] = host


def choose(problem: TimesharedProblem, hosts: HostLoads, demand: Floats, task: int, last_host: int) -> int:
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
    scores, demand = [], read_only(demand)
    with np.errstate(all="ignore"):
        for host in candidates:
            context = Context(host, hosts.hosts, last_host, task, problem.seed)
            free, capacity = (read_only(row) for row in seen[host])
            full = bool((free < demand).any())
            scores.append(rated(method.policy, demand, free, capacity, context, may_refuse=full))
    return candidates[scores.index(min(scores))]


def replay_timeshared(problem: TimesharedProblem, progress: Progress | None = None) -> TimesharedRun:
    """Make the run, one event after another."""
    run = _Run(problem)
    while run.ended < run.tasks:
        run.step()
        if progress is not None:
            progress(run.ended, run.tasks)
    return TimesharedRun(run.end_s, run.first_host, run.host, run.moves, run.hosts.scale, run.events)
