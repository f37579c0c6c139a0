"""`explain` of a task of a plan of `rebalance`: what the plan does with it, and what another place would change."""

import json
from pathlib import Path

import pytest

import loadmaster as lm

TASKS = "name,cores,memory_gb,host\ndb,6,16,0\nweb,3,8,0\napi,3,8,0\nbatch,2,4,1\ncron,1,2,2\n"


@pytest.fixture
def state(tmp_path):
    (tmp_path / "state.csv").write_text(TASKS)
    return tmp_path / "state.csv"


def planned_sentences(result, task, **options):
    return list(lm.explain(result, task, **options).planned)


def test_a_move_is_explained_by_the_level_without_it_and_a_stay_by_the_budget(tmp_path):
    (tmp_path / "full.csv").write_text("name,cores,memory_gb,host\ndb,12,32,0\nweb,6,8,0\nbatch,4,16,1\nnew,2,4,\n")
    plan = lm.rebalance(tmp_path / "full.csv", hosts="4x16c64g", moves=1, out=tmp_path / "out")
    told = lm.explain(plan, "web")
    assert told.planned == (
        "The plan moves it there from host 0 (step 1 of 2), which costs 1 task.",
        "Were it on host 0 as before, the minimum yield would be 0.8889 instead of 1.0000.",
    )
    assert lm.explain(tmp_path / "out", "web").sentences == told.sentences
    assert planned_sentences(plan, "new") == ["The plan starts it there (step 2 of 2)."]
    assert planned_sentences(plan, "db") == [
        "The plan does not move it.",
        "A move of it costs 1 task; the budget has 0 tasks left.",
    ]


def test_a_task_that_stops_on_its_way_has_both_steps_named(tmp_path):
    rows = ["name,cores,memory_gb,host", "a,1,6,0", "b,1,3,0", "c,7,5,1", "d,1,4,1"]
    (tmp_path / "ring.csv").write_text("\n".join(rows))
    plan = lm.rebalance(tmp_path / "ring.csv", hosts="3x8c10g")
    for row in plan.figures["moves"]:
        if row["temporary"]:
            assert f"by way of host {row['to']}" in planned_sentences(plan, row["task"])[0]


@pytest.mark.parametrize(
    ("goal", "task", "says"),
    [
        (
            {"consolidate": True},
            "batch",
            "as before, the number of hosts in use would be 2 instead of 1.",
        ),
        ({"balance": True, "moves": 2}, "db", "as before, the load of the fullest host would be"),
        ({"drain": "1"}, "batch", "Host 1 could not hold it after the moves: batch needs a host that is not drained"),
        (
            {"minimise": "hosts + 0.1*moves", "time_limit": 2},
            "batch",
            "as before, the sum hosts + 0.1*moves would be",
        ),
    ],
)
def test_a_goal_tells_what_it_would_lose_without_the_move(state, tmp_path, goal, task, says):
    plan = lm.rebalance(state, hosts="4x16c64g", out=tmp_path / "out", **goal)
    assert any(says in sentence for sentence in planned_sentences(plan, task))
    assert lm.explain(tmp_path / "out", task).sentences == lm.explain(plan, task).sentences


def test_a_pod_in_the_way_has_no_room_where_it_was(tmp_path):
    def node(name):
        return {
            "kind": "Node",
            "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}},
            "status": {
                "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"},
                "conditions": [{"type": "Ready", "status": "True"}],
            },
        }

    def pod(name, cores, at="", **about):
        owner = {"kind": "ReplicaSet", "name": "r", "uid": "u", "controller": True}
        return {
            "kind": "Pod",
            "metadata": {"name": name, "namespace": "w", "ownerReferences": [owner], **about},
            "spec": {"nodeName": at, "containers": [{"resources": {"requests": {"cpu": cores, "memory": "1Gi"}}}]},
        }

    items = [node("n1"), node("n2"), pod("small", "1", "n1"), pod("other", "2", "n2"), pod("big", "4")]
    items.append(pod("bare", "500m", "n2") | {"metadata": {"name": "bare", "namespace": "w"}})
    (tmp_path / "state.json").write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": items}))
    plan = lm.rebalance(tmp_path / "state.json", moves=3)
    assert planned_sentences(plan, "w/small") == [
        "The plan moves it there from host n1 (step 1 of 2), which costs 1 task.",
        "Host n1 could not hold it after the moves: w/small requests 1 of cores; n1 has 0 free.",
    ]
    assert planned_sentences(plan, "w/big") == ["The plan starts it there (step 2 of 2)."]
    why = {row["host"]: row["why_not"] for row in lm.explain(plan, "w/bare").rows}
    assert any(reason.startswith("w/bare may not move") for reason in why["n1"])


def test_the_cost_of_a_model_is_told_for_the_host_before(tmp_path):
    machines = [{"id": n, "cpuPower": 8, "memory": 8, "networkBandwidth": 8, "cost": 100 * (n + 1)} for n in range(2)]
    asked = {"requiredCpuPower": 2, "requiredMemory": 2, "requiredNetworkBandwidth": 2, "computer": 1}
    path = tmp_path / "2computers-2processes.json"
    path.write_text(json.dumps({"computerList": machines, "processList": [{"id": n, **asked} for n in range(2)]}))
    plan = lm.rebalance(path, time_limit=1)
    assert planned_sentences(plan, "process 0") == [
        "The plan moves it there from host computer 1.",
        "Were it on host computer 1 as before, the cost would be 300 instead of 100.",
    ]


def test_a_task_that_is_not_there_is_refused(state):
    plan = lm.rebalance(state, hosts="4x16c64g", moves=1)
    with pytest.raises(lm.InputError, match="no such task; did you mean web"):
        lm.explain(plan, "webb")
    with pytest.raises(lm.InputError, match="works only with records of runs"):
        lm.explain(plan, "web", beside=Path("other"))
