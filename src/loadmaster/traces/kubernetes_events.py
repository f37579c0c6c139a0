"""Pods as a log: `kubectl get events,pods -A -o json`, the times of events beside what pods request."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loadmaster.model.constraints import STATUSES
from loadmaster.model.errors import InputError
from loadmaster.system.counted import counted
from loadmaster.traces.job_records import NEVER_STARTED, LogRecord, RecordValues, parsed, read_records
from loadmaster.traces.json_records import json_records
from loadmaster.traces.kubernetes_requests import date_s, gpus_of, requests_of
from loadmaster.traces.options import ReadOptions
from loadmaster.traces.rejects import Rule
from loadmaster.traces.trace import Trace

COMMAND = "kubectl get events,pods -A -o json"
"""What prints such a file: events first, as a list that begins with other objects is a state."""
NO_END = Rule("a pod that is over, and the file does not tell since when", bad=False)
NO_CPU = Rule("a pod that requests no CPU", bad=False)
TIED = Rule("a pod of a DaemonSet or of a single node, which no queue holds", bad=False)
_FIRST = re.compile(r'\s*\{.*?"items"\s*:\s*\[\s*', re.DOTALL)
_ENDS = ("Succeeded", "Failed")


@dataclass
class _Events:
    """What events tell of pods, by the uid of the pod; seconds since 1970.

    Attributes:
        scheduled: when each was bound to its node, the first time.
        killing: when its containers were told to stop, the last time.
        last_s: the latest moment in the file.
        running: how many pods of the file run on.
        pods: the pods that the file has.
    """

    scheduled: dict[str, float] = field(default_factory=dict)
    killing: dict[str, float] = field(default_factory=dict)
    last_s: float = 0.0
    running: int = 0
    pods: set[str] = field(default_factory=set)


def is_kubernetes_events(text: str) -> bool:
    """Whether a document begins as a list of Kubernetes whose first object is an event."""
    start = _FIRST.match(text) if text.lstrip().startswith("{") else None
    if start is None or '"apiVersion"' not in text:
        return False
    try:
        first, _ = json.JSONDecoder().raw_decode(text, start.end())
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and first.get("kind") == "Event"


def read_kubernetes_events(path: str | Path, options: ReadOptions = ReadOptions()) -> Trace:
    """Read pods that were bound to a node: from there on they hold what they request.

    A pod that still runs counts with its runtime so far, and a note says how many do.

    Raises:
        InputError: the file cannot be read, has no pods, or (`options.strict`) has a broken pod.
    """
    path, events, pods = Path(path), _Events(), list[LogRecord]()
    for line, item in json_records(path, ("items",), options.progress):
        if item.get("kind") == "Event":
            parsed(lambda each: _take_event(events, each), item)
        elif item.get("kind") == "Pod":
            meta = item.get("metadata")
            pods.append(LogRecord(line, f"pod {meta.get('name') if isinstance(meta, dict) else ''}", item))
            parsed(lambda each: _take_moments(events, each), item)
    if not pods:
        rule = "events of Kubernetes without their pods, so that what pods request is not known"
        raise InputError(path.name, rule, fix=f"print both: {COMMAND}", where=str(path))
    return read_records(path, options, pods, lambda item: job_of(item, events), _notes(events))


def _notes(events: _Events) -> Iterator[str]:
    if events.running:
        pods = counted(events.running, "pod was", "pods were")
        yield f"{pods} still running: the runtime so far counts."
    gone = len({*events.scheduled} - events.pods)
    if gone:
        pods = counted(gone, "pod that is", "pods that are")
        yield f"The events name {pods} not in the file (deleted). What they requested is not known: left out."


def job_of(item: Mapping[str, Any], events: _Events) -> RecordValues | Rule:
    """What a pod and its events say of its job.

    Raises:
        KeyError, TypeError, AttributeError, ValueError: it is no pod.
    """
    meta, spec, status = item["metadata"], item["spec"], item.get("status") or {}
    owners = meta.get("ownerReferences") or [meta]
    if owners[0].get("kind") in ("DaemonSet", "Node"):
        return TIED
    start_s = _start_s(meta, status, events)
    if start_s is None:
        return NEVER_STARTED
    phase, end_s = status.get("phase"), _end_s(meta, status, events)
    if end_s is None and phase in _ENDS:
        return NO_END
    asks = requests_of(spec, status)
    if not asks.get("cpu"):
        return NO_CPU
    events.running += end_s is None
    submit_s = min(date_s(meta["creationTimestamp"]), start_s)
    return {
        "submit_s": submit_s,
        "runtime_s": (events.last_s if end_s is None else end_s) - start_s,
        "wait_s": start_s - submit_s,
        "cores": asks["cpu"],
        "memory_bytes": asks.get("memory", 0.0),
        "gpus": gpus_of(asks),
        "limit_s": spec.get("activeDeadlineSeconds"),
        "ran_on": spec.get("nodeName"),
        "account": meta.get("namespace"),
        "qos": spec.get("priorityClassName"),
        "name": owners[0]["name"],
        "priority": spec.get("priority"),
        "status": STATUSES.index("failed") if phase == "Failed" else 0,
    }


def _take_event(events: _Events, item: Mapping[str, Any]) -> RecordValues:
    """Note what an event tells; the value says nothing."""
    about = item.get("involvedObject") or item["regarding"]
    at = [item.get(name) for name in ("eventTime", "firstTimestamp", "deprecatedFirstTimestamp")]
    last = [item.get(name) for name in ("lastTimestamp", "deprecatedLastTimestamp")]
    moments_s = [date_s(each) for each in (*at, *last) if each] or [date_s(item["metadata"]["creationTimestamp"])]
    events.last_s = max(events.last_s, *moments_s)
    if about.get("kind") == "Pod":
        pod = _key(about)
        if item["reason"] == "Scheduled":
            events.scheduled[pod] = min(moments_s[0], events.scheduled.get(pod, moments_s[0]))
        elif item["reason"] == "Killing":
            events.killing[pod] = max(moments_s[-1], events.killing.get(pod, moments_s[-1]))
    return {}


def _take_moments(events: _Events, item: Mapping[str, Any]) -> RecordValues:
    """Note the moments that a pod tells."""
    events.pods.add(_key(item["metadata"]))
    status = item.get("status") or {}
    dates = [item["metadata"]["creationTimestamp"], *(end for end in _ends(status) if end)]
    dates += [each["lastTransitionTime"] for each in status.get("conditions") or () if each.get("lastTransitionTime")]
    events.last_s = max(events.last_s, *map(date_s, dates))
    return {}


def _key(named: Mapping[str, Any]) -> str:
    return str(named.get("uid") or f"{named.get('namespace')}/{named['name']}")


def _start_s(meta: Mapping[str, Any], status: Mapping[str, Any], events: _Events) -> float | None:
    """When a pod was bound, by its event, else by its condition; None while it waits."""
    if (bound_s := events.scheduled.get(_key(meta))) is not None:
        return bound_s
    met = (each for each in status.get("conditions") or () if each["type"] == "PodScheduled")
    return next((date_s(each["lastTransitionTime"]) for each in met if each["status"] == "True"), None)


def _end_s(meta: Mapping[str, Any], status: Mapping[str, Any], events: _Events) -> float | None:
    """When a pod ended: with its last container, else as its containers were told to stop; None while it runs.

    Containers are told to stop before a restart, too: that counts only of a pod that is over or to be deleted.
    """
    over, ends = status.get("phase") in _ENDS, _ends(status)
    if over and any(ends):
        return max(date_s(each) for each in ends if each)
    return events.killing.get(_key(meta)) if over or meta.get("deletionTimestamp") else None


def _ends(status: Mapping[str, Any]) -> list[str | None]:
    """When each container ended; None of one that has not."""
    states = [each.get("state") or {} for each in status.get("containerStatuses") or ()]
    return [(each.get("terminated") or {}).get("finishedAt") for each in states]
