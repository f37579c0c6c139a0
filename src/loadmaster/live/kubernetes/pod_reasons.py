"""Says on a waiting pod why it waits: in its condition `PodScheduled`, and in an event (rule X18)."""

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from loadmaster.live.kubernetes.actions import path_of
from loadmaster.live.kubernetes.api import Answer, Api
from loadmaster.live.kubernetes.pods import parts_of
from loadmaster.live.queue.decider import Beside
from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.make_room import open_to, rules_now
from loadmaster.live.queue.shown_reasons import ShownReasons
from loadmaster.model import Snapshot
from loadmaster.model.actions import Action, Start

MERGE = "application/strategic-merge-patch+json"


class PodReasons(ShownReasons):
    """Of all pods that wait for us; one with a scheduling gate is the API server's to explain.

    Args:
        waits: whether a pod waits for us, by its id.
    """

    def __init__(self, waits: Callable[[str], bool]) -> None:
        super().__init__()
        self._waits = waits
        self._looked_s, self._lacking = -np.inf, dict[str, str]()

    def wanted(self, ledger: Ledger) -> Mapping[str, str]:
        """See `ShownReasons`."""
        if ledger.decided_s != self._looked_s:
            self._looked_s, self._lacking = ledger.decided_s, why_they_wait(ledger)
        every = {**self._lacking, **dict(ledger.left_out())}
        return {name: why for name, why in every.items() if name not in ledger.runs and self._waits(name)}


def with_reasons(beside: Beside | None, waits: Callable[[str], bool]) -> Beside:
    """What `beside` requests in a cycle, and then `PodReasons`."""
    reasons = PodReasons(waits)

    def asked(ledger: Ledger, starts: Sequence[Start]) -> Sequence[Action]:
        return [*(() if beside is None else beside(ledger, starts)), *reasons(ledger, starts)]

    return asked


def why_they_wait(ledger: Ledger) -> dict[str, str]:
    """Why no node takes each pod that might start, by its id.

    The words name what is short, and count no nodes: else they would change with every pod that comes or goes.
    """
    snapshot, reasons = ledger.snapshot(ranked=False), dict[Hashable, str]()
    if snapshot is None:
        return {}
    rules, up = rules_now(snapshot), np.array(ledger.listing["up"], bool)
    found = {}
    for row, job in enumerate(snapshot.queue.job.tolist()):
        sets = None if snapshot.queue.hosts is None else int(snapshot.queue.hosts[row])
        kind = snapshot.queue.demand[row].tobytes(), sets, None if rules is None else rules.kind(job)
        if kind not in reasons:
            closed = [] if rules is None else rules.closed_by(job)
            named = [
                ("nodes that take no pods now", ~up),
                ("its selector, affinity, tolerations or volumes", ~open_to(ledger, job, None)),
                *closed,
            ]
            reasons[kind] = _in_words(snapshot, row, named)
        found[ledger.waiting.ids[job]] = reasons[kind]
    return found


def _in_words(snapshot: Snapshot, row: int, named: list[tuple[str, np.ndarray]]) -> str:
    """What keeps a row of the queue from each node: the first of these reasons, else the first resource too short."""
    short = snapshot.free < snapshot.queue.demand[row]
    lacking = [(f"not enough {name}", short[:, r]) for r, name in enumerate(snapshot.cluster.resources)]
    left, words = np.ones(snapshot.cluster.hosts, bool), []
    for why, hosts in (*named, *lacking):
        if (left & hosts).any():
            words.append(why)
        left &= ~hosts
    words += ["room is kept for pods that go before it"] if left.any() else []
    return f"0/{snapshot.cluster.hosts} nodes are available: {', '.join(words)}"


def is_told(item: Mapping[str, Any], why: str) -> bool:
    """Whether the condition of a pod says this already."""
    conditions = (item.get("status") or {}).get("conditions") or ()
    return any(each.get("type") == "PodScheduled" and each.get("message") == why for each in conditions)


def tell(api: Api, name: str, why: str) -> list[Answer]:
    """Write the condition of a pod, and an event; what the server answers.

    Raises:
        EngineDown: the server does not answer.
    """
    space, pod, uid = parts_of(name)
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    condition = {
        "type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": why,
        "lastTransitionTime": now,
    }  # fmt: skip
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"namespace": space, "name": f"{pod}.{time.time_ns():x}"},
        "involvedObject": {"apiVersion": "v1", "kind": "Pod", "namespace": space, "name": pod, "uid": uid},
        "reason": "FailedScheduling",
        "message": why,
        "type": "Warning",
        "source": {"component": "loadmaster"},
        "firstTimestamp": now,
        "lastTimestamp": now,
        "count": 1,
    }
    status = {"metadata": {"uid": uid}, "status": {"conditions": [condition]}}
    return [
        api.ask("PATCH", path_of(name, "/status"), status, content=MERGE),
        api.ask("POST", f"/api/v1/namespaces/{space}/events", event),
    ]
