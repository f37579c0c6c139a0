"""A real Kubernetes for the tests alone: etcd, API server, scheduler on loopback; nodes are objects, time is played.

Run as a program it starts one with nodes and stays until Ctrl-C: `python tests/set_ups/real_kubernetes.py 8x16c64g`.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from loadmaster.live.kubernetes.api import Answer, Api
from loadmaster.live.kubernetes.deployment import cluster_role
from loadmaster.live.session.engine import EngineDown
from loadmaster.live.session.termination import as_ctrl_c

PATIENCE_S = 60.0
HOME = Path(os.environ.get("LOADMASTER_KUBERNETES") or Path.home() / ".cache" / "loadmaster-kubernetes")
PROGRAMS = ("etcd", "kube-apiserver", "kube-scheduler")
MANAGER = "kube-controller-manager"
USERS = {
    "admin": '"system:masters"',
    "system:kube-scheduler": "",
    f"system:{MANAGER}": "",
    "loadmaster": "",
    "guest": "",
}
SECONDS = "loadmaster.test/runs"
"""Annotation: for how long a pod runs."""


def why_not(*more: str) -> str:
    """Why no Kubernetes can be started here, with the programs `more`; empty if one can."""
    missing = [name for name in (*PROGRAMS, *more) if not (HOME / "bin" / name).exists()]
    built = f"{', '.join(missing)} not in {HOME / 'bin'}; tools/kubernetes-for-tests.sh builds them"
    return f"no Kubernetes here: {built}" if missing else ""


@dataclass
class RealKubernetes:
    """A running one.

    Attributes:
        folder: with a kubeconfig for each user and the logs.
        api: as its administrator.
    """

    folder: Path
    running: "dict[str, subprocess.Popen[bytes]]"
    api: Api = field(init=False)
    _ended: dict[str, list[str]] = field(default_factory=dict)

    def config(self, user: str = "loadmaster") -> Path:
        """The kubeconfig of a user."""
        return self.folder / f"{user.rpartition(':')[2]}.kubeconfig"

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Answer:
        """Ask as the administrator; anything but success is a failure of the test."""
        answer = self.api.ask(method, path, body)
        assert answer.good, f"{method} {path}: {answer.text}"
        return answer

    def items(self, kind: str) -> list[dict[str, Any]]:
        """All `pods` or `nodes`."""
        return list(self.ask("GET", f"/api/v1/{kind}").body["items"])

    def add_node(self, item: Mapping[str, Any]) -> None:
        """A node with the taints and the status that it is given, as its kubelet would write it."""
        name = item["metadata"]["name"]
        self.ask("POST", "/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", **item})
        self.change("/api/v1/nodes/" + name, lambda found: found["spec"].update(taints=item["spec"].get("taints", [])))
        self.change(f"/api/v1/nodes/{name}/status", lambda found: found.update(status=dict(item["status"])))

    def add_pod(self, item: Mapping[str, Any]) -> str:
        """A pod; its uid."""
        space = item["metadata"].get("namespace", "default")
        body = {"apiVersion": "v1", "kind": "Pod", **item}
        return str(self.ask("POST", f"/api/v1/namespaces/{space}/pods", body).body["metadata"]["uid"])

    def remove(self, name: str, space: str = "default") -> None:
        """Delete a pod at once."""
        self.ask("DELETE", f"/api/v1/namespaces/{space}/pods/{name}", {"gracePeriodSeconds": 0})

    def clear(self) -> None:
        """No pods, no nodes, no leases of ours, no budgets."""
        for item in self.items("pods"):
            with suppress(AssertionError):
                self.remove(item["metadata"]["name"], item["metadata"]["namespace"])
        for item in self.items("nodes"):
            self.ask("DELETE", f"/api/v1/nodes/{item['metadata']['name']}")
        self.api.ask("DELETE", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/loadmaster")
        self.api.ask("DELETE", "/apis/policy/v1beta1/namespaces/default/poddisruptionbudgets")

    def change(self, path: str, how: Callable[[dict[str, Any]], object]) -> None:
        """Get, change, put; again where somebody else was quicker."""
        while True:
            found = json.loads(json.dumps(self.ask("GET", path).body))
            how(found)
            answer = self.api.ask("PUT", path, found)
            if answer.status != 409:
                assert answer.good, f"{path}: {answer.text}"
                return

    def kill(self, name: str) -> None:
        """End a program at once, as a crash would."""
        process = self.running.pop(name)
        process.kill()
        process.wait()
        self._ended[name] = [str(word) for word in process.args]  # type: ignore[union-attr]

    def start(self, name: str) -> None:
        """Start it once more, as it was."""
        _start(self, name, *self._ended.pop(name)[1:])
        _until(lambda: _is_ready(self), self)


class Kubelets:
    """All kubelets at once: a bound pod runs, ends after its time, and goes when it is told to."""

    def __init__(self, real: RealKubernetes, every_s: float = 0.1) -> None:
        self._real, self._every_s, self._stop = real, every_s, threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.troubles: list[str] = []

    def __enter__(self) -> "Kubelets":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(PATIENCE_S)
        assert not self.troubles, self.troubles

    def _run(self) -> None:
        while not self._stop.wait(self._every_s):
            try:
                for item in self._real.items("pods"):
                    if item["spec"].get("nodeName"):
                        self._tend(item)
            except EngineDown:
                continue
            except Exception as error:  # shown by the test
                self.troubles.append(repr(error))
                return

    def _tend(self, item: dict[str, Any]) -> None:
        meta, status = item["metadata"], item["status"]
        path = f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}"
        if meta.get("deletionTimestamp"):
            self._real.api.ask("DELETE", path, {"gracePeriodSeconds": 0})
        elif status["phase"] == "Pending":
            self._real.api.ask("PUT", path + "/status", item | {"status": status | _begun()})
        elif status["phase"] == "Running":
            begun_s = datetime.fromisoformat(status["startTime"]).timestamp()
            runs_s = float((meta.get("annotations") or {}).get(SECONDS, "inf"))
            if time.time() >= begun_s + runs_s:
                self._real.api.ask("PUT", path + "/status", item | {"status": status | _ended(begun_s + runs_s)})


def _begun() -> dict[str, Any]:
    now = _stamp(time.time())
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": now}
    bound = {"type": "PodScheduled", "status": "True", "lastTransitionTime": now}
    return {"phase": "Running", "startTime": now, "conditions": [bound, ready]}


def _ended(at_s: float) -> dict[str, Any]:
    over = {"terminated": {"exitCode": 0, "finishedAt": _stamp(at_s)}}
    each = {"name": "c", "image": "none", "imageID": "", "ready": False, "restartCount": 0, "state": over}
    return {"phase": "Succeeded", "containerStatuses": [each]}


def _stamp(moment_s: float) -> str:
    return datetime.fromtimestamp(moment_s, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


@contextmanager
def real_kubernetes(scheduler: bool = True, controllers: Sequence[str] = ()) -> Iterator[RealKubernetes]:
    """Start one, empty.

    Args:
        scheduler: with Kubernetes' own.
        controllers: those of the controller manager that are to run, where it has been built.
    """
    folder = Path(tempfile.mkdtemp(prefix="kubernetes-"))
    real = RealKubernetes(folder, {})
    with as_ctrl_c(), _gone_at_the_end(real):
        store, peers, port = _free_ports(3)
        _start(real, "etcd", *_etcd(folder, store, peers))
        _start(real, "kube-apiserver", *_server(folder, store, port))
        _until(lambda: (folder / "certificates" / "apiserver.crt").exists(), real)
        for user in USERS:
            _write_config(real, user, port)
        real.api = Api(real.config("admin"))
        _until(lambda: _is_ready(real), real)
        _bootstrap(real)
        if scheduler:
            options = ("--leader-elect=false", "--port=0", "--secure-port=0", "--kubeconfig")
            _start(real, "kube-scheduler", *options, str(real.config("kube-scheduler")))
        if controllers:
            options = ("--leader-elect=false", "--port=0", "--secure-port=0", f"--controllers={','.join(controllers)}")
            _start(real, MANAGER, *options, "--kubeconfig", str(real.config("admin")))
        yield real


@contextmanager
def _gone_at_the_end(real: RealKubernetes) -> Iterator[None]:
    try:
        yield
    finally:
        for process in reversed(real.running.values()):
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=10.0)
            process.kill()
            process.wait()
        shutil.rmtree(real.folder, ignore_errors=True)


def _etcd(folder: Path, store: int, peers: int) -> list[str]:
    here, there = f"http://127.0.0.1:{store}", f"http://127.0.0.1:{peers}"
    return [
        "--data-dir",
        str(folder / "etcd"),
        "--listen-client-urls",
        here,
        "--advertise-client-urls",
        here,
        "--listen-peer-urls",
        there,
        "--initial-advertise-peer-urls",
        there,
        "--initial-cluster",
        f"default={there}",
        "--unsafe-no-fsync",
    ]


def _server(folder: Path, store: int, port: int) -> list[str]:
    rows = [
        f"{user}-token,{user},{k}{',' + groups if groups else ''}" for k, (user, groups) in enumerate(USERS.items())
    ]
    (folder / "tokens.csv").write_text("\n".join(rows) + "\n")
    key = folder / "accounts.key"
    subprocess.run(["openssl", "genrsa", "-out", str(key), "2048"], check=True, capture_output=True)
    return [
        f"--etcd-servers=http://127.0.0.1:{store}",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        "--insecure-port=0",
        f"--cert-dir={folder / 'certificates'}",
        f"--token-auth-file={folder / 'tokens.csv'}",
        "--authorization-mode=RBAC",
        "--anonymous-auth=false",
        "--endpoint-reconciler-type=none",
        "--disable-admission-plugins=ServiceAccount",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
    ]


def _write_config(real: RealKubernetes, user: str, port: int) -> None:
    trusted = str(real.folder / "certificates" / "apiserver.crt")
    real.config(user).write_text(
        json.dumps(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": "test",
                "contexts": [{"name": "test", "context": {"cluster": "test", "user": user}}],
                "clusters": [
                    {
                        "name": "test",
                        "cluster": {"server": f"https://127.0.0.1:{port}", "certificate-authority": trusted},
                    }
                ],
                "users": [{"name": user, "user": {"token": f"{user}-token"}}],
            }
        )
    )


def _is_ready(real: RealKubernetes) -> bool:
    """The server answers, its own roles and namespaces are there."""
    try:
        scheduler = real.api.ask("GET", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/system:kube-scheduler")
        return scheduler.good and all(
            real.api.ask("GET", f"/api/v1/namespaces/{name}").good for name in ("default", "kube-system")
        )
    except EngineDown:
        return False


def _bootstrap(real: RealKubernetes) -> None:
    roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles"
    real.ask("POST", roles, cluster_role(evicts=True))
    real.ask(
        "POST",
        roles.replace("roles", "rolebindings"),
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "ClusterRoleBinding",
            "metadata": {"name": "loadmaster"},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "loadmaster"},
            "subjects": [{"kind": "User", "name": "loadmaster", "apiGroup": "rbac.authorization.k8s.io"}],
        },
    )


def _free_ports(count: int) -> list[int]:
    taken = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in taken]
    for each in taken:
        each.close()
    return ports


def _start(real: RealKubernetes, name: str, *options: str) -> None:
    with (real.folder / f"{name}.log").open("wb") as log:
        real.running[name] = subprocess.Popen(
            [str(HOME / "bin" / name), *options], stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=real.folder
        )


def _until(holds: Callable[[], bool], real: RealKubernetes) -> None:
    end = time.monotonic() + PATIENCE_S
    while not holds():
        dead = [name for name, process in real.running.items() if process.poll() is not None]
        log = (real.folder / f"{(dead or list(real.running))[-1]}.log").read_text()[-2000:]
        assert not dead, f"{dead[0]} has ended: {log}"
        assert time.monotonic() < end, f"not within {PATIENCE_S:g} s: {log}"
        time.sleep(0.1)


def main() -> None:
    """Start one with nodes such as 8x16c64g, whose kubelets let pods run for what their annotation says."""
    match = re.fullmatch(r"(\d+)x(\d+)c(\d+)g", (sys.argv[1:] or ["8x16c64g"])[0])
    if match is None or why_not():
        sys.exit(why_not() or "nodes are given like 8x16c64g")
    count, cores, memory_gb = map(int, match.groups())
    controllers = () if why_not(MANAGER) else ("replicaset", "disruption")
    with real_kubernetes(controllers=controllers) as real, Kubelets(real):
        for k in range(count):
            has = {"cpu": str(cores), "memory": f"{memory_gb}Gi", "pods": "110"}
            ready = [{"type": "Ready", "status": "True"}]
            real.add_node(
                {
                    "metadata": {"name": f"n{k + 1}", "labels": {"kubernetes.io/hostname": f"n{k + 1}"}},
                    "spec": {},
                    "status": {"capacity": has, "allocatable": has, "conditions": ready},
                }
            )
        print(f"export KUBECONFIG={real.config('admin')} PATH={HOME / 'bin'}:$PATH  # Ctrl-C ends it", flush=True)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
