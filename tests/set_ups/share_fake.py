"""A box in memory: commands that take so much CPU, under caps, on a clock that passes only when somebody waits."""

import numpy as np

from loadmaster.live.session.engine import (
    HELD,
    NOWHERE,
    RUNNING,
    Capabilities,
    EndedJob,
    Observation,
    ObservedTasks,
    Refusal,
)
from loadmaster.live.shares.batch import Batch
from loadmaster.model import Cluster, Workload
from loadmaster.model.actions import Cap, Move, Start, Stop


class Dead(BaseException):
    """This loadmaster was killed."""


def batch(cores, memory=None, machines=((1.0, 8.0),), speed=None):
    """Commands with such needs for machines of (cores, memory)."""
    demand = np.column_stack((cores, np.zeros(len(cores)) if memory is None else memory)).astype(float)
    names = tuple(f"m{row}" for row in range(len(machines)))
    cluster = Cluster(("cores", "memory"), np.array(machines, float), names, None if speed is None else np.array(speed))
    numbers = tuple(str(row + 1) for row in range(len(cores)))
    return Batch(tuple(f"work {each}" for each in numbers), numbers, demand, cluster)


class FakeBox:
    """See `Engine`; it outlives whoever drives it.

    `work_s` is CPU seconds of each command. After `steps` of writes and actions the driver is `Dead`.
    """

    name = "fake-box"
    can = Capabilities(share=True, migrate="live")

    def __init__(self, of, clock, work_s, refuse=()):
        self.of, self.clock, self.refuse = of, clock, set(refuse)
        self.left = dict(zip(of.ids, work_s, strict=True))
        self.where, self.share, self.over = {}, {}, {}
        self.starts = dict.fromkeys(of.ids, 0)
        self.steps = float("inf")
        self.since_s = 0.0
        self.largest = 0.0

    def step(self):
        """One more write or action; perhaps the last."""
        self.steps -= 1
        if self.steps < 0:
            raise Dead

    def observe(self):
        """Work is done at the rate of the caps, exactly."""
        now_s = self.clock.now_s()
        for name, at in list(self.where.items()):
            need_s = self.left[name] / (self.share[name] * self.rate(name, at))
            if self.since_s + need_s <= now_s:
                self.over[name] = EndedJob(name, self.since_s + need_s, "ok", 0)
                del self.where[name]
            else:
                self.left[name] -= (now_s - self.since_s) * self.share[name] * self.rate(name, at)
        self.since_s = now_s
        return self.seen(now_s)

    def rate(self, name, at):
        """CPU seconds a second without a cap."""
        return self.of.demand[int(name) - 1, 0] * self.of.machines.speed[at]

    def seen(self, now_s):
        rows = [row for row, name in enumerate(self.of.ids) if name not in self.over]
        names = tuple(self.of.ids[row] for row in rows)
        host = np.array([self.where.get(name, NOWHERE) for name in names], np.int32)
        state = np.where(host >= 0, RUNNING, HELD).astype(np.int32)
        nowhere = np.full(len(rows), NOWHERE, np.int32)
        jobs = Workload(
            self.of.machines.resources,
            np.zeros(len(rows)),
            np.ones(len(rows)),
            self.of.demand[rows],
        )
        tasks = ObservedTasks(np.arange(len(rows)), np.zeros(len(rows), np.int32), state, host, nowhere)
        up = np.ones(self.of.machines.hosts, bool)
        return Observation(now_s, self.of.machines, up, jobs, names, tasks, over=tuple(self.over.values()))

    def act(self, action):
        self.step()
        if (type(action).__name__, action.id) in self.refuse:
            return Refusal(action, "unknown", "it would not")
        row = {name: at for at, name in enumerate(self.of.machines.names)}
        match action:
            case Cap(name, share):
                assert 0 < share <= 1
                self.share[name] = share
            case Start(name, (machine,)):
                assert name not in self.where
                assert name not in self.over
                assert name in self.share  # its cap comes first
                self.where[name] = row[machine]
                self.starts[name] += 1
            case Move(name, (machine,)):
                assert self.where[name] != row[machine]
                self.where[name] = row[machine]
            case Stop(name):
                del self.where[name]
        return None

    def after_actions(self):
        """No machine has promised more CPU than it has."""
        given = np.zeros(self.of.machines.hosts)
        held = np.zeros(self.of.machines.hosts)
        for name, at in self.where.items():
            given[at] += self.share[name] * self.of.demand[int(name) - 1, 0]
            held[at] += self.of.demand[int(name) - 1, 1]
        assert (given <= self.of.machines.capacity[:, 0] * (1 + 1e-9)).all()
        assert (held <= self.of.machines.capacity[:, 1] * (1 + 1e-9)).all()

    def close(self):
        """Nothing to give back."""
