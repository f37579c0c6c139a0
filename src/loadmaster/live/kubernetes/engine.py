"""Kubernetes as an engine: one listing of nodes and one of pods is what is seen, a binding is what is done."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from loadmaster.live.engine import HELD, Can, Refusal, Seen
from loadmaster.live.kubernetes.acting import act
from loadmaster.live.kubernetes.api import Api
from loadmaster.live.kubernetes.lease import ClusterLease
from loadmaster.live.kubernetes.observation import Listings, Observer
from loadmaster.model.actions import Action, Start

NODES, PODS = "/api/v1/nodes", "/api/v1/pods"
OLD = 3
"""So many listings in a row that are older than the one before, and the cluster has been restored from a backup."""


class KubernetesEngine:
    """A Kubernetes that runs.

    Args:
        api: of the cluster.
        scheduler: the `schedulerName` of pods that are ours.
        looks_on: it is only looked at, and no lease is taken.
        everyone: pods that wait for any scheduler count as held for us, as in shadow.
        namespaces: only pods that wait in these are ours; () for all.
        lease_namespace: where the lease is.
        lease_s: how long it lasts.
        now_s: the clock.

    Raises:
        InputError: another loadmaster has the lease, or we may not have one.
        EngineDown: the server does not answer.
    """

    name = "kubernetes"

    def __init__(
        self, api: Api, scheduler: str = "loadmaster", *, looks_on: bool = False, everyone: bool = False,
        namespaces: Sequence[str] = (), lease_namespace: str = "kube-system", lease_s: float = 60.0,
        now_s: Callable[[], float] = time.time,
    ) -> None:  # fmt: skip
        self._api, self._now_s = api, now_s
        self._lease = None if looks_on else ClusterLease(api, scheduler, lease_namespace, lease_s, now_s)
        self._observer = Observer(scheduler, everyone=everyone, namespaces=namespaces)
        self._held: set[str] = set()
        self._version = 0
        self._old = self._restored = 0
        self._last: Seen | None = None

    @property
    def can(self) -> Can:
        """Place; pods wait for us by their `schedulerName`."""
        return Can(place=True, hold=True)

    def observe(self) -> Seen:
        """See `Engine`; a listing older than the last is not looked at, and the last one told again."""
        if self._lease is not None:
            self._lease.keep()
        at_s = self._now_s()
        nodes = self._api.read(NODES)
        pods = self._api.read(PODS)
        if self._is_old(pods) and self._last is not None:
            return self._last
        token = str(self._restored) if self._restored else ""
        heard = Listings(at_s, nodes.get("items") or (), pods.get("items") or (), token)
        seen = self._observer.see(heard)
        self._held = {seen.ids[job] for job in seen.tasks.job[seen.tasks.state == HELD].tolist()}
        self._last = seen
        return seen

    def act(self, action: Action) -> Refusal | None:
        """See `Engine`."""
        if self._lease is not None:
            self._lease.keep()
        if isinstance(action, Start):
            if action.id not in self._held:
                return Refusal(action, "busy", "it did not wait when it was last seen")
            self._held.discard(action.id)
        return act(self._api, action)

    def close(self) -> None:
        """Give the lease back; pods that wait for us wait on."""
        if self._lease is not None:
            self._lease.release()

    def _is_old(self, listed: Mapping[str, Any]) -> bool:
        """Whether a server that lags behind gave this list; one that stays so has lost what came after it."""
        text = str((listed.get("metadata") or {}).get("resourceVersion") or "")
        version = int(text) if text.isdigit() else self._version
        if version >= self._version:
            self._version, self._old = version, 0
            return False
        self._old += 1
        if self._old < OLD:
            return True
        self._version, self._old = version, 0
        self._restored += 1
        return False
