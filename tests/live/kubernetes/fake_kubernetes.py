"""The API of Kubernetes in this process, for tests: bindings, evictions, leases, rights; and what goes wrong."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from pods_and_nodes import stamp

from loadmaster.traces.kubernetes_requests import quantity

DIES_BEFORE, DIES_AFTER = 0, -1
"""As the status of a fault: it dies before it does what was requested, or after, and never answers."""


def forbidden(verb: str, what: str) -> dict[str, str]:
    """As the authorizer of an API server words it."""
    return {"message": f'{what} is forbidden: User "loadmaster" cannot {verb} resource "{what}" in API group ""'}


@dataclass
class FakeKubernetes:
    """What the server keeps.

    Attributes:
        now_s: its clock.
        denied: (verb, resource) that is forbidden.
        faults: answers that take the place of the next ones: part of method and path, status, message.
        bound: every binding that was done, in order: pod, node.
        wrong: bindings to a node that takes no pods, or has not enough left; only a scheduler checks that.
        checks_uid: it refuses a binding of another uid or resource version, as servers since 1.21 do.
        watches: it lets changes be watched.
        told: changes in order: version, kind, event.
        forgotten: what came up to that version is not remembered.
        streams: watches that are open, from before their client hears of it; `cut` ends them.
        ended: watches that have ended.
        starting: it has not read its roles yet, and allows nothing.
        token: that it accepts.
        policy: versions of the API of budgets and evictions; `budgets`: the budgets.
        others: objects of other kinds, by the last part of the path of their list.
        events: that were written.
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
    watches: bool = False
    told: list[tuple[int, str, dict[str, Any]]] = field(default_factory=list)
    forgotten: int = 0
    streams: int = 0
    ended: int = 0
    cut: bool = False
    starting: bool = False
    token: str = "secret"
    policy: tuple[str, ...] = ("v1", "v1beta1")
    budgets: list[dict[str, Any]] = field(default_factory=list)
    evicted: list[str] = field(default_factory=list)
    others: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)

    def add(self, *items: dict[str, Any]) -> None:
        for item in items:
            if "containers" in item["spec"]:
                meta = item["metadata"]
                self.pods[f"{meta['namespace']}/{meta['name']}"] = item
                self.tell("pods", "ADDED", item)
            else:
                self.nodes[item["metadata"]["name"]] = item
                self.tell("nodes", "ADDED", item)

    def remove(self, name: str) -> None:
        self.tell("pods", "DELETED", self.pods.pop(name))

    def remove_node(self, name: str) -> None:
        self.tell("nodes", "DELETED", self.nodes.pop(name))

    def tell(self, kind: str, how: str, item: dict[str, Any]) -> None:
        self.version += 1
        item["metadata"]["resourceVersion"] = str(self.version)
        self.told.append((self.version, kind, {"type": how, "object": json.loads(json.dumps(item))}))

    def since(self, kind: str, version: int) -> list[tuple[int, dict[str, Any]]]:
        if version < self.forgotten:
            gone = {"kind": "Status", "code": 410, "message": "too old resource version"}
            return [(version, {"type": "ERROR", "object": gone})]
        return [(at, event) for at, which, event in self.told if which == kind and at > version]

    def bind(self, name: str, host: str) -> None:
        """As another scheduler does it."""
        found, now = self.pods[name], stamp(self.now_s())
        found["spec"]["nodeName"] = host
        found["status"] = {
            "phase": "Running",
            "startTime": now,
            "conditions": [{"type": "PodScheduled", "status": "True", "lastTransitionTime": now}],
        }
        found["metadata"]["annotations"]["begun_s"] = str(self.now_s())
        self.bound.append((name, host))
        self.tell("pods", "MODIFIED", found)

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
                self.tell("pods", "MODIFIED", found)

    def answer(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        self.asked.append(f"{method} {path}")
        self.pass_time()
        if self.starting:
            return 403, forbidden("do", path)
        for fault in self.faults:
            if fault[0] in f"{method} {path}":
                self.faults.remove(fault)
                if fault[1] == DIES_AFTER:
                    self._served(method, path, body)
                return fault[1], {"message": fault[2]}
        return self._served(method, path, body)

    def _served(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        path, _, query = path.partition("?")
        parts = path.strip("/").split("/")
        if query:
            return 403, forbidden("watch", parts[-1])
        if path == "/version":
            return 200, {"major": "1", "minor": "31+", "gitVersion": "v1.31.0-fake"}
        if parts[-1] == "selfsubjectaccessreviews":
            what = body["spec"]["resourceAttributes"]
            name = "/".join(filter(None, (what["resource"], what.get("subresource", ""))))
            return 201, {"status": {"allowed": (what["verb"], name) not in self.denied}}
        if path == "/api/v1":
            return 200, {
                "resources": [{"name": "pods/eviction", "group": "policy", "version": each} for each in self.policy[:1]]
            }
        if path == "/apis/policy":
            return (200, {"versions": [{"version": each} for each in self.policy]}) if self.policy else (404, {})
        if parts[-1] == "poddisruptionbudgets":
            return 200, {"items": self.budgets}
        if parts[-1] == "eviction":
            return self._evict("/".join((parts[4], parts[6])) if parts[0] == "apis" else f"{parts[3]}/{parts[5]}", body)
        if "leases" in parts:
            return self._lease(method, parts, body)
        if parts[-1] == "events":
            return self._event(body)
        if method == "PATCH" and parts[-2] in self.others:
            return self._merge(parts[-2], parts[-1], body)
        if len(parts) == 3 or parts[1] == "storage.k8s.io":
            return self._list(parts[-1])
        if parts[2] == "nodes":
            found = self.nodes.get(parts[3])
            return (200, found) if found else (404, {"message": f"nodes {parts[3]} not found"})
        return self._pod(method, "/".join((parts[3], parts[5])), body)

    def _list(self, kind: str) -> tuple[int, Any]:
        if ("list", kind) in self.denied:
            return 403, forbidden("list", kind)
        if kind == "pods" and self.old:
            return 200, self.old.pop(0)
        items = self.others.get(kind, []) if kind not in ("nodes", "pods") else list(getattr(self, kind).values())
        return 200, {"metadata": {"resourceVersion": str(self.version)}, "items": items}

    def _merge(self, kind: str, name: str, body: dict[str, Any]) -> tuple[int, Any]:
        """Annotations and spec of a claim or a volume, if it is as the asker has seen it."""
        if ("patch", kind) in self.denied:
            return 403, forbidden("patch", kind)
        found = next(each for each in self.others[kind] if each["metadata"]["name"] == name)
        if body["metadata"]["resourceVersion"] != found["metadata"]["resourceVersion"]:
            return 409, {"message": "the object has been modified"}
        found["metadata"].setdefault("annotations", {}).update(body["metadata"]["annotations"])
        found["spec"].update(body.get("spec", {}))
        self.tell(kind, "MODIFIED", found)
        return 200, {"kind": {"persistentvolumes": "PersistentVolume"}.get(kind, "PersistentVolumeClaim"), **found}

    def _event(self, body: dict[str, Any]) -> tuple[int, Any]:
        if ("create", "events") in self.denied:
            return 403, forbidden("create", "events")
        self.events.append(body)
        return 201, body

    def _patch(self, found: dict[str, Any], body: dict[str, Any]) -> tuple[int, Any]:
        """A strategic merge of conditions, by their type."""
        if ("patch", "pods/status") in self.denied:
            return 403, forbidden("patch", "pods/status")
        if body["metadata"]["uid"] != found["metadata"]["uid"]:
            return 409, {"message": "the UID in the precondition does not match"}
        kept = {each["type"]: each for each in found["status"].get("conditions", ())}
        kept |= {each["type"]: each for each in body["status"]["conditions"]}
        found["status"]["conditions"] = list(kept.values())
        self.tell("pods", "MODIFIED", found)
        return 200, found

    def _pod(self, method: str, name: str, body: Any) -> tuple[int, Any]:
        if method == "POST" and ("create", "pods/binding") in self.denied:
            return 403, forbidden("create", "pods/binding")
        if name not in self.pods:
            return 404, {"message": f"pods {name} not found"}
        found = self.pods[name]
        if method == "GET":
            return 200, found
        if method == "PATCH":
            return self._patch(found, body)
        uid = found["metadata"]["uid"]
        if self.checks_uid and body["metadata"]["uid"] != uid:
            return 409, {"message": f"Precondition failed: UID in precondition: x, UID in object meta: {uid}"}
        wanted, version = body["metadata"].get("resourceVersion"), found["metadata"]["resourceVersion"]
        if self.checks_uid and wanted not in (None, version):
            what = f"ResourceVersion in precondition: {wanted}, ResourceVersion in object meta: {version}"
            return 409, {"message": f"Precondition failed: {what}"}
        if found["spec"].get("nodeName"):
            return 409, {"message": "pod is already assigned to node"}
        host = body["target"]["name"]
        if not self._takes(host, found):
            self.wrong.append((name, host))
        self.bind(name, host)
        return 201, {"status": "Success"}

    def _evict(self, name: str, body: Any) -> tuple[int, Any]:
        """The pod goes at once; its owner makes another one."""
        assert body["apiVersion"] == f"policy/{self.policy[0]}"
        found = self.pods.get(name)
        if found is None:
            return 404, {"message": f"pods {name} not found"}
        if body["deleteOptions"]["preconditions"]["uid"] != found["metadata"]["uid"]:
            return 409, {"message": "the UID in the precondition does not match"}
        wanted = found["metadata"]["labels"].items()
        mine = [each for each in self.budgets if each["spec"]["selector"]["matchLabels"].items() <= wanted]
        if any(each["status"]["disruptionsAllowed"] < 1 for each in mine):
            return 429, {"message": "Cannot evict pod as it would violate the pod's disruption budget."}
        self.evicted.append(name)
        self.remove(name)
        again = json.loads(json.dumps(found))
        again["metadata"] |= {"name": f"{name.partition('/')[2]}x", "uid": found["metadata"]["uid"] + "x"}
        again["metadata"]["creationTimestamp"] = stamp(self.now_s())
        again["spec"].pop("nodeName")
        again["status"] = {"phase": "Pending"}
        self.add(again)
        return 201, {"status": "Success"}

    def _takes(self, host: str, new: dict[str, Any]) -> bool:
        if host not in self.nodes or self.nodes[host]["spec"]["unschedulable"]:
            return False
        there = [
            each
            for each in self.pods.values()
            if each["spec"].get("nodeName") == host and each["status"]["phase"] == "Running"
        ]
        asked = [each["spec"]["containers"][0]["resources"]["requests"] for each in (*there, new)]
        has = self.nodes[host]["status"]["allocatable"]
        return all(
            sum(quantity(one.get(name, 0)) for one in asked) <= quantity(has[name]) for name in ("cpu", "memory")
        )

    def _lease(self, method: str, parts: list[str], body: Any) -> tuple[int, Any]:
        if ("create", "leases") in self.denied:
            return 403, forbidden("create", "leases")
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
            if "watch=1" in self.path and fake.watches and not fake.starting:
                self._watch(self.path.partition("?")[0].rpartition("/")[2], parse_qs(self.path)["resourceVersion"][0])
                return
            with lock:
                known = self.headers["Authorization"] == f"Bearer {fake.token}"
                status, found = (
                    fake.answer(self.command, self.path, body) if known else (401, {"message": "Unauthorized"})
                )
                text = json.dumps(found).encode()
            if status in (DIES_BEFORE, DIES_AFTER):
                self.close_connection = True
                return
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def _watch(self, kind: str, since: str) -> None:
            fake.asked.append(f"watch {kind} {since}")
            at = int(since)
            with lock:
                fake.streams += 1
            try:
                self.send_response(200)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                while not fake.cut:
                    with lock:
                        fresh = fake.since(kind, at)
                    for version, event in fresh:
                        at = version
                        line = json.dumps(event).encode() + b"\n"
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
                    if fresh and fresh[-1][1]["type"] == "ERROR":
                        break
                    time.sleep(0.002)
                self.wfile.write(b"0\r\n\r\n")
            except OSError:  # the client has gone
                self.close_connection = True
            finally:
                with lock:
                    fake.streams -= 1
                    fake.ended += 1

        do_GET = do_POST = do_PUT = do_PATCH = _do

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    config = folder / "kubeconfig"
    config.write_text(
        json.dumps(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": "fake",
                "contexts": [{"name": "fake", "context": {"cluster": "fake", "user": "me"}}],
                "clusters": [{"name": "fake", "cluster": {"server": f"http://127.0.0.1:{server.server_port}"}}],
                "users": [{"name": "me", "user": {"token": "secret"}}],
            }
        )
    )
    try:
        yield config
    finally:
        fake.cut = True
        server.shutdown()
        server.server_close()
        thread.join()
