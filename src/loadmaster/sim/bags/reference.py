"""The engine for bags of tasks in plain Python, one event after another: the specification of the kernel."""

import heapq
import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Floats, Ints
from loadmaster.sizing import Actions, BagLedger, Event, HostRow, HostType, Sizer, decide
from loadmaster.sizing.endless import check_ends
from loadmaster.sizing.snapshot import Occasion

_FINISH, _READY, _TAKEN, _CLOCK = range(4)
"""What comes first among events of the same time; equal ones go by machine number."""


class BagDecision(NamedTuple):
    """A decision as it was made.

    Attributes:
        time_s: on the run's clock.
        occasion: why.
        actions: what it requested.
        seen: how many events of the run came before it.
    """

    time_s: float
    occasion: Occasion
    actions: Actions
    seen: int


@dataclass(frozen=True, eq=False)
class BagRun:
    """A bag from its first machine to its last task.

    Attributes:
        span_s: until the last task was done.
        work_s: seconds of work of all tasks at speed 1.
        hosts: every machine ever rented.
        cost: money charged.
        end_s: float64[N], when each task was done.
        host: int32[N], the machine that did it.
        reruns: tasks begun again after their machine was lost or stopped, and copies of stragglers.
        events: what happened, in order; `replay_bag` takes it.
        decisions: every decision in order.
    """

    span_s: float
    work_s: float
    hosts: tuple[HostRow, ...]
    cost: float
    end_s: Floats
    host: Ints
    reruns: int
    events: tuple[Event, ...]
    decisions: tuple[BagDecision, ...]

    @property
    def speedup(self) -> float:
        """Seconds of work in one second of the span."""
        return self.work_s / self.span_s

    def units(self, types: tuple[HostType, ...]) -> float:
        """Charged units of all machines."""
        return sum(types[row.type].units(row.released_s - row.rented_s) for row in self.hosts)


@dataclass
class World:
    """What the sizer does not know: how long each task takes, which machines are taken away, which are slow.

    Attributes:
        duration_s: float64[N], seconds of work, in the order in which tasks are handed out.
        types: what can be rented.
        seed: of the interruptions and of the slow starts.
        slow_share: part of all starts of a task that go wrong and take `slow_factor` times as long.
        slow_factor: see there.

    Raises:
        InputError: a task that cannot be expected to end on one of the types (rule Z9).
    """

    duration_s: Floats
    types: tuple[HostType, ...] = (HostType(),)
    seed: int = 0
    slow_share: float = 0.0
    slow_factor: float = 1.0

    def __post_init__(self) -> None:
        check_ends(self.types, float(self.duration_s.max(initial=0.0)))
        self._rng = np.random.default_rng(self.seed)

    def taken_after_s(self, kind: HostType) -> float:
        """How long the provider leaves a machine."""
        if kind.interruptions_per_h == 0:
            return math.inf
        return float(self._rng.exponential(3600.0 / kind.interruptions_per_h))

    def lasts_s(self, task: int, kind: HostType) -> float:
        """Seconds that a start of `task` takes on a machine of type `kind`."""
        slow = self.slow_share > 0 and self._rng.random() < self.slow_share
        return float(self.duration_s[task]) / kind.speed * (self.slow_factor if slow else 1.0)


def run_bag(world: World, sizer: Sizer) -> BagRun:
    """Run a bag to its end (rule Z2): event by event, each asks `decide`.

    Events of the same time: ends of tasks by machine, machines that become ready, machines lost, then the clock.
    """
    run = _Run(world, sizer)
    run.decide("start", 0.0)
    while not run.ledger.complete:
        run.step()
    for host in run.ledger.alive():
        run.note(Event(run.now, "released", host))
    tasks = len(world.duration_s)
    end_s, on = np.zeros(tasks), np.full(tasks, -1, np.int32)
    for event in run.events:
        if event.kind == "finished":
            end_s[event.task], on[event.task] = event.time_s, event.host
    hosts = tuple(sorted(run.ledger.gone, key=lambda row: row.host))
    starts = sum(event.kind == "started" for event in run.events)
    return BagRun(
        run.now,
        float(world.duration_s.sum()),
        hosts,
        sum(row.cost for row in hosts),
        end_s,
        on,
        starts - tasks,
        tuple(run.events),
        tuple(run.decisions),
    )


