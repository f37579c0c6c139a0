"""`rebalance` on a state of Kubernetes: plans that keep every rule, and why a pod does not go elsewhere."""

import json

import pytest
from kubernetes_items import apart, budget, node, pod, spread
from typer.testing import CliRunner

import loadmaster as lm
from loadmaster.cli.app import app

GPU = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}


def rebalanced(tmp_path, items, *options, code=0):
    path = tmp_path / "state.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    result = CliRunner().invoke(app, ["rebalance", str(path), *options, "--json"])
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


def moves(told):
    return [(move["task"].removeprefix("web/"), move["from"], move["to"]) for move in told["moves"]]


@pytest.mark.parametrize(
    ("runs", "second", "words"),
    [
        (pod("a", "n1", nodeSelector={"disk": "ssd"}), node("n2"), "requests 3 of cores"),
        (pod("a", "n1"), node("n2", taints=[GPU]), "requests 3 of cores"),
        (pod("a", "n1", kind=""), node("n2"), "requests 3 of cores"),
        (pod("a", "n1", app="x"), node("n2"), "requests 3 of cores"),
    ],
)
def test_no_room_is_made_by_a_move_that_breaks_a_rule(tmp_path, runs, second, words):
    """The pod that waits needs the first node, where a pod runs that could only go to the second."""
    waits = pod("w", "", "3", nodeSelector={"disk": "ssd"})
    items = [node("n1", labels={"disk": "ssd"}), second, runs, waits, budget("x", minAvailable=1)]
    told = rebalanced(tmp_path, items, "--moves", "3")
    assert (told["moves"], told["left"][0]["task"], told["complete"]) == ([], "web/w", False)
    assert words in told["left"][0]["reasons"][0]["reason"]
    free = [*items[:2], pod("a", "n1"), waits] if not second["spec"]["taints"] else None
    if free:
        assert moves(rebalanced(tmp_path, free, "--moves", "3")) == [("a", "n1", "n2"), ("w", None, "n1")]


def test_a_cordoned_node_is_drained_as_far_as_the_others_have_room(tmp_path):
    items = [node("old", closed=True), node("b1"), pod("p1", "old", "2"), pod("p2", "old", "3"), pod("p3", "b1", "2")]
    told = rebalanced(tmp_path, items, "--drain", "old", code=1)
    assert moves(told) == [("p1", "old", "b1")]
    assert told["left"] == [
        {
            "task": "web/p2",
            "from": "old",
            "hosts": 1,
            "reasons": [{"host": "b1", "reason": "web/p2 requests 3 of cores; b1 has 0 free"}],
        }
    ]


def test_a_drain_tells_why_a_pod_stays(tmp_path):
    items = [node("n1"), node("n2"), pod("job", "n1", "1", kind="Job"), pod("agent", "n1", "1", kind="DaemonSet")]
    items.append(pod("web", "n1", "1", "web"))
    told = rebalanced(tmp_path, [*items, budget("web", minAvailable=1)], "--drain", "n1", code=1)
    assert {each["task"]: each["reasons"][0]["reason"].partition(": ")[2] for each in told["left"]} == {
        "web/job": "a Job would lose its work",
        "web/web": "the disruption budget b allows no eviction now",
    }
    shown = CliRunner().invoke(app, ["rebalance", str(tmp_path / "state.json"), "--drain", "n1"]).output
    assert "web/job stays on n1: may not move: a Job would lose its work" in shown


def test_fix_moves_the_pods_that_break_a_rule_and_no_other(tmp_path):
    """Both databases are on one node, the web pods in one zone; the node of the batch pod is the fullest."""
    nodes = [node("n1", "8", labels={"zone": "a"}), node("n2", "8", labels={"zone": "b"}), node("n3", "4")]
    items = [pod(f"db{k}", "n1", "1", "db", **apart("db")) for k in range(2)]
    items += [pod(f"web{k}", "n1", "1", "web", **spread("web")) for k in range(3)]
    told = rebalanced(tmp_path, [*nodes, *items, pod("batch", "n3", "4")], "--fix")
    assert (told["after"]["broken"], told["complete"]) == (0, True)
    assert sorted(name[:2] for name, _, _ in moves(told)) == ["db", "we"]


def test_balance_and_consolidation_go_only_where_the_rules_admit(tmp_path):
    nodes = [node("n1"), node("n2"), node("n3", taints=[GPU])]
    items = [*nodes, pod("a", "n1", "1"), pod("b", "n1", "1"), pod("c", "n1", "1"), pod("d", "n2", "500m")]
    assert {to for _, _, to in moves(rebalanced(tmp_path, items, "--balance"))} == {"n2"}
    told = rebalanced(tmp_path, items, "--consolidate")
    assert (moves(told), told["emptied"]) == ([("d", "n2", "n1")], ["n2"])


def test_the_plan_of_a_state_is_kept_and_opened_again(tmp_path):
    rebalanced(tmp_path, [node("n1"), node("n2"), pod("a", "n1", "3")], "--drain", "n1", "-o", str(tmp_path / "out"))
    again = lm.open(tmp_path / "out")
    assert again.answer == "1 of 1 tasks leave n1, 1 move (1 GiB), the least possible"
    assert again.frame["to"].to_list() == ["n2"]
    assert "Carried out in this order" in (tmp_path / "out" / "report.html").read_text()
