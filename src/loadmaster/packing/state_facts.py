"""What there is to say of a running state: what its hosts have, what runs and waits, and what is left for more."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.packing.kubernetes_rules import NODES
from loadmaster.packing.kubernetes_state import KubernetesState


@dataclass(frozen=True)
class ResourceFacts:
    """One resource of all hosts.

    Attributes:
        name: of the resource; amounts are in its unit, memory in bytes.
        total: what they have.
        used: what runs asks for.
        waiting: what waits asks for.
        largest_free: the most that is free on one host.
        stranded: what is free where another resource is too short for a typical task, which asks the median of all.
    """

    name: str
    total: float
    used: float
    waiting: float
    largest_free: float
    stranded: float


@dataclass(frozen=True)
class StateFacts:
    """A state in numbers.

    Attributes:
        hosts: how many there are.
        running, waiting: tasks.
        owners: who they belong to.
        without_room: tasks that wait and that no host has room for now.
        not_judged: tasks that wait and that some host has room for, if their other rules admit it.
        not_judged_rules: those rules, with the tasks that hold them.
        gated: tasks that wait for a gate of their own; they are not among those that wait.
        resources: each of them over all hosts.
    """

    hosts: int
    running: int
    waiting: int
    owners: int
    without_room: int
    not_judged: int
    not_judged_rules: dict[str, int]
    gated: int
    resources: tuple[ResourceFacts, ...]


def state_facts(state: KubernetesState) -> StateFacts:
    """The numbers of `state`."""
    runs = state.host >= 0
    free = state.cluster.capacity.copy()
    np.subtract.at(free, state.host[runs], state.demand[runs])
    free = np.maximum(free, 0.0)
    enough = free >= np.median(state.demand, axis=0)
    stranded = np.where(enough & ~enough.all(axis=1, keepdims=True), free, 0.0).sum(axis=0)
    without_room, open_rules = _judged(state, free)
    return StateFacts(
        state.cluster.hosts, int(runs.sum()), int((~runs).sum()), len(state.job_names), without_room,
        len(open_rules), dict(Counter(rule for each in open_rules for rule in each).most_common()), state.gated,
        tuple(
            ResourceFacts(
                name, float(state.cluster.capacity[:, r].sum()), float(state.demand[runs, r].sum()),
                float(state.demand[~runs, r].sum()), float(free[:, r].max()), float(stranded[r]),
            )
            for r, name in enumerate(state.cluster.resources)
        ),
    )  # fmt: skip


def _judged(state: KubernetesState, free: Floats) -> tuple[int, list[tuple[str, ...]]]:
    """How many tasks that wait have no room, and the rules of those of which that cannot be said.

    No host has room for a task if none that its selector, node affinity and tolerations admit has enough free.
    """
    without_room, not_judged = 0, []
    for task in np.flatnonzero(state.host < 0).tolist():
        usable, rules = state.usable[task], state.rules[task]
        room = (free >= state.demand[task]).all(axis=1)
        if usable is not None:
            room, rules = room & usable, tuple(rule for rule in rules if rule not in NODES)
        if not room.any():
            without_room += 1
        elif rules:
            not_judged.append(rules)
    return without_room, not_judged
