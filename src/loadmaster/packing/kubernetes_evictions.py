"""Which running pods may be evicted: owners, annotations, local data, disruption budgets (rule B7)."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from loadmaster.packing.kubernetes_affinity import selects
from loadmaster.packing.kubernetes_objects import NOT_READ, KubernetesObjects, ListedPod
from loadmaster.packing.kubernetes_rules import OWNERLESS, OWNERS, SAFE_TO_EVICT

LOCAL = ("emptyDir", "hostPath")
"""Volumes whose data stay on the node."""


class EvictionObstacle(NamedTuple):
    """A rule that keeps a running pod on its node, and why."""

    rule: str
    reason: str


def why_not_evictable(pod: ListedPod) -> EvictionObstacle | None:
    """What of a running pod itself says that it must not be evicted; None if nothing does."""
    meta = pod.item["metadata"]
    owners = meta.get("ownerReferences") or ()
    kind = next((str(each.get("kind")) for each in owners if each.get("controller")), "")
    kind = kind or next((str(each.get("kind")) for each in owners), "")
    if pod.tied:
        return EvictionObstacle("DaemonSet or static pod", "it belongs to its node")
    if meta.get("deletionTimestamp"):
        return EvictionObstacle("being deleted", "it is being deleted")
    if not owners:
        return EvictionObstacle(OWNERLESS, "it has no owner that would start it again")
    if kind not in OWNERS:
        return EvictionObstacle("owner that would lose its work", f"a {kind} would lose its work")
    return eviction_refused(pod.item)


def eviction_refused(item: Mapping[str, Any]) -> EvictionObstacle | None:
    """What the annotation of a pod and its local volumes say against its eviction; None if nothing.

    Example:
        >>> eviction_refused({"metadata": {}, "spec": {"volumes": [{"emptyDir": {}}]}}).reason
        'it keeps data on its node (emptyDir)'
    """
    safe = (item["metadata"].get("annotations") or {}).get(SAFE_TO_EVICT)
    if safe == "false":
        return EvictionObstacle("not to be evicted", f"it says {SAFE_TO_EVICT}: false")
    local = [name for volume in item["spec"].get("volumes") or () for name in LOCAL if volume.get(name) is not None]
    return (
        EvictionObstacle("local volume", f"it keeps data on its node ({local[0]})")
        if local and safe != "true"
        else None
    )


def budget_stays(objects: KubernetesObjects, pods: Sequence[ListedPod]) -> tuple[set[int], Iterator[tuple[int, str]]]:
    """The running pods that disruption budgets choose, and those that they keep, with the reason.

    An API server evicts no pod that two budgets choose.
    """
    chosen: dict[int, list[tuple[str, int]]] = {}
    for budget in objects.others.get("PodDisruptionBudget", ()):
        name = str((budget.get("metadata") or {}).get("name", "?"))
        space = str((budget.get("metadata") or {}).get("namespace", "default"))
        members = [k for k, pod in enumerate(pods) if pod.node and pod.space == space and _chooses(budget, pod)]
        allowed = _allowed(budget, [pods[k] for k in members])
        for number in members:
            chosen.setdefault(number, []).append((name, allowed))

    def stays() -> Iterator[tuple[int, str]]:
        for number, budgets in chosen.items():
            if len(budgets) > 1:
                yield number, f"{len(budgets)} disruption budgets choose it"
            elif budgets[0][1] < 1:
                yield number, f"the disruption budget {budgets[0][0]} allows no eviction now"

    return set(chosen), stays()


def _chooses(budget: Mapping[str, Any], pod: ListedPod) -> bool:
    """Whether a budget chooses the pod; one that cannot be read chooses all of its namespace."""
    try:
        return selects(budget["spec"].get("selector"), pod.labels)
    except NOT_READ:
        return True


def _allowed(budget: Mapping[str, Any], pods: Sequence[ListedPod]) -> int:
    """How many of its pods may be evicted now: as its status says, else by its limits and the pods that are listed."""
    try:
        status, spec = budget.get("status") or {}, budget["spec"]
        if "disruptionsAllowed" in status:
            return int(status["disruptionsAllowed"])
        healthy, count = sum(map(_is_ready, pods)), len(pods)
        if spec.get("maxUnavailable") is not None:
            return healthy - (count - _part(spec["maxUnavailable"], count))
        return healthy - _part(spec.get("minAvailable", 1), count)
    except NOT_READ:
        return 0


def _is_ready(pod: ListedPod) -> bool:
    status = pod.item.get("status") or {}
    said = [each.get("status") for each in status.get("conditions") or () if each.get("type") == "Ready"]
    if pod.item["metadata"].get("deletionTimestamp"):
        return False
    return said == ["True"] if said else status.get("phase") == "Running"


def _part(value: Any, count: int) -> int:
    """A number of pods, or a percentage of them, rounded up as Kubernetes does."""
    text = str(value)
    return math.ceil(float(text[:-1]) / 100 * count) if text.endswith("%") else int(text)
