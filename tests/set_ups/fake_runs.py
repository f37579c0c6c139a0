"""Live runs on the fake engine, for tests: made logs, a scheduler that looks at what it is shown, a loop that dies."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from loadmaster.live.fake.engine import FakeEngine
from loadmaster.live.fake.fault_injection import FaultRates, ScheduledFault
from loadmaster.live.queue.record import FILE, LiveRecord, lines_of
from loadmaster.live.queue.run_live import run_live
from loadmaster.live.queue.settings import LiveSettings
from loadmaster.live.session.clocks import FakeClock
from loadmaster.live.session.report import Report
from loadmaster.model import Cluster, InputError, Workload
from loadmaster.model.snapshot import Decision, Snapshot
from loadmaster.place import POLICIES
from loadmaster.scheduling import MaxJobs, Scheduler, discipline_named
from loadmaster.sim.queue import looking_ahead

FOUR = Cluster.uniform(4, cores=8, memory=16)


def made_jobs(jobs: int, seed: int, every_s: float = 6.0, longest_s: int = 200) -> Workload:
    """A log that keeps four hosts busy: jobs of one or two tasks, of five users, that expect more than they need."""
    rng = np.random.default_rng(seed)
    runtime_s = rng.integers(5, longest_s, jobs).astype(float)
    return Workload.of(
        submit_s=np.sort(rng.integers(0, max(1, int(jobs * every_s)), jobs)).astype(float),
        runtime_s=runtime_s,
        cores=rng.integers(1, 5, jobs),
        memory=rng.integers(1, 9, jobs),
        tasks=rng.integers(1, 3, jobs),
        estimate_s=runtime_s * rng.choice([1.0, 1.5, 3.0], jobs),
        user=rng.integers(0, 5, jobs),
        project=rng.integers(0, 3, jobs),
    )


def ruled(policy: str = "mix-fit", discipline: str = "easy") -> Scheduler:
    rule = looking_ahead(discipline_named(discipline))
    return Scheduler(MaxJobs() if policy == "max-jobs" else POLICIES[policy], rule)


class Killed(BaseException):
    """The process is gone: nothing of it runs any more."""


@dataclass(frozen=True)
class Looking:
    """A scheduler that sees that nobody is ever given more than there is."""

    rule: Scheduler

    @property
    def discipline(self) -> Any:
        return self.rule.discipline

    def decide(self, snapshot: Snapshot) -> Decision:
        decision = self.rule.decide(snapshot)
        free = snapshot.free.copy()
        assert (free >= 0).all()
        for place in decision.place:
            row = int(np.flatnonzero(snapshot.queue.job == place.job)[0])
            for host in place.hosts:
                free[host] -= snapshot.queue.demand[row]
        assert (free >= 0).all()
        return decision


@dataclass
class Mortal:
    """An engine and a record that work until a stated number of writes and acts, and then never again."""

    engine: FakeEngine
    record: LiveRecord
    steps: float = float("inf")
    torn: bool = False
    name: str = "fake"
    can: Any = FakeEngine.can
    dead: bool = field(default=False)

    def observe(self) -> Any:
        self._live(0)
        return self.engine.observe()

    def act(self, action: Any) -> Any:
        self._live(1)
        done = self.engine.act(action)
        self._live(1)  # it may die before it learns of the answer
        assert (self.engine.free >= 0).all()
        return done

    def close(self) -> None: ...

    def lines(self) -> Any:
        return self.record.lines()

    def append(self, lines: Any) -> None:
        self._live(1)
        self.record.append(lines)

    def _live(self, cost: int) -> None:
        self.steps -= cost
        if self.steps < 0:
            self.dead = True
            if self.torn:
                with (self.record.folder / FILE).open("a") as file:
                    file.write('{"cycle": 12.0, "se')
                self.torn = False
            raise Killed


@dataclass
class Run:
    """A live run that is over."""

    engine: FakeEngine
    clock: FakeClock
    folder: Path
    scheduler: Any
    report: Report | None = None

    @property
    def starts(self) -> dict[str, tuple[float, tuple[str, ...]]]:
        """By job, the last cycle in which it was asked to start, and where."""
        found = {}
        for line in lines_of(self.folder):
            for each in line.get("passes", ()):
                found |= {name: (line["cycle"], tuple(hosts)) for name, hosts, _ in each["starts"]}
        return found

    def ends_well(self) -> None:
        """Whoever came is over some day, with nobody looking, and has run once for each life of its hosts."""
        self.engine.run_out(1e5)
        assert set(self.engine.over) == set(self.engine.ids)
        ran = [count for name, count in self.engine.ran.items() if self.engine.over[name][1] != "cancelled"]
        assert min(ran, default=1) >= 1
        assert sum(max(0, count - 1) for count in self.engine.ran.values()) <= self.engine.requeued


def drive(
    folder: Path,
    workload: Workload,
    cluster: Cluster = FOUR,
    *,
    rates: str = "",
    faults: tuple[ScheduledFault, ...] = (),
    scheduler: Any = None,
    seed: int = 0,
    deaths: tuple[int, ...] = (),
    torn: bool = False,
    strange: dict[str, str] | None = None,
    clock: FakeClock | None = None,
    **settings: Any,
) -> Run:
    """Run `workload` live on the fake engine, dying after each of `deaths` writes and acts and beginning again."""
    clock = clock or FakeClock()
    engine = FakeEngine(workload, cluster, clock, rates=FaultRates.of(rates), faults=faults, seed=seed, strange=strange)
    run = Run(engine, clock, folder, scheduler or Looking(ruled()))
    behave = LiveSettings(**({"interval_s": 5.0, "for_s": workload.span_s + 500.0} | settings))
    for steps in (*deaths, float("inf")):
        record = LiveRecord(folder)
        mortal = Mortal(engine, record, steps, torn)
        try:
            run.report = run_live(mortal, clock, run.scheduler, behave, mortal)  # type: ignore[arg-type]
        except Killed:
            continue
        finally:
            record.close()
        return run
    return run


@dataclass(frozen=True)
class Failing:
    """A rule that raises, or gives up its time, from a stated moment on."""

    from_s: float
    until_s: float = math.inf
    took_s: float = 0.0
    clock: Any = None
    discipline: Any = ruled().discipline

    def decide(self, snapshot: Any) -> Any:
        if self.from_s <= snapshot.now_s < self.until_s:
            if not self.took_s:
                raise InputError("my_rule", "a rate must be a number")
            self.clock.sleep_until(self.clock.now_s() + self.took_s)
        return ruled().decide(snapshot)


def one_job(**columns: Any) -> Workload:
    return Workload.of(**({"submit_s": [0.0], "runtime_s": [50.0], "cores": [4], "memory": [4]} | columns))


@contextmanager
def disk_of_this_process() -> Iterator[None]:
    """What dies here is never the machine, so nothing need wait for a disk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda file: None)
        yield
