"""The cluster behind the fake engine, in truth: jobs come, are released, start where there is room, run and end."""

import math
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from loadmaster.live.fake.waits import FakeWaits
from loadmaster.live.session.clocks import FakeClock
from loadmaster.live.session.engine import CLAIMED, HELD, RUNNING, EndedJob
from loadmaster.model import Cluster, Workload
from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.constraints import STATUSES

_DEAD_S = 300.0
_GONE = -1


@dataclass
class FakeJob:
    """One job, as it is.

    Attributes:
        state: a code of `session.engine.STATES`; -1 of one that is over.
        pin: the hosts to which it has been pinned.
        host: those on which it runs.
        start_s: when it began.
        end_s: when it will end.
        at_s: when it starts, if it has been released and there is room.
        ran: how often it has begun.
        free: it was released without a pin: the cluster's own scheduler has it.
        unfit: it is held again, as the hosts to which it is pinned cannot serve it.
    """

    state: int = HELD
    pin: tuple[int, ...] = ()
    host: tuple[int, ...] = ()
    start_s: float = math.nan
    end_s: float = math.inf
    at_s: float = math.inf
    ran: int = 0
    free: bool = False
    unfit: bool = False

    def claim(self, pin: tuple[int, ...], at_s: float) -> None:
        """It is pinned and released, and starts then."""
        self.state, self.pin, self.at_s, self.free, self.unfit = CLAIMED, pin, at_s, False, False

    def refuse(self) -> None:
        """It is held again with its pin, as Slurm does where the hosts cannot serve it."""
        self.state, self.unfit = HELD, True

    def hold(self) -> None:
        """It waits, held and without a pin."""
        self.state, self.pin, self.free, self.unfit = HELD, (), False, False

    def hand_over(self, at_s: float) -> None:
        """It is released to the cluster's own scheduler."""
        self.state, self.pin, self.free, self.unfit, self.at_s = CLAIMED, (), True, False, at_s

    def lose_host(self, at_s: float) -> None:
        """Its host died: it waits again, released and pinned to it, as Slurm does."""
        self.state, self.pin, self.host = CLAIMED, self.host, ()
        self.start_s, self.end_s, self.at_s = math.nan, math.inf, at_s

    def begin(self, hosts: tuple[int, ...], start_s: float, end_s: float) -> None:
        """It runs there."""
        self.state, self.host, self.start_s, self.end_s = RUNNING, hosts, start_s, end_s
        self.ran += 1


