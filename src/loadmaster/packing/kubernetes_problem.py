"""A state of Kubernetes as a constrained problem: nodes are hosts, pods tasks, rules constraints (rule B7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.units import CORES, MEMORY
from loadmaster.packing.constrained.constraints import Capacity
from loadmaster.packing.constrained.problem import ConstrainedProblem
from loadmaster.packing.constrained.whole_amounts import WholeAmounts, whole_amounts
from loadmaster.packing.kubernetes_constraints import PodRules, RuleCount, pod_rules
from loadmaster.packing.kubernetes_objects import COMMAND, PODS, KubernetesObjects, ListedNode, ListedPod, read_objects
from loadmaster.packing.kubernetes_wishes import soft_taints

_SHOWN = 3


@dataclass(frozen=True, eq=False)
class KubernetesProblem:
    """The problem, and what is known beside it.

    Attributes:
        problem: nodes that take pods, then those that are cordoned or not ready; pods; their rules.
        priority: float64[T], of each pod.
        tied: bool[T], pods that belong to their node: of DaemonSets, and static ones.
        unmodelled: by pod, its rules that no constraint stands for.
        rules: each rule, the pods that it concerns, whether plans keep it.
        gated: number of pods that wait for a gate of their own; they are not among the tasks.
        notes: what was left out, one sentence each.
    """

    problem: ConstrainedProblem
    priority: Floats
    tied: Bools
    unmodelled: Mapping[int, Sequence[str]]
    rules: tuple[RuleCount, ...]
    gated: int
    notes: tuple[str, ...]


def read_kubernetes_problem(path: Path) -> KubernetesProblem:
    """The problem of the state in `path`.

    Raises:
        InputError: it cannot be read, or has no node that takes pods or no pod.
    """
    return kubernetes_problem(read_objects(path), path.name)


def kubernetes_problem(objects: KubernetesObjects, source: str = "") -> KubernetesProblem:
    """The problem of `objects`."""
    nodes = {**objects.nodes, **objects.closed}
    pods = [pod for pod in objects.pods if not pod.node or pod.node in nodes]
    resources, (demand, capacity, units) = _amounts(nodes, pods)
    number = {name: at for at, name in enumerate(nodes)}
    now = np.array([number.get(pod.node, -1) for pod in pods], np.int64)
    rules = pod_rules(objects, nodes, pods)
    problem = ConstrainedProblem(
        resources,
        demand,
        capacity,
        now,
        (Capacity(np.zeros(len(resources), bool)), *rules.constraints),
        (),
        tuple(pod.name for pod in pods),
        tuple(nodes),
        source,
        units,
    )
    priority = np.array([float(pod.item["spec"].get("priority") or 0) for pod in pods], float)
    tied = np.array([pod.tied for pod in pods], bool)
    elsewhere = len(objects.pods) - len(pods)
    return KubernetesProblem(
        problem,
        priority,
        tied,
        rules.unmodelled,
        rules.counts,
        objects.gated,
        tuple(_notes(objects, rules, elsewhere)),
    )


def _amounts(nodes: Mapping[str, ListedNode], pods: Sequence[ListedPod]) -> tuple[tuple[str, ...], WholeAmounts]:
    """Resources, and the amounts of pods and nodes; a node that lists no number of pods takes any."""
    asked = dict.fromkeys(name for pod in pods for name, amount in pod.asks.items() if amount > 0)
    resources = tuple(dict.fromkeys((CORES, MEMORY)) | {name: None for name in asked if name != PODS}) + (PODS,)
    enough = {PODS: float(len(pods))}
    has = np.array([[(enough | node.has).get(name, 0.0) for name in resources] for node in nodes.values()])
    asks = np.array([[pod.asks.get(name, 0.0) for name in resources] for pod in pods])
    return resources, whole_amounts(resources, asks.reshape(-1, len(resources)), has.reshape(-1, len(resources)))


def _notes(objects: KubernetesObjects, rules: PodRules, elsewhere: int) -> list[str]:
    asks_nothing = sum(not any(amount for name, amount in pod.asks.items() if name != PODS) for pod in objects.pods)
    closed = [node.closed for node in objects.closed.values()]
    counted = (
        (closed.count("cordoned"), "cordoned: no pod is placed there", "node is", "nodes are"),
        (closed.count("not ready"), "not ready: no pod is placed there", "node is", "nodes are"),
        (elsewhere, "on nodes that are not listed: left out", "pod is", "pods are"),
        (objects.ended, "over: left out", "pod is", "pods are"),
        (objects.gated, "gated, not among those that wait", "pod is", "pods are"),
        (asks_nothing, "without any request", "pod is", "pods are"),
    )
    notes = [f"{count:,} {one if count == 1 else several} {words}." for count, words, one, several in counted if count]
    if objects.unread:
        more = f"; and {len(objects.unread) - _SHOWN:,} more" if len(objects.unread) > _SHOWN else ""
        told = f"{'; '.join(objects.unread[:_SHOWN])}{more}"
        notes.insert(0, f"Left out, since they cannot be read (their nodes take no further pod): {told}.")
    lines = (
        ("Rules kept, with the pods that they concern", [each for each in rules.counts if each.kept]),
        (
            "Rules not kept, with the pods that they concern",
            [each for each in rules.counts if not each.kept and each.rule.startswith("preferred")],
        ),
        (
            "Rules that no plan models; these pods stay where they run, or go on waiting",
            [each for each in rules.counts if not each.kept and not each.rule.startswith("preferred")],
        ),
    )
    notes += [
        f"{head}: {', '.join(f'{each.rule} ({each.pods:,})' for each in counts)}." for head, counts in lines if counts
    ]
    if soft := soft_taints(objects.nodes.values()):
        notes.append(f"Rules not kept: taints that pods only avoid, PreferNoSchedule ({soft:,} nodes).")
    absent = [
        name
        for kind, name in (("PodDisruptionBudget", "disruption budgets"), ("PersistentVolumeClaim", "claims"))
        if kind not in objects.others and (kind == "PodDisruptionBudget" or "volume" in _unmodelled_rules(rules))
    ]
    if absent:
        notes.append(f"The file has no {' and no '.join(absent)}; if the cluster has any, list them too: {COMMAND}.")
    return notes


def _unmodelled_rules(rules: PodRules) -> set[str]:
    return {rule for each in rules.unmodelled.values() for rule in each}
