"""From the API's listings to an observation: nodes, pods, and what is left out and why."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from loadmaster.live.engine import HELD, NOWHERE, UNLIMITED_S, ObservedTasks, Over, Seen
from loadmaster.live.kubernetes.affinity import required_of, selects
from loadmaster.live.kubernetes.moving import room_for
from loadmaster.live.kubernetes.nodes import Node, parse_nodes
from loadmaster.live.kubernetes.places import Places
from loadmaster.live.kubernetes.pods import Pod, id_of, over_of, pod_of, why_not
from loadmaster.model import Cluster, Constraints, InputError, SiteRules, Workload
from loadmaster.model.errors import cut
from loadmaster.model.named import Named
from loadmaster.model.units import CORES, MEMORY
from loadmaster.packing.kubernetes_rules import gang_of

Apart = list[tuple[Pod, Mapping[str, Any]]]
"""Pods that are bound, and whom each of them keeps away."""

_NOT_READ = (KeyError, TypeError, AttributeError, ValueError)


@dataclass(frozen=True)
class KubernetesListings:
    """What the server said at one moment.

    Attributes:
        token: changes when it may have forgotten something.
        rooms: what is kept on nodes, as pods that run there; no more of it than is free there.
        bound: pods that we have bound, by their ids.
    """

    at_s: float
    nodes: Sequence[Mapping[str, Any]]
    pods: Sequence[Mapping[str, Any]]
    token: str = ""
    rooms: Sequence[Pod] = ()
    bound: Collection[str] = ()


class KubernetesObserver:
    """Makes observations of listings; remembers numbers of namespaces, and whose end it has told.

    Args:
        scheduler: pods that wait for this one (`schedulerName`) are ours.
        everyone: pods that wait for any scheduler count as held for us.
        namespaces: only pods that wait in these are ours; () for all.

    Attributes:
        gangs: how many pods that wait for us say so that they start together with others, by how they say it.
    """

    def __init__(self, scheduler: str, *, everyone: bool, namespaces: Sequence[str] = ()) -> None:
        self._scheduler, self._everyone, self._namespaces = scheduler, everyone, set(namespaces)
        self._accounts: dict[str, int] = {}
        self._told: set[str] = set()
        self.gangs: Counter[str] = Counter()
        self._rooms: dict[str, tuple[int, Mapping[str, float]]] = {}
        self._room_number = 0

    def see(self, heard: KubernetesListings) -> Seen:
        """The observation. A node or pod that cannot be read is left out by name; such a pod's node takes no other.

        Raises:
            InputError: no node takes pods.
        """
        told = self._told
        try:
            return self._seen(heard)
        except _NOT_READ:
            self._told = told
        nodes, pods = _unread(heard.nodes, lambda item: parse_nodes([item])), _unread(heard.pods, _try_pod)
        if not nodes and not pods:
            raise InputError("a listing", "nodes and pods are not as Kubernetes lists them")
        readable = replace(
            heard, nodes=[item for k, item in enumerate(heard.nodes) if k not in nodes],
            pods=[item for k, item in enumerate(heard.pods) if k not in pods],
        )  # fmt: skip
        seen = self._seen(readable)
        shut = {_node_of(heard.pods[k]) for k in pods}
        assert seen.cluster is not None
        up = seen.up & np.array([name not in shut for name in seen.cluster.names])
        left_out = [(_called(heard.nodes[k]), f"this node cannot be read: {why}") for k, why in nodes.items()]
        left_out += [(_called(heard.pods[k]), f"this pod cannot be read: {why}") for k, why in pods.items()]
        return replace(seen, up=up, left_out=(*seen.left_out, *left_out))

    def _seen(self, heard: KubernetesListings) -> Seen:
        nodes = parse_nodes(heard.nodes)
        over, pods = self._over(heard), self._pods(heard)
        pods += self._fitting((*heard.rooms, *self._nominated(heard)), pods, nodes)
        if not nodes:
            raise InputError("nodes", "there is none with processors for pods", fix="see: kubectl get nodes")
        cluster = _cluster(nodes)
        works, left_out = self._sorted_out(pods, nodes, cluster)
        works.sort(key=lambda pair: (pair[0].created_s, pair[0].id))
        chosen = [pod for pod, _ in works]
        seen = Seen(
            heard.at_s, cluster, np.array([node.up for node in nodes]),
            self._jobs(chosen, [features for _, features in works], cluster), tuple(pod.id for pod in chosen),
            _tasks(chosen, cluster, heard.bound), tuple(left_out), tuple(over), heard.token,
        )  # fmt: skip
        seen.check()
        return seen

    def _over(self, heard: KubernetesListings) -> list[Over]:
        """Who has ended since the last observation: Kubernetes lists them until somebody deletes them."""
        ended = [end for item in heard.pods if (end := over_of(item, heard.at_s)) is not None]
        fresh = [end for end in ended if end.id not in self._told]
        self._told = {end.id for end in ended}
        return fresh

    def _pods(self, heard: KubernetesListings) -> list[Pod]:
        live = [(pod_of(item), item) for item in heard.pods if id_of(item) not in self._told]
        found = [(pod, item) for pod, item in live if pod is not None and (pod.state != HELD or self._is_ours(pod))]
        self.gangs = Counter(gang for pod, item in found if pod.state == HELD and (gang := gang_of(item)))
        return [pod for pod, _ in found]

    def _nominated(self, heard: KubernetesListings) -> Iterable[Pod]:
        """Room that another scheduler has made on a node for a pod that it is to bind there."""
        for item in heard.pods:
            node = (item.get("status") or {}).get("nominatedNodeName")
            pod = pod_of(item) if node and id_of(item) not in self._told else None
            if pod is not None and pod.state == HELD and not self._everyone and pod.scheduler != self._scheduler:
                yield room_for(pod, str(node))

    def _is_ours(self, pod: Pod) -> bool:
        return (self._everyone or pod.scheduler == self._scheduler) and (
            not self._namespaces or pod.namespace in self._namespaces
        )

    def _sorted_out(
        self, pods: Iterable[Pod], nodes: Sequence[Node], cluster: Cluster
    ) -> tuple[list[tuple[Pod, str]], list[tuple[str, str]]]:
        """Those that the model has words for, with the features that they need; and the others."""
        pods = list(pods)
        works: list[tuple[Pod, str]] = []
        left_out: list[tuple[str, str]] = []
        places, known = Places(nodes), set(cluster.names)
        apart = [(pod, term) for pod in pods if pod.node for term in required_of(pod.spec, "podAntiAffinity") or ()]
        for pod in pods:
            if pod.node:
                reason = "" if pod.node in known else f"is on {pod.node}, which is not listed or has no processors"
                features = self._features(pod, places)
            else:
                features, reason = _placeable(pod, places, cluster, apart)
            if reason:
                left_out.append((pod.id, reason))
            else:
                works.append((pod, features))
        return works, left_out

    def _fitting(self, rooms: Iterable[Pod], pods: Sequence[Pod], nodes: Sequence[Node]) -> list[Pod]:
        """Rooms cut down to what is free: what is kept for a pod grows as others go, and is another job then."""
        free = {node.name: dict(node.has) for node in nodes}
        for pod in pods:
            for name, amount in pod.asks.items() if pod.node in free else ():
                free[pod.node][name] = free[pod.node].get(name, 0.0) - amount
        found = []
        for room in rooms:
            left = free.get(room.node, {})
            asks = {name: max(0.0, min(amount, left.get(name, 0.0))) for name, amount in room.asks.items()}
            left |= {name: left.get(name, 0.0) - amount for name, amount in asks.items()}
            if not any(amount for name, amount in asks.items() if name != "pods"):
                continue
            if asks != self._rooms.get(room.id, (0, {}))[1]:
                self._room_number += 1
                self._rooms[room.id] = (self._room_number, asks)
            found.append(replace(room, id=f"{room.id}.{self._rooms[room.id][0]}", asks=asks))
        return found

    def _features(self, pod: Pod, places: Places) -> str:
        """Where a bound pod might go as well, which counts for those that are ours and for all in a shadow."""
        if not (self._everyone or pod.scheduler == self._scheduler) or not pod.spec:
            return ""
        with suppress(ValueError, LookupError):
            found = places.features(pod)
            return pod.node if found is None else found
        return pod.node

    def _jobs(self, pods: list[Pod], features: list[str], cluster: Cluster) -> Workload:
        limit_s = np.array([pod.limit_s for pod in pods], float)
        demand = np.array([[pod.asks.get(name, 0.0) for name in cluster.resources] for pod in pods], float)
        payers = [self._accounts.setdefault(pod.namespace, len(self._accounts)) for pod in pods]
        given: dict[str, Any] = {
            "name": Named.of(pod.owner for pod in pods),
            "priority": np.array([pod.priority for pod in pods], float),
            "hold": np.array([pod.hold for pod in pods], np.int32),
            "account_names": tuple(self._accounts),
        }
        if any(features):
            given["features"] = Named.of(features)
        return Workload(
            cluster.resources, np.array([pod.created_s for pod in pods], float), np.minimum(limit_s, UNLIMITED_S),
            demand.reshape(len(pods), len(cluster.resources)), estimate_s=limit_s,
            project=np.array(payers, np.int32), source="Kubernetes", constraints=Constraints(**given),
        )  # fmt: skip


def not_together(gang: str, pods: int) -> str:
    """What is said of pods that are to start together.

    Example:
        >>> not_together("kueue.x-k8s.io/pod-group-name", 1)
        '1 pod refers to a gang (kueue.x-k8s.io/pod-group-name), which is not obeyed: each pod starts by itself'
    """
    those = "1 pod refers" if pods == 1 else f"{pods:,} pods refer"
    return f"{those} to a gang ({gang}), which is not obeyed: each pod starts by itself"


def _unread(items: Sequence[Mapping[str, Any]], parse: Callable[[Mapping[str, Any]], object]) -> dict[int, str]:
    """By position the items that `parse` fails on, and why."""
    found = {}
    for position, item in enumerate(items):
        try:
            parse(item)
        except _NOT_READ as error:
            found[position] = cut(f"{error} is missing" if isinstance(error, KeyError) else str(error), 60)
    return found


def _try_pod(item: Mapping[str, Any]) -> None:
    id_of(item), over_of(item, 0.0), pod_of(item)


def _node_of(item: Mapping[str, Any]) -> str:
    spec = item.get("spec")
    return str(spec.get("nodeName") or "") if isinstance(spec, Mapping) else ""


def _called(item: Mapping[str, Any]) -> str:
    meta = item.get("metadata")
    meta = meta if isinstance(meta, Mapping) else {}
    return "/".join(str(meta[key]) for key in ("namespace", "name") if key in meta) or "?"


def _placeable(pod: Pod, places: Places, cluster: Cluster, apart: Apart) -> tuple[str, str]:
    """The features that a waiting pod needs, and why it has to be left out; "" where it has not."""
    if reason := why_not(pod):
        return "", reason
    for name, amount in pod.asks.items():
        if amount > 0 and name not in cluster.resources and name != "pods":
            return "", f"asks for {name}, which no node has"
    try:
        features = places.features(pod)
        keeper = next((other for other, term in apart if _keeps_away(other, term, pod)), None)
    except (ValueError, LookupError) as error:
        return "", f"its affinity makes no sense to us: {error}"
    if keeper is not None:
        return "", f"{keeper.namespace}/{keeper.owner} keeps it away (podAntiAffinity)"
    return ("", "no node has what it selects and taints that it tolerates") if features is None else (features, "")


def _keeps_away(other: Pod, term: Mapping[str, Any], pod: Pod) -> bool:
    """Whether a bound pod may keep this one from nodes near it; which namespaces a selector means is not looked up."""
    spaces = term.get("namespaces") or [other.namespace]
    here = term.get("namespaceSelector") is not None or pod.namespace in spaces
    return here and selects(term.get("labelSelector"), pod.labels)


def _cluster(nodes: Sequence[Node]) -> Cluster:
    """All nodes; every host bears its own name and its group as features."""
    resources = dict.fromkeys((CORES, MEMORY))
    for node in nodes:
        resources |= dict.fromkeys(name for name, amount in sorted(node.has.items()) if amount > 0)
    capacity = np.array([[node.has.get(name, 0.0) for name in resources] for node in nodes], float)
    rules = SiteRules(features=tuple((node.name, node.group) for node in nodes))
    return Cluster(tuple(resources), capacity, tuple(node.name for node in nodes), rules=rules)


def _tasks(pods: Sequence[Pod], cluster: Cluster, bound: Collection[str]) -> ObservedTasks:
    number = {name: k for k, name in enumerate(cluster.names)}
    host = [number.get(pod.node, NOWHERE) for pod in pods]
    pin = [each if pod.id in bound else NOWHERE for pod, each in zip(pods, host, strict=True)]
    return ObservedTasks(
        np.arange(len(pods)), np.zeros(len(pods), np.int32), np.array([pod.state for pod in pods], np.int32),
        np.array(host, np.int32), np.array(pin, np.int32),
        start_s=np.array([pod.start_s for pod in pods], float),
    )  # fmt: skip