class FakeCluster:
    """A cluster in memory.

    Attributes:
        work: the jobs, in the order in which they come.
        hosts: the machines, each with a name.
        ids: the names of the jobs.
        jobs: what has become of each.
        waits: what each waits for in others.
        over: by name, when and how each job ended.
        ended: the same, in the order in which they did.
        requeued: how often a job has lost its host while it ran.
    """

    def __init__(
        self, workload: Workload, cluster: Cluster, clock: FakeClock, launch_s: float = 0.0, *, starts: bool = False
    ) -> None:
        """Args:
        workload: jobs that arrive by the clock and run as long as it says.
        cluster: the hosts.
        clock: the time.
        launch_s: from being released to running.
        starts: it starts what waits by itself, by arrival, on the first hosts with room, past those that have none.
        """
        self.work, self._clock, self._launch_s, self._starts = workload, clock, launch_s, starts
        names = cluster.names or tuple(f"node{host}" for host in range(cluster.hosts))
        self.hosts = Cluster(cluster.resources, cluster.capacity, names, cluster.speed, cluster.rules)
        self.ids = unique_names([str(workload.id_of(job)) for job in range(workload.jobs)])
        self.jobs = [FakeJob() for _ in range(workload.jobs)]
        self.waits = FakeWaits(workload, self.hosts, self.ids)
        self.over: dict[str, tuple[float, str]] = {}
        self.ended: list[EndedJob] = []
        self.requeued = 0
        self._come = 0  # jobs that its own scheduler has looked at as they came
        self._dead_until = np.full(cluster.hosts, -math.inf)

    @property
    def now_s(self) -> float:
        """The time by the clock."""
        return self._clock.now_s()

    @property
    def up(self) -> Bools:
        """bool[H]: hosts that live."""
        return np.asarray(self._dead_until <= self.now_s)

    @property
    def free(self) -> Floats:
        """float64[H, R]: what is free now."""
        free = np.array(self.hosts.capacity)
        for job in self._running():
            for host in self.jobs[job].host:
                free[host] -= self.work.demand[job]
        return free

    def here(self) -> list[int]:
        """The jobs that have come and are not over."""
        come = int(np.searchsorted(self.work.submit_s, self.now_s, side="right"))
        return [number for number in range(come) if self.ids[number] not in self.over]

    def is_idle(self) -> bool:
        """Every job has come, and is over or can never start."""
        if len(self.over) == self.work.jobs:
            return True
        here, come = set(self.here()), len(self.over)
        waits = all(self.jobs[number].state == HELD for number in here)
        return waits and len(here) + come == self.work.jobs and self.waits.stuck(here, self.over) == here

    def idle_until(self) -> float:
        """When the next job comes, if none is there; minus infinity while there is one."""
        come = int(np.searchsorted(self.work.submit_s, self.now_s, side="right"))
        return float(self.work.submit_s[come]) if come < self.work.jobs and not self.here() else -math.inf

    def pass_time(self) -> None:
        """All that happens up to now, moment by moment."""
        while True:
            ends = [(self.jobs[job].end_s, job) for job in self._running()]
            end_s, first = min(ends, default=(math.inf, -1))
            if min(end_s, self._comes_s()) > self.now_s:
                break
            if self._comes_s() < end_s:  # its own scheduler looks whenever a job comes
                self._start_what_can(self._comes_s())
                self._come += 1
                continue
            self._start_what_can(end_s)
            self.end(first, end_s, STATUSES[self._status(first)])
            self._start_what_can(end_s)
        self._start_what_can(self.now_s)

    def pin(self, number: int, hosts: tuple[str, ...], *, stuck: bool = False) -> None:
        """A job is pinned there and released; one that is stuck does not start by that."""
        rows = tuple(self.hosts.names.index(host) for host in hosts)
        self.jobs[number].claim(rows, math.inf if stuck else self.now_s + self._launch_s)

    def forget(self, names: Collection[str]) -> None:
        """Pins of what does not run are forgotten, and the job is held again; of `names` also those handed over."""
        for name, job in zip(self.ids, self.jobs, strict=True):
            if job.state == CLAIMED and (not job.free or name in names):
                job.hold()

    def release(self, number: int) -> None:
        """A user releases a held job, and it starts if there is room."""
        self.jobs[number].hand_over(self.now_s)
        self._start_what_can(self.now_s)

    def kill_host(self, host: int, for_s: float = _DEAD_S) -> None:
        """A host dies, and what runs there loses it."""
        self._dead_until[host] = self.now_s + for_s
        for number in self._running():
            if host in self.jobs[number].host:
                self.requeued += 1
                self.jobs[number].lose_host(self.now_s)

    def end(self, number: int, end_s: float, status: str) -> None:
        """A job is over."""
        self.jobs[number].state, self.jobs[number].host = _GONE, ()
        self.over[self.ids[number]] = (end_s, status)
        self.ended.append(EndedJob(self.ids[number], end_s, status))

    def _comes_s(self) -> float:
        """When the next job comes for its own scheduler, if it has one."""
        waits = self._starts and self._come < self.work.jobs
        return float(self.work.submit_s[self._come]) if waits else math.inf

    def _start_what_can(self, now_s: float) -> None:
        for number, own in self._may_start(now_s):
            job = self.jobs[number]
            hosts = self._first_fit(number) if own or job.free else job.pin
            if hosts and self._has_room(number, hosts, now_s):
                begin_s = max(now_s if own else job.at_s, float(self.work.submit_s[number]), now_s)
                assert self.hosts.speed is not None
                runs_s = self.work.runtime_s[number] / self.hosts.speed[list(hosts)].min()
                job.begin(hosts, begin_s, begin_s + runs_s)

    def _may_start(self, now_s: float) -> Iterator[tuple[int, bool]]:
        """Jobs that have been released, and those that the cluster's own scheduler may start by itself."""
        for number in self.here():
            job = self.jobs[number]
            own = self._starts and job.state == HELD and bool(self.work.submit_s[number] <= now_s)
            released = job.state == CLAIMED and job.at_s <= now_s
            if (released and not job.free) or ((own or released) and self._is_ready(number)):
                yield number, own

    def _is_ready(self, number: int) -> bool:
        return self.waits.has_come(number, self.over, lambda other: self.jobs[other].ran > 0)

    def _first_fit(self, number: int) -> tuple[int, ...]:
        free, hosts = self.free, []
        for _ in range(int(self.work.task_count[number])):
            fits = (free >= self.work.demand[number]).all(axis=1) & self.up
            if not fits.any():
                return ()
            hosts.append(int(np.argmax(fits)))
            free[hosts[-1]] -= self.work.demand[number]
        return tuple(hosts)

    def _has_room(self, number: int, hosts: tuple[int, ...], now_s: float) -> bool:
        free = self.free
        for host in hosts:
            free[host] -= self.work.demand[number]
        return bool((free[list(hosts)] >= 0).all()) and all(self._dead_until[host] <= now_s for host in hosts)

    def _status(self, number: int) -> int:
        bound = self.work.constraints
        return 0 if bound is None or bound.status is None else int(bound.status[number])

    def _running(self) -> list[int]:
        return [number for number in self.here() if self.jobs[number].state == RUNNING]


def unique_names(names: Sequence[str]) -> list[str]:
    """`names`, where one that has come before is followed by how often it has.

    Example:
        >>> unique_names(["1", "2", "1", "1"])
        ['1', '2', '1-2', '1-3']
    """
    taken, counts, own = set(names), Counter[str](), []
    for name in names:
        counts[name] += 1
        number = counts[name]
        while number > 1 and f"{name}-{number}" in taken:
            number += 1
        own.append(name if number == 1 else f"{name}-{number}")
        taken.add(own[-1])
    return own
