"""Which running pods may be evicted so that their owner starts them elsewhere, by what their own objects say."""

from collections.abc import Mapping
from typing import Any

from loadmaster.live.kubernetes.pods import DEFAULT_SCHEDULER
from loadmaster.packing.kubernetes_evictions import eviction_refused
from loadmaster.packing.kubernetes_rules import OWNERS, SAFE_TO_EVICT, TIED, gang_of, limited_to_nodes


def owner_of(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """The controller that replaces the pod; empty if there is none."""
    owners = item["metadata"].get("ownerReferences") or ()
    return next((each for each in owners if each.get("controller")), {})


def is_preemptible(item: Mapping[str, Any], scheduler: str) -> bool:
    """Whether a pod may be evicted for one of a higher priority: it runs, it is ours, and it is not tied to its node.

    Example:
        >>> meta = {"name": "night-1", "uid": "u"}
        >>> is_preemptible({"metadata": meta, "spec": {"schedulerName": "loadmaster", "nodeName": "n1"}}, "loadmaster")
        True
    """
    meta, spec = item["metadata"], item["spec"]
    ours = (spec.get("schedulerName") or DEFAULT_SCHEDULER) == scheduler
    runs = bool(spec.get("nodeName")) and not meta.get("deletionTimestamp")
    tied = owner_of(item).get("kind", "") in TIED or (meta.get("annotations") or {}).get(SAFE_TO_EVICT) == "false"
    return ours and runs and not tied


def why_not_evictable(item: Mapping[str, Any], scheduler: str) -> str:
    """Why a pod is not evicted; empty if it may be, as far as its owner, its annotations and its volumes say.

    Example:
        >>> owner = {"kind": "Job", "name": "night", "controller": True}
        >>> meta = {"name": "night-1", "uid": "u", "ownerReferences": [owner]}
        >>> spec = {"schedulerName": "loadmaster", "nodeName": "n1"}
        >>> why_not_evictable({"metadata": meta, "spec": spec}, "loadmaster")
        'a Job would lose its work'
    """
    meta, spec = item["metadata"], item["spec"]
    if (spec.get("schedulerName") or DEFAULT_SCHEDULER) != scheduler:
        return "another scheduler placed it"
    if not spec.get("nodeName") or meta.get("deletionTimestamp"):
        return "it does not run"
    kind = owner_of(item).get("kind", "")
    if kind not in OWNERS:
        return f"a {kind} would lose its work" if kind else "nothing would start it again"
    if gang := gang_of(item):
        return f"it starts together with others ({gang})"
    if (stay := eviction_refused(item)) is not None:
        return stay.reason
    return next((f"mounts a {kind}" for kind in map(limited_to_nodes, spec.get("volumes") or ()) if kind), "")
