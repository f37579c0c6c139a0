"""The owner, the gang and the volumes of a pod, in the words that live runs and plans share."""

from collections.abc import Mapping
from typing import Any

_ANYWHERE = (
    "configMap", "secret", "projected", "downwardAPI", "emptyDir", "image", "gitRepo", "nfs", "cephfs", "glusterfs",
    "azureFile",
)  # fmt: skip
"""Kinds of volumes that every node can give."""
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


def limited_to_nodes(volume: Mapping[str, Any]) -> str:
    """The kind of a volume that not every node can give; empty for one that every node can.

    Example:
        >>> limited_to_nodes({"name": "v", "csi": {}}), limited_to_nodes({"name": "v", "emptyDir": {}})
        ('csi', '')
    """
    return next((kind for kind, value in volume.items() if kind not in ("name", *_ANYWHERE) and value is not None), "")
