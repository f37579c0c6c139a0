"""Rules of Kubernetes that are not modelled: a pod that holds one stays on its node, and is placed on no other."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from loadmaster.packing.kubernetes_affinity import required_of

_ANYWHERE = ("configMap", "secret", "projected", "downwardAPI", "emptyDir", "image")
"""Kinds of volumes that every node can give."""
_KEEPS_OUT = ("NoSchedule", "NoExecute")
GANGS = (
    "scheduling.x-k8s.io/pod-group", "pod-group.scheduling.sigs.k8s.io/name", "pod-group.scheduling.sigs.k8s.io",
    "scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-name", "kueue.x-k8s.io/pod-group-name",
    "gang.scheduling.koordinator.sh/name",
)  # fmt: skip
"""Labels and annotations by which a pod names the group that it is to start with: of coscheduling plugins, Volcano,
Kueue and Koordinator."""
TIED = ("DaemonSet", "Node")
"""Owners whose pods are on the very node that they are made for, and nowhere else."""
OWNERS = ("ReplicaSet", "ReplicationController", "StatefulSet")
"""Owners that start another pod for one that goes, and lose no work by it; a Job would begin anew."""
SAFE_TO_EVICT = "cluster-autoscaler.kubernetes.io/safe-to-evict"
OWNERLESS = "no owner that would start it again"


def rules_of(item: Mapping[str, Any]) -> list[str]:
    """The rules that a pod itself holds, by name; where a running pod alone is bound by one, only of a running pod.

    Example:
        >>> rules_of({"metadata": {"ownerReferences": [{"name": "a"}]}, "spec": {"nodeSelector": {"disk": "ssd"}}})
        ['node selector']
    """
    meta, spec = item["metadata"], item["spec"]
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    spread = spec.get("topologySpreadConstraints") or ()
    held = {
        "node selector": spec.get("nodeSelector"),
        "node affinity": required_of(spec, "nodeAffinity"),
        "pod affinity": required_of(spec, "podAffinity"),
        "pod anti-affinity": required_of(spec, "podAntiAffinity"),
        "topology spread": any(each.get("whenUnsatisfiable") != "ScheduleAnyway" for each in spread),
        "volume": any(bound_to_some_nodes(volume) for volume in spec.get("volumes") or ()),
        "resource claim": spec.get("resourceClaims"),
        "gang": gang_of(item),
        "host port": any(port.get("hostPort") for each in containers for port in each.get("ports") or ()),
    }
    if spec.get("nodeName"):
        annotations = meta.get("annotations") or {}
        held |= {
            OWNERLESS: not meta.get("ownerReferences"),
            "not to be evicted": annotations.get(SAFE_TO_EVICT) == "false",
            "being deleted": meta.get("deletionTimestamp"),
        }
    return [name for name, holds in held.items() if holds]


def gang_of(item: Mapping[str, Any]) -> str:
    """The label, annotation or field by which a pod says that it starts together with others; empty without any.

    Example:
        >>> gang_of({"metadata": {"labels": {"kueue.x-k8s.io/pod-group-name": "g"}}, "spec": {}})
        'kueue.x-k8s.io/pod-group-name'
    """
    meta = item["metadata"]
    given = {**(meta.get("annotations") or {}), **(meta.get("labels") or {})}
    named = next((name for name in GANGS if given.get(name)), "")
    return named or ("workloadRef" if item["spec"].get("workloadRef") else "")


def apart_from(spec: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The terms of pods that must not be near this one."""
    return required_of(spec, "podAntiAffinity") or ()


def keeps_pods_out(taints: Iterable[Mapping[str, Any]] | None) -> bool:
    """Whether a node with these taints takes only pods that tolerate them."""
    return any(each.get("effect") in _KEEPS_OUT for each in taints or ())


def tolerates_some_taint(spec: Mapping[str, Any]) -> bool:
    """Whether a pod tolerates more than the states of nodes that every pod tolerates for some minutes."""
    return any(
        not str(each.get("key") or "").startswith("node.kubernetes.io/") for each in spec.get("tolerations") or ()
    )


def chosen_by(selectors: Sequence[tuple[str, Mapping[str, Any]]], space: str, labels: Mapping[str, str]) -> bool:
    """Whether one of the selectors, each of a namespace ("" for any), may choose a pod.

    Only `matchLabels` are looked at: what expressions would leave out is taken as chosen.
    """
    return any(
        own in ("", space) and all(labels.get(key) == value for key, value in (each.get("matchLabels") or {}).items())
        for own, each in selectors
    )


def bound_to_some_nodes(volume: Mapping[str, Any]) -> bool:
    """Whether a volume is of a kind that not every node can give."""
    return any(kind not in ("name", *_ANYWHERE) for kind, value in volume.items() if value is not None)
