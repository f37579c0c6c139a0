"""Hosts and their virtual machines, as a record holds them and as movers of time-shared clusters read them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from loadmaster.live.session.engine import NOWHERE, Observation
from loadmaster.model import Cluster
from loadmaster.model.arrays import Floats, Ints
from loadmaster.model.units import CORES, MEMORY

NEAR = 1e-3
"""A cap that is no further off than this is as it should be: hypervisors count in whole microseconds."""
LEAST = 1e-3
"""No machine is given less of what it requests."""


class Guest(NamedTuple):
    """A machine that runs.

    Attributes:
        cores: that it requests; memory: bytes.
        host: where it runs; to: where it is on its way to, else empty.
        share: the part of those cores that it may have now.
        stays: it cannot be moved.
    """

    cores: float
    memory: float
    host: str
    to: str
    share: float
    stays: bool


class GuestHost(NamedTuple):
    """What it has for the machines that we look after, and whether it takes any."""

    cores: float
    memory: float
    up: bool


@dataclass(frozen=True)
class GuestSnapshot:
    """All of it at one moment, by the engine's names, in the engine's order."""

    hosts: Mapping[str, GuestHost] = field(default_factory=dict)
    guests: Mapping[str, Guest] = field(default_factory=dict)

    @classmethod
    def of(cls, seen: Observation) -> "GuestSnapshot":
        """What an observation says."""
        if seen.cluster is None:
            return cls()
        names, tasks = seen.cluster.names, seen.tasks
        memory = seen.cluster.resources.index(MEMORY)
        hosts = {
            name: GuestHost(float(has[0]), float(has[memory]), bool(up))
            for name, has, up in zip(names, seen.cluster.capacity, seen.up, strict=True)
        }
        guests = {}
        for row, job in enumerate(tasks.job.tolist()):
            asks, pin = seen.jobs.demand[job], int(tasks.pin[row])
            share = 1.0 if tasks.share is None else float(tasks.share[row])
            stays = tasks.stays is not None and bool(tasks.stays[row])
            to = names[pin] if pin != NOWHERE else ""
            guests[seen.ids[job]] = Guest(
                float(asks[0]), float(asks[memory]), names[int(tasks.host[row])], to, share, stays
            )
        return cls(hosts, guests)

    @property
    def travelling(self) -> list[str]:
        """Those that are on their way."""
        return [name for name, guest in self.guests.items() if guest.to]

    @cached_property
    def cluster(self) -> Cluster:
        """The hosts, in their order."""
        has = np.array([[host.cores, host.memory] for host in self.hosts.values()])
        return Cluster((CORES, MEMORY), has, tuple(self.hosts))

    @cached_property
    def demand(self) -> Floats:
        """float64[N, 2]: what each machine requests."""
        return np.array([[guest.cores, guest.memory] for guest in self.guests.values()]).reshape(-1, 2)

    @cached_property
    def host(self) -> Ints:
        """int32[N]: the row of the host of each."""
        row = {name: at for at, name in enumerate(self.hosts)}
        return np.array([row[guest.host] for guest in self.guests.values()], np.int32)

    def wanted_shares(self) -> dict[str, float]:
        """The share of every machine that is not on its way: min(1, cores of its host / cores asked there) (rule K2).

        One on its way is counted on both hosts, so that neither promises more than it has.
        """
        demand = dict.fromkeys(self.hosts, 0.0)
        for guest in self.guests.values():
            for host in filter(None, (guest.host, guest.to)):
                demand[host] += guest.cores
        part = {
            name: min(1.0, host.cores / demand[name]) if demand[name] > 0 else 1.0 for name, host in self.hosts.items()
        }
        return {name: max(LEAST, part[guest.host]) for name, guest in self.guests.items() if not guest.to}

    def far_off(self, wanted: Mapping[str, float]) -> dict[str, float]:
        """Those of the shares `wanted` that are not so yet."""
        return {name: share for name, share in wanted.items() if abs(self.guests[name].share - share) > NEAR}

    def changes_to(self, after: "GuestSnapshot") -> dict[str, Any]:
        """What is otherwise in `after`, as JSON takes it; empty if nothing is."""
        changes: dict[str, Any] = {}
        if after.hosts != self.hosts:
            changes["hosts"] = {name: list(host) for name, host in after.hosts.items()}
        changed = {name: list(guest) for name, guest in after.guests.items() if self.guests.get(name) != guest}
        gone = [name for name in self.guests if name not in after.guests]
        return changes | ({"set": changed} if changed else {}) | ({"gone": gone} if gone else {})

    def changed(self, changes: Mapping[str, Any]) -> "GuestSnapshot":
        """The scene after what `changes_to` said."""
        hosts = (
            {name: GuestHost(*host) for name, host in changes["hosts"].items()} if "hosts" in changes else self.hosts
        )
        gone = set(changes.get("gone", ()))
        guests = {name: guest for name, guest in self.guests.items() if name not in gone}
        guests |= {name: Guest(*guest) for name, guest in changes.get("set", {}).items()}
        return GuestSnapshot(hosts, guests)
