"""What `kubectl get nodes,pods -A -o json` prints, as a running state: nodes are hosts, pods tasks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from loadmaster.model import Cluster, InputError
from loadmaster.model.arrays import Bools, Floats, Ints
from loadmaster.model.units import CORES, GPUS, MEMORY
from loadmaster.packing.kubernetes_requests import amounts, requests_of
from loadmaster.traces.json_records import json_records

MOST_PODS = 10_000_000
TIED = ("DaemonSet", "Node")
"""Owners whose pods are on the very node that they are made for, and nowhere else."""
_KNOWN = {"cpu": CORES, "memory": MEMORY, "nvidia.com/gpu": GPUS}
_LEFT_OUT = ("pods", "ephemeral-storage", "storage")


@dataclass(frozen=True, eq=False)
class KubernetesState:
    """Hosts and what runs on them.

    Attributes:
        cluster: nodes that take pods, by what they can allocate.
        demand: float64[T, R], what each pod requests.
        names: of the pods, namespace/name.
        job: int32[T], pods of one owner are one job.
        job_names: of the jobs.
        host: int32[T], where each pod runs; -1 for one that waits.
        tied: bool[T], pods that can be on no other node than theirs: of DaemonSets, and static ones.
        notes: what was left out, one sentence each.
    """

    cluster: Cluster
    demand: Floats
    names: tuple[str, ...]
    job: Ints
    job_names: tuple[str, ...]
    host: Ints
    tied: Bools
    notes: tuple[str, ...]


class _Pod(NamedTuple):
    name: str
    owner: str
    node: str
    asks: dict[str, float]
    tied: bool


@dataclass
class _Found:
    """Nodes and pods as they come."""

    nodes: dict[str, dict[str, float]] = field(default_factory=dict)
    closed: int = 0
    pods: list["_Pod"] = field(default_factory=list)
    ended: int = 0
    elsewhere: int = 0
    left_out: dict[str, None] = field(default_factory=dict)


def is_kubernetes(head: bytes) -> bool:
    """Whether a document begins as what `kubectl` prints: a list, or objects one behind the other."""
    return head.lstrip().startswith(b"{") and b'"apiVersion"' in head


def read_kubernetes(path: Path) -> KubernetesState:
    """The state in `path`.

    A pod requests the sum of its containers, or the largest of its init containers where that is more, and its
    overhead.

    Raises:
        InputError: it cannot be read, has no node that takes pods or no pod, or a quantity is none.
    """
    found = _Found()
    for line, item in json_records(path, ("items",)):
        try:
            _take(found, item)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            rule = f"this {item.get('kind', 'item')} is not as kubectl prints one: {str(error)[:60]}"
            raise InputError(
                _name(item), rule, fix="kubectl get nodes,pods -A -o json", where=f"{path}:{line}"
            ) from None
    if not found.nodes or not found.pods:
        counted = f"{len(found.nodes):,} nodes that take pods, and {len(found.pods):,} pods that have not ended"
        rule = f"a state needs both nodes and pods, and this has {counted}"
        raise InputError(path.name, rule, fix="kubectl get nodes,pods -A -o json", where=str(path))
    return _state(found)


def _take(found: _Found, item: Mapping[str, Any]) -> None:
    kind = item["kind"]
    if kind == "Node":
        ready = [each for each in item["status"].get("conditions", ()) if each.get("type") == "Ready"]
        if item.get("spec", {}).get("unschedulable") or any(each.get("status") != "True" for each in ready):
            found.closed += 1
            return
        found.nodes[item["metadata"]["name"]] = _counted(amounts(item["status"]["allocatable"]), found)
    elif kind == "Pod":
        if item.get("status", {}).get("phase") in ("Succeeded", "Failed"):
            found.ended += 1
            return
        if len(found.pods) >= MOST_PODS:
            raise ValueError(f"more than {MOST_PODS:,} pods")
        owners = item["metadata"].get("ownerReferences") or ()
        space = item["metadata"].get("namespace", "default")
        owner = f"{space}/{owners[0]['name']}" if owners else _name(item)
        asked = _counted(requests_of(item["spec"]), found)
        tied = any(each.get("kind") in TIED for each in owners)
        found.pods.append(_Pod(_name(item), owner, item["spec"].get("nodeName") or "", asked, tied))


def _counted(listed: Mapping[str, float], found: _Found) -> dict[str, float]:
    """Amounts by our names of resources; what is not modelled is noted."""
    counted: dict[str, float] = {}
    for name, amount in listed.items():
        if name in _LEFT_OUT or name.startswith("hugepages-"):
            found.left_out[name.partition("-2Mi")[0]] = None
            continue
        ours = _KNOWN.get(name, name)
        counted[ours] = counted.get(ours, 0.0) + (np.floor(amount) if ours == MEMORY else amount)
    return counted


def _state(found: _Found) -> KubernetesState:
    asked = [pod for pod in found.pods if not pod.node or pod.node in found.nodes]
    found.elsewhere = len(found.pods) - len(asked)
    resources = _resources([*found.nodes.values(), *(pod.asks for pod in asked)])
    hosts = {name: number for number, name in enumerate(found.nodes)}
    capacity = np.array([[has.get(name, 0.0) for name in resources] for has in found.nodes.values()])
    jobs: dict[str, int] = {}
    job = np.array([jobs.setdefault(pod.owner, len(jobs)) for pod in asked], np.int32)
    demand = np.array([[pod.asks.get(name, 0.0) for name in resources] for pod in asked]).reshape(-1, len(resources))
    host = np.array([hosts.get(pod.node, -1) for pod in asked], np.int32)
    cluster = Cluster(resources, capacity, tuple(found.nodes))
    tied = np.array([pod.tied for pod in asked], bool)
    names, notes = tuple(pod.name for pod in asked), tuple(_notes(found, demand))
    return KubernetesState(cluster, demand, names, job, tuple(jobs), host, tied, notes)


def without_tied(state: KubernetesState) -> KubernetesState:
    """The state of all that may be placed elsewhere: what tied pods request is taken off their nodes.

    Raises:
        InputError: no pod is left, or tied pods request more than their node has.
    """
    if not state.tied.any():
        return state
    free, stays = state.cluster.capacity.copy(), ~state.tied
    runs = state.tied & (state.host >= 0)
    np.subtract.at(free, state.host[runs], state.demand[runs])
    over = np.flatnonzero((free < -1e-6 * np.maximum(1.0, state.cluster.capacity)).any(axis=1))
    if over.size:
        rule = "pods of DaemonSets and static pods request more than this node has"
        raise InputError(state.cluster.names[over[0]], rule, fix="list nodes and pods in one command")
    if not stays.any():
        raise InputError("pods", "all are of DaemonSets or static, and can be on no other node")
    waiting = int((state.tied & ~runs).sum())
    notes = [
        f"{int(runs.sum()):,} pods of DaemonSets and static pods stay: what they request is taken off their nodes."
    ]
    notes += [f"{waiting:,} pods of DaemonSets wait for nodes of their own: they are left out."] if waiting else []
    jobs, job = np.unique(state.job[stays], return_inverse=True)
    return KubernetesState(
        Cluster(state.cluster.resources, np.maximum(free, 0.0), state.cluster.names), state.demand[stays],
        tuple(np.array(state.names, object)[stays]), job.astype(np.int32), tuple(state.job_names[k] for k in jobs),
        state.host[stays], state.tied[stays], (*state.notes, *notes),
    )  # fmt: skip


def _resources(listed: Iterable[Mapping[str, float]]) -> tuple[str, ...]:
    known = dict.fromkeys((CORES, MEMORY))
    for each in listed:
        known |= dict.fromkeys(name for name, amount in each.items() if amount > 0)
    return tuple(known)


def _notes(found: _Found, demand: Floats) -> list[str]:
    counted = (
        (found.closed, "nodes are cordoned or not ready: they are left out"),
        (found.elsewhere, "pods run on nodes that are left out, so they are left out too"),
        (found.ended, "pods have ended and are left out"),
        (int((demand <= 0).all(axis=1).sum()), "pods request nothing"),
    )
    notes = [f"{count:,} {words}." for count, words in counted if count]
    if found.left_out:
        notes.append(f"Not modelled: {', '.join(sorted(found.left_out))}; affinity, taints, limits and priorities.")
    return notes


def _name(item: Mapping[str, Any]) -> str:
    meta = item.get("metadata") if isinstance(item.get("metadata"), dict) else {}
    space = meta.get("namespace") if isinstance(meta, dict) else None
    name = str(meta.get("name", "?")) if isinstance(meta, dict) else "?"
    return f"{space}/{name}" if space else name
