"""The objects that `kubectl get nodes,pods,pdb,pvc,pv -A -o json` prints, each read or left out by name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from loadmaster.model import InputError
from loadmaster.model.errors import cut
from loadmaster.model.exact_amounts import STEP
from loadmaster.model.units import CORES, GPUS, MEMORY
from loadmaster.packing.kubernetes_affinity import check_selector, required_of
from loadmaster.packing.kubernetes_rules import TIED
from loadmaster.traces.files import head_of
from loadmaster.traces.json_records import json_records
from loadmaster.traces.kubernetes_events import is_kubernetes_events
from loadmaster.traces.kubernetes_requests import amounts, requests_of
from loadmaster.traces.kueue import is_kueue
from loadmaster.traces.unsupported_files import EVENTS, STATE_OF_EVENTS

MOST_PODS = 10_000_000
PODS = "pods"
"""The resource of which every pod takes one of its node."""
COMMAND = "kubectl get nodes,pods,pdb,pvc,pv -A -o json"
NOT_READ = (KeyError, TypeError, AttributeError, ValueError, ArithmeticError)
"""What reading an object raises that is not as an API server writes it."""
_KNOWN = {"cpu": CORES, "memory": MEMORY, "nvidia.com/gpu": GPUS}
OTHERS = ("PersistentVolumeClaim", "PersistentVolume", "StorageClass", "Namespace")
"""Other kinds that rules of pods refer to."""


class ListedNode(NamedTuple):
    """A node: what pods may have of it, its labels and taints, and why it takes no pod ("" if it does)."""

    has: dict[str, float]
    labels: Mapping[str, str]
    taints: Sequence[Mapping[str, str]]
    closed: str = ""


class ListedPod(NamedTuple):
    """A pod that has not ended.

    Attributes:
        name: namespace/name.
        owner: namespace/name of its owner; its own name without one.
        node: to which it is bound; "" while it waits.
        asks: what it requests, by our names.
        tied: it is of a DaemonSet or static: it can be on no other node.
        space: its namespace.
        labels: its labels.
        item: the whole object.
    """

    name: str
    owner: str
    node: str
    asks: dict[str, float]
    tied: bool
    space: str
    labels: Mapping[str, str]
    item: Mapping[str, Any]


@dataclass
class KubernetesObjects:
    """Nodes and pods as they come.

    Attributes:
        nodes: that take pods, by name.
        closed: nodes that are cordoned or not ready, by name.
        pods: that have not ended and have no closed gate.
        ended, gated: pods that have ended, and that wait for a gate.
        unread: objects that cannot be read, in words.
        unsure: nodes with such a pod.
        others: the objects of other kinds, by kind.
    """

    nodes: dict[str, ListedNode] = field(default_factory=dict)
    closed: dict[str, ListedNode] = field(default_factory=dict)
    pods: list[ListedPod] = field(default_factory=list)
    ended: int = 0
    gated: int = 0
    unread: list[str] = field(default_factory=list)
    unsure: set[str] = field(default_factory=set)
    others: dict[str, list[Mapping[str, Any]]] = field(default_factory=dict)


def is_kubernetes_file(path: Path) -> bool:
    """Whether a file is what `kubectl get nodes,pods -o json` prints."""
    return path.is_file() and is_kubernetes(head_of(path, 1 << 16))


def is_kubernetes(head: bytes) -> bool:
    """Whether a document begins as what `kubectl` prints: a list, or objects one behind the other, not a log."""
    text = head.decode("utf-8", "replace")
    return (
        text.lstrip().startswith("{") and '"apiVersion"' in text and not (is_kueue(text) or is_kubernetes_events(text))
    )


def read_objects(path: Path) -> KubernetesObjects:
    """The objects in `path`; one that cannot be read is left out by name.

    Raises:
        InputError: it cannot be read, or has no node that takes pods or no pod.
    """
    found, events = KubernetesObjects(), False
    for line, item in json_records(path, ("items",)):
        events |= item.get("kind") == "Event"
        try:
            _take(found, item)
        except NOT_READ as error:
            why = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            found.unread.append(f"{item.get('kind', 'item')} {_name(item)} in line {line} ({cut(why, 60)})")
            spec = item.get("spec")
            found.unsure.add(str(spec.get("nodeName")) if isinstance(spec, dict) else "")
    if events and not (found.nodes or found.pods):
        raise InputError(path.name, EVENTS, fix=STATE_OF_EVENTS, where=str(path))
    if not found.nodes or not found.pods:
        counted = f"{len(found.nodes):,} nodes that take pods, and {len(found.pods):,} pods that have not ended"
        rule = f"a state needs both nodes and pods, and this has {counted}"
        rule += f"; not read: {found.unread[0]}" if found.unread else ""
        raise InputError(path.name, rule, fix=COMMAND, where=str(path))
    return found


def _take(found: KubernetesObjects, item: Mapping[str, Any]) -> None:
    kind = item["kind"]
    if kind == "Node":
        _take_node(found, item)
    elif kind == "Pod":
        _take_pod(found, item)
    elif kind == "PodDisruptionBudget":
        found.others.setdefault(kind, []).append(item)
        check_selector(item["spec"].get("selector"))
    elif kind in OTHERS:
        found.others.setdefault(kind, []).append(item)


def _take_node(found: KubernetesObjects, item: Mapping[str, Any]) -> None:
    spec, status = item.get("spec") or {}, item["status"]
    ready = [each.get("status") for each in status.get("conditions") or () if each.get("type") == "Ready"]
    closed = "cordoned" if spec.get("unschedulable") else "not ready" if ready != ["True"] else ""
    listed = status.get("allocatable") or {} if closed else status["allocatable"]
    meta, has = item["metadata"], _amounts(amounts(listed))
    if not closed and has.get(CORES, 0.0) < STEP:
        raise ValueError("it has no processors")
    node = ListedNode(has, dict(meta.get("labels") or {}), spec.get("taints") or (), closed)
    (found.closed if closed else found.nodes)[str(meta["name"])] = node


def _take_pod(found: KubernetesObjects, item: Mapping[str, Any]) -> None:
    meta, spec, status = item["metadata"], item["spec"], item.get("status") or {}
    if status.get("phase") in ("Succeeded", "Failed"):
        found.ended += 1
        return
    if spec.get("schedulingGates") and not spec.get("nodeName"):
        found.gated += 1
        return
    if len(found.pods) >= MOST_PODS:
        raise ValueError(f"more than {MOST_PODS:,} pods")
    owners, space = meta.get("ownerReferences") or (), meta.get("namespace", "default")
    owner = f"{space}/{owners[0]['name']}" if owners else _name(item)
    tied = any(each.get("kind") in TIED for each in owners)
    for term in required_of(spec, "podAntiAffinity") or ():
        check_selector(term.get("labelSelector"))
    asks = _amounts(requests_of(spec, status)) | {PODS: 1.0}
    node, labels = str(spec.get("nodeName") or ""), dict(meta.get("labels") or {})
    found.pods.append(ListedPod(_name(item), owner, node, asks, tied, space, labels, item))


def _amounts(listed: Mapping[str, float]) -> dict[str, float]:
    """Amounts by our names of resources."""
    counted: dict[str, float] = {}
    for name, amount in listed.items():
        ours = _KNOWN.get(name, name)
        counted[ours] = counted.get(ours, 0.0) + (np.floor(amount) if ours == MEMORY else amount)
    return counted


def _name(item: Mapping[str, Any]) -> str:
    meta = item.get("metadata") if isinstance(item.get("metadata"), dict) else {}
    space = meta.get("namespace") if isinstance(meta, dict) else None
    name = str(meta.get("name", "?")) if isinstance(meta, dict) else "?"
    return f"{space}/{name}" if space else name
