"""An engine that is none: a cluster in memory with a clock of its own, on which policies and the loop are tried.

It does what real engines do wrong: jobs go while they are being placed, listings are old, nodes die with what runs on
them, the engine restarts and has forgotten, others meddle.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from loadmaster.live.clocks import FakeClock
from loadmaster.live.engine import CLAIMED, HELD, NOWHERE, RUNNING, Can, EngineDown, Over, Refusal, Seen, Tasks
from loadmaster.live.trouble import Rates, Trick
from loadmaster.model import Cluster, Constraints, Workload
from loadmaster.model.actions import Action, Hold, Repin, Start, Withdraw
from loadmaster.model.arrays import Floats
from loadmaster.model.constraints import STATUSES

_DEAD_S = 300.0
_REMEMBERED_S = 300.0
"""For how long the fake knows of a job that is over; Slurm does for as long."""


@dataclass
class _Job:
    state: int = HELD
    pin: tuple[int, ...] = ()
    host: tuple[int, ...] = ()
    start_s: float = math.nan
    end_s: float = math.inf
    at_s: float = math.inf  # when a job that has been released starts, if there is room
    ran: int = 0
    free: bool = False  # released without a pin: the fake's own scheduler has it


class FakeEngine:
    """A cluster in memory.

    Attributes:
        requeued: how often a job has lost its host while it ran.
        over: by name, when and how each job ended.
    """

    name = "fake"
    can = Can()

    def __init__(
        self, workload: Workload, cluster: Cluster, clock: FakeClock, *, rates: Rates | None = None,
        tricks: Sequence[Trick] = (), seed: int = 0, launch_s: float = 0.0,
    ) -> None:  # fmt: skip
        """Args:
        workload: jobs that arrive by the clock and run as long as it says.
        cluster: the hosts.
        clock: the fake's own.
        rates: random troubles.
        tricks: troubles at stated times.
        seed: of the random ones.
        launch_s: from being released to running.
        """
        self._work, self._clock = workload, clock
        names = cluster.names or tuple(f"node{host}" for host in range(cluster.hosts))
        self._cluster = Cluster(cluster.resources, cluster.capacity, names, cluster.speed, cluster.rules)
        self._rates, self._rng = rates or Rates(), np.random.default_rng(seed)
        self._tricks = sorted(tricks, key=lambda trick: trick.at_s)
        self._launch_s = launch_s
        self._jobs = [_Job() for _ in range(workload.jobs)]
        self.ids = [str(workload.id_of(job)) for job in range(workload.jobs)]
        self._number = {name: job for job, name in enumerate(self.ids)}
        self._dead_until = np.full(cluster.hosts, -math.inf)
        self._token = 0
        self._last: Seen | None = None
        self.over: dict[str, tuple[float, str]] = {}
        self._told: list[Over] = []
        self.requeued = 0

    @property
    def ran(self) -> dict[str, int]:
        """By name, how often each job has begun to run."""
        return {name: job.ran for name, job in zip(self.ids, self._jobs, strict=True)}

    @property
    def free(self) -> Floats:
        """float64[H, R]: what is free now, in truth."""
        free = np.array(self._cluster.capacity)
        for job in self._running():
            for host in self._jobs[job].host:
                free[host] -= self._work.demand[job]
        return free

    def observe(self) -> Seen:
        """See `Engine`."""
        self._pass_time()
        if self._spoiled("slow"):
            self._clock.sleep_until(self._clock.now_s() + 2.0)
            self._pass_time()
        if self._spoiled("down"):
            raise EngineDown("connection refused")
        if self._spoiled("stale") and self._last is not None:
            return self._last
        self._last = self._listing()
        return self._last

    def act(self, action: Action) -> Refusal | None:
        """See `Engine`."""
        self._pass_time()
        name = getattr(action, "id", "")
        job = self._number.get(name)
        if job is None or name in self.over or self._work.submit_s[job] > self._clock.now_s():
            return Refusal(action, "gone", "no such job")
        if self._spoiled("down"):
            raise EngineDown("connection refused")
        for trouble, text in (("denied", "permission denied"), ("busy", "try again")):
            if self._spoiled(trouble):
                return Refusal(action, trouble, text)  # type: ignore[arg-type]
        if self._spoiled("gone"):
            self._end(job, self._clock.now_s(), "cancelled")
            return Refusal(action, "gone", "job already finished")
        return self._do(action, job)

    def close(self) -> None:
        """See `Engine`."""

    def is_done(self) -> bool:
        """Every job has come and is over."""
        return len(self.over) == len(self.ids)

    def run_out(self, for_s: float, step_s: float = 60.0) -> None:
        """Let time pass without anybody looking, and without trouble."""
        self._rates, self._tricks = Rates(), []
        until_s = self._clock.now_s() + for_s
        while self._clock.now_s() < until_s and len(self.over) < len(self.ids):
            self._clock.sleep_until(self._clock.now_s() + step_s)
            self._pass_time()

    def _do(self, action: Action, number: int) -> Refusal | None:
        job = self._jobs[number]
        if job.state == RUNNING:
            return Refusal(action, "busy", "the job runs")
        match action:
            case Start(_, hosts) | Repin(_, hosts):
                if isinstance(action, Start) and job.state != HELD:
                    return Refusal(action, "busy", "the job is not held")
                rows = tuple(self._cluster.names.index(host) for host in hosts)
                late = math.inf if self._spoiled("stuck") else self._clock.now_s() + self._launch_s
                job.state, job.pin, job.at_s, job.free = CLAIMED, rows, late, False
            case Hold():
                job.state, job.pin, job.free = HELD, (), False
            case Withdraw():
                job.state, job.pin, job.free, job.at_s = CLAIMED, (), True, self._clock.now_s()
            case _:
                return Refusal(action, "unknown", "a fake cannot do that")
        self._pass_time()
        return None

    def _spoiled(self, trouble: str) -> bool:
        if self._tricks and self._tricks[0].trouble == trouble and self._tricks[0].at_s <= self._clock.now_s():
            self._tricks.pop(0)
            return True
        rate = getattr(self._rates, trouble)
        return bool(rate and self._rng.random() < rate)

    def _pass_time(self) -> None:
        """All that happens up to now, moment by moment; then troubles that come by themselves."""
        while True:
            now_s = self._clock.now_s()
            ends = [(self._jobs[job].end_s, job) for job in self._running()]
            end_s, first = min(ends, default=(math.inf, -1))
            if end_s > now_s:
                break
            self._start_what_can(end_s)
            self._end(first, end_s, STATUSES[self._status(first)])
            self._start_what_can(end_s)
        self._start_what_can(self._clock.now_s())
        self._mischief()

    def _mischief(self) -> None:
        names = self._cluster.names
        if self._spoiled("restart"):
            self._token += 1
            for job in self._jobs:
                if job.state == CLAIMED and not job.free:
                    job.state, job.pin = HELD, ()
        named = self._tricks[0].what if self._tricks else ""
        if self._spoiled("dead"):
            self.kill_host(names.index(named) if named in names else int(self._rng.integers(self._cluster.hosts)))
        if self._spoiled("meddle"):
            held = [job for job in self._here() if self._jobs[job].state == HELD]
            if held:
                job = self._jobs[int(self._rng.choice(held))]
                job.state, job.free, job.at_s = CLAIMED, True, self._clock.now_s()
                self._start_what_can(self._clock.now_s())

    def kill_host(self, host: int, for_s: float = _DEAD_S) -> None:
        """A host dies: what runs there is requeued, released and pinned to it, as Slurm does."""
        self._dead_until[host] = self._clock.now_s() + for_s
        for number in self._running():
            job = self._jobs[number]
            if host in job.host:
                self.requeued += 1
                job.state, job.pin, job.host = CLAIMED, job.host, ()
                job.start_s, job.end_s, job.at_s = math.nan, math.inf, self._clock.now_s()

    def _start_what_can(self, now_s: float) -> None:
        for number in self._here():
            job = self._jobs[number]
            if job.state != CLAIMED or job.at_s > now_s:
                continue
            hosts = self._first_fit(number) if job.free else job.pin
            if hosts and self._has_room(number, hosts, now_s):
                begin_s = max(job.at_s, self._work.submit_s[number])
                begin_s = now_s if begin_s < now_s else begin_s
                assert self._cluster.speed is not None
                runs_s = self._work.runtime_s[number] / self._cluster.speed[list(hosts)].min()
                job.state, job.host, job.start_s, job.end_s = RUNNING, hosts, begin_s, begin_s + runs_s
                job.ran += 1

    def _first_fit(self, number: int) -> tuple[int, ...]:
        free, hosts = self.free, []
        for _ in range(int(self._work.task_count[number])):
            fits = (free >= self._work.demand[number]).all(axis=1) & (self._dead_until <= self._clock.now_s())
            if not fits.any():
                return ()
            hosts.append(int(np.argmax(fits)))
            free[hosts[-1]] -= self._work.demand[number]
        return tuple(hosts)

    def _has_room(self, number: int, hosts: tuple[int, ...], now_s: float) -> bool:
        free = self.free
        for host in hosts:
            free[host] -= self._work.demand[number]
        return bool((free[list(hosts)] >= 0).all()) and all(self._dead_until[host] <= now_s for host in hosts)

    def _end(self, number: int, end_s: float, status: str) -> None:
        self._jobs[number].state, self._jobs[number].host = -1, ()
        self.over[self.ids[number]] = (end_s, status)
        self._told.append(Over(self.ids[number], end_s, status))

    def _status(self, number: int) -> int:
        bound = self._work.constraints
        return 0 if bound is None or bound.status is None else int(bound.status[number])

    def _running(self) -> list[int]:
        return [number for number in self._here() if self._jobs[number].state == RUNNING]

    def _here(self) -> list[int]:
        come = int(np.searchsorted(self._work.submit_s, self._clock.now_s(), side="right"))
        return [number for number in range(come) if self.ids[number] not in self.over]

    def _listing(self) -> Seen:
        here = np.array(self._here(), np.int64)
        jobs = self._work.take(here)
        count = jobs.task_count
        mine = [self._jobs[number] for number in here]
        hosts = [host for job, n in zip(mine, count, strict=True) for host in (job.host or (NOWHERE,) * n)]
        pins = [pin for job, n in zip(mine, count, strict=True) for pin in (job.pin or (NOWHERE,) * n)]
        tasks = Tasks(
            np.repeat(np.arange(len(mine)), count), np.array([t for n in count for t in range(n)], np.int32),
            np.repeat(np.array([job.state for job in mine], np.int32), count), np.array(hosts, np.int32),
            np.array(pins, np.int32), start_s=np.repeat(np.array([job.start_s for job in mine], float), count),
        )  # fmt: skip
        self._told = [each for each in self._told if self._clock.now_s() - each.end_s <= _REMEMBERED_S]
        return Seen(
            self._clock.now_s(), self._cluster, self._dead_until <= self._clock.now_s(), self._estimated(jobs),
            tuple(self.ids[number] for number in here), tasks, (), tuple(self._told), str(self._token),
        )  # fmt: skip

    @staticmethod
    def _estimated(jobs: Workload) -> Workload:
        """Nobody may look at how long a job will run: only at what its user expects."""
        bound = jobs.constraints or Constraints()
        return replace(
            jobs, runtime_s=np.maximum(jobs.expected_s, 1e-3), estimate_s=jobs.expected_s,
            constraints=replace(bound, status=None),
        )  # fmt: skip
