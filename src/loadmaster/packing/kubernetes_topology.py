"""Topology levels of nodes, and the topology spread of pods over them."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from loadmaster.model.arrays import Bools
from loadmaster.packing.constrained.constraints import MaxSkew
from loadmaster.packing.constrained.groups import DomainLevel, TaskGroup
from loadmaster.packing.kubernetes_affinity import admits
from loadmaster.packing.kubernetes_objects import NOT_READ, ListedNode, ListedPod


def level_of_label(nodes: Mapping[str, ListedNode], key: str, usable: Bools | None = None) -> DomainLevel:
    """The nodes by the value of a label; a node without it, or that is not usable, is in no domain."""
    number: dict[str, int] = {}
    domain = [
        -1
        if key not in node.labels or (usable is not None and not usable[at])
        else number.setdefault(node.labels[key], len(number))
        for at, node in enumerate(nodes.values())
    ]
    return DomainLevel(key.rpartition("/")[2], np.array(domain, np.int32))


def spread_constraints(
    nodes: Mapping[str, ListedNode],
    pods: Sequence[ListedPod],
    chosen: Callable[[Mapping[str, Any], ListedPod], TaskGroup],
    hold: Callable[[int, str], None],
) -> Iterator[tuple[list[int], MaxSkew]]:
    """The required topology spread: the pods that ask for it and the constraint.

    Args:
        nodes: by name.
        pods: all of them.
        chosen: the pods that the selector of a pod chooses.
        hold: told of a pod whose spread no constraint stands for: its selector leaves out the pod itself, it asks for
            more domains than there are, or it cannot be read.
    """
    levels: dict[str, DomainLevel] = {}
    asked: dict[tuple[TaskGroup, str, int, bytes], tuple[list[int], DomainLevel]] = {}
    for number, pod in enumerate(pods):
        for spread in pod.item["spec"].get("topologySpreadConstraints") or ():
            if spread.get("whenUnsatisfiable") == "ScheduleAnyway":
                continue
            try:
                group, key, most = chosen(spread, pod), str(spread["topologyKey"]), int(spread["maxSkew"])
                spec = pod.item["spec"]
                places = json.dumps(
                    [
                        key,
                        spread.get("nodeAffinityPolicy"),
                        spread.get("nodeTaintsPolicy"),
                        *(spec.get(part) for part in ("nodeSelector", "affinity", "tolerations")),
                    ]
                )
                if places not in levels:
                    levels[places] = level_of_label(nodes, key, _counted_nodes(nodes, pod, spread))
            except NOT_READ:
                hold(number, "topology spread")
                continue
            level = levels[places]
            if number not in group or level.domains < int(spread.get("minDomains") or 0):
                hold(number, "topology spread")
                continue
            asked.setdefault((group, key, most, level.domain.tobytes()), ([], level))[0].append(number)
    for (group, _, most, _), (members, level) in asked.items():
        yield members, MaxSkew(group, level, most, np.ones(level.domains, bool))


def _counted_nodes(nodes: Mapping[str, ListedNode], pod: ListedPod, spread: Mapping[str, Any]) -> Bools:
    """bool[H], the nodes whose domains the spread counts: by the pod's affinity, and by its tolerations if asked."""
    spec = pod.item["spec"]
    places = spec if spread.get("nodeAffinityPolicy") != "Ignore" else {"tolerations": spec.get("tolerations")}
    honour = spread.get("nodeTaintsPolicy") == "Honor"
    return np.array(
        [admits(node.labels, name, node.taints if honour else (), places) for name, node in nodes.items()], bool
    )
