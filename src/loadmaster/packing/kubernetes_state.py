"""What `kubectl get nodes,pods -A -o json` prints, as a running state: nodes are hosts, pods tasks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from loadmaster.model import Cluster, InputError
from loadmaster.model.arrays import Floats, Ints
from loadmaster.model.units import CORES, GPUS, MEMORY
from loadmaster.packing.kubernetes_requests import amounts, requests_of
from loadmaster.traces.json_records import json_records

MOST_PODS = 10_000_000
_KNOWN = {"cpu": CORES, "memory": MEMORY}
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
        notes: what was left out, one sentence each.
    """

    cluster: Cluster
    demand: Floats
    names: tuple[str, ...]
    job: Ints
    job_names: tuple[str, ...]
    host: Ints
    notes: tuple[str, ...]


@dataclass
class _Found:
    """Nodes and pods as they come."""

    nodes: dict[str, dict[str, float]] = field(default_factory=dict)
    closed: int = 0
    pods: list[tuple[str, str, str, dict[str, float]]] = field(default_factory=list)
    ended: int = 0
    elsewhere: int = 0
    left_out: dict[str, None] = field(default_factory=dict)


def is_kubernetes(head: bytes) -> bool:
    """Whether a document begins as a list of `kubectl` does."""
    return head.lstrip().startswith(b"{") and b'"apiVersion"' in head and b'"items"' in head


def read_kubernetes(path: Path) -> KubernetesState:
    """The state in `path`.

    A pod requests the sum of its containers, or the largest of its init containers where that is more, and its
    overhead.

    Raises:
        InputError: it cannot be read, is no such list, has no node that takes pods or no pod, or a quantity is none.
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
    if not found.nodes:
        rule = "no node in this list that takes pods"
        raise InputError(path.name, rule, fix="kubectl get nodes,pods -A -o json", where=str(path))
    if not found.pods:
        raise InputError(path.name, "no pod in this list", fix="kubectl get nodes,pods -A -o json", where=str(path))
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
        found.pods.append((_name(item), owner, item["spec"].get("nodeName") or "", asked))


def _counted(listed: Mapping[str, float], found: _Found) -> dict[str, float]:
    """Amounts by our names of resources; what is not modelled is noted."""
    counted: dict[str, float] = {}
    for name, amount in listed.items():
        if name in _LEFT_OUT or name.startswith("hugepages-"):
            found.left_out[name.partition("-2Mi")[0]] = None
            continue
        ours = _KNOWN.get(name) or (GPUS if name.endswith("/gpu") else name)
        counted[ours] = counted.get(ours, 0.0) + (np.floor(amount) if ours == MEMORY else amount)
    return counted


def _state(found: _Found) -> KubernetesState:
    asked = [pod for pod in found.pods if not pod[2] or pod[2] in found.nodes]
    found.elsewhere = len(found.pods) - len(asked)
    resources = _resources([*found.nodes.values(), *(pod[3] for pod in asked)])
    hosts = {name: number for number, name in enumerate(found.nodes)}
    capacity = np.array([[has.get(name, 0.0) for name in resources] for has in found.nodes.values()])
    jobs: dict[str, int] = {}
    job = np.array([jobs.setdefault(pod[1], len(jobs)) for pod in asked], np.int32)
    demand = np.array([[pod[3].get(name, 0.0) for name in resources] for pod in asked]).reshape(-1, len(resources))
    host = np.array([hosts.get(pod[2], -1) for pod in asked], np.int32)
    cluster = Cluster(resources, capacity, tuple(found.nodes))
    return KubernetesState(
        cluster, demand, tuple(pod[0] for pod in asked), job, tuple(jobs), host, tuple(_notes(found, demand))
    )


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
