"""Reads a bag's snapshot from a Dask scheduler in this process, for sizing a cluster that others give tasks to."""

import time
from typing import Any

import numpy as np
from distributed.diagnostics.plugin import SchedulerPlugin

from loadmaster.live.dask.machines import ScalingRequest
from loadmaster.sizing import Actions, BagSnapshot, HostType, RentedHost, Sizer, decide
from loadmaster.sizing.snapshot import Occasion

_WAITING = ("waiting", "queued", "no-worker")


class SchedulerWatch(SchedulerPlugin):
    """Notes when tasks start and end; every task of the scheduler belongs to the bag.

    Attributes:
        decisions: every snapshot with the actions taken on it, newest last.
    """

    name = "loadmaster-sizes-bags"

    def __init__(self, scheduler: Any, sizer: Sizer, types: tuple[HostType, ...]) -> None:
        self.scheduler = scheduler
        self.sizer = sizer
        self.types = types
        self.decisions: list[tuple[BagSnapshot, Actions]] = []
        self._began = time.monotonic()
        self._started: dict[Any, float] = {}
        self._seconds: list[float] = []
        self._seen: dict[Any, tuple[int, float]] = {}  # worker name -> machine number, when it was requested
        self._worked: set[Any] = set()
        self._spent = 0.0
        self._memory = 0.0
        self._ended = 0

    @classmethod
    def on(cls, cluster: Any, sizer: Sizer, types: tuple[HostType, ...]) -> "SchedulerWatch":
        """Watch the scheduler of `cluster`."""
        watch = cls(cluster.scheduler, sizer, types)
        cluster.loop.add_callback(cluster.scheduler.add_plugin, watch)
        return watch

    def transition(self, key: Any, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        """Called by the scheduler whenever a task changes its state."""
        now = time.monotonic()
        if finish == "processing":
            self._started[key] = now
        elif start == "processing":
            began = self._started.pop(key, now)
            if finish in ("memory", "forgotten", "released", "erred"):
                worker = kwargs.get("worker")
                state = self.scheduler.workers.get(worker)
                if state is not None:
                    self._worked.add(state.name)
            if finish == "memory":
                self._seconds.append(max(now - began, 1e-3) * self.types[0].speed)

    def advise(self, plan: frozenset[Any]) -> ScalingRequest:
        """Decide on the state of this moment."""
        if not self._started and not self._waiting():
            return ScalingRequest(release=self._idle_names(plan))  # nothing to do: no bag, no machines
        now = time.monotonic() - self._began
        snapshot = self.snapshot(plan, now)
        actions = decide(snapshot, self.sizer)
        self._memory = actions.memory
        self.decisions.append((snapshot, actions))
        names = {number: name for name, (number, _) in self._seen.items()}
        return ScalingRequest(
            actions.rented, tuple(names[number] for number in actions.release if names[number] in plan)
        )

    def snapshot(self, plan: frozenset[Any], now: float) -> BagSnapshot:
        """The bag as the sizer sees it; a worker's age counts from when it was planned."""
        for name in sorted(plan - self._seen.keys(), key=str):
            self._seen[name] = (len(self._seen), now)
        for name in [name for name in self._seen if name not in plan and self._seen[name][1] >= 0]:
            number, since = self._seen[name]
            self._spent += self.types[0].cost(now - since)
            self._seen[name] = (number, -1.0)
        states = {state.name: state for state in list(self.scheduler.workers.values())}
        hosts, extra = [], 0
        for name, (number, since) in self._seen.items():
            if since < 0:
                continue
            tasks = list(states[name].processing) if name in states else []
            extra += max(0, len(tasks) - 1)
            began = min((self._started.get(task.key, time.monotonic()) for task in tasks), default=0.0)
            hosts.append(
                RentedHost(
                    number,
                    0,
                    now - since,
                    name in states,
                    number if tasks else -1,
                    time.monotonic() - began if tasks else 0.0,
                    name not in self._worked,
                )
            )
        waiting = self._waiting() + extra
        running = sum(host.task >= 0 for host in hosts)
        new = len(self._seconds) > self._ended
        occasion: Occasion = "start" if not self.decisions else "completion" if new else "tick"
        self._ended = len(self._seconds)
        return BagSnapshot(
            now,
            occasion,
            len(self._seconds) + waiting + running,
            waiting,
            np.array(self._seconds, dtype=float),
            tuple(hosts),
            self.types,
            self._spent,
            self._memory,
        )

    def _waiting(self) -> int:
        return sum(task.state in _WAITING for task in list(self.scheduler.tasks.values()))

    def _idle_names(self, plan: frozenset[Any]) -> tuple[Any, ...]:
        busy = {state.name for state in list(self.scheduler.workers.values()) if state.processing}
        return tuple(name for name in plan if name not in busy)
