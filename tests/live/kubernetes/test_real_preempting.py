"""Preemption on a real API server: priority classes, its own ReplicaSet and disruption controllers."""

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
CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"
BUDGETS = "/apis/policy/v1beta1/namespaces/default/poddisruptionbudgets"


@pytest.fixture(scope="module")
def real():
    with rk.real_kubernetes(scheduler=False, controllers=("replicaset", "disruption")) as made, rk.Kubelets(made):
        yield made


def replicas(real, name, cpu, priority):
    asks = {"requests": {"cpu": str(cpu), "memory": "1Gi"}}
    spec = {
        "schedulerName": "loadmaster",
        "containers": [{"name": "c", "image": "none", "resources": asks}],
        "priorityClassName": priority,
    }
    real.ask(
        "POST",
        SETS,
        {
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {"name": name},
            "spec": {
                "replicas": 1,
                "selector": {"matchLabels": {"app": name}},
                "template": {"metadata": {"labels": {"app": name}}, "spec": spec},
            },
        },
    )


def places(real):
    found = {}
    for item in real.items("pods"):
        if not item["metadata"].get("deletionTimestamp"):
            found.setdefault(item["metadata"]["labels"]["app"], []).append(item["spec"].get("nodeName", ""))
    return found


def live(real, folder, *words):
    run = CliRunner().invoke(
        app,
        [
            "live",
            "kubernetes",
            "--kubeconfig",
            str(real.config()),
            "--policy",
            "first-fit",
            "--discipline",
            "priority+skip",
            "--interval",
            "1s",
            "-o",
            str(folder),
            "--json",
            *words,
        ],
    )
    assert run.exit_code == 0, run.output
    return json.loads(run.stdout)


def test_a_pod_of_a_higher_class_pushes_one_aside_that_its_budget_lets_go_and_one_that_never_does_waits(real, tmp_path):
    """Two nodes, each full of one pod of the low class; the budget of one allows no disruption."""
    for name, value, policy in (("low", 10, ""), ("high", 1000, ""), ("polite", 2000, "Never")):
        more = {"preemptionPolicy": policy} if policy else {}
        made = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}}
        assert real.ask("POST", CLASSES, {**made, "value": value, **more}).good
    for name in ("n1", "n2"):
        made = node(name, cpu=8, memory="16Gi")
        made["status"]["capacity"] = made["status"]["allocatable"]
        real.add_node(made)
    for name in ("fixed", "free"):
        replicas(real, name, 6, "low")
    until(lambda: set(places(real)) == {"fixed", "free"})
    live(real, tmp_path / "first", "--for", "4s")
    until(lambda: all(item["status"]["phase"] == "Running" for item in real.items("pods")))
    (there,) = places(real)["free"]
    for name, least in (("fixed", 1), ("free", 0)):
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
    replicas(real, "polite", 6, "polite")
    until(lambda: len(places(real)) == 3)
    until(
        lambda: (
            [b.get("status", {}).get("disruptionsAllowed") for b in real.ask("GET", BUDGETS).body["items"]]
            in ([0, 1], [1, 0])
        )
    )
    live(real, tmp_path / "polite", "--preempt", "--for", "4s")
    assert places(real)["polite"] == [""]
    replicas(real, "urgent", 6, "high")
    until(lambda: len(places(real)) == 4)
    told = live(real, tmp_path / "run", "--preempt", "--for", "20s")
    assert told["refusals"] == {}
    assert places(real)["urgent"] == [there]
    assert places(real)["free"] == [""]
    assert places(real)["fixed"] not in ([""], [there])
    assert check_live(tmp_path / "run").same
