"""Why a task of a placement is where it is: against the packing's own check, and by hand under rules of Kubernetes."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import loadmaster as lm
from loadmaster.packing.instance import Instance
from loadmaster.packing.level import fits, level_of
from loadmaster.packing.solve import pack_what_fits
from loadmaster.packing.task_reasons import TaskReasons


def drawn(seed, *, guaranteed=False):
    rng = np.random.default_rng(seed)
    tasks, hosts = int(rng.integers(2, 9)), int(rng.integers(2, 5))
    return Instance(
        rng.integers(1, 5, (tasks, 1)).astype(float),
        rng.integers(1, 6, (tasks, 1)).astype(float),
        rng.integers(4, 9, (hosts, 1)).astype(float),
        rng.integers(6, 12, (hosts, 1)).astype(float),
        guarantee=rng.choice([0.0, 0.5, 1.0], tasks) if guaranteed else None,
        fluid_names=("cores",),
        rigid_names=("memory",),
    )


@given(st.integers(0, 10_000), st.booleans())
def test_a_host_is_open_where_moving_the_task_leaves_a_placement_and_shows_its_level(seed, guaranteed):
    instance = drawn(seed, guaranteed=guaranteed)
    packing = pack_what_fits(instance, "first-fit")
    for task in range(instance.tasks):
        reasons = TaskReasons(instance, packing, task)
        rows = reasons.hosts(instance.hosts)
        assert sorted(each.host for each in rows) == list(range(instance.hosts))
        assert reasons.own < 0 or rows[0].host == reasons.own
        assert reasons.open_hosts() == sum(not each.why_not for each in rows if each.host != reasons.own)
        for each in rows:
            placed, host = np.flatnonzero(packing.host >= 0), packing.host.copy()
            host[task] = each.host
            placed = np.union1d(placed, [task])
            moved = of_tasks(instance, placed)
            assert fits(moved, host[placed]) == (not each.why_not)
            if packing.placed and not guaranteed and not each.why_not:
                assert each.level == pytest.approx(level_of(instance, host))
            else:
                assert np.isnan(each.level)


@given(st.integers(0, 10_000))
def test_without_the_task_that_is_named_there_is_room_and_no_smaller_one_would_do(seed):
    instance = drawn(seed)
    packing = pack_what_fits(instance, "first-fit")
    largest = np.hstack((instance.fluid_capacity, instance.rigid_capacity)).max(axis=0)
    for task in range(instance.tasks):
        for each in TaskReasons(instance, packing, task).hosts(instance.hosts):
            if not each.why_not:
                assert each.without == -1
                continue
            short = instance.rigid[task, 0] - each.room[1]
            enough = [other for other in np.flatnonzero(packing.host == each.host) if instance.rigid[other, 0] >= short]
            size = (np.hstack((instance.fluid, instance.rigid)) / largest).max(axis=1)
            assert each.without == (min(enough, key=lambda other: (size[other], other)) if enough else -1)


def of_tasks(instance, tasks):
    """The same hosts with some of the tasks, each a job of its own."""
    guarantee = None if instance.guarantee is None else instance.guarantee[tasks]
    return replace(instance, fluid=instance.fluid[tasks], rigid=instance.rigid[tasks], guarantee=guarantee)


def test_a_card_that_is_taken_in_part_keeps_a_task_away(tmp_path):
    (tmp_path / "tasks.csv").write_text("name,cores,gpus\na,1,0.6\nb,1,0.6\nc,1,0.6\nd,1,1\n")
    packed = lm.pack(tmp_path / "tasks.csv", hosts="1x8c64g2gpu,1x8c64g1gpu", method="fgd", out=tmp_path / "out")
    left = next(row["task"] for row in packed.rows if row["host"] is None)
    told = lm.explain(tmp_path / "out", left)
    assert told.answer.endswith("has no host.")
    assert all("that much free" in row["why_not"][0] and row["without"] for row in told.rows)


def node(name, cores, **labels):
    return {
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **labels}},
        "status": {
            "allocatable": {"cpu": str(cores), "memory": "8Gi", "pods": "110"},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def pod(name, cores, **spec):
    container = {"name": "c", "resources": {"requests": {"cpu": str(cores), "memory": "1Gi"}}}
    owner = {"kind": "ReplicaSet", "name": "r", "uid": "u", "controller": True}
    about = {"name": name, "namespace": "default", "labels": {"app": name[:-2]}, "ownerReferences": [owner]}
    return {
        "kind": "Pod",
        "metadata": about,
        "spec": {"containers": [container], **spec},
        "status": {"phase": "Pending"},
    }


def test_a_rule_of_kubernetes_keeps_a_pod_away_and_the_pod_in_its_way_is_named(tmp_path):
    term = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}
    apart = {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}
    items = [node("n1", 4, disk="ssd"), node("n2", 4), pod("db-1", 3, nodeSelector={"disk": "ssd"})]
    items += [pod(f"web-{number}", 1, **apart) for number in (1, 2, 3)]
    state = {"apiVersion": "v1", "kind": "List", "items": items}
    (tmp_path / "state.json").write_text(json.dumps(state))
    lm.pack(tmp_path / "state.json", out=tmp_path / "out")
    told = lm.explain(tmp_path / "out", "default/db-1")
    assert [row["why_not"] for row in told.rows] == [
        [],
        ["default/db-1 needs node selector disk=ssd, which n2 does not match"],
    ]
    assert [row["without"] for row in told.rows] == [None, None]
    told = lm.explain(tmp_path / "out", "default/web-3")
    assert told.figures["placement"]["host"] is None
    assert {row["host"]: row["without"] for row in told.rows} == {"n1": "default/web-1", "n2": "default/web-2"}
