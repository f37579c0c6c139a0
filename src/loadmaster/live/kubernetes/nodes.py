"""The nodes as they are now, from the API's own JSON."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from loadmaster.model.exact_amounts import STEP
from loadmaster.model.units import CORES, GPUS, MEMORY
from loadmaster.traces.kubernetes_requests import amounts

_OURS = {"cpu": CORES, "memory": MEMORY, "nvidia.com/gpu": GPUS}
_PASSING = ("node.kubernetes.io/", "node.cloudprovider.kubernetes.io/", "ToBeDeletedByClusterAutoscaler")
"""Taints that come and go with the state of a node: no pod is placed there, not even one that tolerates them."""
_OWN_NAME = "kubernetes.io/hostname"


@dataclass(frozen=True)
class Node:
    """One host.

    Attributes:
        has: what pods may have of it, by our names: `cores`, `memory`, `gpus`, others by Kubernetes' own.
        taints: that stay.
        up: it takes pods now.
        why: what is the matter where it does not.
        group: the same for nodes with the same labels and taints.
    """

    name: str
    has: Mapping[str, float]
    labels: Mapping[str, str]
    taints: tuple[Mapping[str, str], ...]
    up: bool
    why: str
    group: str


def parse_nodes(items: Iterable[Mapping[str, Any]]) -> list[Node]:
    """The nodes that have a processor for pods, by name.

    Raises:
        ValueError, KeyError: a node as no server writes it.

    Example:
        >>> status = {"allocatable": {"cpu": "3900m", "memory": "1Gi"}, "conditions": []}
        >>> node, = parse_nodes([{"metadata": {"name": "n1"}, "spec": {"unschedulable": True}, "status": status}])
        >>> node.has, node.up, node.why
        ({'cores': 3.9, 'memory': 1073741824.0}, False, 'not ready, cordoned')
    """
    nodes = [_node(item) for item in items]
    return sorted((node for node in nodes if node.has.get(CORES, 0.0) >= STEP), key=lambda node: node.name)


def ours(listed: Mapping[str, float], *, asked: bool) -> dict[str, float]:
    """Amounts by our names. All but processors come in whole units: what is asked is rounded up, what is there down."""
    whole = np.ceil if asked else np.floor
    return {_OURS.get(name, name): amount if name == "cpu" else float(whole(amount)) for name, amount in listed.items()}


def _node(item: Mapping[str, Any]) -> Node:
    meta, spec, status = item["metadata"], item.get("spec") or {}, item.get("status") or {}
    taints = [each for each in spec.get("taints") or () if each.get("effect") != "PreferNoSchedule"]
    stay = tuple(each for each in taints if not each["key"].startswith(_PASSING))
    ready = any(each.get("type") == "Ready" and each.get("status") == "True" for each in status.get("conditions") or ())
    why = [] if ready else ["not ready"]
    why += ["cordoned"] if spec.get("unschedulable") else []
    why += [each["key"].rpartition("/")[2] for each in taints if each not in stay] if not why else []
    labels, name = meta.get("labels") or {}, meta["name"]
    if not isinstance(name, str) or not name:
        raise ValueError("it has no name")
    return Node(
        name,
        ours(amounts(status.get("allocatable") or {}), asked=False),
        labels,
        stay,
        not why,
        ", ".join(why),
        _group(labels, stay),
    )


def _group(labels: Mapping[str, str], taints: tuple[Mapping[str, str], ...]) -> str:
    group_labels = {key: value for key, value in labels.items() if key != _OWN_NAME}
    lasting = sorted([each["key"], each.get("value") or "", each.get("effect") or ""] for each in taints)
    text = json.dumps([sorted(group_labels.items()), lasting])
    return f"group:{hashlib.sha256(text.encode()).hexdigest()[:12]}"
