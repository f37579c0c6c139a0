"""The ledger of a running bag: it takes events one by one, and gives snapshots. Simulated and real runs share it."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from loadmaster.model.errors import InputError
from loadmaster.sizing.billing import HostType
from loadmaster.sizing.snapshot import BagSnapshot, Occasion, RentedHost

Kind = Literal["rented", "ready", "started", "finished", "failed", "given-up", "dropped", "released", "lost"]
"""What may happen. `failed`: the task waits again; `given-up`: it counts as done, its time does not count as a
measurement; `dropped`: a copy was stopped, its task runs elsewhere or is done; `lost`: a machine went away by
itself, its task waits again."""


class Event(NamedTuple):
    """Something that happened.

    Attributes:
        time_s: seconds since the run began.
        kind: what.
        host: the machine.
        task: the task, -1 where none is meant.
        type: index of the machine's type, for `rented`.
    """

    time_s: float
    kind: Kind
    host: int
    task: int = -1
    type: int = 0


class HostRow(NamedTuple):
    """A machine from renting to giving back.

    Attributes:
        host: its number.
        type: index of its type.
        rented_s: on the run's clock.
        released_s: on the run's clock; infinite while it is rented.
        busy_s: seconds with a task.
        cost: money charged so far.
    """

    host: int
    type: int
    rented_s: float
    released_s: float
    busy_s: float
    cost: float


@dataclass
class _Host:
    type: int
    rented_s: float
    ready: bool = False
    task: int = -1
    started_s: float = 0.0
    first_task: bool = True
    busy_s: float = 0.0


@dataclass
class BagLedger:
    """The state of one bag.

    Attributes:
        types: what can be rented.
        tasks: number of tasks of the bag.

    Raises (from `apply`):
        InputError: an event that cannot follow those before, as in a log that was cut or edited.

    Example:
        >>> ledger = BagLedger((HostType(),), tasks=2)
        >>> for event in [Event(0, "rented", 0), Event(0, "ready", 0), Event(0, "started", 0, 0)]:
        ...     ledger.apply(event)
        >>> ledger.snapshot(30.0, "tick").running[0].elapsed_s
        30.0
    """

    types: tuple[HostType, ...]
    tasks: int
    waiting: list[int] = field(default_factory=list)
    finished_s: list[float] = field(default_factory=list)
    done: set[int] = field(default_factory=set)
    gone: list[HostRow] = field(default_factory=list)
    memory: float = 0.0
    _hosts: dict[int, _Host] = field(default_factory=dict)
    _spent: float = 0.0

    def __post_init__(self) -> None:
        if not self.waiting:
            self.waiting = list(range(self.tasks))

    def apply(self, event: Event) -> None:
        """Enter one event; times must not decrease."""
        if event.kind == "rented":
            self._hosts[event.host] = _Host(event.type, event.time_s)
            return
        host = self._hosts.get(event.host)
        if host is None:
            raise InputError(event.host, f"{event.kind}: no such machine is rented at {event.time_s:g} s")
        if event.kind == "ready":
            host.ready = True
        elif event.kind == "started":
            self._start(host, event)
        elif event.kind in ("released", "lost"):
            self._leave(host, event)
        else:
            self._end(host, event)

    def snapshot(self, now_s: float, occasion: Occasion) -> BagSnapshot:
        """The bag as the input of a sizer."""
        hosts = tuple(
            RentedHost(
                number,
                host.type,
                now_s - host.rented_s,
                host.ready,
                host.task,
                now_s - host.started_s if host.task >= 0 else 0.0,
                host.first_task,
            )
            for number, host in self._hosts.items()
        )
        finished = np.array(self.finished_s, dtype=np.float64)
        left = self.tasks - len(self.done) + len(finished)
        return BagSnapshot(
            now_s, occasion, left, len(self.waiting), finished, hosts, self.types, self._spent, self.memory
        )

    def spent(self, now_s: float) -> float:
        """Money charged if every machine were given back now."""
        return self._spent + sum(self.types[host.type].cost(now_s - host.rented_s) for host in self._hosts.values())

    def idle(self) -> list[int]:
        """Machines that could take a task, by number."""
        return [number for number, host in self._hosts.items() if host.ready and host.task < 0]

    def alive(self) -> list[int]:
        """Machines being paid for, by number."""
        return list(self._hosts)

    def task_on(self, host: int) -> int:
        """The task on a machine, -1 if it is idle or gone."""
        return self._hosts[host].task if host in self._hosts else -1

    def type_of(self, host: int) -> int:
        """Index of the type of a rented machine."""
        return self._hosts[host].type

    def hosts_of(self, task: int) -> list[int]:
        """The machines that run a task."""
        return [number for number, host in self._hosts.items() if host.task == task]

    @property
    def complete(self) -> bool:
        """Every task is done."""
        return len(self.done) == self.tasks

    def _start(self, host: _Host, event: Event) -> None:
        if host.task >= 0:
            raise InputError(event.task, f"machine {event.host} still runs task {host.task}")
        if event.task in self.waiting:
            self.waiting.remove(event.task)
        host.task, host.started_s = event.task, event.time_s

    def _end(self, host: _Host, event: Event) -> None:
        if host.task < 0:
            raise InputError(event.task, f"{event.kind}: machine {event.host} runs no task")
        task, lasted = host.task, event.time_s - host.started_s
        self._vacate(host, event.time_s)
        if event.kind == "finished":
            self.finished_s.append(lasted * self.types[host.type].speed)
        if event.kind in ("finished", "given-up"):
            self.done.add(task)
        elif event.kind == "failed":
            self._wait_again(task)

    def _leave(self, host: _Host, event: Event) -> None:
        task = host.task
        if task >= 0:
            self._vacate(host, event.time_s)
            self._wait_again(task)
        del self._hosts[event.host]
        cost = self.types[host.type].cost(event.time_s - host.rented_s)
        self.gone.append(HostRow(event.host, host.type, host.rented_s, event.time_s, host.busy_s, cost))
        self._spent += cost

    def _vacate(self, host: _Host, now_s: float) -> None:
        host.busy_s += now_s - host.started_s
        host.task, host.first_task = -1, False

    def _wait_again(self, task: int) -> None:
        if task not in self.done and not self.hosts_of(task):
            self.waiting.insert(0, task)
