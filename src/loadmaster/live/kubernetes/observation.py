"""From the API's listings to an observation: nodes, pods, and what is left out and why."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from loadmaster.live.kubernetes.new_volumes import NewVolumes
from loadmaster.live.kubernetes.nodes import Node
from loadmaster.live.kubernetes.parsing import PodRead, UnreadObject, read_nodes, read_pods
from loadmaster.live.kubernetes.pod_move import room_for
from loadmaster.live.kubernetes.pod_places import PodPlaces, sort_pods
from loadmaster.live.kubernetes.pods import Pod, PodScope
from loadmaster.live.session.engine import HELD, NOWHERE, EndedJob, Observation, ObservedTasks
from loadmaster.model import Cluster, Constraints, InputError, SiteRules, Workload
from loadmaster.model.exact_amounts import MOST
from loadmaster.model.name_column import Named
from loadmaster.model.units import CORES, MEMORY, UNLIMITED_S
from loadmaster.packing.kubernetes_rules import gang_of
from loadmaster.system.counted import counted


@dataclass(frozen=True)
class KubernetesListings:
    """What the server said at one moment.

    Attributes:
        token: changes when it may have forgotten something.
        rooms: what is kept on nodes, as pods that run there; no more of it than is free there.
        bound: pods that we have bound, by their ids.
        others: claims, volumes, storage classes and namespaces, by kind; a kind that is not listed is not here.
    """

    at_s: float
    nodes: Sequence[Mapping[str, Any]]
    pods: Sequence[Mapping[str, Any]]
    token: str = ""
    rooms: Sequence[Pod] = ()
    bound: Collection[str] = ()
    others: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)


class KubernetesObserver:
    """Makes observations of listings; remembers numbers of namespaces, and whose end it has told.

    Args:
        scope: which pods are ours.

    Attributes:
        gangs: how many pods that wait for us say so that they start together with others, by how they say it.
    """

    def __init__(self, scope: PodScope) -> None:
        self._scope = scope
        self._accounts: dict[str, int] = {}
        self._told: set[str] = set()
        self.readable: list[Mapping[str, Any]] = []
        """The pods of the last listing that could be read, as the API gave them."""
        self.tied: frozenset[str] = frozenset()
        """Bound pods of it that rules between pods look at."""
        self.volumes = NewVolumes({}, {}, ())
        """The nodes of its claims."""
        self.gangs: Counter[str] = Counter()
        self._rooms: dict[str, tuple[int, Mapping[str, float]]] = {}
        self._room_number = 0

    def see(self, listings: KubernetesListings) -> Observation:
        """The observation. A node or pod that cannot be read is left out by name; such a pod's node takes no other.

        Raises:
            InputError: no node takes pods.
        """
        nodes, unread_nodes = read_nodes(listings.nodes)
        read, unread_pods = read_pods(listings.pods, listings.at_s)
        if not nodes:
            fix = "see: kubectl get nodes"
            raise InputError("nodes", "there is none with processors for pods", fix=fix, where=_where(unread_nodes))
        over, pods = self._over(read), self._pods(read)
        pods += self._fitting((*listings.rooms, *self._nominated(read)), pods, nodes)
        cluster = _cluster(nodes)
        pods.sort(key=lambda pod: (pod.created_s, pod.id))
        places = PodPlaces(nodes, listings.nodes, listings.others)
        sorted_pods = sort_pods(pods, places, cluster, self._scope.schedules)
        works, left_out = sorted_pods.works, sorted_pods.left_out
        chosen = [pod for pod, _ in works]
        shut = {each.node for each in unread_pods}
        left_out += [(each.name, each.why) for each in (*unread_nodes, *unread_pods)]
        seen = Observation(
            listings.at_s,
            cluster,
            np.array([node.up and node.name not in shut for node in nodes]),
            self._jobs(chosen, [features for _, features in works], cluster),
            tuple(pod.id for pod in chosen),
            _tasks(chosen, cluster, listings.bound),
            tuple(left_out),
            tuple(over),
            listings.token,
            rules=sorted_pods.rules,
        )
        seen.check()
        self.readable = [each.item for each in read]
        self.tied, self.volumes = sorted_pods.tied, places.volumes
        return seen

    def _over(self, read: Iterable[PodRead]) -> list[EndedJob]:
        """The pods that have ended since the last observation: Kubernetes lists them until they are deleted."""
        ended = [each.over for each in read if each.over is not None]
        fresh = [end for end in ended if end.id not in self._told]
        self._told = {end.id for end in ended}
        return fresh

    def _pods(self, read: Iterable[PodRead]) -> list[Pod]:
        live = [(each.pod, each.item) for each in read if each.over is None]
        pods = [(pod, item) for pod, item in live if pod is not None and (pod.state != HELD or self._is_ours(pod))]
        self.gangs = Counter(gang for pod, item in pods if pod.state == HELD and (gang := gang_of(item)))
        return [pod for pod, _ in pods]

    def _nominated(self, read: Iterable[PodRead]) -> Iterable[Pod]:
        """Room that another scheduler has made on a node for a pod that it is to bind there."""
        for each in read:
            node, pod = (each.item.get("status") or {}).get("nominatedNodeName"), each.pod
            waits = node and pod is not None and each.over is None and pod.state == HELD
            if waits and pod is not None and not self._scope.schedules(pod):
                yield room_for(pod, str(node))

    def _is_ours(self, pod: Pod) -> bool:
        return self._scope.schedules(pod) and self._scope.covers(pod.namespace)

    def _fitting(self, rooms: Iterable[Pod], pods: Sequence[Pod], nodes: Sequence[Node]) -> list[Pod]:
        """Rooms cut down to what is free: what is kept for a pod grows as others go, and is another job then."""
        free = {node.name: dict(node.has) for node in nodes}
        for pod in pods:
            for name, amount in pod.asks.items() if pod.node in free else ():
                free[pod.node][name] = free[pod.node].get(name, 0.0) - amount
        fitting = []
        for room in rooms:
            left = free.get(room.node, {})
            asks = {name: max(0.0, min(amount, left.get(name, 0.0))) for name, amount in room.asks.items()}
            left |= {name: left.get(name, 0.0) - amount for name, amount in asks.items()}
            if not any(amount for name, amount in asks.items() if name != "pods"):
                continue
            if asks != self._rooms.get(room.id, (0, {}))[1]:
                self._room_number += 1
                self._rooms[room.id] = (self._room_number, asks)
            fitting.append(replace(room, id=f"{room.id}.{self._rooms[room.id][0]}", asks=asks))
        return fitting

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
            cluster.resources,
            np.array([pod.created_s for pod in pods], float),
            np.minimum(limit_s, UNLIMITED_S),
            demand.reshape(len(pods), len(cluster.resources)),
            estimate_s=limit_s,
            project=np.array(payers, np.int32),
            source="Kubernetes",
            constraints=Constraints(**given),
        )


def _where(unread: Sequence[UnreadObject]) -> str:
    return f"{unread[0].name}: {unread[0].why}" if unread else ""


def gang_reasons(gang: str, pods: int) -> str:
    """What is said of pods that are to start together.

    Example:
        >>> gang_reasons("kueue.x-k8s.io/pod-group-name", 1)
        '1 pod refers to a gang (kueue.x-k8s.io/pod-group-name), which is not obeyed: each pod starts by itself'
    """
    those = counted(pods, "pod refers", "pods refer")
    return f"{those} to a gang ({gang}), which is not obeyed: each pod starts by itself"


def _cluster(nodes: Sequence[Node]) -> Cluster:
    """All nodes; every host bears its own name and its group as features."""
    resources = dict.fromkeys((CORES, MEMORY))
    for node in nodes:
        resources |= dict.fromkeys(name for name, amount in sorted(node.has.items()) if amount > 0)
    capacity = np.array([[node.has.get(name, 0.0) for name in resources] for node in nodes], float)
    rules = SiteRules(features=tuple((node.name, node.group) for node in nodes))
    return Cluster(tuple(resources), np.minimum(capacity, MOST), tuple(node.name for node in nodes), rules=rules)


def _tasks(pods: Sequence[Pod], cluster: Cluster, bound: Collection[str]) -> ObservedTasks:
    number = {name: k for k, name in enumerate(cluster.names)}
    host = [number.get(pod.node, NOWHERE) for pod in pods]
    pin = [each if pod.id in bound else NOWHERE for pod, each in zip(pods, host, strict=True)]
    start_s = np.array([pod.start_s for pod in pods], float)
    return ObservedTasks.one_each(host, [pod.state for pod in pods], pin, start_s=start_s)
