"""What `kubectl get nodes,pods -A -o json` prints, as a running state: nodes are hosts, pods tasks."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from loadmaster.model import Cluster, InputError
from loadmaster.model.arrays import Bools, Floats, Ints
from loadmaster.model.exact import MOST
from loadmaster.model.units import CORES, MEMORY
from loadmaster.packing.kubernetes_objects import COMMAND, PODS, KubernetesObjects, ListedPod, read_objects
from loadmaster.packing.kubernetes_rules import chosen_by

_IF_ASKED = ("ephemeral-storage", "storage", "hugepages-")
"""What nodes have of these is a resource only where some pod asks for it."""
_SHOWN = 3
_RULES = "Rules that pack does not model"


@dataclass(frozen=True, eq=False)
class KubernetesState:
    """Hosts and what runs on them.

    Attributes:
        cluster: nodes that take pods, by what they can allocate.
        open: bool[H], nodes that take any pod: without a taint, and with pods that could all be read.
        demand: float64[T, R], what each pod requests.
        names: of the pods, namespace/name.
        job: int32[T], pods of one owner are one job.
        job_names: of the jobs.
        host: int32[T], where each pod runs; -1 for one that waits.
        tied: bool[T], pods that can be on no other node than theirs: of DaemonSets, and static ones.
        rules: of each pod those that it holds or that choose it and that no plan models, by name.
        gated: how many pods wait for a gate of their own to open; they are not among the tasks.
        complete: nothing binds its pods and nodes that is not modelled, and no pod is on a node that is left out.
        notes: what was left out, one sentence each.
        objects: the nodes and pods as they were read.
    """

    cluster: Cluster
    open: Bools
    demand: Floats
    names: tuple[str, ...]
    job: Ints
    job_names: tuple[str, ...]
    host: Ints
    tied: Bools
    rules: tuple[tuple[str, ...], ...]
    gated: int
    complete: bool
    notes: tuple[str, ...]
    objects: KubernetesObjects

    @property
    def bound(self) -> Bools:
        """bool[T], pods with a rule that no plan models."""
        return np.array([bool(each) for each in self.rules], bool)


def read_kubernetes(path: Path) -> KubernetesState:
    """The state in `path`.

    A pod requests the sum of its containers, or the largest of its init containers where that is more, and its
    overhead. An object that cannot be read is left out by name; its node then takes no further pod.

    Raises:
        InputError: it cannot be read, or has no node that takes pods or no pod.
    """
    return _state(read_objects(path))


def _state(found: KubernetesObjects) -> KubernetesState:
    asked = [pod for pod in found.pods if not pod.node or pod.node in found.nodes]
    found.elsewhere = len(found.pods) - len(asked)
    resources = _resources([node.has for node in found.nodes.values()], [pod.asks for pod in asked])
    hosts = {name: number for number, name in enumerate(found.nodes)}
    enough = {PODS: float(len(asked))}  # a node that lists no number of pods takes any
    has = [enough | node.has for node in found.nodes.values()]
    capacity = np.array([[each.get(name, 0.0) for name in resources] for each in has])
    jobs: dict[str, int] = {}
    job = np.array([jobs.setdefault(pod.owner, len(jobs)) for pod in asked], np.int32)
    demand = np.array([[pod.asks.get(name, 0.0) for name in resources] for pod in asked]).reshape(-1, len(resources))
    host = np.array([hosts.get(pod.node, -1) for pod in asked], np.int32)
    cluster = Cluster(resources, np.minimum(capacity, MOST), tuple(found.nodes))
    rules = tuple(tuple(_binding(found, pod)) for pod in asked)
    bound, tied = np.array([bool(each) for each in rules], bool), np.array([pod.tied for pod in asked], bool)
    opened = np.array([not node.tainted and name not in found.unsure for name, node in found.nodes.items()])
    complete = bool(opened.all()) and not (bound & ~tied).any() and not found.elsewhere
    return KubernetesState(
        cluster, opened, demand, tuple(pod.name for pod in asked), job, tuple(jobs), host, tied, rules,
        found.gated, complete, tuple(_notes(found, asked, rules)), found,
    )  # fmt: skip


def _binding(found: KubernetesObjects, pod: ListedPod) -> list[str]:
    """The rules that keep a pod where it is, or from being placed."""
    rules = list(pod.rules)
    if pod.node and chosen_by(found.budgets, pod.space, pod.labels):
        rules.append("disruption budget")
    if "pod anti-affinity" not in rules and chosen_by(found.repelled, pod.space, pod.labels):
        rules.append("anti-affinity of other pods")
    if not pod.node and pod.tolerant and any(node.tainted for node in found.nodes.values()):
        rules.append("toleration")
    return rules


def movable(state: KubernetesState) -> KubernetesState:
    """The state of all that may be placed elsewhere: nodes that take any pod, and pods without rules.

    What the others request is taken off their nodes.

    Raises:
        InputError: no node or no pod is left.
    """
    runs = state.host >= 0
    stays = state.tied | state.bound
    free = state.cluster.capacity.copy()
    np.subtract.at(free, state.host[runs & stays], state.demand[runs & stays])
    full = (free < -1e-6 * np.maximum(1.0, state.cluster.capacity)).any(axis=1)
    opened = state.open & ~full
    if not opened.any():
        rule = "none takes any pod: each has a taint, a pod that cannot be read or pods that request more than it has"
        raise InputError("nodes", rule, fix="see: loadmaster info STATE")
    keep = ~stays & (~runs | opened[state.host])
    if not keep.any():
        held = next((note for note in state.notes if note.startswith(_RULES)), "see: loadmaster info STATE")
        raise InputError("pods", "none can be on another node", fix=held.rstrip("."))
    counted = (
        (int(full.sum()), "nodes have less than the pods request that stay there: they take no further pod"),
        (int((state.tied & runs).sum()), "pods of DaemonSets and static pods stay: what they request is taken off "
         "their nodes"),
        (int((state.tied & ~runs).sum()), "pods of DaemonSets wait for nodes of their own: they are left out"),
        (int((state.bound & ~state.tied & runs).sum()), "pods with rules that pack does not model stay where they run"),
        (int((state.bound & ~state.tied & ~runs).sum()), "pods that wait hold such rules: they are placed nowhere"),
    )  # fmt: skip
    number = np.where(opened, np.cumsum(opened) - 1, -1)
    jobs, job = np.unique(state.job[keep], return_inverse=True)
    cluster = Cluster(
        state.cluster.resources, np.maximum(free, 0.0)[opened],
        tuple(np.array(state.cluster.names, object)[opened]),
    )  # fmt: skip
    return replace(
        state, cluster=cluster, open=opened[opened], demand=state.demand[keep],
        names=tuple(np.array(state.names, object)[keep]), job=job.astype(np.int32),
        job_names=tuple(state.job_names[k] for k in jobs),
        host=np.where(state.host[keep] >= 0, number[state.host[keep]], -1).astype(np.int32), tied=state.tied[keep],
        rules=tuple(state.rules[k] for k in np.flatnonzero(keep)),
        notes=(*state.notes, *(f"{count:,} {words}." for count, words in counted if count)),
    )  # fmt: skip


def _resources(of_nodes: list[dict[str, float]], of_pods: list[dict[str, float]]) -> tuple[str, ...]:
    """Processors, memory, all that pods ask for, and what nodes list beside that; the number of pods where they do."""
    asked = dict.fromkeys(name for each in of_pods for name, amount in each.items() if amount > 0)
    listed = dict.fromkeys(name for each in of_nodes for name, amount in each.items() if amount > 0)
    listed = {name: None for name in listed if name in asked or not name.startswith(_IF_ASKED)}
    known = dict.fromkeys((CORES, MEMORY)) | listed | asked
    if not any(PODS in each for each in of_nodes):
        del known[PODS]
    return tuple(name for name in known if name != PODS) + ((PODS,) if PODS in known else ())


def _notes(found: KubernetesObjects, pods: list[ListedPod], rules: Sequence[Sequence[str]]) -> list[str]:
    tainted = sum(node.tainted for node in found.nodes.values())
    counted = (
        (len(found.closed), "nodes are cordoned or not ready: they are left out"),
        (found.elsewhere, "pods run on nodes that are left out, so they are left out too: no plan drains these nodes"),
        (found.ended, "pods have ended and are left out"),
        (found.gated, "pods are gated and wait for their gates to open: they are left out"),
        (sum(not any(amount for name, amount in pod.asks.items() if name != PODS) for pod in pods),
         "pods request nothing"),
        (tainted, "nodes have taints, and pack models no tolerations: no pod is placed there or moved from there"),
    )  # fmt: skip
    notes = [f"{count:,} {words}." for count, words in counted if count]
    if found.unread:
        more = f"; and {len(found.unread) - _SHOWN:,} more" if len(found.unread) > _SHOWN else ""
        told = f"{'; '.join(found.unread[:_SHOWN])}{more}"
        notes.insert(0, f"Left out, as they cannot be read (their nodes take no further pod): {told}.")
    held = Counter(rule for pod, each in zip(pods, rules, strict=True) if not pod.tied for rule in each)
    if held:
        named = ", ".join(f"{rule} ({count:,})" for rule, count in held.most_common())
        notes.append(f"{_RULES}, with the pods that hold them: {named}.")
    if not found.budgets:
        notes.append(f"The file has no disruption budgets; if the cluster has any, list them too: {COMMAND}.")
    return notes
