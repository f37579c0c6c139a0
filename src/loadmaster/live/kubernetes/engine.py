"""Kubernetes as an engine: it lists and watches nodes and pods, and binds pods."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from loadmaster.live.kubernetes.actions import act
from loadmaster.live.kubernetes.api import FORBIDDEN, Api
from loadmaster.live.kubernetes.eviction import barred, together
from loadmaster.live.kubernetes.informer import Informer
from loadmaster.live.kubernetes.lease import ClusterLease, LeaseTerms
from loadmaster.live.kubernetes.movable import is_preemptible, why_not_evictable
from loadmaster.live.kubernetes.new_volumes import VolumeChoices
from loadmaster.live.kubernetes.nodes import parse_nodes
from loadmaster.live.kubernetes.observation import KubernetesListings, KubernetesObserver, gang_reasons
from loadmaster.live.kubernetes.parsing import NOT_READ, is_pod, name_of, why_unread
from loadmaster.live.kubernetes.pod_move import Moves
from loadmaster.live.kubernetes.pod_places import OTHERS, kinds_named
from loadmaster.live.kubernetes.pod_reasons import is_told, tell
from loadmaster.live.kubernetes.pods import DEFAULT_SCHEDULER, PodScope, id_of, pod_of
from loadmaster.live.session.engine import HELD, Capabilities, EngineDown, Observation, Refusal
from loadmaster.model import InputError
from loadmaster.model.actions import Action, Explain, Move, Repin, Start, Stop
from loadmaster.packing.kubernetes_affinity import admits
from loadmaster.runs.setting import Setting

NODES, PODS = "/api/v1/nodes", "/api/v1/pods"
OWN = Setting("worse-fit-cores", "priority+skip", interval_s=0.0)
"""What Kubernetes' own scheduler does, as far as the model has words: by priority, past pods that do not fit, each on
the node with most left."""


class KubernetesEngine:
    """A Kubernetes that runs.

    Args:
        api: of the cluster.
        scope: which pods are ours.
        lease: where the lease is, and how long it lasts.
        looks_on: it is only looked at, and no lease is taken.
        now_s: the clock.
        watch: be told of changes where we may; else everything is listed in every cycle.
        say: called once for each sort of gang to which pods that wait for us refer, and for a right that we lack.

    Raises:
        InputError: another loadmaster has the lease, or we may not have one.
        EngineDown: the server does not answer.
    """

    name = "kubernetes"

    def __init__(
        self,
        api: Api,
        scope: PodScope = PodScope(),
        lease: LeaseTerms = LeaseTerms(),
        *,
        looks_on: bool = False,
        now_s: Callable[[], float] = time.time,
        watch: bool = True,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._api, self._now_s = api, now_s
        self._lease = None if looks_on else ClusterLease(api, scope.scheduler, lease, now_s)
        self._observer = KubernetesObserver(scope)
        self._nodes, self._pods = (Informer(api, path, watch=watch) for path in (NODES, PODS))
        self._others: dict[str, Informer | None] = {}  # by kind, those that we may look at
        self._watch, self._scope = watch, scope
        self._items: Sequence[Mapping[str, Any]] = ()
        self.moves = Moves(api, scope.scheduler, now_s, self._bind)
        self._new_volumes = VolumeChoices(api, self._bind, self._note_changed)
        self.unevicted: dict[str, str] = {}
        """Why pods that were to make room did not leave, until the reasons have been read."""
        self._held: set[str] = set()
        self._waiting: dict[str, Mapping[str, Any]] = {}
        self._explains = True
        self._specs: dict[str, Mapping[str, Any]] = {}
        self._node_uids: dict[str, Any] = {}
        self._say, self._gangs = say, set[str]()
        self._bound: set[str] = set()  # pods that we bound, or may have bound
        self._last: Observation | None = None

    @property
    def can(self) -> Capabilities:
        """Place; pods wait for us by their `schedulerName`, and move by an eviction and a binding."""
        return Capabilities(place=True, hold=True, migrate="restart", watch="push" if self._pods.pushed else "poll")

    def observe(self) -> Observation:
        """See `Engine`; a listing older than the last is not looked at, and the last one told again."""
        if self._lease is not None:
            self._lease.keep()
        at_s = self._now_s()
        nodes, pods = self._nodes.look(), self._pods.look()
        if pods.old and self._last is not None:
            return self._last
        odd = [item for item in pods.items if not is_pod(item)]
        items = self.moves.follow([item for item in pods.items if is_pod(item)] if odd else pods.items)
        token = str(pods.restored) if pods.restored else ""
        if (way := self.moves.under_way) is not None and way.follower:
            self._bound.add(way.follower)
        others = self._looked_up(items)
        items = self._new_volumes.follow(items, others)
        listings = KubernetesListings(at_s, nodes.items, [*items, *odd], token, self.moves.rooms(), self._bound, others)
        try:
            seen = self._observer.see(listings)
        except InputError as error:
            if self._last is None:
                raise
            raise EngineDown(str(error)) from error  # there were nodes, and there may be some again
        self._items, self._new_volumes.volumes = self._observer.readable, self._observer.volumes
        if unread := self.moves.evictions.unread:
            seen = replace(seen, left_out=(*seen.left_out, *unread))
        self._bound &= set(seen.ids)
        for gang in self._observer.gangs.keys() - self._gangs:
            self._say(gang_reasons(gang, self._observer.gangs[gang]))
        self._gangs |= self._observer.gangs.keys()
        self._waiting = {id_of(item): item for item in self._items if self._is_ours_and_waits(item)}
        self._held = {seen.ids[job] for job in seen.tasks.job[seen.tasks.state == HELD].tolist()}
        self._specs = {id_of(item): item["spec"] for item in self._items if id_of(item) in self._held}
        self._node_uids = {name_of(item): item["metadata"].get("uid") for item in nodes.items}
        self._last = seen
        return seen

    def _looked_up(self, items: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
        """The objects of other kinds to which pods refer, by kind; a kind that we may not list is left out."""
        looked_up = {}
        for kind in kinds_named(items):
            informer = self._others.setdefault(kind, Informer(self._api, OTHERS[kind], watch=self._watch))
            try:
                if informer is not None:
                    looked_up[kind] = informer.look().items
            except InputError:
                self._others[kind] = None
        return looked_up

    def _note_changed(self, item: Mapping[str, Any]) -> None:
        """A claim or volume as we have just changed it."""
        if (informer := self._others.get(item["kind"])) is not None:
            informer.note(item)

    def act(self, action: Action) -> Refusal | None:
        """See `Engine`."""
        if self._lease is not None:
            self._lease.keep()
        if isinstance(action, Start):
            if action.id not in self._held:
                return Refusal(action, "busy", "it did not wait when it was last seen")
            self._held.discard(action.id)
            self._bound.add(action.id)
            refusal = self._bind(action)
            if refusal is not None:
                self._bound.discard(action.id)
            return refusal
        if isinstance(action, Repin):
            return self._bind(action)
        if isinstance(action, Move):
            item = self._item(action.id)
            refusal = None if item is None else self._node_refuses(action, action.to[0], item["spec"])
            return self.moves.refused(refusal) if refusal else self.moves.begin(action, self._items)
        if isinstance(action, Stop):
            return self._evict(action)
        if isinstance(action, Explain):
            self._explain(action)
            return None
        return act(self._api, action)

    def _bind(self, action: Start | Repin) -> Refusal | None:
        """Bind a pod, if it and its node are at this moment what they were when the decision was taken."""
        item = self._pods.now(action.id.partition("@")[0])
        if item is None or id_of(item) != action.id:
            return Refusal(action, "gone", "it was deleted" if item is None else "another pod has its name now")
        if isinstance(action, Start) and (why := self._changed(action.id, item)):
            return Refusal(action, "busy", why)
        there = bool(item["spec"].get("nodeName"))  # then `act` says whether it is where it should be
        refusal = None if there else self._node_refuses(action, action.hosts[0], item["spec"])
        if not there and refusal is None:
            refusal = self._new_volumes.begin(action, item)
            if action.id in self._new_volumes.awaiting:
                return refusal
        return refusal or act(self._api, action, str(item["metadata"].get("resourceVersion") or ""))

    def _changed(self, name: str, item: Mapping[str, Any]) -> str:
        """What has become of a waiting pod since it was last seen; empty if nothing that counts."""
        if item["metadata"].get("deletionTimestamp"):
            return "it is being deleted"
        if node := item["spec"].get("nodeName"):
            return f"it is bound to {node} already"
        seen = self._specs.get(name)
        return "what it requests has changed since it was last seen" if seen not in (None, item["spec"]) else ""

    def _node_refuses(self, action: Start | Repin | Move, name: str, spec: Mapping[str, Any]) -> Refusal | None:
        """A node that was deleted, made anew, cordoned, tainted or is not ready since it was last seen takes no pod."""
        item = self._nodes.now(name)
        try:
            why = f"node {name} was deleted" if item is None else self._why_not_there(item, spec)
        except NOT_READ as error:
            why = f"{name}: {why_unread(error, 'node')}"
        return Refusal(action, "busy", why) if why else None

    def _why_not_there(self, item: Mapping[str, Any], spec: Mapping[str, Any]) -> str:
        name, uid = item["metadata"]["name"], item["metadata"].get("uid")
        node = next(iter(parse_nodes([item])), None)
        if node is None or uid != self._node_uids.get(name, uid):
            return f"node {name} was created again"
        if not node.up:
            return f"node {name} takes no pods now ({node.why})"
        return "" if admits(node.labels, name, node.taints, spec) else f"node {name} has other labels or taints now"

    def waits(self, name: str) -> bool:
        """Whether a pod waits for us, by its id, and none of its gates is closed."""
        return name in self._waiting

    def _explain(self, action: Explain) -> None:
        """Say on a pod why it waits, if we may."""
        item = self._waiting.get(action.id)
        if item is None or not action.why or not self._explains or is_told(item, action.why):
            return
        try:
            denied = next((each for each in tell(self._api, action.id, action.why) if each.status == FORBIDDEN), None)
        except EngineDown:
            return  # the next observation says so, if that goes on
        if denied is not None:
            self._explains = False
            self._say(f"pods do not say why they wait ({denied.text}); see the ClusterRole in the guide")

    def _item(self, name: str) -> Mapping[str, Any] | None:
        """A pod as it was last seen."""
        return next((each for each in self._items if id_of(each) == name), None)

    def movable(self) -> set[str]:
        """Pods of ours that may move now: they, their PodDisruptionBudgets and the rules between pods allow it."""
        budgets = self.moves.evictions.budgets()
        free = (item for item in self._of_ours() if not why_not_evictable(item, self._scope.scheduler))
        return {id_of(item) for item in free if not barred(item, budgets)} - self._observer.tied

    def preempts(self, name: str) -> bool:
        """Whether a waiting pod lets others be evicted for it (its `preemptionPolicy`)."""
        item = self._item(name)
        return item is not None and item["spec"].get("preemptionPolicy") != "Never"

    def evictable(self) -> list[str]:
        """Pods of ours that may go for others, all of them together, those of the lowest priority first."""
        items = [each for each in self._of_ours() if is_preemptible(each, self._scope.scheduler)]
        items.sort(key=lambda each: float(each["spec"].get("priority") or 0))
        budgets = self.moves.evictions.budgets()
        counts = {id_of(each): [k for k, budget in enumerate(budgets) if budget.covers(each)] for each in items}
        alone = [name for name, of in counts.items() if len(of) < 2]  # the API evicts none that counts for several
        return together(
            alone, {name: counts[name][0] for name in alone if counts[name]}, [budget.allows for budget in budgets]
        )

    def _of_ours(self) -> Sequence[Mapping[str, Any]]:
        """Pods of the namespaces that we were given."""
        return [each for each in self._items if self._scope.covers(each["metadata"].get("namespace", "default"))]

    def _is_ours_and_waits(self, item: Mapping[str, Any]) -> bool:
        spec, meta = item["spec"], item["metadata"]
        ours = (spec.get("schedulerName") or DEFAULT_SCHEDULER) == self._scope.scheduler
        waits = not (spec.get("nodeName") or spec.get("schedulingGates") or meta.get("deletionTimestamp"))
        return ours and waits and self._scope.covers(meta.get("namespace", "default"))

    def _evict(self, action: Stop) -> Refusal | None:
        refusal = self.moves.evictions.evict(action)
        if refusal is not None and refusal.kind != "gone":
            self.unevicted[action.id] = refusal.text
        return refusal

    def keep(self, name: str, node: str) -> None:
        """Keep room for a waiting pod on a node, as it becomes free there; "" keeps none any more."""
        self.moves.keeping.pop(name, None)
        item = self._item(name)
        pod = None if item is None or not node else pod_of(item)
        if pod is not None:
            self.moves.keeping[name] = (pod, node)

    def close(self) -> None:
        """Give the lease back; pods that wait for us wait on."""
        for each in (self._nodes, self._pods, *filter(None, self._others.values())):
            each.close()
        if self._lease is not None:
            self._lease.release()
