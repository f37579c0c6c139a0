"""Pods are evicted so that one that waits finds room: within a budget, with everyone's place decided before."""

import pytest
from fake_kubernetes import FakeKubernetes, serving
from pods_and_nodes import node, pod

from loadmaster.live.kubernetes.api import Api
from loadmaster.live.kubernetes.descheduler import Descheduler
from loadmaster.live.kubernetes.engine import KubernetesEngine
from loadmaster.live.kubernetes.pods import PodScope
from loadmaster.live.queue.check import check_live
from loadmaster.live.queue.decider import LiveExtras
from loadmaster.live.queue.record import LiveRecord
from loadmaster.live.queue.run_live import run_live
from loadmaster.live.queue.settings import LiveSettings
from loadmaster.live.queue.timeline import timeline_in
from loadmaster.live.session.clocks import FakeClock
from loadmaster.live.session.disruption import MoveBudget
from loadmaster.model.actions import Move
from loadmaster.place import POLICIES
from loadmaster.scheduling import Scheduler, discipline_named

RULE = Scheduler(POLICIES["first-fit"], discipline_named("easy"))
WEB = ("ReplicaSet", "web")


@pytest.fixture
def made(tmp_path):
    clock = FakeClock(1000.0)
    fake = FakeKubernetes(clock.now_s)
    fake.add(node("n1", cpu=8), node("n2", cpu=8))
    with serving(fake, tmp_path) as config:
        fake.api, fake.clock = Api(config), clock
        yield fake


def bound(fake, name, host, **more):
    fake.add(pod(name, created_s=900, **{"owner": WEB, **more}))
    fake.bind(f"default/{name}", host)


def split(fake, **more):
    """Half of each node is free, and one waits that needs three quarters of one."""
    bound(fake, "a", "n1", cpu=4, memory="1Gi", **more)
    bound(fake, "b", "n2", cpu=3, memory="2Gi", **more)
    fake.add(pod("big", cpu=6, created_s=950))
    fake.bound.clear()


def run(fake, folder, move_budget, for_s=40.0, **more):
    engine = KubernetesEngine(fake.api, now_s=fake.clock.now_s, watch=False, **more)
    said = []
    record = LiveRecord(folder)
    try:
        mover = Descheduler(engine, move_budget, said.append, patience_s=0.0)
        how = LiveSettings(interval_s=5.0, for_s=for_s, on_exit="hold")
        fake.report = run_live(engine, fake.clock, RULE, how, record, LiveExtras(beside=mover))
    finally:
        record.close()
        engine.close()
    return said


def test_a_pod_goes_to_a_place_that_was_kept_for_it_and_the_one_that_waited_comes(made, tmp_path):
    split(made)
    run(made, tmp_path / "run", MoveBudget(2))
    assert made.evicted in (["default/a"], ["default/b"])
    (gone,) = made.evicted
    here, there = ("n1", "n2") if gone == "default/a" else ("n2", "n1")
    assert made.bound == [(f"{gone}x", there), ("default/big", here)]
    assert not made.wrong
    assert check_live(tmp_path / "run", RULE).same


def test_neither_a_replacement_nor_the_pod_that_moves_were_made_for_is_begun_by_others(made, tmp_path):
    split(made)
    run(made, tmp_path / "run", MoveBudget(2))
    found = timeline_in(tmp_path / "run")
    assert (len(found.began), found.by_others, found.jobs) == (2, 0, 4)
    assert (made.report.starts, made.report.foreign) == (2, 2)  # two ran before it began


def test_a_budget_of_memory_chooses_the_pod_that_it_can_pay(made, tmp_path):
    split(made)
    run(made, tmp_path / "run", MoveBudget(1.5 * 2**30, "bytes"))
    assert made.evicted == ["default/a"]
    assert made.bound == [("default/ax", "n2"), ("default/big", "n1")]


