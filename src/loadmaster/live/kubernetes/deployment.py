"""What runs loadmaster in the cluster: an account with its rights, its options, and two replicas, one of them ready."""

from typing import Any

import yaml

from loadmaster.live.kubernetes.lease import LeaseTerms

NAME, PORT, IMAGE = "loadmaster", 9200, "example.org/loadmaster"
_HEAD = """\
# Put the name of your image in the place of {image}. The token of /metrics comes from a secret:
#   kubectl -n {space} create secret generic loadmaster-metrics --from-literal=token=$(openssl rand -hex 32)
"""
_START_S, _PROBE_S = 600, 20
_ASK = f"""\
from urllib.request import Request, urlopen
token = open("/token/token").read().strip()
urlopen(Request("http://127.0.0.1:{PORT}/healthz", headers={{"Authorization": "Bearer " + token}}), timeout=5)
"""
"""Asked within the container: the kubelet itself has no token."""


class _Dumper(yaml.SafeDumper):
    """Writes a text of several lines as such, and every value where it belongs."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


def rights(*, evicts: bool) -> list[dict[str, list[str]]]:
    """The rules of the ClusterRole.

    Args:
        evicts: pods are moved or pushed aside.
    """
    rows = [
        ("", ("nodes", "pods"), ("get", "list", "watch")),
        ("", ("pods/binding", "events"), ("create",)),
        ("", ("pods/status",), ("patch",)),
        ("", ("persistentvolumeclaims", "persistentvolumes"), ("list", "watch", "patch")),
        ("", ("namespaces",), ("list", "watch")),
        ("storage.k8s.io", ("storageclasses",), ("list", "watch")),
        ("coordination.k8s.io", ("leases",), ("get", "create", "update")),
    ]
    if evicts:
        rows += [("", ("pods/eviction",), ("create",)), ("policy", ("poddisruptionbudgets",), ("list",))]
    return [{"apiGroups": [group], "resources": [*what], "verbs": [*verbs]} for group, what, verbs in rows]


def cluster_role(*, evicts: bool) -> dict[str, Any]:
    """The ClusterRole; see `rights`."""
    return _object("rbac.authorization.k8s.io/v1", "ClusterRole", rules=rights(evicts=evicts))


def deployment_text(config: str, space: str = LeaseTerms().namespace, *, evicts: bool = False) -> str:
    """The objects as YAML, for `kubectl apply`.

    Args:
        config: the file of `--config`.
        space: the namespace of the Lease, in which the replicas run as well.
        evicts: pods are moved or pushed aside.
    """
    about_role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": NAME}
    account = {"kind": "ServiceAccount", "name": NAME, "namespace": space}
    objects = [
        _object("v1", "ServiceAccount", space),
        cluster_role(evicts=evicts),
        _object("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", roleRef=about_role, subjects=[account]),
        _object("v1", "ConfigMap", space, data={"live.toml": config}),
        _object("apps/v1", "Deployment", space, spec=_replicas()),
    ]
    return _HEAD.format(image=IMAGE, space=space) + yaml.dump_all(objects, Dumper=_Dumper, sort_keys=False, width=120)


def _object(version: str, kind: str, space: str = "", **more: Any) -> dict[str, Any]:
    meta = {"name": NAME} | ({"namespace": space} if space else {})
    return {"apiVersion": version, "kind": kind, "metadata": meta, **more}


def _replicas() -> dict[str, Any]:
    """Two, of which the second waits for the Lease; the kubelet starts one anew that does nothing any more."""
    options = ["--config", "/etc/loadmaster/live.toml", "--standby", "-o", "/work/run"]
    figures = ["--metrics", str(PORT), "--metrics-host", "0.0.0.0", "--metrics-token", "/token/token"]
    probe = {"exec": {"command": ["python3", "-c", _ASK]}, "periodSeconds": _PROBE_S, "timeoutSeconds": 10}
    container = {
        "name": NAME,
        "image": IMAGE,
        "args": ["live", "kubernetes", *options, *figures],
        "ports": [{"containerPort": PORT}],
        "resources": {"requests": {"cpu": "1", "memory": "1Gi"}},
        "startupProbe": {**probe, "failureThreshold": _START_S // _PROBE_S},
        "livenessProbe": {**probe, "failureThreshold": 3},
        "readinessProbe": probe,
        "volumeMounts": [
            {"name": "options", "mountPath": "/etc/loadmaster", "readOnly": True},
            {"name": "token", "mountPath": "/token", "readOnly": True},
        ],
    }
    volumes = [
        {"name": "options", "configMap": {"name": NAME}},
        {"name": "token", "secret": {"secretName": "loadmaster-metrics", "defaultMode": 0o440}},
    ]
    user = {"runAsNonRoot": True, "runAsUser": 1000, "fsGroup": 1000}
    spec = {"serviceAccountName": NAME, "securityContext": user, "containers": [container], "volumes": volumes}
    labels = {"app": NAME}
    template = {"metadata": {"labels": labels}, "spec": spec}
    return {"replicas": 2, "selector": {"matchLabels": labels}, "template": template}
