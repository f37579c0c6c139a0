"""Reads nodes and pods of a listing one by one. An object that cannot be read is left out by its name."""

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from loadmaster.live.kubernetes.movable import owner_of
from loadmaster.live.kubernetes.nodes import Node, parse_nodes
from loadmaster.live.kubernetes.pods import Pod, id_of, listed, over_of, pod_of
from loadmaster.live.session.engine import EndedJob
from loadmaster.model.errors import cut
from loadmaster.packing.kubernetes_constraints import check_rules

T = TypeVar("T")
NOT_READ = (KeyError, TypeError, AttributeError, ValueError, ArithmeticError, LookupError)
"""What reading an object raises that is not as an API server writes it."""


class PodRead(NamedTuple):
    """A pod that was read: its item, its id, how it ended (None: it has not), and what it is (None: it only goes)."""

    item: Mapping[str, Any]
    id: str
    over: EndedJob | None
    pod: Pod | None


class UnreadObject(NamedTuple):
    """An object that is left out: its name, why, and of a pod the node that it is on ("" for none)."""

    name: str
    why: str
    node: str


def read_nodes(items: Iterable[Any]) -> tuple[list[Node], list[UnreadObject]]:
    """The nodes that have a processor for pods, by name; and those that have none or cannot be read."""
    items = list(items)
    nodes_read, unread = _each(items, lambda item: parse_nodes([item]), "node")
    nodes = sorted((node for each in nodes_read for node in each), key=lambda node: node.name)
    names = {node.name for node in nodes} | {each.name for each in unread}
    bare = [name for item in items if (name := name_of(item)) not in names]
    return nodes, [*unread, *(UnreadObject(name, "this node has no processors for pods yet", "") for name in bare)]


def read_pods(items: Iterable[Any], at_s: float) -> tuple[list[PodRead], list[UnreadObject]]:
    """The pods, and those that cannot be read; an end without a moment of its own was at `at_s`."""
    return _each(items, lambda item: _pod(item, at_s), "pod")


def name_of(item: Any) -> str:
    """What people call an object: its namespace, if it has one, and its name.

    Example:
        >>> name_of({"metadata": {"namespace": "team", "name": "web-1"}}), name_of({"metadata": {"name": "n1"}})
        ('team/web-1', 'n1')
    """
    meta = _part(item, "metadata")
    return "/".join(str(meta[key]) for key in ("namespace", "name") if meta.get(key)) or "?"


def is_pod(item: Any) -> bool:
    """Whether an object has the parts that every pod has."""
    meta = _part(item, "metadata")
    return bool(_part(item, "spec")) and all(isinstance(meta.get(key), str) for key in ("name", "uid"))


def why_unread(error: Exception, kind: str) -> str:
    """In words why an object could not be read."""
    text = f"{error} is missing" if type(error) is KeyError else str(error)
    return f"this {kind} cannot be read: {cut(text, 60)}"


def _each(items: Iterable[Any], read: Callable[[Any], T], kind: str) -> tuple[list[T], list[UnreadObject]]:
    objects: list[T] = []
    unread: list[UnreadObject] = []
    for item in items:
        try:
            objects.append(read(item))
        except NOT_READ as error:
            node = str(_part(item, "spec").get("nodeName") or "")
            unread.append(UnreadObject(name_of(item), why_unread(error, kind), node))
    return objects, unread


def _pod(item: Mapping[str, Any], at_s: float) -> PodRead:
    pod_read = PodRead(item, id_of(item), over_of(item, at_s), pod_of(item))
    pod = pod_read.pod
    for labels in ("labels", "annotations"):
        dict(item["metadata"].get(labels) or {})
    owner_of(item)
    if pod is None or pod_read.over is not None:
        return pod_read
    numbers = (pod.created_s, pod.limit_s, pod.priority, *pod.asks.values())
    if not all(map(math.isfinite, numbers)):
        raise ValueError("a number in it is not finite")
    if not all(isinstance(name, str) for name in (pod.namespace, pod.node, pod.scheduler)):
        raise ValueError("its namespace, its node and its scheduler must be names")
    check_rules(listed(pod))
    return pod_read


def _part(item: Any, name: str) -> Mapping[str, Any]:
    """A part of an object; empty where there is none, or it is none."""
    part = item.get(name) if isinstance(item, Mapping) else None
    return part if isinstance(part, Mapping) else {}
