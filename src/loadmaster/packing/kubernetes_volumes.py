"""The nodes that can give a pod its volumes, by the claims and the volumes of the state."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from loadmaster.model.arrays import Bools
from loadmaster.packing.constrained.constraints import Apart, Together
from loadmaster.packing.constrained.groups import DomainLevel, TaskGroup
from loadmaster.packing.kubernetes_affinity import admits
from loadmaster.packing.kubernetes_objects import NOT_READ, ListedNode, ListedPod
from loadmaster.packing.kubernetes_rules import limited_to_nodes

_KINDS = ("PersistentVolumeClaim", "PersistentVolume", "StorageClass")
_SHARED = ("ReadWriteMany", "ReadOnlyMany")
_OF_ONE_POD = "ReadWriteOncePod"
_ZONES = (
    "topology.kubernetes.io/zone", "topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
)  # fmt: skip
"""Labels of a volume that its node must bear; several values are joined by `__`."""
CLAIMS = ("persistentVolumeClaim", "ephemeral")
"""Kinds of volumes of a pod that name a claim."""
LATER = "WaitForFirstConsumer"


class VolumeNodes:
    """The nodes of each claim.

    Args:
        others: PersistentVolumeClaim, PersistentVolume and StorageClass objects, by kind.
        nodes: by name.
        pods: all of them.
    """

    def __init__(
        self,
        others: Mapping[str, Sequence[Mapping[str, Any]]],
        nodes: Mapping[str, ListedNode],
        pods: Sequence[ListedPod],
    ) -> None:
        self._nodes = nodes
        self._claims = {
            (str(each["metadata"].get("namespace", "default")), str(each["metadata"]["name"])): each
            for each in others.get("PersistentVolumeClaim", ())
        }
        self._volumes, self._classes = (
            {str(each["metadata"]["name"]): each for each in others.get(kind, ())} for kind in _KINDS[1:]
        )
        self._missing = {kind: "is not there" if kind in others else "is not listed" for kind in _KINDS}
        self._users: dict[tuple[str, str], list[int]] = {}
        for number, pod in enumerate(pods):
            for claim in claims_of(pod):
                self._users.setdefault(claim, []).append(number)

    def of(self, pod: ListedPod) -> tuple[Bools | None, str]:
        """bool[H], the nodes of all its volumes, None for any; and why they are not known, empty if they are."""
        for volume in pod.item["spec"].get("volumes") or ():
            kind = limited_to_nodes(volume)
            if kind and kind not in (*CLAIMS, "hostPath"):
                return None, f"where a volume of the kind {kind} can be attached is not looked at"
        hosts: Bools | None = None
        for claim in claims_of(pod):
            try:
                of_claim = self._of_claim(claim)
            except NOT_READ as error:
                return None, str(error)
            hosts = of_claim if hosts is None else hosts & of_claim
        return (None if hosts is None or hosts.all() else hosts), ""

    def between_pods(self) -> Iterator[tuple[list[int], Together | Apart]]:
        """The pods of each claim that not every node, or not every pod, may use at once, and the constraint."""
        hosts = DomainLevel.of_hosts(len(self._nodes))
        cluster = DomainLevel("cluster", np.zeros(len(self._nodes), np.int32))
        for name, users in self._users.items():
            claimed = self._claims.get(name, {}).get("spec") or {}
            volume = (self._volumes.get(str(claimed.get("volumeName"))) or {}).get("spec") or {}
            group = TaskGroup(f"pods with the claim {'/'.join(name)}", np.array(users, np.int32))
            if len(users) == 1 or not claimed:
                continue
            if _OF_ONE_POD in (claimed.get("accessModes") or ()):
                yield users, Apart(group, group, cluster)
            elif not set(volume.get("accessModes") or claimed.get("accessModes") or ()) & set(_SHARED):
                yield users, Together(group, group, hosts)

    def _of_claim(self, name: tuple[str, str]) -> Bools:
        """The nodes that its volume admits.

        Raises:
            ValueError: the claim or its volume is not listed, or the claim has no volume.
        """
        words = f"the claim {'/'.join(name)}"
        if name not in self._claims:
            raise ValueError(f"{words} {self._missing['PersistentVolumeClaim']}")
        spec = self._claims[name]["spec"]
        if not (volume_name := spec.get("volumeName")):
            kind = self._classes.get(str(spec.get("storageClassName")), {})
            if kind.get("volumeBindingMode") != LATER:
                raise ValueError(f"{words} has no volume yet")
            return self._of_new_volume(words, self._claims[name], kind)
        if volume_name not in self._volumes:
            raise ValueError(f"the volume {volume_name} of {words} {self._missing['PersistentVolume']}")
        return self._of_volume(self._volumes[volume_name])

    def _of_new_volume(self, words: str, claim: Mapping[str, Any], kind: Mapping[str, Any]) -> Bools:
        """The nodes for a claim that gets its volume with its first pod, by its storage class.

        Raises:
            ValueError: there is none, or none is chosen here.
        """
        raise ValueError(f"{words} waits for its first pod ({LATER}), and no node is chosen for a new volume")

    def _of_volume(self, volume: Mapping[str, Any]) -> Bools:
        """The nodes that a volume admits."""
        required = (volume["spec"].get("nodeAffinity") or {}).get("required")
        affinity = {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}}
        labels = volume["metadata"].get("labels") or {}
        zones = {key: str(labels[key]).split("__") for key in _ZONES if key in labels}
        return np.array(
            [
                (required is None or admits(node.labels, name, (), affinity))
                and all(node.labels.get(key) in values for key, values in zones.items())
                for name, node in self._nodes.items()
            ],
            bool,
        )


def claims_of(pod: ListedPod) -> Iterator[tuple[str, str]]:
    """Namespace and name of each claim; that of an ephemeral volume bears the names of pod and volume."""
    for volume in pod.item["spec"].get("volumes") or ():
        if volume.get("persistentVolumeClaim"):
            yield pod.space, str(volume["persistentVolumeClaim"].get("claimName"))
        elif volume.get("ephemeral"):
            yield pod.space, f"{pod.name.rpartition('/')[2]}-{volume.get('name')}"
