"""Nodes and pods as the API of Kubernetes lists them, for tests."""

from datetime import UTC, datetime
from typing import Any


def stamp(moment_s: float) -> str:
    return datetime.fromtimestamp(moment_s, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def node(name: str, cpu: Any = 8, memory: Any = "16Gi", **more: Any) -> dict[str, Any]:
    """A node that is ready; `labels`, `taints`, `ready`, `cordoned` and other resources by keyword."""
    labels = {"kubernetes.io/hostname": name} | more.pop("labels", {})
    spec = {"taints": more.pop("taints", []), "unschedulable": more.pop("cordoned", False)}
    ready = "True" if more.pop("ready", True) else "False"
    has = {"cpu": str(cpu), "memory": str(memory), "pods": "110"} | {key: str(value) for key, value in more.items()}
    status = {"allocatable": has, "conditions": [{"type": "Ready", "status": ready}]}
    return {"metadata": {"name": name, "labels": labels}, "spec": spec, "status": status}


def pod(name: str, cpu: Any = 1, memory: Any = "1Gi", **more: Any) -> dict[str, Any]:
    """A pod that waits for loadmaster; `uid`, `labels`, `created_s`, `runs_s` by keyword, the rest goes to its spec."""
    asks = {"cpu": str(cpu), "memory": str(memory)} | more.pop("asks", {})
    meta = {
        "name": name,
        "namespace": more.pop("namespace", "default"),
        "uid": more.pop("uid", f"uid-{name}"),
        "creationTimestamp": stamp(more.pop("created_s", 0.0)),
        "labels": more.pop("labels", {}),
        "annotations": {"runs_s": str(more.pop("runs_s", 1e9))},
    }
    if owner := more.pop("owner", None):
        meta["ownerReferences"] = [{"kind": owner[0], "name": owner[1], "uid": owner[1], "controller": True}]
    spec = {"schedulerName": "loadmaster", "containers": [{"name": "c", "resources": {"requests": asks}}], **more}
    return {"metadata": meta, "spec": spec, "status": {"phase": "Pending"}}