@dataclass
class _Run:
    world: World
    sizer: Sizer
    now: float = 0.0
    events: list[Event] = field(default_factory=list)
    decisions: list[BagDecision] = field(default_factory=list)
    rented: int = 0
    ticks: int = 1
    agenda: list[tuple[float, int, int, int]] = field(default_factory=list)  # time, kind, machine, token
    token: dict[int, int] = field(default_factory=dict)  # machine -> number of its present start

    def __post_init__(self) -> None:
        self.ledger = BagLedger(self.world.types, len(self.world.duration_s))
        self._wish(self.sizer.tick_s, 0)

    def step(self) -> None:
        """Take the next event off the agenda."""
        self.now, kind, host, token = heapq.heappop(self.agenda)
        if kind == _CLOCK:
            self._look_at_clock(token)
        elif host in self.ledger.alive():
            if kind == _FINISH and token == self.token[host]:
                self._finish(host)
            elif kind == _READY:
                self.note(Event(self.now, "ready", host))
                self.decide("change", self.now)
            elif kind == _TAKEN:
                self.note(Event(self.now, "lost", host))
                self.decide("change", self.now)

    def _look_at_clock(self, token: int) -> None:
        if token == 0:
            self.ticks += 1
            self._wish(self.ticks * self.sizer.tick_s, 0)
            self.decide("tick", self.now)
        elif token == len(self.decisions):  # nothing was decided since that wish
            self.decide("change", self.now)

    def decide(self, occasion: Occasion, now: float) -> None:
        """Ask the sizer and do what it says."""
        actions = decide(self.ledger.snapshot(now, occasion), self.sizer)
        self.decisions.append(BagDecision(now, occasion, actions, len(self.events)))
        self.ledger.memory = actions.memory
        for host in actions.release:
            self.note(Event(now, "released", host))
        for kind, count in actions.rent:
            for _ in range(count):
                self._rent(kind)
        for host in self.ledger.idle():
            if self.ledger.waiting:
                self._start(host, self.ledger.waiting[0])
        for task, host in zip(actions.replicate, self.ledger.idle(), strict=False):
            self._start(host, task)
        self._wish(actions.wake_s, len(self.decisions))

    def note(self, event: Event) -> None:
        """Enter an event into the books."""
        self.ledger.apply(event)
        self.events.append(event)

    def _finish(self, host: int) -> None:
        task = self.ledger.task_on(host)
        self.note(Event(self.now, "finished", host, task))
        for other in self.ledger.hosts_of(task):
            self.note(Event(self.now, "dropped", other, task))
            self.token[other] += 1
        if not self.ledger.complete:
            self.decide("completion", self.now)

    def _rent(self, kind: int) -> None:
        host, boot_s = self.rented, self.world.types[kind].boot_s
        self.rented += 1
        self.token[host] = 0
        self.note(Event(self.now, "rented", host, type=kind))
        taken = self.now + self.world.taken_after_s(self.world.types[kind])
        if taken < math.inf:
            heapq.heappush(self.agenda, (taken, _TAKEN, host, 0))
        if boot_s == 0:
            self.note(Event(self.now, "ready", host))
        else:
            heapq.heappush(self.agenda, (self.now + boot_s, _READY, host, 0))

    def _start(self, host: int, task: int) -> None:
        kind = self.world.types[self.ledger.type_of(host)]
        self.note(Event(self.now, "started", host, task))
        self.token[host] += 1
        heapq.heappush(self.agenda, (self.now + self.world.lasts_s(task, kind), _FINISH, host, self.token[host]))

    def _wish(self, time_s: float, token: int) -> None:
        if time_s < math.inf:
            heapq.heappush(self.agenda, (time_s, _CLOCK, 0, token))


def replay_bag(
    events: tuple[Event, ...], occasions: tuple[BagDecision, ...], ledger: BagLedger, sizer: Sizer
) -> list[BagDecision]:
    """Decide anew at every decision of a recorded run, simulated or real, from its events alone.

    Args:
        events: what happened.
        occasions: when and why decisions were made; their actions are not looked at.
        ledger: an empty book with the run's types and number of tasks.
        sizer: the sizer to ask.

    Returns:
        The decisions that `sizer` makes; equal to the recorded ones if it is the sizer of that run.
    """
    made = []
    at = 0
    for time_s, occasion, seen in [(m.time_s, m.occasion, m.seen) for m in occasions]:
        while at < seen:
            ledger.apply(events[at])
            at += 1
        actions = decide(ledger.snapshot(time_s, occasion), sizer)
        ledger.memory = actions.memory
        made.append(BagDecision(time_s, occasion, actions, seen))
    return made
