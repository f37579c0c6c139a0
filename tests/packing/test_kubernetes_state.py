"""What kubectl prints, as a running state."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from loadmaster.cli.app import app
from loadmaster.model import InputError
from loadmaster.packing.kubernetes_requests import quantity
from loadmaster.packing.kubernetes_state import read_kubernetes
from loadmaster.packing.read import read_tasks
from loadmaster.packing.state_facts import state_facts
from loadmaster.traces import read_trace

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
    assert (state.cluster.names, state.cluster.resources) == (("n1", "n2"), ("cores", "memory", "gpus"))
    assert np.allclose(state.cluster.capacity, [[4.0, 16 * GB, 0.0], [3.92, 8 * GB, 2.0]])
    assert state.names == ("web/a-1", "web/a-2", "web/b", "web/c")
    assert np.allclose(state.demand, [[0.5, GB, 0], [0.5, GB, 0], [2.1, GB / 8, 1.0], [2.0, 1e9, 0.0]])
    assert (state.host.tolist(), state.job.tolist()) == ([0, 0, 1, -1], [0, 0, 1, 2])


def test_what_is_left_out_is_counted(tmp_path):
    notes = " ".join(read_kubernetes(write(tmp_path)).notes)
    for words in ("2 nodes are cordoned", "1 pods run on nodes that", "1 pods have ended", "ephemeral-storage"):
        assert words in notes


def test_objects_one_behind_the_other_are_a_state_as_a_list_is(tmp_path):
    path = tmp_path / "state.json"
    path.write_text("\n".join(json.dumps(item, indent=1) for item in ITEMS))
    assert read_tasks(path).host.tolist() == [0, 0, 1, -1]
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
    assert read_tasks(path).host.tolist() == [0, 0, 1, -1]
    for verb in ("pack", "rebalance"):
        result = CliRunner().invoke(app, [verb, str(path), "--json"])
        assert result.exit_code == 0, result.output
        assert "gives requests in full" in " ".join(json.loads(result.stdout)["notes"])
    with pytest.raises(InputError, match="names its own nodes"):
        read_tasks(path, "2x4c8g")


def test_pods_of_daemon_sets_and_static_pods_are_moved_nowhere(tmp_path):
    agents = [
        pod("agent-1", "n1", "agent", kind="DaemonSet", cpu="1500m", memory="1Gi"),
        pod("agent-2", "n2", "agent", kind="DaemonSet", cpu="500m"),
        pod("agent-3", "", "agent", phase="Pending", kind="DaemonSet", cpu="1500m"),
        pod("etcd-n1", "n1", "n1", kind="Node", cpu="100m"),
    ]
    webs = [pod(f"web-{k}", "n1", "web", cpu="1") for k in range(3)]
    path = write(tmp_path, [node("n1"), node("n2"), *agents, *webs])
    read = read_tasks(path)
    assert read.instance.task_names == ("web/web-0", "web/web-1", "web/web-2")
    assert np.allclose(read.instance.fluid_capacity, [[2.4], [3.5]])
    assert np.allclose(read.instance.rigid_capacity, [[15.0 * GB], [16.0 * GB]])
    assert any("3 pods of DaemonSets and static pods stay" in note for note in read.notes)
    assert any("1 pods of DaemonSets wait" in note for note in read.notes)
    told = json.loads(CliRunner().invoke(app, ["rebalance", str(path), "--moves", "3", "--json"]).stdout)
    assert {move["task"] for move in told["moves"]} <= set(read.instance.task_names)
    facts = state_facts(read_kubernetes(path))
    assert next(each.used for each in facts.resources if each.name == "cores") == pytest.approx(5.1)


def test_a_state_in_which_nothing_can_move_is_refused(tmp_path):
    agent = pod("agent-1", "n1", "agent", kind="DaemonSet", cpu="1")
    with pytest.raises(InputError, match="can be on no other node"):
        read_tasks(write(tmp_path, [node("n1"), agent]))
    with pytest.raises(InputError, match="request more than this node has"):
        read_tasks(write(tmp_path, [node("n1", cpu="900m"), agent, pod("a", "n1", cpu="0")]))


def test_devices_of_two_makers_are_two_resources(tmp_path):
    nodes = [node("n1", has={"nvidia.com/gpu": "2"}), node("n2", has={"amd.com/gpu": "4"})]
    pods = [pod("n", **{"nvidia.com/gpu": "1"}), pod("a", **{"amd.com/gpu": "1"})]
    state = read_kubernetes(write(tmp_path, [*nodes, *pods]))
    assert state.cluster.resources == ("cores", "memory", "gpus", "amd.com/gpu")
    assert state.cluster.capacity[:, 2:].tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert state.demand[:, 2:].tolist() == [[1.0, 0.0], [0.0, 1.0]]


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
        "name": "cores", "total": pytest.approx(7.92), "used": pytest.approx(3.1), "waiting": 2.0,
        "largest_free": 3.0, "stranded": 0.0,
    }  # fmt: skip
    shown = CliRunner().invoke(app, ["info", str(path)])
    assert "2 nodes; 3 pods run, 1 wait, 0 of them without room; 3 owners" in shown.output
    with pytest.raises(InputError, match="a state names its own nodes"):
        CliRunner().invoke(app, ["info", str(path), "--limit", "3"], catch_exceptions=False)


def test_what_is_free_beside_a_full_resource_is_stranded(tmp_path):
    items = [node("n1"), node("n2"), pod("a", "n1", cpu="4", memory="1Gi"), pod("b", "n2", cpu="1", memory="1Gi")]
    facts = state_facts(read_kubernetes(write(tmp_path, items)))
    assert {each.name: each.stranded for each in facts.resources} == {"cores": 0.0, "memory": 15.0 * GB}


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
        read_tasks(write(tmp_path, items))
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
        read_tasks(path)
    except InputError as error:
        return str(error)
    return ""
