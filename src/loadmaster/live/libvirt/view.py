"""What the listings of several hosts say together: where every machine is, what is left out, what the hosts have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from loadmaster.live.libvirt.host import Machine
from loadmaster.live.session.engine import NOWHERE, Observation, ObservedTasks
from loadmaster.model import Cluster, Workload
from loadmaster.model.units import CORES, MEMORY, UNLIMITED_S

LEAST_CORES = 1e-3
"""So much is left of a host that machines which are none of ours fill: it has to have something."""


class GuestPlace(NamedTuple):
    """A machine, the row of its host, and of the one that it is on its way to."""

    machine: Machine
    host: int
    to: int = NOWHERE


class MachineInMigration(NamedTuple):
    """The machine that we are moving."""

    machine: Machine
    source: int
    to: int


@dataclass(frozen=True)
class HostView:
    """What one host has beside what it keeps for itself, and what is there; None where it does not answer."""

    name: str
    cores: float
    memory: float
    machines: Sequence[Machine] | None


class GuestView(NamedTuple):
    """Machines that are ours to cap and move; the others with the row of their host and the reason."""

    ours: list[GuestPlace]
    others: list[tuple[Machine, int, str]]


def put_together(listings: Sequence[Sequence[Machine] | None], way: MachineInMigration | None = None) -> GuestView:
    """Listings of hosts are made one beside the other: a machine that moves may be on two of them, or on none."""
    sighted: dict[str, list[tuple[int, Machine]]] = {}
    for row, machines in enumerate(listings):
        for machine in machines or ():
            sighted.setdefault(machine.id, []).append((row, machine))
    if way is not None:
        sighted.setdefault(way.machine.id, [])
    view = GuestView([], [])
    for name in sorted(sighted):
        places = sighted[name]
        if way is not None and way.machine.id == name:
            view.ours.append(GuestPlace(way.machine, way.source, way.to))
        elif len(places) > 1:
            (host, machine), (to, _) = sorted(places, key=lambda each: each[1].coming)[:2]
            view.ours.append(GuestPlace(machine, host, to))
        else:
            ((host, machine),) = places
            why = machine.why_left_out or ("it is on its way here from elsewhere" if machine.coming else "")
            if why:
                view.others.append((machine, host, why))
            else:
                view.ours.append(GuestPlace(machine, host))
    return view


def observation_of(at_s: float, hosts: Sequence[HostView], view: GuestView, failed: Mapping[str, str]) -> Observation:
    """An observation; what is left out is taken off its host."""
    has = np.array([[host.cores, host.memory] for host in hosts], float)
    for machine, row, _ in view.others:
        has[row] -= (machine.cores, machine.memory)
    has = np.maximum(has, (LEAST_CORES, 0.0))
    cluster = Cluster((CORES, MEMORY), has, tuple(host.name for host in hosts))
    ours, count = view.ours, len(view.ours)
    demand = np.array([[each.machine.cores, each.machine.memory] for each in ours], float).reshape(-1, 2)
    forever = np.full(count, UNLIMITED_S)
    tasks = ObservedTasks.one_each(
        [each.host for each in ours],
        pin=[each.to for each in ours],
        share=np.array([each.machine.share for each in ours], float),
        stays=np.array([bool(each.machine.why_stays) for each in ours], bool),
    )
    return Observation(
        at_s,
        cluster,
        np.array([host.machines is not None for host in hosts]),
        Workload(cluster.resources, np.zeros(count), forever, demand, estimate_s=forever),
        tuple(each.machine.id for each in ours),
        tasks,
        tuple((machine.id, why) for machine, _, why in view.others),
        failed=tuple(failed.items()),
    )
