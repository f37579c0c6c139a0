"""Packs a state of Kubernetes again: pods that may leave their nodes and pods that wait, under all their rules (B9)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from loadmaster.model import Cluster, InputError
from loadmaster.model.arrays import Floats, Ints, Longs
from loadmaster.model.units import CORES
from loadmaster.packing.constrained.placement import CountedPlacement
from loadmaster.packing.constrained.problem import ConstrainedProblem
from loadmaster.packing.instance import Instance
from loadmaster.packing.kubernetes_problem import KubernetesProblem
from loadmaster.packing.packing import Attempt
from loadmaster.packing.read import instance_of

SOLVER = "first-fit under the rules"
NO_ROOM = -2
"""What `_node_for` gives for a pod for which no node has room: none will have it later."""


@dataclass(frozen=True, eq=False)
class PodsPlacedAnew:
    """The pods that are placed anew.

    Attributes:
        problem: the state, with these pods on no node.
        pods: int64[T], their numbers in `problem`.
        nodes: int64[H], the nodes that some of them may use and that have processors left, by their numbers.
        instance: the pods alone, on what the other pods leave of these nodes; without the rules.
        notes: which pods are left where they are, one sentence each.
    """

    problem: ConstrainedProblem
    pods: Longs
    nodes: Longs
    instance: Instance
    notes: tuple[str, ...]


def pods_anew(state: KubernetesProblem) -> PodsPlacedAnew:
    """The pods that may be on another node than now, and those that wait; not pods with a rule that no plan models.

    Raises:
        InputError: there is none.
    """
    problem = state.problem
    placement, runs = CountedPlacement(problem), problem.now >= 0
    free = np.array(
        [
            placement.own_hosts(task).sum() > placement.own_hosts(task)[problem.now[task]]
            if runs[task]
            else task not in state.unmodelled
            for task in range(problem.tasks)
        ],
        bool,
    )
    if not free.any():
        raise InputError(problem.source, "no pod can be on another node", fix="see: loadmaster info STATE")
    anew = replace(problem, now=np.where(free, -1, problem.now))
    units, pods = np.array(problem.units), np.flatnonzero(free)
    fresh = CountedPlacement(anew)
    left = (problem.capacity - fresh.use).clip(0)
    usable = np.any([fresh.own_hosts(int(pod)) for pod in pods], axis=0)
    nodes = np.flatnonzero(usable & (left[:, problem.resources.index(CORES)] > 0))
    if not len(nodes):
        raise InputError(problem.source, "no node has processors left for these pods", fix="see: loadmaster info STATE")
    cluster = Cluster(problem.resources, left[nodes] * units, tuple(problem.host_names[node] for node in nodes))
    instance = instance_of(
        cluster,
        problem.demand[pods] * units,
        (CORES,),
        guarantee=np.ones(len(pods)),
        task_names=tuple(problem.task_names[pod] for pod in pods),
        source=problem.source,
    )
    stay, wait = int((runs & ~free).sum()), int((~runs & ~free).sum())
    counted = (
        (stay, "Pods that stay where they run, as a rule leaves them no other node"),
        (wait, "Pods that wait and are placed nowhere, as no plan models one of their rules"),
    )
    notes = tuple(f"{words}: {count:,}." for count, words in counted if count)
    return PodsPlacedAnew(anew, pods, nodes, instance, (*state.notes, *notes))


def pack_pods(anew: PodsPlacedAnew) -> Attempt:
    """First fit, the fullest node first, in three orders: the one that places most pods, then on the fewest nodes.

    A pod that other pods keep from each node with room is tried again after each pod that is placed: it may need to be
    beside that one.
    """
    best, best_host = (-1, 0), np.full(len(anew.pods), -1, np.int64)
    number = np.full(anew.problem.hosts + 1, -1, np.int32)
    number[anew.nodes] = np.arange(len(anew.nodes))
    for order in _orders(anew):
        tried = _first_fit(anew, order)
        score = (int((tried >= 0).sum()), -len(np.unique(tried[tried >= 0])))
        if score > best:
            best, best_host = score, tried
    host: Ints = number[best_host].astype(np.int32)
    if (host >= 0).all():
        return Attempt(host, "ok", SOLVER)
    first = int(np.flatnonzero(host < 0)[0])
    return Attempt(None, "infeasible", SOLVER, unplaced=first, reason=_reason(anew, best_host, first), partial=host)


def _orders(anew: PodsPlacedAnew) -> Iterator[Longs]:
    """The largest first; the fewest possible nodes first; as they are listed."""
    mean = np.maximum(anew.problem.capacity.mean(axis=0), 1.0)
    size: Floats = (anew.problem.demand[anew.pods] / mean).max(axis=1, initial=0.0)
    placement = CountedPlacement(anew.problem)
    choice = np.array([placement.own_hosts(int(pod)).sum() for pod in anew.pods])
    yield np.argsort(-size, kind="stable")
    yield np.lexsort((-size, choice))
    yield np.arange(len(anew.pods))


def _first_fit(anew: PodsPlacedAnew, order: Longs) -> Longs:
    """int64[T], the node of each pod; -1 for none."""
    placement = CountedPlacement(anew.problem)
    host = np.full(len(anew.pods), -1, np.int64)
    postponed = list[int]()
    for number in order.tolist():
        postponed.append(number)
        placed = True
        while placed:
            placed = False
            for each in postponed[::-1]:
                node = _node_for(anew, placement, int(anew.pods[each]))
                if node >= 0:
                    placement.move(int(anew.pods[each]), node)
                    host[each], placed = node, True
                    postponed.remove(each)
                elif node == NO_ROOM:
                    postponed.remove(each)
    return host


def _node_for(anew: PodsPlacedAnew, placement: CountedPlacement, pod: int) -> int:
    """The fullest node that takes the pod; `NO_ROOM` if none has room, -1 if other pods keep it from all that have."""
    able = anew.nodes[(placement.own_hosts(pod) & placement.has_room(pod))[anew.nodes]]
    if not len(able):
        return NO_ROOM
    fullness = (placement.use[able] / np.maximum(anew.problem.capacity[able], 1)).max(axis=1, initial=0.0)
    nodes = able[np.argsort(-fullness, kind="stable")].tolist()
    return next((int(node) for node in nodes if placement.keeps_the_rest(pod, node)), -1)


def _reason(anew: PodsPlacedAnew, host: Longs, number: int) -> str:
    """Why a pod found no node, by the node that has fewest reasons."""
    placement = CountedPlacement(anew.problem)
    for each, node in zip(anew.pods.tolist(), host.tolist(), strict=True):
        if node >= 0:
            placement.move(each, node)
    pod = int(anew.pods[number])
    reasons = (placement.why_not(pod, node) for node in range(anew.problem.hosts))
    return min(reasons, key=len)[-1]
