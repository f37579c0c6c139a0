"""Machines in memory for tests of bags: rented, booted, taken away, charged; what runs there ends by a made clock."""

import json
import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from loadmaster.live.bag.config import task_folder
from loadmaster.live.session.clocks import FakeClock
from loadmaster.live.session.engine import (
    NOWHERE,
    RUNNING,
    Capabilities,
    EndedJob,
    Observation,
    ObservedTasks,
    Refusal,
)
from loadmaster.model import Cluster, Workload
from loadmaster.model.actions import Release, Rent, Start, Stop
from loadmaster.model.units import UNLIMITED_S
from loadmaster.sizing import HostType


class Waking(FakeClock):
    """A clock that stops wherever something happens: its engine has news then."""

    next_s = staticmethod(lambda: math.inf)

    def sleep_until(self, moment_s):
        super().sleep_until(max(self.now_s(), min(moment_s, self.next_s())))


@dataclass
class Machine:
    rented_s: float
    up_s: float
    taken_s: float
    given_back_s: float = math.inf
    job: str = ""
    end_s: float = math.inf
    over: EndedJob | None = None


@dataclass
class FakeMachines:
    """An engine that rents.

    Attributes:
        clock: of the run.
        folder: where results of attempts go, as real ones do.
        lasts_s: by command, how long each of its attempts runs; the last one for all that follow.
        fails: (command, attempt) that end with exit code 3.
        boot_s: from renting to being up.
        taken_every_s: mean time until a machine is taken away.
        most: machines at the same time.
        ordered: machines requested, rented with the next observation, as Dask's are.
        begun: every attempt, in order.
    """

    clock: Waking
    folder: Path
    lasts_s: dict[int, list[float]]
    fails: frozenset[tuple[int, int]] = frozenset()
    boot_s: float = 1.0
    taken_every_s: float = math.inf
    most: int = 1000
    seed: int = 0
    name: str = "fake-machines"
    can: Capabilities = field(default_factory=lambda: Capabilities(rent=True, hold=False, watch="push"))
    ordered: int = 0
    machines: dict[str, Machine] = field(default_factory=dict)
    begun: list[str] = field(default_factory=list)
    asked: list = field(default_factory=list)

    def __post_init__(self):
        self._rng = np.random.default_rng(self.seed)
        self.clock.next_s = self._next_s

    @property
    def here(self):
        """Machines that are rented and have not been given back."""
        return {name: each for name, each in self.machines.items() if each.given_back_s == math.inf}

    def charged(self, kind: HostType) -> float:
        """What all machines cost until now, or until they were given back or taken away."""
        now_s = self.clock.now_s()
        ends = [(each, min(each.given_back_s, each.taken_s, now_s)) for each in self.machines.values()]
        return sum(kind.cost(end_s - each.rented_s) for each, end_s in ends)

    def observe(self) -> Observation:
        now_s = self._pass_time()
        for _ in range(min(self.ordered, self.most - len(self.here))):
            taken_s = now_s + self._rng.exponential(self.taken_every_s)
            self.machines[f"m{len(self.machines)}"] = Machine(now_s, now_s + self.boot_s, taken_s)
        self.ordered = 0
        gone = {name for name, each in self.here.items() if each.taken_s <= now_s}
        up = {name: each.up_s <= now_s for name, each in self.here.items() if name not in gone}
        row = {name: number for number, name in enumerate(up)}
        busy = [(name, each) for name, each in self.here.items() if each.job and name in row]
        count = len(busy)
        jobs = Workload.of(submit_s=[0.0] * count, runtime_s=[UNLIMITED_S] * count, cores=np.ones(count))
        tasks = ObservedTasks(
            np.arange(count),
            np.zeros(count, np.int32),
            np.full(count, RUNNING, np.int32),
            np.array([row[name] for name, _ in busy], np.int32),
            np.full(count, NOWHERE, np.int32),
        )
        seen = Observation(
            now_s,
            Cluster(jobs.resources, np.ones((len(up), len(jobs.resources))), tuple(up)) if up else None,
            np.array(list(up.values()), bool),
            jobs,
            tuple(each.job for _, each in busy),
            tasks,
            over=tuple(each.over for name, each in self.here.items() if name in row and each.over),
            gone=tuple((name, "it was taken away") for name in gone),
        )
        seen.check()
        return seen

    def act(self, action):
        now_s = self._pass_time()
        self.asked.append(action)
        match action:
            case Rent(_, count):
                self.ordered += count
            case Release(name):
                assert name in self.here
                self.machines[name].given_back_s = now_s
                self.machines[name].job = ""
            case Start(job, (name,)):
                machine = self.here[name]
                if machine.taken_s <= now_s:
                    return Refusal(action, "gone", "no such machine")
                assert not machine.job
                assert machine.up_s <= now_s
                command = int(job.split(".")[0])
                lasts = self.lasts_s[command]
                attempts = sum(each.startswith(f"{command}.") for each in self.begun)
                machine.job, machine.over = job, None
                machine.end_s = now_s + lasts[min(attempts, len(lasts) - 1)]
                self.begun.append(job)
            case Stop(job):
                (machine,) = (each for each in self.here.values() if each.job == job)
                machine.job = ""
        return None

    def close(self): ...

    def _next_s(self):
        moments = [each.end_s if each.job else math.inf for each in self.here.values()]
        moments += [moment for each in self.here.values() for moment in (each.up_s, each.taken_s)]
        return min((moment for moment in moments if moment > self.clock.now_s()), default=math.inf)

    def _pass_time(self):
        now_s = self.clock.now_s()
        for machine in self.here.values():
            if machine.job and machine.end_s <= min(now_s, machine.taken_s):
                command, attempt = map(int, machine.job.split("."))
                code = 3 if (command, attempt) in self.fails else 0
                place = task_folder(self.folder, command, attempt)
                place.mkdir(parents=True, exist_ok=True)
                result = {"command": f"c{command}", "exit_code": code, "seconds": 1.0}
                (place / "result.json").write_text(json.dumps(result))
                machine.over = EndedJob(machine.job, machine.end_s, "failed" if code else "ok", code, 1.0)
                machine.job = ""
        return now_s
