"""Kubernetes' rules on where a pod may be, as constraints of a placement (rule B7)."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from loadmaster.packing.constrained.constraints import AllowedHosts, Apart, PlacementConstraint, Stays, Together
from loadmaster.packing.constrained.groups import DomainLevel, TaskGroup, common_tasks
from loadmaster.packing.kubernetes_affinity import admits, check_selector, required_of
from loadmaster.packing.kubernetes_evictions import EvictionObstacle, budget_stays, why_not_evictable
from loadmaster.packing.kubernetes_objects import NOT_READ, KubernetesObjects, ListedNode, ListedPod
from loadmaster.packing.kubernetes_rules import gang_of
from loadmaster.packing.kubernetes_selection import PodSelection, selector_in_words
from loadmaster.packing.kubernetes_topology import level_of_label, spread_constraints
from loadmaster.packing.kubernetes_volumes import VolumeNodes, claims_of
from loadmaster.packing.kubernetes_wishes import wishes_of

_KEEPS_OUT = ("NoSchedule", "NoExecute")


UNMODELLED = "what no plan models"
"""How the constraint begins that keeps a waiting pod with such a rule from all nodes."""


class RuleCount(NamedTuple):
    """A rule, the number of pods that it concerns, and whether plans keep it."""

    rule: str
    pods: int
    kept: bool


@dataclass
class PodRules:
    """The constraints of a state, and what no constraint stands for.

    Attributes:
        constraints: of the pods and nodes.
        pods: the pods that each rule concerns, by the name of the rule.
        wishes: the pods with each wish, by its name.
        unmodelled: the rules of each pod that no constraint stands for, by pod; it stays, or waits.
        why: by pod, why no constraint stands for the first of these.
    """

    constraints: list[PlacementConstraint] = field(default_factory=list)
    pods: dict[str, set[int]] = field(default_factory=dict)
    wishes: dict[str, set[int]] = field(default_factory=dict)
    unmodelled: dict[int, list[str]] = field(default_factory=dict)
    why: dict[int, str] = field(default_factory=dict)

    def add(self, rule: str, constraint: PlacementConstraint, pods: Sequence[int]) -> None:
        """Add a constraint that stands for a rule of some pods."""
        self.constraints.append(constraint)
        self.pods.setdefault(rule, set()).update(pods)

    def hold(self, pod: int, rule: str, why: object = "") -> None:
        """Note a rule that no constraint stands for, and why."""
        self.why.setdefault(pod, f"its {rule} is not served: {why}")
        if rule not in self.unmodelled.setdefault(pod, []):
            self.unmodelled[pod].append(rule)

    @property
    def counts(self) -> tuple[RuleCount, ...]:
        """All rules: those that are kept, those of pods that are left where they are, and wishes."""
        held: dict[str, int] = {}
        for rules in self.unmodelled.values():
            for rule in rules:
                held[rule] = held.get(rule, 0) + 1
        return (
            *(RuleCount(rule, len(pods), kept=True) for rule, pods in self.pods.items()),
            *(RuleCount(rule, count, kept=False) for rule, count in held.items()),
            *(RuleCount(rule, len(pods), kept=False) for rule, pods in self.wishes.items()),
        )


def pod_rules(objects: KubernetesObjects, nodes: Mapping[str, ListedNode], pods: Sequence[ListedPod]) -> PodRules:
    """The rules of `pods` on `nodes`; tasks and hosts have the numbers of these two."""
    rules = PodRules()
    _open_nodes(rules, objects, nodes, pods)
    _by_template(rules, nodes, pods)
    volumes = VolumeNodes(objects.others, nodes, pods)
    _volumes(rules, volumes, pods)
    add_rules_between_pods(rules, PodSelection(objects.others.get("Namespace", ()), pods), volumes, nodes, pods)
    for number, pod in enumerate(pods):
        for rule in _not_modelled(pod):
            rules.hold(number, rule)
        for wish in wishes_of(pod.item["spec"]):
            rules.wishes.setdefault(wish, set()).add(number)
    _hold(rules, pods, len(nodes))
    _evictions(rules, objects, pods)
    return rules


def add_rules_between_pods(
    rules: PodRules,
    selection: PodSelection,
    volumes: VolumeNodes,
    nodes: Mapping[str, ListedNode],
    pods: Sequence[ListedPod],
) -> None:
    """Add the rules that look at where other pods are: affinity, spread, ports of hosts, shared claims."""
    _near_pods(rules, nodes, pods, selection)
    _apart_from_pods(rules, nodes, pods, selection)
    for group, constraint in spread_constraints(nodes, pods, selection.of, rules.hold):
        rules.add("topology spread", constraint, group)
    _host_ports(rules, nodes, pods)
    for members, shared in volumes.between_pods():
        rules.add("volume", shared, members)


def check_rules(pod: ListedPod) -> None:
    """See that the rules of a pod have the form that an API server gives them.

    Raises:
        KeyError, TypeError, AttributeError, ValueError, ArithmeticError: they have not.
    """
    spec = pod.item["spec"]
    for part in ("podAffinity", "podAntiAffinity"):
        for term in required_of(spec, part) or ():
            check_selector(term.get("labelSelector"))
            set(term.get("namespaces") or ())
    for spread in spec.get("topologySpreadConstraints") or ():
        check_selector(spread.get("labelSelector"))
    for volume in spec.get("volumes") or ():
        dict(volume)
    list(claims_of(pod))
    list(_ports(spec))


def _evictions(rules: PodRules, objects: KubernetesObjects, pods: Sequence[ListedPod]) -> None:
    """Running pods that must not be evicted stay, each with its first reason."""
    chosen, kept = budget_stays(objects, pods)
    if chosen:
        rules.pods.setdefault("disruption budget", set()).update(chosen)
    stays = {number: EvictionObstacle("disruption budget", reason) for number, reason in kept}
    stays |= {
        number: stay for number, pod in enumerate(pods) if pod.node and (stay := why_not_evictable(pod)) is not None
    }
    by_stay: dict[EvictionObstacle, list[int]] = {}
    for number, stay in stays.items():
        by_stay.setdefault(stay, []).append(number)
    for stay, members in by_stay.items():
        rules.add(stay.rule, Stays(_group(pods, members), stay.reason), members)


def _open_nodes(
    rules: PodRules, objects: KubernetesObjects, nodes: Mapping[str, ListedNode], pods: Sequence[ListedPod]
) -> None:
    """Nodes that are cordoned, not ready, or hold a pod that cannot be read take no further pod."""
    every = TaskGroup("all pods", np.arange(len(pods), dtype=np.int32))
    for reason in ("cordoned", "not ready"):
        hosts = np.array([node.closed != reason for node in nodes.values()], bool)
        if not hosts.all():
            rules.constraints.append(AllowedHosts(every, hosts, f"a node that is not {reason}".replace("not not ", "")))
    sure = np.array([name not in objects.unsure for name in nodes], bool)
    if not sure.all():
        rules.constraints.append(AllowedHosts(every, sure, "a node whose pods can all be read"))


def _by_template(rules: PodRules, nodes: Mapping[str, ListedNode], pods: Sequence[ListedPod]) -> None:
    """Selectors, node affinity and taints: once for all pods that say the same."""
    parts: tuple[tuple[str, Callable[[Mapping[str, Any]], Any]], ...] = (
        ("node selector", lambda spec: spec.get("nodeSelector")),
        ("node affinity", lambda spec: required_of(spec, "nodeAffinity")),
    )
    for rule, part in parts:
        for text, members in _alike(pods, part).items():
            wanted = json.loads(text)
            spec = (
                {"nodeSelector": wanted}
                if rule == "node selector"
                else {"affinity": {"nodeAffinity": {_REQUIRED: wanted}}}
            )
            try:
                hosts = np.array([admits(node.labels, name, (), spec) for name, node in nodes.items()], bool)
            except NOT_READ:
                for pod in members:
                    rules.hold(pod, rule)
                continue
            rules.add(rule, AllowedHosts(_group(pods, members), hosts, f"{rule} {selector_in_words(wanted)}"), members)
    taints = dict.fromkeys(
        (str(each.get("key")), str(each.get("value") or ""), str(each.get("effect")))
        for node in nodes.values()
        for each in node.taints
        if each.get("effect") in _KEEPS_OUT
    )
    for text, members in _alike(pods, lambda spec: spec.get("tolerations") or [], every=True).items():
        tolerations = json.loads(text)
        for key, value, effect in taints:
            taint = {"key": key, "value": value, "effect": effect}
            if not admits({}, "", (taint,), {"tolerations": tolerations}):
                hosts = np.array([not _has(node, taint) for node in nodes.values()], bool)
                name = f"{key}={value}:{effect}" if value else f"{key}:{effect}"
                rules.add(
                    "taint", AllowedHosts(_group(pods, members), hosts, f"a node without the taint {name}"), members
                )


_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def _alike(
    pods: Sequence[ListedPod], part: Callable[[Mapping[str, Any]], Any], every: bool = False
) -> dict[str, list[int]]:
    """The pods by what a part of their spec says, as JSON; those where it says nothing only if requested."""
    by_text: dict[str, list[int]] = {}
    for number, pod in enumerate(pods):
        said = part(pod.item["spec"])
        if said or every:
            by_text.setdefault(json.dumps(said, sort_keys=True), []).append(number)
    return by_text


def _has(node: ListedNode, taint: Mapping[str, str]) -> bool:
    return any(
        (str(each.get("key")), str(each.get("value") or ""), each.get("effect"))
        == (taint["key"], taint["value"], taint["effect"])
        for each in node.taints
    )


def _volumes(rules: PodRules, volumes: VolumeNodes, pods: Sequence[ListedPod]) -> None:
    for number, pod in enumerate(pods):
        hosts, why = volumes.of(pod)
        if why:
            rules.hold(number, "volume", why)
        elif hosts is not None:
            rules.add("volume", AllowedHosts(_group(pods, [number]), hosts, "the nodes of its volume"), [number])


def _near_pods(
    rules: PodRules, nodes: Mapping[str, ListedNode], pods: Sequence[ListedPod], selection: PodSelection
) -> None:
    """Required affinity: near a pod that all terms of a pod choose, at the level of each term."""
    subjects: dict[tuple[TaskGroup, str], list[int]] = {}
    for number, pod in enumerate(pods):
        terms = required_of(pod.item["spec"], "podAffinity") or ()
        try:
            groups = [selection.of(term, pod) for term in terms]
        except NOT_READ as error:
            rules.hold(number, "pod affinity", error)
            continue
        for term in terms:
            near = reduce(common_tasks, groups), str(term.get("topologyKey"))
            subjects.setdefault(near, []).append(number)
    for (others, key), members in subjects.items():
        rules.add("pod affinity", Together(_group(pods, members), others, level_of_label(nodes, key)), members)


def _apart_from_pods(
    rules: PodRules, nodes: Mapping[str, ListedNode], pods: Sequence[ListedPod], selection: PodSelection
) -> None:
    """Required anti-affinity: apart from all pods that a term chooses, at its level."""
    subjects: dict[tuple[TaskGroup, str], list[int]] = {}
    for number, pod in enumerate(pods):
        for term in required_of(pod.item["spec"], "podAntiAffinity") or ():
            try:
                others = selection.of(term, pod)
            except NOT_READ as error:
                rules.hold(number, "pod anti-affinity", error)
                continue
            subjects.setdefault((others, str(term.get("topologyKey"))), []).append(number)
    for (others, key), members in subjects.items():
        rules.add("pod anti-affinity", Apart(_group(pods, members), others, level_of_label(nodes, key)), members)


def _host_ports(rules: PodRules, nodes: Mapping[str, ListedNode], pods: Sequence[ListedPod]) -> None:
    """Two pods with one port of their host are on different hosts."""
    users: dict[tuple[int, str], list[int]] = {}
    for number, pod in enumerate(pods):
        for port, protocol in _ports(pod.item["spec"]):
            users.setdefault((port, protocol), []).append(number)
    level = DomainLevel.of_hosts(len(nodes))
    for (port, protocol), members in users.items():
        group = TaskGroup(f"pods with port {port}/{protocol} of their host", np.array(members, np.int32))
        rules.add("host port", Apart(group, group, level), members)


def _ports(spec: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    yield from {
        (int(each["hostPort"]), str(each.get("protocol") or "TCP"))
        for container in containers
        for each in container.get("ports") or ()
        if each.get("hostPort")
    }


def _not_modelled(pod: ListedPod) -> Iterator[str]:
    if pod.item["spec"].get("resourceClaims"):
        yield "resource claim"
    if gang_of(pod.item):
        yield "gang"
    if pod.tied and not pod.node and not required_of(pod.item["spec"], "nodeAffinity"):
        yield "node of a DaemonSet"


def _hold(rules: PodRules, pods: Sequence[ListedPod], nodes: int) -> None:
    """A pod with a rule that no constraint stands for stays where it runs, or is placed nowhere."""
    by_rules: dict[str, list[int]] = {}
    for number, held in rules.unmodelled.items():
        by_rules.setdefault(", ".join(held), []).append(number)
    for names, members in by_rules.items():
        runs = [number for number in members if pods[number].node]
        waits = [number for number in members if not pods[number].node]
        if runs:
            rules.constraints.append(Stays(_group(pods, runs), f"no plan models its {names}"))
        if waits:
            nowhere = np.zeros(nodes, bool)
            rules.constraints.append(AllowedHosts(_group(pods, waits), nowhere, f"{UNMODELLED} ({names})"))


def _group(pods: Sequence[ListedPod], members: Sequence[int]) -> TaskGroup:
    name = pods[members[0]].name if len(members) == 1 else f"{len(members):,} pods such as {pods[members[0]].name}"
    return TaskGroup(name, np.array(members, np.int32))
