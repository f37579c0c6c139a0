"""Topology levels of nodes, and the topology spread of pods over them."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from loadmaster.model.arrays import Bools
from loadmaster.packing.constrained.constraints import MaxSkew
from loadmaster.packing.constrained.groups import DomainLevel, TaskGroup, common_tasks
from loadmaster.packing.kubernetes_affinity import admits, required_of
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
    hold: Callable[[int, str, object], None],
) -> Iterator[tuple[list[int], MaxSkew]]:
    """The required topology spread: the pods that request it and the constraint. Pods being deleted do not count.

    Args:
        nodes: by name.
        pods: all of them.
        chosen: the pods that the selector of a pod chooses.
        hold: told of a pod whose spread no constraint stands for: its selector leaves out the pod itself, it requests
            more domains than there are, or it cannot be read.
    """
    levels: dict[str, DomainLevel] = {}
    leaving = [number for number, pod in enumerate(pods) if pod.item["metadata"].get("deletionTimestamp")]
    stay = TaskGroup("not being deleted", np.setdiff1d(np.arange(len(pods)), leaving).astype(np.int32))
    asked: dict[tuple[TaskGroup, str, int, bytes], tuple[list[int], DomainLevel]] = {}
    for number, pod in enumerate(pods):
        for spread in (number in stay and pod.item["spec"].get("topologySpreadConstraints")) or ():
            if spread.get("whenUnsatisfiable") == "ScheduleAnyway":
                continue
            try:
                group, key, most = chosen(spread, pod), str(spread["topologyKey"]), int(spread["maxSkew"])
                group = common_tasks(group, stay) if leaving else group
                spec = pod.item["spec"]
                places = json.dumps(
                    [
                        key,
                        spread.get("nodeAffinityPolicy"),
                        spread.get("nodeTaintsPolicy"),
                        spec.get("nodeSelector"),
                        required_of(spec, "nodeAffinity"),
                        spec.get("tolerations"),
                    ]
                )
                if places not in levels:
                    levels[places] = level_of_label(nodes, key, _counted_nodes(nodes, pod, spread))
            except NOT_READ as error:
                hold(number, "topology spread", error)
                continue
            level, fewest = levels[places], int(spread.get("minDomains") or 0)
            if number not in group:
                hold(number, "topology spread", "its labelSelector leaves out the pod itself")
                continue
            if level.domains < fewest:
                hold(number, "topology spread", f"minDomains is {fewest}, and there are {level.domains}")
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
