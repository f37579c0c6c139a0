"""Evict and place as one decision, on a real API server with its own ReplicaSet and disruption controllers."""

import json

import pytest
import real_kubernetes as rk
from pods_and_nodes import node
from real_cluster import until
from typer.testing import CliRunner

from loadmaster.cli.app import app
from loadmaster.live.queue.check import check_live

WHY = rk.why_not(rk.MANAGER)
pytestmark = pytest.mark.skipif(
    bool(WHY), reason=f"{WHY}, this one where CONTROLLERS=1 is set" if WHY else "it is built"
)
SETS = "/apis/apps/v1/namespaces/default/replicasets"
BUDGETS = "/apis/policy/v1beta1/namespaces/default/poddisruptionbudgets"


@pytest.fixture(scope="module")
def real():
    with rk.real_kubernetes(scheduler=False, controllers=("replicaset", "disruption")) as made, rk.Kubelets(made):
        yield made


def replicas(real, name, count, cpu, memory="1Gi"):
    asks = {"requests": {"cpu": str(cpu), "memory": memory}}
    pod = {"schedulerName": "loadmaster", "containers": [{"name": "c", "image": "none", "resources": asks}]}
    real.ask(
        "POST",
        SETS,
        {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {"name": name},
            "spec": {
                "replicas": count,
                "selector": {"matchLabels": {"app": name}},
                "template": {"metadata": {"labels": {"app": name}}, "spec": pod},
            },
        },
    )


def budget(real, name, least):
    real.ask(
        "POST",
        BUDGETS,
        {
            "apiVersion": "policy/v1beta1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": name},
            "spec": {"minAvailable": least, "selector": {"matchLabels": {"app": name}}},
        },
    )


def places(real):
    """By app, the nodes of its pods in order; "" for one that waits."""
    found = {}
    for item in real.items("pods"):
        if not item["metadata"].get("deletionTimestamp"):
            found.setdefault(item["metadata"]["labels"]["app"], []).append(item["spec"].get("nodeName", ""))
    return {app: sorted(nodes) for app, nodes in found.items()}


def bind_one(real, app, host):
    """As an earlier scheduler did."""
    waits = [item for item in real.items("pods") if item["metadata"]["labels"]["app"] == app]
    item = next(each for each in waits if not each["spec"].get("nodeName"))
    name = item["metadata"]["name"]
    real.ask(
        "POST",
        f"/api/v1/namespaces/default/pods/{name}/binding",
        {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": name},
            "target": {"kind": "Node", "name": host},
        },
    )
    return name


def test_pods_are_moved_within_their_budgets_so_that_a_large_one_starts(real, tmp_path):
    """Two nodes half full; the pod of one may not be disrupted, so the other goes, and the large one comes there."""
    for name in ("n1", "n2"):
        made = node(name, cpu=8, memory="16Gi")
        made["status"]["capacity"] = made["status"]["allocatable"]
        real.add_node(made)
    for app_, host in (("fixed", "n1"), ("free", "n2")):
        replicas(real, app_, 1, 4)
        until(lambda app_=app_: app_ in places(real))
        bind_one(real, app_, host)
    budget(real, "fixed", 1)
    budget(real, "free", 0)
    replicas(real, "large", 1, 6)
    until(lambda: _allowed(real) == {"fixed": 0, "free": 1})
    until(
        lambda: all(item["status"]["phase"] == "Running" for item in real.items("pods") if item["spec"].get("nodeName"))
    )
    run = CliRunner().invoke(
        app,
        [
            "live",
            "kubernetes",
            "--kubeconfig",
            str(real.config()),
            "--policy",
            "first-fit",
            "--interval",
            "1s",
            "--for",
            "45s",
            "--moves",
            "2",
            "-o",
            str(tmp_path / "run"),
            "--json",
        ],
    )
    assert run.exit_code == 0, run.output
    assert places(real) == {"fixed": ["n1"], "free": ["n1"], "large": ["n2"]}
    assert json.loads(run.stdout)["refusals"] == {}
    assert check_live(tmp_path / "run").same


def _allowed(real):
    found = real.ask("GET", BUDGETS).body["items"]
    return {item["metadata"]["name"]: item.get("status", {}).get("disruptionsAllowed") for item in found}
