"""One loadmaster at a time for one cluster: a Lease object of the cluster, renewed while the run lasts."""

import math
import os
import re
import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4

from loadmaster.live.kubernetes.api import UNAUTHORIZED, WHO, Answer, Api
from loadmaster.live.kubernetes.pods import moment_s
from loadmaster.live.session.engine import EngineDown
from loadmaster.live.session.lease import LeaseHeldElsewhere
from loadmaster.model import InputError

T = TypeVar("T")
PROCESS = uuid4().hex[:12]
"""Two containers may bear one host name, and be process 1 each."""


def when_free(
    take: Callable[[], T],
    pause: Callable[[], None],
    say: Callable[[str], None],
    over: Callable[[], bool] = lambda: False,
) -> T | None:
    """What `take` gives, asked again after every pause while another loadmaster has the lease or the server is away.

    None where `over` says that it has waited long enough. What it waits for is said once, and again when it changes.
    """
    said = ""
    while True:
        try:
            return take()
        except (LeaseHeldElsewhere, EngineDown) as error:
            if (text := str(error)) and (but_for_seconds := re.sub(r"\d+ s more", "", text)) != said:
                said = but_for_seconds
                say(text)
        if over():
            return None
        pause()


class LeaseTerms(NamedTuple):
    """Where the Lease object is, and how long it is ours after we renewed it last."""

    namespace: str = "kube-system"
    lasts_s: float = 60.0


class ClusterLease:
    """Held from now on.

    Args:
        api: of the cluster.
        name: of the object.
        terms: where it is, and for how long it is ours.
        now_s: the clock, which should go as those of others do.

    Raises:
        LeaseHeldElsewhere: another process holds it.
        InputError: we may not.
        EngineDown: the server does not answer.
    """

    def __init__(self, api: Api, name: str, terms: LeaseTerms, now_s: Callable[[], float]) -> None:
        self._api, self._name, self._now_s = api, name, now_s
        self._space, self._lasts_s = terms
        self.holder = f"{socket.gethostname()}_{os.getpid()}_{PROCESS}"
        self._renewed_s = -math.inf
        self.renew()

    def keep(self) -> None:
        """Renew it if a third of its time is over."""
        if self._now_s() - self._renewed_s > self._lasts_s / 3:
            self.renew()

    def renew(self) -> None:
        """It is ours for its time from now on.

        Raises:
            LeaseHeldElsewhere: another process has taken it.
            InputError: we may not have it, and never had it.
            EngineDown: the server does not answer.
        """
        asked_s = self._now_s()
        lease = self._api.ask("GET", self._path)
        if lease.status == 404:
            answer = self._api.ask("POST", self._path.rpartition("/")[0], self._body({}, self.holder))
        else:
            self._require(lease)
            self._refuse_others(lease.body.get("spec") or {})
            answer = self._api.ask("PUT", self._path, self._body(lease.body["metadata"], self.holder))
        if answer.status == 409:
            raise LeaseHeldElsewhere(self._name, "another process, which was faster")
        self._require(answer)
        self._renewed_s = asked_s

    def release(self) -> None:
        """Give it back, if it is ours still; a server that is away finds that its time is over."""
        with suppress(EngineDown):
            answer = self._api.ask("GET", self._path)
            if answer.good and (answer.body.get("spec") or {}).get("holderIdentity") == self.holder:
                self._api.ask("PUT", self._path, self._body(answer.body["metadata"], ""))

    @property
    def _path(self) -> str:
        return f"/apis/coordination.k8s.io/v1/namespaces/{self._space}/leases/{self._name}"

    def _refuse_others(self, spec: Mapping[str, Any]) -> None:
        holder = spec.get("holderIdentity") or ""
        ends_s = moment_s(spec.get("renewTime"), 0.0) + float(spec.get("leaseDurationSeconds") or 0)
        if holder not in ("", self.holder) and ends_s > self._now_s():
            for_s = ends_s - self._now_s()
            raise LeaseHeldElsewhere(self._name, f"{holder}, for {for_s:.0f} s more unless it renews it")

    def _require(self, answer: Answer) -> None:
        if answer.status >= 500 or answer.status == 429 or (not answer.good and self._renewed_s > -math.inf):
            raise EngineDown(answer.text)
        if not answer.good:
            rule = f"no lease can be kept in namespace {self._space}: {answer.text}"
            fix = WHO if answer.status == UNAUTHORIZED else "name another by --lease-namespace, or see --doctor"
            raise InputError(self._name, rule, fix=fix)

    def _body(self, meta: Mapping[str, Any], holder: str) -> Mapping[str, Any]:
        version = {"resourceVersion": meta["resourceVersion"]} if "resourceVersion" in meta else {}
        now = datetime.fromtimestamp(self._now_s(), UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
        return {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": self._name, "namespace": self._space, **version},
            "spec": {"holderIdentity": holder, "leaseDurationSeconds": max(1, round(self._lasts_s)), "renewTime": now},
        }
