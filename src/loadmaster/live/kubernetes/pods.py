"""A pod in the model's words, or why it is left out."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from loadmaster.live.kubernetes.nodes import ours
from loadmaster.live.session.engine import ENDING, HELD, RUNNING, EndedJob
from loadmaster.model.snapshot import NEVER_S
from loadmaster.packing.kubernetes_objects import ListedPod
from loadmaster.traces.kubernetes_requests import requests_of

DEFAULT_SCHEDULER = "default-scheduler"
_HOW = {
    "DeadlineExceeded": "timeout", "Evicted": "preempted", "PreemptionOfRuns": "preempted", "NodeLost": "node_fail",
    "NodeShutdown": "node_fail", "Terminated": "node_fail",
}  # fmt: skip
_USER = 1  # a code of `HOLDS`


@dataclass(frozen=True, eq=False)
class Pod:
    """One pod that is not over.

    Attributes:
        id: `namespace/name@uid`: a pod of the same name that comes later is another one.
        state: a code of `STATES`; a pod that is bound to a node holds it, whether it runs already or pulls its image.
        node: to which it is bound; "" while it waits.
        asks: by our names of resources; each pod takes one of the `pods` of its node.
        limit_s: its deadline; `NEVER_S` without one.
        start_s: when it was bound, NaN if unknown.
        hold: a code of `HOLDS`: its user's scheduling gates.
    """

    id: str
    namespace: str
    labels: Mapping[str, str]
    spec: Mapping[str, Any]
    scheduler: str
    state: int
    node: str
    asks: Mapping[str, float]
    created_s: float
    start_s: float
    limit_s: float
    priority: float
    owner: str
    hold: int


class PodScope(NamedTuple):
    """Which pods are ours.

    Attributes:
        scheduler: their `schedulerName`.
        namespaces: only pods that wait in these are ours, and only theirs make room; () for all.
        everyone: pods that wait for any scheduler count as held for us, as in shadow.
    """

    scheduler: str = "loadmaster"
    namespaces: tuple[str, ...] = ()
    everyone: bool = False

    def schedules(self, pod: Pod) -> bool:
        """Whether we place the pod, as far as its scheduler goes."""
        return self.everyone or pod.scheduler == self.scheduler

    def covers(self, namespace: str) -> bool:
        """Whether pods of a namespace are ours."""
        return not self.namespaces or namespace in self.namespaces


def pod_of(item: Mapping[str, Any]) -> Pod | None:
    """The pod; None for one that goes before it was ever bound.

    Raises:
        ValueError, KeyError: a pod as no server writes it.
    """
    meta, spec = item["metadata"], item["spec"]
    node, going = spec.get("nodeName") or "", bool(meta.get("deletionTimestamp"))
    if going and not node:
        return None
    deadline_s = spec.get("activeDeadlineSeconds")
    owners = meta.get("ownerReferences") or ()
    return Pod(
        id_of(item),
        meta.get("namespace", "default"),
        meta.get("labels") or {},
        spec,
        spec.get("schedulerName") or DEFAULT_SCHEDULER,
        HELD if not node else ENDING if going else RUNNING,
        node,
        ours(requests_of(spec, item.get("status")), asked=True) | {"pods": 1.0},
        moment_s(meta.get("creationTimestamp"), 0.0),
        _bound_s(item),
        NEVER_S if deadline_s is None else max(1.0, float(deadline_s)),
        float(spec.get("priority") or 0),
        str(owners[0]["name"]) if owners else str(meta["name"]),
        0 if node or not spec.get("schedulingGates") else _USER,
    )


def id_of(item: Mapping[str, Any]) -> str:
    """The name that is never used twice."""
    meta = item["metadata"]
    return f"{meta.get('namespace', 'default')}/{meta['name']}@{meta['uid']}"


def parts_of(name: str) -> tuple[str, str, str]:
    """Namespace, name and uid.

    Example:
        >>> parts_of("default/web-1@6f1c")
        ('default', 'web-1', '6f1c')
    """
    place, _, uid = name.partition("@")
    space, _, pod = place.partition("/")
    return space, pod, uid


def over_of(item: Mapping[str, Any], at_s: float) -> EndedJob | None:
    """How a pod ended; None for one that has not."""
    status = item.get("status") or {}
    phase = status.get("phase")
    if phase not in ("Succeeded", "Failed"):
        return None
    ends = [
        moment_s(((each.get("state") or {}).get("terminated") or {}).get("finishedAt"), 0.0)
        for each in status.get("containerStatuses") or ()
    ]
    how = "ok" if phase == "Succeeded" else _HOW.get(status.get("reason") or "", "failed")
    return EndedJob(id_of(item), min(at_s, max(ends, default=0.0) or at_s), how)


def listed(pod: Pod) -> ListedPod:
    """The pod as rules on placement look at it."""
    leaves = {"deletionTimestamp": "now"} if pod.state == ENDING else {}
    item = {"metadata": leaves, "spec": pod.spec}
    return ListedPod(pod.id.partition("@")[0], pod.owner, pod.node, {}, False, pod.namespace, pod.labels, item)


def moment_s(text: str | None, otherwise: float = math.nan) -> float:
    """Seconds since the epoch of a time as Kubernetes writes it.

    Example:
        >>> moment_s("1970-01-01T00:01:00Z")
        60.0
    """
    return otherwise if not text else datetime.fromisoformat(text).timestamp()


def _bound_s(item: Mapping[str, Any]) -> float:
    conditions = (item.get("status") or {}).get("conditions") or ()
    bound = (each for each in conditions if each.get("type") == "PodScheduled" and each.get("status") == "True")
    return moment_s(next((each.get("lastTransitionTime") for each in bound), None))
