"""The API of Kubernetes in this process, for tests: nodes, pods, bindings, leases, rights; and what goes wrong."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from loadmaster.packing.kubernetes_requests import quantity

DIES_BEFORE, DIES_AFTER = 0, -1
"""As the status of a fault: it dies before it does what was asked, or after, and never answers."""


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
        "name": name, "namespace": more.pop("namespace", "default"), "uid": more.pop("uid", f"uid-{name}"),
        "creationTimestamp": stamp(more.pop("created_s", 0.0)), "labels": more.pop("labels", {}),
        "annotations": {"runs_s": str(more.pop("runs_s", 1e9))},
    }  # fmt: skip
    spec = {"schedulerName": "loadmaster", "containers": [{"name": "c", "resources": {"requests": asks}}], **more}
    return {"metadata": meta, "spec": spec, "status": {"phase": "Pending"}}


@dataclass
class FakeKubernetes:
    """What the server keeps.

    Attributes:
        now_s: its clock.
        denied: (verb, resource) that nobody may.
        faults: answers that take the place of the next ones: part of method and path, status, message.
        bound: every binding that was done, in order: pod, node.
        wrong: bindings to a node that takes no pods, or has not enough left; nobody checks that but a scheduler.
        checks_uid: it refuses a binding of another uid, as servers since 1.21 do.
    """

    now_s: Callable[[], float]
    nodes: dict[str, dict[str, Any]] = field(default_factory=dict)
    pods: dict[str, dict[str, Any]] = field(default_factory=dict)
    leases: dict[str, dict[str, Any]] = field(default_factory=dict)
    denied: set[tuple[str, str]] = field(default_factory=set)
    faults: list[tuple[str, int, str]] = field(default_factory=list)
    bound: list[tuple[str, str]] = field(default_factory=list)
    wrong: list[tuple[str, str]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    checks_uid: bool = True
    version: int = 100
    old: list[dict[str, Any]] = field(default_factory=list)

    def add(self, *items: dict[str, Any]) -> None:
        for item in items:
            self.version += 1
            if "containers" in item["spec"]:
                meta = item["metadata"]
                self.pods[f"{meta['namespace']}/{meta['name']}"] = item
            else:
                self.nodes[item["metadata"]["name"]] = item

    def remove(self, name: str) -> None:
        self.version += 1
        del self.pods[name]

    def bind(self, name: str, host: str) -> None:
        """As another scheduler does it."""
        found, now = self.pods[name], stamp(self.now_s())
        found["spec"]["nodeName"] = host
        found["status"] = {"phase": "Running", "startTime": now, "conditions": [
            {"type": "PodScheduled", "status": "True", "lastTransitionTime": now}]}  # fmt: skip
        found["metadata"]["annotations"]["begun_s"] = str(self.now_s())
        self.bound.append((name, host))
        self.version += 1

    def pass_time(self) -> None:
        """Pods whose time is over end."""
        for found in self.pods.values():
            notes = found["metadata"]["annotations"]
            if found["status"]["phase"] != "Running":
                continue
            end_s = float(notes["begun_s"]) + float(notes["runs_s"])
            if end_s <= self.now_s():
                done = [{"state": {"terminated": {"finishedAt": stamp(end_s), "exitCode": 0}}}]
                found["status"] = {**found["status"], "phase": "Succeeded", "containerStatuses": done}
                self.version += 1

    def answer(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        self.asked.append(f"{method} {path}")
        self.pass_time()
        for fault in self.faults:
            if fault[0] in f"{method} {path}":
                self.faults.remove(fault)
                if fault[1] == DIES_AFTER:
                    self._served(method, path, body)
                return fault[1], {"message": fault[2]}
        return self._served(method, path, body)

    def _served(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        parts = path.strip("/").split("/")
        if path == "/version":
            return 200, {"major": "1", "minor": "31+", "gitVersion": "v1.31.0-fake"}
        if parts[-1] == "selfsubjectaccessreviews":
            what = body["spec"]["resourceAttributes"]
            name = "/".join(filter(None, (what["resource"], what.get("subresource", ""))))
            return 201, {"status": {"allowed": (what["verb"], name) not in self.denied}}
        if "leases" in parts:
            return self._lease(method, parts, body)
        if len(parts) == 3:
            return self._list(parts[-1])
        return self._pod(method, "/".join((parts[3], parts[5])), body)

    def _list(self, kind: str) -> tuple[int, Any]:
        if ("list", kind) in self.denied:
            return 403, {"message": f"{kind} is forbidden"}
        if kind == "pods" and self.old:
            return 200, self.old.pop(0)
        return 200, {"metadata": {"resourceVersion": str(self.version)}, "items": list(getattr(self, kind).values())}

    def _pod(self, method: str, name: str, body: Any) -> tuple[int, Any]:
        if method == "POST" and ("create", "pods/binding") in self.denied:
            return 403, {"message": "pods/binding is forbidden"}
        if name not in self.pods:
            return 404, {"message": f"pods {name} not found"}
        found = self.pods[name]
        if method == "GET":
            return 200, found
        uid = found["metadata"]["uid"]
        if self.checks_uid and body["metadata"]["uid"] != uid:
            return 409, {"message": f"Precondition failed: UID in precondition: x, UID in object meta: {uid}"}
        if found["spec"].get("nodeName"):
            return 409, {"message": "pod is already assigned to node"}
        host = body["target"]["name"]
        if not self._takes(host, found):
            self.wrong.append((name, host))
        self.bind(name, host)
        return 201, {"status": "Success"}

    def _takes(self, host: str, new: dict[str, Any]) -> bool:
        if host not in self.nodes or self.nodes[host]["spec"]["unschedulable"]:
            return False
        there = [each for each in self.pods.values()
                 if each["spec"].get("nodeName") == host and each["status"]["phase"] == "Running"]  # fmt: skip
        asked = [each["spec"]["containers"][0]["resources"]["requests"] for each in (*there, new)]
        has = self.nodes[host]["status"]["allocatable"]
        return all(
            sum(quantity(one.get(name, 0)) for one in asked) <= quantity(has[name]) for name in ("cpu", "memory")
        )

    def _lease(self, method: str, parts: list[str], body: Any) -> tuple[int, Any]:
        if ("create", "leases") in self.denied:
            return 403, {"message": "leases is forbidden"}
        name = "/".join((parts[4], body["metadata"]["name"] if method == "POST" else parts[-1]))
        there = self.leases.get(name)
        if method == "GET":
            return (200, there) if there else (404, {"message": "not found"})
        wanted = body["metadata"].get("resourceVersion", "")
        if (method == "POST" and there) or (method == "PUT" and wanted != there["metadata"]["resourceVersion"]):
            return 409, {"message": "the object has been modified"}
        self.version += 1
        body["metadata"]["resourceVersion"] = str(self.version)
        self.leases[name] = body
        return 200, body


@contextmanager
def serving(fake: FakeKubernetes, folder: Path) -> Iterator[Path]:
    """A server in this process; a kubeconfig that names it."""
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def _do(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            with lock:
                status, found = (
                    fake.answer(self.command, self.path, body) if self.headers["Authorization"] == "Bearer secret"
                    else (401, {"message": "Unauthorized"})
                )  # fmt: skip
                text = json.dumps(found).encode()
            if status in (DIES_BEFORE, DIES_AFTER):
                self.close_connection = True
                return
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PUT = _do

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    config = folder / "kubeconfig"
    config.write_text(json.dumps({
        "apiVersion": "v1", "kind": "Config", "current-context": "fake",
        "contexts": [{"name": "fake", "context": {"cluster": "fake", "user": "me"}}],
        "clusters": [{"name": "fake", "cluster": {"server": f"http://127.0.0.1:{server.server_port}"}}],
        "users": [{"name": "me", "user": {"token": "secret"}}],
    }))  # fmt: skip
    try:
        yield config
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
