"""Kueue's workloads, as `kubectl get workloads -A -o json` prints them: a finished workload is a job."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from loadmaster.model.constraints import STATUSES
from loadmaster.system.counted import counted
from loadmaster.traces.job_records import NEVER_STARTED, OTHER, LogRecord, RecordValues, read_records
from loadmaster.traces.json_records import json_records
from loadmaster.traces.kubernetes_requests import date_s, gpus_of, is_gpu, requests_of
from loadmaster.traces.options import ReadOptions
from loadmaster.traces.rejects import Rule
from loadmaster.traces.trace import Trace

_KUEUE = re.compile(r'"apiVersion"\s*:\s*"kueue\.x-k8s\.io/')
NOT_OVER = Rule("a workload that has not finished", bad=False)


def is_kueue(text: str) -> bool:
    """Whether a document begins as a list of workloads does."""
    return text.lstrip().startswith("{") and _KUEUE.search(text) is not None


def read_kueue(path: str | Path, options: ReadOptions = ReadOptions()) -> Trace:
    """Read workloads that Kueue has admitted and that are over.

    A workload starts when it is admitted. Its pods are its tasks; if they request different amounts, each counts as
    their mean, and a note says so.

    Raises:
        InputError: the file cannot be read, holds no such job, or (`options.strict`) has a broken workload.
    """
    path = Path(path)
    mixed: list[str] = []
    return read_records(path, options, _records(path, options), lambda item: job_of(item, mixed), _notes(mixed))


def _records(path: Path, options: ReadOptions) -> Iterator[LogRecord]:
    for line, item in json_records(path, ("items",), options.progress):
        meta = item.get("metadata")
        yield LogRecord(line, f"workload {meta.get('name') if isinstance(meta, dict) else ''}", item)


def _notes(mixed: list[str]) -> Iterator[str]:
    if mixed:
        several = counted(len(mixed), "workload has", "workloads have")
        yield f"{several} pods that request different amounts: each pod counts as their mean."


def job_of(item: Mapping[str, Any], mixed: list[str]) -> RecordValues | Rule:
    """What a workload says of its job; the name of one with unequal pods is added to `mixed`.

    Raises:
        KeyError, TypeError, AttributeError, ValueError: it is no workload.
    """
    if item["kind"] != "Workload":
        return OTHER
    meta, spec, status = item["metadata"], item["spec"], item.get("status") or {}
    met = {each["type"]: each for each in status.get("conditions") or () if each["status"] == "True"}
    begun = met.get("Admitted") or met.get("QuotaReserved")
    if "Finished" not in met:
        return NOT_OVER
    if begun is None:
        return NEVER_STARTED
    submit_s, start_s = date_s(meta["creationTimestamp"]), date_s(begun["lastTransitionTime"])
    assigned = (status.get("admission") or {}).get("podSetAssignments") or ()
    given = {each["name"]: each.get("count") for each in assigned}
    pods = [
        (given.get(each["name"]) or each["count"], requests_of(each["template"]["spec"])) for each in spec["podSets"]
    ]
    pods = [(int(count), asks) for count, asks in pods if count > 0]
    if any(asks != pods[0][1] for _, asks in pods):
        mixed.append(meta["name"])
    owners = meta.get("ownerReferences") or [meta]
    flavors = {name for each in assigned for key, name in (each.get("flavors") or {}).items() if is_gpu(key)}
    return {
        "submit_s": submit_s,
        "runtime_s": date_s(met["Finished"]["lastTransitionTime"]) - start_s,
        "wait_s": start_s - submit_s,
        "tasks": sum(count for count, _ in pods),
        "cores": _sum(pods, "cpu"),
        "memory_bytes": _sum(pods, "memory"),
        "gpus": float(sum(count * gpus_of(asks) for count, asks in pods)),
        "gpu_kind": ",".join(sorted(flavors)) or None,
        "limit_s": spec.get("maximumExecutionTimeSeconds"),
        "partition": spec.get("queueName") or None,
        "account": meta.get("namespace"),
        "qos": spec.get("priorityClassName") or (spec.get("priorityClassRef") or {}).get("name"),
        "name": owners[0]["name"],
        "priority": spec.get("priority"),
        "restarts": (status.get("requeueState") or {}).get("count"),
        "status": STATUSES.index("failed") if _failed(met["Finished"]) else 0,
    }


def _sum(pods: list[tuple[int, dict[str, float]]], name: str) -> float:
    return sum(count * asks.get(name, 0.0) for count, asks in pods)


def _failed(finished: Mapping[str, Any]) -> bool:
    return "fail" in f"{finished.get('reason', '')} {finished.get('message', '')}".lower()