@pytest.mark.parametrize(
    ("move_budget", "more"),
    [
        (MoveBudget(0.5 * 2**30, "bytes"), {}),
        (MoveBudget(2), {"owner": ("Job", "night")}),
        (MoveBudget(2), {"owner": None}),
        (MoveBudget(2), {"schedulerName": "default-scheduler"}),
        (MoveBudget(2), {"owner": ("DaemonSet", "logs")}),
        (MoveBudget(2), {"volumes": [{"name": "v", "emptyDir": {}, "hostPath": None}]}),
        (MoveBudget(2), {"nodeSelector": {"kubernetes.io/hostname": "n1"}}),
    ],
)
def test_what_must_stay_stays(made, tmp_path, move_budget, more):
    if "nodeSelector" in more:
        bound(made, "a", "n1", cpu=4, **more)
        bound(made, "b", "n2", cpu=3, nodeSelector={"kubernetes.io/hostname": "n2"})
        made.add(pod("big", cpu=6, created_s=950))
        made.bound.clear()
    else:
        split(made, **more)
    run(made, tmp_path / "run", move_budget)
    assert made.evicted == []
    assert made.bound == []


def test_pods_of_a_namespace_that_is_not_ours_stay(made, tmp_path):
    split(made)
    made.add(pod("large", namespace="ours", cpu=6, created_s=950))
    run(made, tmp_path / "run", MoveBudget(2), scope=PodScope(namespaces=("ours",)))
    assert made.evicted == []


def test_a_disruption_budget_is_kept_and_another_pod_goes(made, tmp_path):
    split(made)
    made.pods["default/a"]["metadata"]["labels"] = {"app": "a"}
    selector = {"matchLabels": {"app": "a"}}
    meta = {"name": "a", "namespace": "default"}
    made.budgets.append({"metadata": meta, "spec": {"selector": selector}, "status": {"disruptionsAllowed": 0}})
    run(made, tmp_path / "run", MoveBudget(2))
    assert made.evicted == ["default/b"]
    assert made.bound == [("default/bx", "n1"), ("default/big", "n2")]


def test_an_eviction_that_the_server_refuses_ends_the_plan_and_others_are_tried(made, tmp_path):
    split(made)
    made.faults.append(("/eviction", 429, "Cannot evict pod as it would violate the pod's disruption budget."))
    said = run(made, tmp_path / "run", MoveBudget(3))
    assert len(made.evicted) == 1
    assert any("was not moved: Cannot evict" in each for each in said)
    assert ("default/big", "n1") in made.bound or ("default/big", "n2") in made.bound
    assert check_live(tmp_path / "run", RULE).same


def test_an_hour_has_one_budget(made, tmp_path):
    split(made)
    run(made, tmp_path / "run", move_budget := MoveBudget(1))
    assert len(made.evicted) == 1
    assert move_budget.left(made.clock.now_s() - 1000.0) == 0.0
    assert move_budget.left(3700.0 + 100.0) == 1.0


def test_the_version_of_an_eviction_is_what_the_server_has(made, tmp_path):
    made.policy = ("v1beta1",)
    split(made)
    run(made, tmp_path / "run", MoveBudget(2))
    assert len(made.evicted) == 1


def test_a_server_without_evictions_moves_nothing(made):
    made.policy = ()
    split(made)
    engine = KubernetesEngine(made.api, now_s=made.clock.now_s, watch=False)
    engine.observe()
    assert engine.act(Move("default/a@uid-a", ("n2",))).kind == "denied"
    engine.close()


def test_the_room_is_kept_while_nobody_replaces_the_pod_and_given_up_in_the_end(made):
    split(made)
    engine = KubernetesEngine(made.api, now_s=made.clock.now_s, watch=False)
    engine.observe()
    assert engine.act(Move("default/a@uid-a", ("n2",))) is None
    made.remove("default/ax")
    seen = engine.observe()
    rooms = [k for k, name in enumerate(seen.ids) if name.startswith("loadmaster/room-for-default.a@n2")]
    assert seen.jobs.demand[rooms].tolist() == [[4.0, 2**30, 1.0]]
    made.clock.sleep_until(1200.0)
    engine.observe()
    assert engine.moves.failed == {"default/a@uid-a": "no controller replaced it within 120 s"}
    assert not [name for name in engine.observe().ids if name.startswith("loadmaster/")]
    engine.close()
