"""Claims that get their volume with their first pod (`WaitForFirstConsumer`): a node is chosen, then the pod waits.

For a class with a provisioner the node is written on the claim, as kube-scheduler does, and the provisioner makes the
volume. A volume that an administrator has made is reserved for the claim. The controllers of Kubernetes bind both.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from loadmaster.live.kubernetes.actions import refusal_of
from loadmaster.live.kubernetes.api import Api
from loadmaster.live.kubernetes.parsing import NOT_READ, name_of
from loadmaster.live.kubernetes.pods import id_of, listed, pod_of
from loadmaster.live.session.engine import Refusal
from loadmaster.model.actions import Repin, Start
from loadmaster.model.arrays import Bools
from loadmaster.packing.kubernetes_affinity import selects
from loadmaster.packing.kubernetes_volumes import LATER, VolumeNodes, claims_of
from loadmaster.traces.kubernetes_requests import quantity

CHOSEN = "volume.kubernetes.io/selected-node"
"""Annotation of a claim: the node of its first pod."""
MERGE = "application/merge-patch+json"
_RESERVED = {"pv.kubernetes.io/bound-by-controller": "yes"}
_MAKES_NONE = "kubernetes.io/no-provisioner"
Item = Mapping[str, Any]


class NewVolumes(VolumeNodes):
    """The nodes of each claim, also of one that gets its volume with its first pod."""

    def without_volume(self, item: Item) -> list[Item]:
        """The claims of a pod that have no volume yet and get it with their first pod."""
        pod = pod_of(item) if item["spec"].get("volumes") else None
        claims = [] if pod is None else [self._claims[name] for name in claims_of(listed(pod)) if name in self._claims]
        return [each for each in claims if not each["spec"].get("volumeName") and self._class_of(each)]

    def is_open(self, claim: Item, node: str) -> bool:
        """Whether the choice of a node for a claim is still to be made."""
        return _chosen_node(claim) != node and not any(_is_reserved(each, claim) for each in self._volumes.values())

    def change_for(self, claim: Item, node: str) -> tuple[str, Item] | None:
        """What to change so that a claim gets its volume on a node, and where; None if that was asked already.

        Raises:
            ValueError: it cannot get one there any more.
        """
        if not self.is_open(claim, node):
            return None
        number = list(self._nodes).index(node)
        meta, volume = claim["metadata"], next((v for v in self._free(claim) if self._of_volume(v)[number]), None)
        if volume is not None:
            refers = {key: meta[key] for key in ("namespace", "name", "uid", "resourceVersion")}
            body = {"spec": {"claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", **refers}}}
            return f"/api/v1/persistentvolumes/{volume['metadata']['name']}", _patch(volume, _RESERVED, body)
        if not self._of_new_volume(f"the claim {name_of(claim)}", claim, self._class_of(claim))[number]:
            raise ValueError(f"the claim {name_of(claim)} gets no volume on {node}")
        path = f"/api/v1/namespaces/{meta['namespace']}/persistentvolumeclaims/{meta['name']}"
        return path, _patch(claim, {CHOSEN: node}, {})

    def _class_of(self, claim: Item) -> Item:
        """The storage class of a claim, if it has the volume wait for the first pod; else empty."""
        kind = self._classes.get(str(claim["spec"].get("storageClassName")), {})
        return kind if kind.get("volumeBindingMode") == LATER else {}

    def _of_new_volume(self, words: str, claim: Item, kind: Item) -> Bools:
        """See `VolumeNodes`: the chosen node, else those of free volumes that fit and those where one can be made."""
        reserved = [self._of_volume(each) for each in self._volumes.values() if _is_reserved(each, claim)]
        if reserved:
            return reserved[0]
        if node := _chosen_node(claim):
            hosts = np.array([name == node for name in self._nodes], bool)
        else:
            hosts = np.zeros(len(self._nodes), bool)
            for volume in self._free(claim):
                hosts |= self._of_volume(volume)
            if kind.get("provisioner") != _MAKES_NONE:
                hosts |= self._where_made(kind)
        if not hosts.any():
            kind_name = claim["spec"].get("storageClassName")
            lacking = f"no node has or can get a volume of the class {kind_name} for {words}"
            raise ValueError(f"{words} gets its volume on {node}, which is not there" if node else lacking)
        return hosts

    def _free(self, claim: Item) -> list[Item]:
        """Volumes that the claim may have, the smallest first."""
        fitting = []
        for volume in self._volumes.values():
            with suppress(*NOT_READ):
                if _fits(volume, claim):
                    fitting.append(volume)
        return sorted(fitting, key=lambda each: (_storage(each["spec"]["capacity"]), each["metadata"]["name"]))

    def _where_made(self, kind: Item) -> Bools:
        """The nodes on which a class makes volumes (`allowedTopologies`)."""
        terms = [each.get("matchLabelExpressions") or () for each in kind.get("allowedTopologies") or ()]
        return np.array(
            [
                not terms or any(all(node.labels.get(one["key"]) in one["values"] for one in term) for term in terms)
                for node in self._nodes.values()
            ],
            bool,
        )


class VolumeChoices:
    """Chooses the node of new volumes, and has their pods bound there once the volumes are.

    Args:
        api: of the cluster.
        bind: binds a pod that waits to a node, or says why not.
        note: is given each claim and volume as we have changed it.

    Attributes:
        volumes: the nodes of claims, as they were last seen.
        awaiting: the node of each pod that waits for its volumes, by its id. Such a pod counts as bound.
    """

    def __init__(self, api: Api, bind: Callable[[Start], Refusal | None], note: Callable[[Item], None]) -> None:
        self._api, self._bind, self._note = api, bind, note
        self.volumes = NewVolumes({}, {}, ())
        self.awaiting: dict[str, str] = {}

    def begin(self, action: Start | Repin, item: Item) -> Refusal | None:
        """Choose the node for all claims of a pod without a volume; then `awaiting` has the pod.

        Raises:
            EngineDown: it is not known whether it was done.
        """
        for claim in (claims := self.volumes.without_volume(item)):
            try:
                change = self.volumes.change_for(claim, action.hosts[0])
            except NOT_READ as error:
                return Refusal(action, "busy", str(error))
            if change is None:
                continue
            answer = self._api.ask("PATCH", *change, content=MERGE)
            if not answer.good:
                return refusal_of(action, answer)
            self._note(answer.body)
        if claims:
            self.awaiting[action.id] = action.hosts[0]
        return None

    def follow(self, items: Sequence[Item], others: Mapping[str, Sequence[Item]]) -> Sequence[Item]:
        """Bind pods whose volumes are there; the pods as they are then, those that wait for a volume as bound.

        Args:
            items: all pods.
            others: claims, volumes and storage classes, by kind.

        A pod is free again if a provisioner has taken the choice back, or if the pod could not be bound.
        """
        waited, self.awaiting = self.awaiting, {}
        self.volumes = NewVolumes(others, {}, ())
        return [self._followed(each, waited.get(id_of(each), "")) for each in items] if waited else items

    def _followed(self, item: Item, node: str) -> Item:
        if not node or item["spec"].get("nodeName"):
            return item
        claims, start = self.volumes.without_volume(item), Start(id_of(item), (node,))
        if any(self.volumes.is_open(claim, node) for claim in claims) or (not claims and self._bind(start) is not None):
            return item
        if claims:
            self.awaiting[start.id] = node
        return {**item, "spec": {**item["spec"], "nodeName": node}}


def _patch(item: Item, annotations: Mapping[str, str], body: Item) -> Item:
    """A change of an object only in the state in which it was seen."""
    version = item["metadata"]["resourceVersion"]
    return {"metadata": {"annotations": dict(annotations), "resourceVersion": version}, **body}


def _chosen_node(claim: Item) -> str:
    return str((claim["metadata"].get("annotations") or {}).get(CHOSEN) or "")


def _is_reserved(volume: Item, claim: Item) -> bool:
    """Whether a volume is kept for the very claim."""
    refers, meta = volume["spec"].get("claimRef") or {}, claim["metadata"]
    same = (refers.get("namespace"), refers.get("name")) == (meta.get("namespace", "default"), meta["name"])
    return same and refers.get("uid") in (None, "", meta.get("uid"))


def _fits(volume: Item, claim: Item) -> bool:
    """Whether a volume that has no claim is what a claim requests."""
    has, asks, meta = volume["spec"], claim["spec"], volume["metadata"]
    free = not has.get("claimRef") and (volume.get("status") or {}).get("phase") == "Available"
    same = all(
        (has.get(key) or plain) == (asks.get(key) or plain)
        for key, plain in (("storageClassName", ""), ("volumeMode", "Filesystem"))
    )
    modes = set(asks.get("accessModes") or ()) <= set(has.get("accessModes") or ())
    chosen = asks.get("selector") is None or selects(asks["selector"], meta.get("labels") or {})
    enough = _storage(has["capacity"]) >= _storage((asks.get("resources") or {}).get("requests") or {})
    return free and same and modes and chosen and enough and not meta.get("deletionTimestamp")


def _storage(listed_amounts: Mapping[str, Any]) -> float:
    return quantity(listed_amounts.get("storage", 0))
