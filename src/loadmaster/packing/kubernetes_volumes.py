"""The nodes that can give a pod its volumes, by the claims and the volumes of the state."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from loadmaster.model.arrays import Bools
from loadmaster.packing.kubernetes_affinity import admits
from loadmaster.packing.kubernetes_objects import NOT_READ, ListedNode, ListedPod
from loadmaster.packing.kubernetes_rules import bound_to_some_nodes

_SHARED = ("ReadWriteMany", "ReadOnlyMany")


class VolumeNodes:
    """The nodes of each claim.

    Args:
        others: PersistentVolumeClaim and PersistentVolume objects, by kind.
        nodes: by name.
        pods: all of them; a claim that several pods use must be one that several nodes can mount.
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
        self._volumes = {str(each["metadata"]["name"]): each for each in others.get("PersistentVolume", ())}
        self._users: dict[tuple[str, str], int] = {}
        for pod in pods:
            for claim in _claims_of(pod):
                self._users[claim] = self._users.get(claim, 0) + 1

    def of(self, pod: ListedPod) -> tuple[Bools | None, bool]:
        """bool[H], the nodes of all its claims, None for any; and whether it has a volume that is not known."""
        for volume in pod.item["spec"].get("volumes") or ():
            if bound_to_some_nodes(volume) and not volume.get("persistentVolumeClaim") and not volume.get("hostPath"):
                return None, True
        hosts: Bools | None = None
        for claim in _claims_of(pod):
            try:
                of_claim = self._of_claim(claim)
            except NOT_READ:
                return None, True
            hosts = of_claim if hosts is None else hosts & of_claim
        return (None if hosts is None or hosts.all() else hosts), False

    def _of_claim(self, name: tuple[str, str]) -> Bools:
        """The nodes that its volume admits.

        Raises:
            KeyError, ValueError: the claim or its volume is not listed, or nodes cannot share it.
        """
        claim = self._claims[name]
        volume = self._volumes[str(claim["spec"]["volumeName"])]
        if self._users[name] > 1 and not set(volume["spec"].get("accessModes") or ()) & set(_SHARED):
            raise ValueError("several pods use a volume that one node mounts")
        required = (volume["spec"].get("nodeAffinity") or {}).get("required")
        spec = {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}}
        every = required is None
        return np.array([every or admits(n.labels, name, (), spec) for name, n in self._nodes.items()], bool)


def _claims_of(pod: ListedPod) -> list[tuple[str, str]]:
    volumes = pod.item["spec"].get("volumes") or ()
    claims = (each["persistentVolumeClaim"] for each in volumes if each.get("persistentVolumeClaim"))
    return [(pod.space, str(claim.get("claimName"))) for claim in claims]
