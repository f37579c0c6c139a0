"""The figures of a running state: capacity, running and waiting tasks, and what is left for more."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loadmaster.model.stranded import stranded_amounts
from loadmaster.packing.constrained.constraints import AllowedHosts
from loadmaster.packing.constrained.placement import CountedPlacement
from loadmaster.packing.kubernetes_constraints import UNMODELLED, RuleCount
from loadmaster.packing.kubernetes_problem import KubernetesProblem, kubernetes_problem
from loadmaster.packing.kubernetes_state import KubernetesState


@dataclass(frozen=True)
class ResourceFacts:
    """One resource of all hosts.

    Attributes:
        name: of the resource; amounts are in its unit, memory in bytes.
        total: what they have.
        used: what runs requests.
        waiting: what waits requests.
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
        owners: how many controllers own these pods.
        without_room: tasks that wait and that no host has room for now.
        not_judged: tasks that wait and that some host has room for, if the rules that no plan models admit it.
        not_judged_rules: those rules, with the tasks that hold them.
        rules: all rules, the pods that each concerns, whether plans keep it.
        notes: what was left out, one sentence each.
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
    rules: tuple[RuleCount, ...] = ()
    notes: tuple[str, ...] = ()


def state_facts(state: KubernetesState) -> StateFacts:
    """The numbers of `state`."""
    runs = state.host >= 0
    free = state.cluster.capacity.copy()
    np.subtract.at(free, state.host[runs], state.demand[runs])
    free = np.maximum(free, 0.0)
    stranded = stranded_amounts(free, np.median(state.demand, axis=0)).sum(axis=0)
    kubernetes = kubernetes_problem(state.objects)
    without_room, open_rules = _judged(kubernetes)
    return StateFacts(
        state.cluster.hosts,
        int(runs.sum()),
        int((~runs).sum()),
        len(state.job_names),
        without_room,
        len(open_rules),
        dict(Counter(rule for each in open_rules for rule in each).most_common()),
        state.gated,
        tuple(
            ResourceFacts(
                name,
                float(state.cluster.capacity[:, r].sum()),
                float(state.demand[runs, r].sum()),
                float(state.demand[~runs, r].sum()),
                float(free[:, r].max()),
                float(stranded[r]),
            )
            for r, name in enumerate(state.cluster.resources)
        ),
        kubernetes.rules,
        kubernetes.notes,
    )


def _judged(kubernetes: KubernetesProblem) -> tuple[int, list[Sequence[str]]]:
    """How many tasks that wait have no room, and the rules of those of which that cannot be said.

    A task has no room if no host with enough free capacity keeps its rules. One with a rule that no plan models is
    not judged if there is a host for the others of its rules.
    """
    problem = kubernetes.problem
    placement = CountedPlacement(problem)
    without_room, not_judged = 0, list[Sequence[str]]()
    for task in np.flatnonzero(problem.now < 0).tolist():
        able = placement.has_room(task)
        for constraint in placement.constraints_of(task):
            if isinstance(constraint, AllowedHosts) and not constraint.rule.startswith(UNMODELLED):
                able &= constraint.hosts
        if not any(placement.keeps_the_rest(task, host) for host in np.flatnonzero(able).tolist()):
            without_room += 1
        elif task in kubernetes.unmodelled:
            not_judged.append(kubernetes.unmodelled[task])
    return without_room, not_judged
