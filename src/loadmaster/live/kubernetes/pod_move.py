"""A pod's move in progress: the pod is evicted, room is kept on the node, its replacement is bound there (rule X11)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from loadmaster.live.kubernetes.api import Api
from loadmaster.live.kubernetes.eviction import Evictions
from loadmaster.live.kubernetes.movable import owner_of, why_not_evictable
from loadmaster.live.kubernetes.pods import Pod, id_of, pod_of
from loadmaster.live.session.engine import KEPT_ROOM, RUNNING, Refusal
from loadmaster.model.actions import Move, Start

PATIENCE_S = 120.0
"""For so long a move waits for the replacement; until then its room is reserved."""
Items = Sequence[Mapping[str, Any]]


@dataclass
class PendingMove:
    """One pod on its way.

    Attributes:
        pod: as it ran; its id is `id`.
        owner: uid of the controller that replaces it.
        to: the node.
        known: all pods that were there before.
        since_s: when it was evicted.
        follower: id of its replacement once it is bound.
    """

    id: str
    pod: Pod
    owner: str
    to: str
    known: set[str]
    since_s: float
    follower: str = ""


class Moves:
    """Moves pods, one at a time.

    Args:
        api: of the cluster.
        scheduler: whose pods may be moved.
        now_s: the clock.
        bind: binds a pod that waits to a node, or says why not.

    Attributes:
        failed: why a pod was not moved, by its id.
        done: pods that were, with what they are now.
        keeping: rooms that are kept for other pods: by id of the pod, the pod and its node.
    """

    def __init__(
        self, api: Api, scheduler: str, now_s: Callable[[], float], bind: Callable[[Start], Refusal | None]
    ) -> None:
        self._scheduler, self._now_s, self._bind = scheduler, now_s, bind
        self.evictions = Evictions(api)
        self.under_way: PendingMove | None = None
        self.failed: dict[str, str] = {}
        self.done: dict[str, str] = {}
        self.keeping: dict[str, tuple[Pod, str]] = {}

    def begin(self, action: Move, items: Items) -> Refusal | None:
        """Evict a pod; what it asks is kept on its new node from now on.

        Raises:
            EngineDown: it is not known whether the action was done.
        """
        item = next((each for each in items if id_of(each) == action.id), None)
        pod = None if item is None else pod_of(item)
        if item is None or pod is None:
            return self.refused(Refusal(action, "gone", "it was not there when it was last seen"))
        if self.under_way is not None:
            return self.refused(Refusal(action, "busy", f"{self.under_way.id} is being moved"))
        if why := why_not_evictable(item, self._scheduler):
            return self.refused(Refusal(action, "busy", why))
        refusal = self.evictions.evict(action)
        if refusal is not None:
            return self.refused(refusal)
        ids = {id_of(each) for each in items}
        self.under_way = PendingMove(action.id, pod, owner_of(item)["uid"], action.to[0], ids, self._now_s())
        return None

    def follow(self, items: Items) -> Items:
        """See how far the move has come; a replacement that waits is bound at once. The pods as they are then."""
        way = self.under_way
        if way is None:
            return items
        if way.follower:
            self._look_after(way, items)
            return items
        replacement = next((each for each in items if self._replaces(each, way)), None)
        if replacement is not None:
            refusal = self._bind(Start(id_of(replacement), (way.to,)))
            if refusal is None:
                way.follower = id_of(replacement)
                bound = {**replacement, "spec": {**replacement["spec"], "nodeName": way.to}}
                return [bound if each is replacement else each for each in items]
            self._lost(way, f"its replacement was not bound to {way.to}: {refusal.text}")
        elif self._now_s() - way.since_s > PATIENCE_S:
            self._lost(way, f"no controller replaced it within {PATIENCE_S:g} s")
        return items

    def rooms(self) -> list[Pod]:
        """What is reserved on nodes, as pods without an owner that run there."""
        way = self.under_way
        reserved = [room_for(pod, node) for pod, node in self.keeping.values()]
        return reserved if way is None or way.follower else [*reserved, room_for(way.pod, way.to)]

    def _replaces(self, item: Mapping[str, Any], way: PendingMove) -> bool:
        waits = not item["spec"].get("nodeName") and not item["metadata"].get("deletionTimestamp")
        return waits and owner_of(item).get("uid") == way.owner and id_of(item) not in way.known

    def _look_after(self, way: PendingMove, items: Items) -> None:
        """It is over when the old pod is gone and the new one is bound."""
        there = {id_of(each): each for each in items}
        bound = way.follower in there and bool(there[way.follower]["spec"].get("nodeName"))
        if way.id not in there and (bound or way.follower not in there):
            self.done[way.id] = way.follower
            self.under_way = None

    def _lost(self, way: PendingMove, why: str) -> None:
        self.failed[way.id] = why
        self.under_way = None

    def refused(self, refusal: Refusal) -> Refusal:
        """Note why a pod is not moved."""
        self.failed[refusal.id] = refusal.text
        return refusal


def room_for(pod: Pod, node: str) -> Pod:
    """Room that is reserved on a node for a pod, as a pod without an owner that runs there."""
    name = pod.id.partition("@")[0].replace("/", ".")
    return replace(
        pod,
        id=f"{KEPT_ROOM}{name}@{node}",
        namespace="loadmaster",
        owner=f"room-for-{name}",
        labels={},
        spec={},
        node=node,
        state=RUNNING,
    )
