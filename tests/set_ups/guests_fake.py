"""Hosts in memory on a clock that passes only when somebody waits; moves take their time, and may fail."""

import numpy as np

from loadmaster.live.session.engine import (
    NOWHERE,
    RUNNING,
    Capabilities,
    EngineDown,
    Observation,
    ObservedTasks,
    Refusal,
)
from loadmaster.model import Cluster, Workload
from loadmaster.model.actions import Cap, Move
from loadmaster.model.units import UNLIMITED_S


class Dead(BaseException):
    """This loadmaster was killed."""


class FakeHosts:
    """See `Engine`; it outlives whoever drives it.

    `machines` maps names to (cores, memory, host). A move takes `journey_s`; those in `fails` never come. After
    `steps` writes and actions the driver is `Dead`.
    """

    name = "fake-hosts"
    can = Capabilities(place=False, share=True, migrate="live", hold=False)

    def __init__(self, clock, hosts, machines, journey_s=3.0, fails=(), refuse=(), stays=()):
        self.clock, self.journey_s = clock, journey_s
        self.fails, self.refuse, self.stays = set(fails), set(refuse), set(stays)
        self.hosts = dict(hosts)
        self.asks = {name: (cores, memory) for name, (cores, memory, _) in machines.items()}
        self.where = {name: host for name, (_, _, host) in machines.items()}
        self.share = dict.fromkeys(machines, 1.0)
        self.away = {}
        self.down = set()
        self.moves = []
        self.steps = float("inf")
        self.silent_until_s = -1.0

    def step(self):
        """One more write or action; perhaps the last."""
        self.steps -= 1
        if self.steps < 0:
            raise Dead

    def observe(self):
        now_s = self.clock.now_s()
        if now_s < self.silent_until_s:
            raise EngineDown("nobody answers")
        failed = []
        for name, (to, since_s) in list(self.away.items()):
            if now_s >= since_s + self.journey_s:
                del self.away[name]
                if name in self.fails:
                    failed.append((name, "the road was closed"))
                else:
                    self.where[name] = to
        names, rows = list(self.where), list(self.hosts)
        demand = np.array([self.asks[name] for name in names], float).reshape(-1, 2)
        forever = np.full(len(names), UNLIMITED_S)
        cluster = Cluster(("cores", "memory"), np.array(list(self.hosts.values()), float), tuple(rows))
        pin = [rows.index(self.away[name][0]) if name in self.away else NOWHERE for name in names]
        tasks = ObservedTasks(
            np.arange(len(names)),
            np.zeros(len(names), np.int32),
            np.full(len(names), RUNNING, np.int32),
            np.array([rows.index(self.where[name]) for name in names], np.int32),
            np.array(pin, np.int32),
            share=np.array([self.share[name] for name in names]),
            stays=np.array([name in self.stays for name in names], bool),
        )
        seen = Observation(
            now_s,
            cluster,
            np.array([row not in self.down for row in rows]),
            Workload(cluster.resources, np.zeros(len(names)), forever, demand, estimate_s=forever),
            tuple(names),
            tasks,
            failed=tuple(failed),
        )
        seen.check()
        return seen

    def act(self, action):
        self.step()
        if (type(action).__name__, action.id) in self.refuse:
            return Refusal(action, "unknown", "it would not")
        if action.id not in self.where:
            return Refusal(action, "gone", "it is not there")
        match action:
            case Cap(name, share):
                assert 0 < share <= 1
                assert name not in self.away
                self.share[name] = share
            case Move(name, (to,)):
                assert not self.away  # one at a time
                assert to not in self.down
                assert to != self.where[name]
                assert name not in self.stays
                self.away[name] = (to, self.clock.now_s())
                self.moves.append((name, self.where[name], to))
                self.fits()
        return None

    def fits(self):
        """No host holds more memory than it has, those on their way to it included."""
        for host, (_, memory) in self.hosts.items():
            there = [name for name, at in self.where.items() if at == host]
            there += [name for name, (to, _) in self.away.items() if to == host]
            assert sum(self.asks[name][1] for name in there) <= memory

    def promised(self):
        """The part of each host's cores that caps allow to be used."""
        used = dict.fromkeys(self.hosts, 0.0)
        for name, at in self.where.items():
            used[at] += self.share[name] * self.asks[name][0]
        return {host: used[host] / cores for host, (cores, _) in self.hosts.items()}

    def close(self):
        """Nothing to give back."""
