"""Where pods may be: the nodes that each may use, the rules between them, and pods whose rules are not served."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, count
from typing import Any, NamedTuple

from loadmaster.live.kubernetes.new_volumes import NewVolumes
from loadmaster.live.kubernetes.nodes import Node
from loadmaster.live.kubernetes.parsing import NOT_READ, name_of
from loadmaster.live.kubernetes.pods import Pod, listed
from loadmaster.model import Cluster
from loadmaster.model.arrays import Bools
from loadmaster.packing.constrained.constraints import Apart, BetweenTasks, MaxSkew, Together, groups_of
from loadmaster.packing.constrained.groups import TaskGroup
from loadmaster.packing.kubernetes_affinity import admits, required_of, selects
from loadmaster.packing.kubernetes_constraints import PodRules, add_rules_between_pods
from loadmaster.packing.kubernetes_objects import ListedNode
from loadmaster.packing.kubernetes_selection import PodSelection
from loadmaster.packing.kubernetes_volumes import CLAIMS

OTHERS = {
    "PersistentVolumeClaim": "/api/v1/persistentvolumeclaims",
    "PersistentVolume": "/api/v1/persistentvolumes",
    "StorageClass": "/apis/storage.k8s.io/v1/storageclasses",
    "Namespace": "/api/v1/namespaces",
}
"""Where the API lists the objects to which pods refer."""


def kinds_named(items: Iterable[Mapping[str, Any]]) -> list[str]:
    """The kinds of other objects to which some pods refer, of those in `OTHERS`."""
    kinds = set()
    for item in items:
        spec = item["spec"]
        with suppress(*NOT_READ):
            if any(volume.get(kind) for volume in spec.get("volumes") or () for kind in CLAIMS):
                kinds |= {"PersistentVolumeClaim", "PersistentVolume", "StorageClass"}
        for part in ("podAffinity", "podAntiAffinity") if spec.get("affinity") else ():
            with suppress(*NOT_READ):
                if any(term.get("namespaceSelector") for term in required_of(spec, part) or ()):
                    kinds.add("Namespace")
    return [kind for kind in OTHERS if kind in kinds]


class PodPlaces:
    """Which nodes pods may use, as features of hosts; asked once for all pods of one template and their volumes.

    Args:
        nodes: by name.
        items: of the nodes, as the API lists them.
        others: claims, volumes, storage classes and namespaces, by kind.

    Attributes:
        listed: the nodes as rules on placement look at them, by name.
        volumes: the nodes of claims.
    """

    def __init__(
        self,
        nodes: Sequence[Node],
        items: Sequence[Mapping[str, Any]],
        others: Mapping[str, Sequence[Mapping[str, Any]]],
    ) -> None:
        self._nodes, self._others = nodes, others
        spec_of = {name_of(item): item.get("spec") or {} for item in items}
        taints = {node.name: spec_of.get(node.name, {}).get("taints") or () for node in nodes}
        self.listed = {node.name: ListedNode({}, node.labels, taints[node.name]) for node in nodes}
        self.volumes = NewVolumes(others, self.listed, ())
        self._found: dict[str, str | None] = {}

    def rules_between(self, pods: Sequence[Pod]) -> PodRules:
        """The rules that look at where other pods are; a pod has its number in `pods`."""
        rules, each = PodRules(), [listed(pod) for pod in pods]
        selection = PodSelection(self._others.get("Namespace", ()), each)
        add_rules_between_pods(rules, selection, NewVolumes(self._others, self.listed, each), self.listed, each)
        return rules

    def features(self, pod: Pod) -> str | None:
        """Groups of nodes and single nodes, joined by `|`; "" for all of them, None for none.

        Raises:
            ValueError: an operator that we do not know.
        """
        spec = pod.spec
        hosts, _ = self.volumes.of(listed(pod)) if spec.get("volumes") else (None, "")
        requirements = (spec.get("nodeSelector"), required_of(spec, "nodeAffinity"), spec.get("tolerations"))
        key = json.dumps((*requirements, None if hosts is None else hosts.tolist()), sort_keys=True)
        if key not in self._found:
            self._found[key] = self._hosts_in_words(spec, hosts)
        return self._found[key]

    def _hosts_in_words(self, spec: Mapping[str, Any], hosts: Bools | None) -> str | None:
        good = [
            node
            for number, node in enumerate(self._nodes)
            if (hosts is None or hosts[number]) and admits(node.labels, node.name, node.taints, spec)
        ]
        if len(good) == len(self._nodes):
            return ""
        names = {node.name for node in good}
        split = {node.group for node in self._nodes if node.name not in names}
        words = [node.name if node.group in split else node.group for node in good]
        return "|".join(dict.fromkeys(words)) or None


class SortedPods(NamedTuple):
    """Pods that can be placed or are bound, and the others.

    Attributes:
        works: with the features that each needs.
        rules: between the pods of `works`, by their numbers there.
        left_out: ids of the others, and why.
        tied: ids of bound pods that rules between pods look at.
    """

    works: list[tuple[Pod, str]]
    rules: tuple[BetweenTasks, ...]
    left_out: list[tuple[str, str]]
    tied: frozenset[str]


def sort_pods(pods: Sequence[Pod], places: PodPlaces, cluster: Cluster, ours: Callable[[Pod], bool]) -> SortedPods:
    """Sort pods out by whether all their rules are served.

    Args:
        pods: in order.
        places: of the nodes.
        cluster: its resources.
        ours: whether we schedule a pod.
    """
    works: list[tuple[Pod, str]] = []
    left_out: list[tuple[str, str]] = []
    for pod in pods:
        if pod.node:
            reason = "" if pod.node in places.listed else f"is on {pod.node}, which is not listed or has no processors"
            features = _may_also_use(pod, places) if ours(pod) else ""
        else:
            features, reason = _placeable(pod, places, cluster)
        if reason:
            left_out.append((pod.id, reason))
        else:
            works.append((pod, features))
    rules = places.rules_between([pod for pod, _ in works])
    if unserved := dict(_unserved([pod for pod, _ in works], rules)):
        left_out += [(works[number][0].id, why) for number, why in unserved.items()]
        works = [each for number, each in enumerate(works) if number not in unserved]
        rules = places.rules_between([pod for pod, _ in works])
    looked_at = (group.tasks.tolist() for rule in rules.constraints for group in groups_of(rule))
    tied = {*rules.unmodelled, *chain.from_iterable(looked_at)}
    ids = frozenset(works[number][0].id for number in tied if works[number][0].node)
    return SortedPods(works, tuple(_with_group_names(rules)), left_out, ids)


def _placeable(pod: Pod, places: PodPlaces, cluster: Cluster) -> tuple[str, str]:
    """The features that a waiting pod needs, and why it has to be left out; "" where it has not."""
    if pod.spec.get("resourceClaims"):
        return "", "requests devices by resourceClaims"
    for name, amount in pod.asks.items():
        if amount > 0 and name not in cluster.resources and name != "pods":
            return "", f"requests {name}, which no node has"
    if why := places.volumes.of(listed(pod))[1]:
        return "", why
    try:
        features = places.features(pod)
    except NOT_READ as error:
        return "", f"its affinity cannot be read: {error}"
    return ("", "no node has what it selects and taints that it tolerates") if features is None else (features, "")


def _may_also_use(pod: Pod, places: PodPlaces) -> str:
    """Where a bound pod might go as well; nowhere, if the nodes of its volumes are not known."""
    with suppress(*NOT_READ):
        if places.volumes.of(listed(pod))[1]:
            return pod.node
        features = places.features(pod) if pod.spec else ""
        return pod.node if features is None else features
    return pod.node


def _unserved(pods: Sequence[Pod], rules: PodRules) -> Iterator[tuple[int, str]]:
    """Waiting pods with a rule that no constraint stands for, or that a bound pod with one may keep away; and why."""
    apart = [
        (pods[number], term)
        for number in rules.unmodelled
        if pods[number].node
        for term in required_of(pods[number].spec, "podAntiAffinity") or ()
    ]
    for number, pod in enumerate(pods):
        if not pod.node and number in rules.unmodelled:
            yield number, rules.why[number]
        elif not pod.node and (keeper := next((other for other, term in apart if _keeps_away(other, term, pod)), None)):
            yield number, f"{keeper.namespace}/{keeper.owner} may keep it away (podAntiAffinity)"


def _keeps_away(other: Pod, term: Mapping[str, Any], pod: Pod) -> bool:
    """Whether a bound pod may keep this one from nodes near it; which namespaces a selector means is not looked up."""
    spaces = term.get("namespaces") or [other.namespace]
    here = term.get("namespaceSelector") is not None or pod.namespace in spaces
    return here and selects(term.get("labelSelector"), pod.labels)


def _with_group_names(rules: PodRules) -> Iterator[BetweenTasks]:
    """The constraints, with a name for each group that no other group has and that stays as pods come and go."""
    names: dict[TaskGroup, TaskGroup] = {}
    for rule in rules.constraints:
        if isinstance(rule, Apart | Together):
            words = "apart from" if isinstance(rule, Apart) else "near"
            subjects = f"pods that must be {words} {rule.others.name} by {rule.level.name}"
            others = _once(rule.others, rule.others.name, names)
            yield replace(rule, subjects=_once(rule.subjects, subjects, names), others=others)
        elif isinstance(rule, MaxSkew):
            yield replace(rule, group=_once(rule.group, rule.group.name, names))


def _once(group: TaskGroup, name: str, names: dict[TaskGroup, TaskGroup]) -> TaskGroup:
    """The group under a name that no other group has."""
    if group not in names:
        taken = {each.name for each in names.values()}
        free = (f"{name} ({number})" if number > 1 else name for number in count(1))
        names[group] = replace(group, name=next(each for each in free if each not in taken))
    return names[group]
