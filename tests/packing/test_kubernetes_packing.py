"""`pack` on a state of Kubernetes: pods placed anew under all their rules."""

import json

import pytest
from kubernetes_items import apart, near, node, pod, spread
from typer.testing import CliRunner

from loadmaster.cli.app import app
from loadmaster.model import InputError
from loadmaster.packing.constrained.evaluate import evaluate
from loadmaster.packing.kubernetes_packing import pack_pods, pods_anew
from loadmaster.packing.kubernetes_problem import read_kubernetes_problem

GPU = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}


def state_of(tmp_path, items):
    path = tmp_path / "state.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return path


def packed(tmp_path, items, *options, code=0):
    result = CliRunner().invoke(
        app, ["pack", str(state_of(tmp_path, items)), *options, "--json"], catch_exceptions=False
    )
    assert result.exit_code == code, result.output
    told = json.loads(result.stdout)
    return told, {row["task"].removeprefix("web/"): row["host"] for row in told["rows"]}


def test_pods_are_placed_anew_on_the_fewest_nodes_that_their_rules_admit(tmp_path):
    nodes = [node("n1"), node("n2"), node("n3"), node("gpu", "64", taints=[GPU])]
    items = [*nodes, pod("a", "n1", "1"), pod("b", "n2", "1"), pod("c", "n3", "1"), pod("stays", "n2", "1", kind="Job")]
    told, host = packed(tmp_path, items)
    assert (set(host), len(set(host.values())), "gpu" in host.values()) == ({"a", "b", "c"}, 1, False)
    assert (told["minimise"], told["cost"], told["proven"]) == ("hosts", 1, True)
    assert "Pods that stay where they run" in " ".join(told["notes"])


def test_every_rule_holds_and_a_pod_waits_for_the_one_it_must_be_beside(tmp_path):
    nodes = [node(f"n{k}", labels={"zone": "ab"[k % 2]}) for k in range(4)]
    items = [*nodes, pod("side", "", "3", "side", **near("db"))]
    items += [pod(f"db{k}", "n0", "1", "db", **apart("db")) for k in range(2)]
    items += [pod(f"web{k}", "n0", "1", "web", **spread("web")) for k in range(3)]
    anew = pods_anew(read_kubernetes_problem(state_of(tmp_path, items)))
    attempt = pack_pods(anew)
    placed = anew.problem.now.copy()
    placed[anew.pods] = anew.nodes[attempt.host]
    assert evaluate(anew.problem, placed).broken == ()


def test_pods_that_find_no_node_are_left_over_with_a_reason(tmp_path):
    items = [node("n1"), pod("a", "", "3"), pod("b", "", "3", nodeSelector={"disk": "ssd"})]
    told, host = packed(tmp_path, items, code=1)
    assert (host["a"], host["b"], told["proven"]) == ("n1", None, False)
    assert "needs node selector disk=ssd" in told["reason"]


def test_a_state_in_which_no_pod_can_be_elsewhere_is_refused(tmp_path):
    with pytest.raises(InputError, match="no pod can be on another node"):
        packed(tmp_path, [node("n1"), pod("a", "n1", kind="DaemonSet")])
    with pytest.raises(InputError, match="packed under its rules"):
        packed(tmp_path, [node("n1"), pod("a")], "--method", "mcb8")
