"""What a pod prefers without requiring it: no plan keeps it, and each is named with the pods that it concerns."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from loadmaster.packing.kubernetes_objects import ListedNode

_PARTS = {"nodeAffinity": "node affinity", "podAffinity": "pod affinity", "podAntiAffinity": "pod anti-affinity"}


def wishes_of(spec: Mapping[str, Any]) -> Iterator[str]:
    """The wishes of a pod, by name.

    Example:
        >>> list(wishes_of({"topologySpreadConstraints": [{"whenUnsatisfiable": "ScheduleAnyway"}]}))
        ['preferred topology spread']
    """
    affinity = spec.get("affinity") or {}
    for part, name in _PARTS.items():
        if (affinity.get(part) or {}).get("preferredDuringSchedulingIgnoredDuringExecution"):
            yield f"preferred {name}"
    if any(each.get("whenUnsatisfiable") == "ScheduleAnyway" for each in spec.get("topologySpreadConstraints") or ()):
        yield "preferred topology spread"


def soft_taints(nodes: Iterable[ListedNode]) -> int:
    """The number of nodes with a taint that pods only avoid (`PreferNoSchedule`)."""
    return sum(any(each.get("effect") == "PreferNoSchedule" for each in node.taints) for node in nodes)
