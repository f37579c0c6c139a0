"""What kubectl prints, as a running state."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from loadmaster.cli.app import app
from loadmaster.model import InputError
from loadmaster.packing.kubernetes_problem import read_kubernetes_problem
from loadmaster.packing.kubernetes_state import read_kubernetes
from loadmaster.packing.read import read_tasks
from loadmaster.packing.state_facts import state_facts
from loadmaster.traces import read_trace
from loadmaster.traces.kubernetes_requests import quantity

GB = 2**30


def node(name, cpu="4", memory="16Gi", ready="True", **more):
    allocatable = {"cpu": cpu, "memory": memory, "pods": "110", "ephemeral-storage": "9Gi", **more.pop("has", {})}
    conditions = [{"type": "MemoryPressure", "status": "False"}, {"type": "Ready", "status": ready}]
    status = {"allocatable": allocatable, "conditions": conditions}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "spec": more, "status": status}


def pod(name, host="", owner=None, phase="Running", init=None, overhead=None, kind="ReplicaSet", **requests):
    meta = {"name": name, "namespace": "web"} | ({"ownerReferences": [{"kind": kind, "name": owner}]} if owner else {})
    spec = {"containers": [{"name": "a", "resources": {"requests": requests}}, {"name": "b", "resources": {}}]}
    spec |= {"nodeName": host} if host else {}
    spec |= {"initContainers": [{"name": "i", "resources": {"requests": init}}]} if init else {}
    spec |= {"overhead": overhead} if overhead else {}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": spec, "status": {"phase": phase}}


ITEMS = [
    node("n1"),
    node("n2", cpu="3920m", memory="8388608Ki", has={"nvidia.com/gpu": "2"}), node("n3", unschedulable=True),
    node("n4", ready="Unknown"),
    pod("a-1", "n1", "a", cpu="500m", memory="1Gi"),
    pod("a-2", "n1", "a", cpu="500m", memory="1Gi"),
    pod("b", "n2", cpu="1", memory="128Mi", init={"cpu": "2"}, overhead={"cpu": "100m"}, **{"nvidia.com/gpu": "1"}),
    pod("c", "", phase="Pending", cpu="2", memory="1G"), pod("d", "n3", cpu="1"),
    pod("e", "n1", phase="Succeeded", cpu="1"),
]  # fmt: skip


def write(tmp_path, items=ITEMS):
    path = tmp_path / "state.json"
    path.write_text(json.dumps({"apiVersion": "v1", "items": list(items), "kind": "List", "metadata": {}}, indent=1))
    return path


def test_nodes_are_hosts_and_pods_tasks_where_they_run(tmp_path):
    state = read_kubernetes(write(tmp_path))
    assert (state.cluster.names, state.cluster.resources) == (("n1", "n2"), ("cores", "memory", "gpus", "pods"))
    assert np.allclose(state.cluster.capacity, [[4.0, 16 * GB, 0.0, 110.0], [3.92, 8 * GB, 2.0, 110.0]])
    assert state.names == ("web/a-1", "web/a-2", "web/b", "web/c")
    assert np.allclose(state.demand, [[0.5, GB, 0, 1], [0.5, GB, 0, 1], [2.1, GB / 8, 1, 1], [2, 1e9, 0, 1]])
    assert (state.host.tolist(), state.job.tolist()) == ([0, 0, 1, -1], [0, 0, 1, 2])


def test_what_is_left_out_is_counted(tmp_path):
    notes = " ".join(read_kubernetes_problem(write(tmp_path)).notes)
    for words in ("1 node is cordoned", "1 node is not ready", "1 pod is over"):
        assert words in notes


def test_objects_one_behind_the_other_are_a_state_as_a_list_is(tmp_path):
    path = tmp_path / "state.json"
    path.write_text("\n".join(json.dumps(item, indent=1) for item in ITEMS))
    assert read_kubernetes(path).host.tolist() == [0, 0, 1, -1]
    assert CliRunner().invoke(app, ["info", str(path)]).exit_code == 0


@pytest.mark.parametrize("verb", ["info", "pack", "rebalance"])
@pytest.mark.parametrize(
    ("item", "counted"), [(pod("a", "n1", cpu="1"), "0 nodes that take pods, and 1 pods"), (node("n1"), "1 nodes that")]
)
def test_a_single_object_is_told_what_a_state_needs(tmp_path, verb, item, counted):
    path = tmp_path / "one.json"
    path.write_text(json.dumps(item, indent=1))
    with pytest.raises(InputError, match=f"needs both nodes and pods, and this has {counted}.*kubectl get nodes,pods"):
        CliRunner().invoke(app, [verb, str(path)], catch_exceptions=False)


def test_pack_and_rebalance_take_it_without_hosts(tmp_path):
    path = write(tmp_path)
    for verb in ("pack", "rebalance"):
        result = CliRunner().invoke(app, [verb, str(path), "--json"])
        assert result.exit_code == 0, result.output
    with pytest.raises(InputError, match="a state of Kubernetes, not a table of tasks"):
        read_tasks(path, "2x4c8g")


def test_devices_of_two_makers_are_two_resources(tmp_path):
    nodes = [node("n1", has={"nvidia.com/gpu": "2"}), node("n2", has={"amd.com/gpu": "4"})]
    pods = [pod("n", **{"nvidia.com/gpu": "1"}), pod("a", **{"amd.com/gpu": "1"})]
    state = read_kubernetes(write(tmp_path, [*nodes, *pods]))
    assert state.cluster.resources == ("cores", "memory", "gpus", "amd.com/gpu", "pods")
    assert state.cluster.capacity[:, 2:4].tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert state.demand[:, 2:4].tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_it_is_no_log(tmp_path):
    with pytest.raises(InputError, match="a state of Kubernetes, not a log; give it to info, pack or rebalance"):
        read_trace(write(tmp_path))


def test_info_says_what_runs_what_waits_and_what_is_left(tmp_path):
    path = write(tmp_path)
    result = CliRunner().invoke(app, ["info", str(path), "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert (told["hosts"], told["running"], told["waiting"], told["without_room"], told["owners"]) == (2, 3, 1, 0, 3)
    cores = next(row for row in told["resources"] if row["name"] == "cores")
    assert cores == {
        "name": "cores",
        "total": pytest.approx(7.92),
        "used": pytest.approx(3.1),
        "waiting": 2.0,
        "largest_free": 3.0,
        "stranded": 0.0,
    }
    shown = CliRunner().invoke(app, ["info", str(path)])
    assert "2 nodes; 3 pods run, 1 wait, 0 of them without room; 3 owners" in shown.output
    with pytest.raises(InputError, match="a state names its own nodes"):
        CliRunner().invoke(app, ["info", str(path), "--limit", "3"], catch_exceptions=False)


def test_what_is_free_beside_a_full_resource_is_stranded(tmp_path):
    items = [node("n1"), node("n2"), pod("a", "n1", cpu="4", memory="1Gi"), pod("b", "n2", cpu="1", memory="1Gi")]
    facts = state_facts(read_kubernetes(write(tmp_path, items)))
    assert {each.name: each.stranded for each in facts.resources} == {"cores": 0.0, "memory": 15.0 * GB, "pods": 109.0}


@pytest.mark.parametrize("text", ["250x", "", "-", "1e999", True, None, "Ki"])
def test_a_quantity_that_is_none_is_refused(text):
    with pytest.raises(ValueError, match="no quantity"):
        quantity(text)


@pytest.mark.parametrize(
    "items",
    [[], [node("n1")], [pod("a", cpu="1")], [node("n1"), pod("a", "n1", cpu="often")], [node("n1"), {"kind": "Pod"}],
     [node("n1", cpu="-4"), pod("a")], [{"kind": "Node", "metadata": {"name": "x"}, "status": []}], ["n1"]],
)  # fmt: skip
def test_a_list_that_is_none_is_refused_in_one_line(tmp_path, items):
    with pytest.raises(InputError) as error:
        read_kubernetes_problem(write(tmp_path, items))
    assert "\n" not in str(error.value)


def test_random_bytes_are_read_or_refused_in_one_line(tmp_path):
    whole = write(tmp_path).read_bytes()
    draw = np.random.default_rng(3)
    messages = []
    for _ in range(60):
        text = bytearray(whole)
        for at in draw.integers(0, len(text), draw.integers(1, 30)):
            text[at] = draw.integers(1, 256)
        (tmp_path / "broken.json").write_bytes(bytes(text))
        messages.append(refusal(tmp_path / "broken.json"))
    assert not any("\n" in message or len(message) > 400 for message in messages)


def refusal(path):
    try:
        read_kubernetes_problem(path)
    except InputError as error:
        return str(error)
    return ""


def rebalanced(path, *more):
    result = CliRunner().invoke(app, ["rebalance", str(path), "--moves", "10", "--json", *more])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def with_rule(name, host="", labels=None, annotations=None, owner="o", cpu="2", **spec):
    item = pod(name, host, owner, phase="Running" if host else "Pending", cpu=cpu)
    item["metadata"] |= {"labels": labels or {}, "annotations": annotations or {}}
    item["spec"] |= spec
    return item


REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
APART = {"podAntiAffinity": {REQUIRED: [{"labelSelector": {"matchLabels": {"app": "db"}}, "topologyKey": "zone"}]}}
RULES = {
    "node selector": {"nodeSelector": {"disk": "ssd"}},
    "node affinity": {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{}]}}}},
    "pod affinity": {"affinity": {"podAffinity": {REQUIRED: [{"topologyKey": "zone"}]}}},
    "pod anti-affinity": {"affinity": APART},
    "topology spread": {"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone"}]},
    "volume": {"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "d"}}]},
    "resource claim": {"resourceClaims": [{"name": "d"}]},
    "host port": {"containers": [{"ports": [{"hostPort": 80}], "resources": {"requests": {"cpu": "2"}}}]},
    "no owner that would start it again": {"owner": None},
    "not to be evicted": {"annotations": {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}},
}


@pytest.mark.parametrize("rule", ["volume", "resource claim"])
def test_a_rule_that_no_plan_models_is_named_where_there_is_room(tmp_path, rule):
    path = write(tmp_path, [node("n1"), with_rule("bound", "", **RULES[rule]), with_rule("free", "n1")])
    assert judged(path) == (1, 0, 1, {rule: 1})
    assert f"0 of them without room and 1 not judged ({rule} 1)" in CliRunner().invoke(app, ["info", str(path)]).output
    assert judged(write(tmp_path, [node("n1", cpu="1"), with_rule("bound", "", **RULES[rule])])) == (1, 1, 0, {})


def judged(path):
    told = json.loads(CliRunner().invoke(app, ["info", str(path), "--json"]).stdout)
    return told["waiting"], told["without_room"], told["not_judged"], told["not_judged_rules"]


def in_zones(*zones):
    wanted = {"matchExpressions": [{"key": "zone", "operator": "In", "values": list(zones)}]}
    return {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [wanted]}}}}


TOLERATES = {"tolerations": [{"key": "gpu", "operator": "Exists"}]}


@pytest.mark.parametrize(
    ("cpu", "spec", "room"),
    [
        ("3", {"nodeSelector": {"zone": "a"}}, False), ("2", {"nodeSelector": {"zone": "a"}}, True),
        ("1", {"nodeSelector": {"disk": "ssd"}}, False), ("3", in_zones("a"), False), ("3", in_zones("a", "b"), True),
        ("6", {}, False), ("6", TOLERATES, True), ("6", TOLERATES | {"nodeSelector": {"zone": "b"}}, False),
        ("3", {"nodeSelector": {"zone": "c"}}, False),
    ],
)  # fmt: skip
def test_a_waiting_pod_has_room_only_on_nodes_that_it_may_use(tmp_path, cpu, spec, room):
    """Two cores are free on a node of zone a, four on one of b, and eight on a tainted one."""
    nodes = [node("a"), node("b"), node("t", cpu="8", taints=[{"key": "gpu", "effect": "NoSchedule"}]), node("c")]
    for each, zone in zip(nodes, "abtc", strict=True):
        each["metadata"]["labels"] = {"zone": zone}
    nodes[-1]["spec"] = {"unschedulable": True}
    path = write(tmp_path, [*nodes, with_rule("runs", "a"), with_rule("waits", "", cpu=cpu, **spec)])
    assert judged(path) == (1, 0 if room else 1, 0, {})


def test_an_affinity_that_cannot_be_read_is_not_judged(tmp_path):
    odd = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "Near", "values": ["a"]}]}]}
    spec = {"affinity": {"nodeAffinity": {REQUIRED: odd}}}
    path = write(tmp_path, [node("n1"), with_rule("waits", "", **spec)])
    assert judged(path) == (1, 0, 1, {"node affinity": 1})


def test_a_request_is_given_in_full_and_a_gated_pod_is_counted_apart(tmp_path):
    """A pod that requests 20 of 4 cores was placed at a yield of 0.2."""
    gated = with_rule("gated", "", schedulingGates=[{"name": "x"}])
    large = pod("large", "", "o", phase="Pending", cpu="20")
    path = write(tmp_path, [node("n1"), gated, large])
    told = rebalanced(path)
    assert (told["moves"], [each["task"] for each in told["left"]], told["gated"]) == ([], ["web/large"], 1)
    facts = json.loads(CliRunner().invoke(app, ["info", str(path), "--json"]).stdout)
    assert (facts["waiting"], facts["without_room"], facts["gated"]) == (1, 1, 1)


def test_a_pod_resized_in_place_counts_with_the_larger_of_asked_and_allocated(tmp_path):
    resized = pod("r", "n1", "o", cpu="1", memory="1Gi")
    given = {"name": "a", "allocatedResources": {"cpu": "6"}, "resources": {"requests": {"cpu": "5", "memory": "2Gi"}}}
    resized["status"]["containerStatuses"] = [given, {"name": "b"}]
    state = read_kubernetes(write(tmp_path, [node("n1", cpu="8"), resized]))
    assert state.demand[0, :2].tolist() == [6.0, 2.0 * GB]


def test_an_object_that_cannot_be_read_is_left_out_by_name_and_the_rest_goes_on(tmp_path):
    broken = node("new")
    del broken["status"]["allocatable"]
    items = [broken, node("n1"), node("n2"), pod("odd", "n1", "o", cpu="often"), pod("fine", "n2", "o", cpu="1")]
    state = read_kubernetes(write(tmp_path, [*items, pod("huge", "", "o", phase="Pending", memory=str(2**63 - 1))]))
    assert (state.cluster.names, state.names) == (("n1", "n2"), ("web/fine", "web/huge"))
    note = state_facts(state).notes[0]
    assert "Node new in line" in note
    assert "Pod web/odd in line" in note
    assert (state_facts(state).waiting, state_facts(state).without_room) == (1, 1)


def test_an_odd_budget_selector_or_node_without_processors_ends_no_reading(tmp_path):
    meta = {"name": "odd", "namespace": "web"}
    budget = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": meta, "spec": {"selector": "all"}}
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"labelSelector": "all"}]}}
    items = [node("n0", cpu="0"), node("n1"), node("n2"), with_rule("a", "n1", {"app": "a"})]
    state = read_kubernetes(write(tmp_path, [*items, with_rule("b", "n2", {}, affinity=apart), budget]))
    assert (state.cluster.names, state.names) == (("n1", "n2"), ("web/a",))
    for told in ("Node n0 in line", "it has no processors", "Pod web/b in line", "PodDisruptionBudget web/odd in line"):
        assert told in state_facts(state).notes[0]


def test_amounts_are_counted_as_far_as_an_api_server_does():
    assert quantity("8Ei") == quantity(str(2**63 - 1)) == quantity("1e99") == 2.0**63


def test_a_node_that_does_not_say_that_it_is_ready_is_not(tmp_path):
    silent = node("n1")
    silent["status"]["conditions"] = []
    assert read_kubernetes(write(tmp_path, [silent, node("n2"), pod("a", "n2", "o")])).cluster.names == ("n2",)


def test_nodes_that_list_no_number_of_pods_take_any(tmp_path):
    bare = [node("n1"), node("n2")]
    for each in bare:
        del each["status"]["allocatable"]["pods"]
    state = read_kubernetes(write(tmp_path, [*bare, pod("a", "n1", "o", cpu="1")]))
    assert state.cluster.resources == ("cores", "memory")
