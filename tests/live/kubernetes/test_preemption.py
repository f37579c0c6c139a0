"""Pods of higher priority push others aside: the fewest and least that make room, within budgets of disruptions."""

import pytest
from fake_kubernetes import FakeKubernetes, serving
from pods_and_nodes import node, pod

from loadmaster.live.kubernetes.api import Api
from loadmaster.live.kubernetes.engine import KubernetesEngine
from loadmaster.live.kubernetes.pods import PodScope
from loadmaster.live.kubernetes.preemption import Preemptor
from loadmaster.live.queue.allocations import ROOM
from loadmaster.live.queue.check import check_live
from loadmaster.live.queue.decider import LiveExtras
from loadmaster.live.queue.record import LiveRecord, ledger_after, lines_of
from loadmaster.live.queue.run_live import run_live
from loadmaster.live.queue.settings import LiveSettings
from loadmaster.live.queue.timeline import timeline_in
from loadmaster.live.session.clocks import FakeClock
from loadmaster.place import POLICIES
from loadmaster.scheduling import Scheduler, discipline_named

RULE = Scheduler(POLICIES["first-fit"], discipline_named("priority+skip"))
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
    fake.add(pod(name, created_s=900, **{"owner": WEB, "priority": 10, **more}))
    fake.bind(f"default/{name}", host)


def full(fake, **more):
    """Both nodes are full: of two pods each, one of which on n2 is worth less than all others."""
    for name, host in (("a", "n1"), ("b", "n1"), ("c", "n2"), ("d", "n2")):
        bound(fake, name, host, cpu=4, **{"priority": 5 if name == "d" else 10, **more})
    fake.bound.clear()


def urgent(fake, cpu=4, **more):
    fake.add(pod("urgent", cpu=cpu, created_s=950, **{"priority": 100, **more}))


def budget(fake, names, allowed):
    for name in names:
        fake.pods[f"default/{name}"]["metadata"]["labels"] = {"app": "kept"}
    meta = {"name": "kept", "namespace": "default"}
    selector = {"matchLabels": {"app": "kept"}}
    fake.budgets.append({"metadata": meta, "spec": {"selector": selector}, "status": {"disruptionsAllowed": allowed}})


def run(fake, folder, *, on=True, **more):
    engine = KubernetesEngine(fake.api, now_s=fake.clock.now_s, watch=False, **more)
    said = []
    record = LiveRecord(folder)
    try:
        beside = Preemptor(engine, said.append) if on else None
        how = LiveSettings(interval_s=5.0, for_s=40.0, on_exit="hold")
        fake.report = run_live(engine, fake.clock, RULE, how, record, LiveExtras(beside=beside))
    finally:
        record.close()
        engine.close()
    return said


def test_the_least_of_all_that_make_room_goes_and_the_pod_comes_where_it_was(made, tmp_path):
    full(made)
    urgent(made)
    said = run(made, tmp_path / "run")
    assert made.evicted == ["default/d"]
    assert made.bound == [("default/urgent", "n2")]
    assert not made.wrong
    assert "default/d@uid-d of lower priority" in said[0]
    assert check_live(tmp_path / "run", RULE).same


def test_the_pod_that_others_went_for_is_not_begun_by_others_and_the_room_kept_for_it_is_no_job(made, tmp_path):
    full(made)
    urgent(made)
    run(made, tmp_path / "run")
    found = timeline_in(tmp_path / "run")
    assert (found.by_others, len(found.began)) == (0, 1)
    assert found.jobs == 6  # the four that ran, the urgent one, and who takes the place of the one that went
    assert (made.report.starts, made.report.foreign) == (1, 4)
    again = ledger_after(lines_of(tmp_path / "run"), RULE.discipline.order, 900.0, 0).ledger
    assert again.runs["default/urgent@uid-urgent"].by == ROOM


def test_two_go_where_one_is_not_enough_and_whoever_is_elsewhere_is_spared(made, tmp_path):
    full(made, priority=10)
    urgent(made, cpu=8)
    run(made, tmp_path / "run")
    assert sorted(made.evicted) in (["default/a", "default/b"], ["default/c", "default/d"])
    assert [name for name, _ in made.bound] == ["default/urgent"]
    assert not made.wrong


@pytest.mark.parametrize(
    ("how", "waits"),
    [
        ({}, {"preemptionPolicy": "Never"}), ({"priority": 100}, {}), ({}, {"cpu": 9}),
        ({"owner": ("DaemonSet", "logs")}, {}), ({"schedulerName": "default-scheduler"}, {}),
        ({}, {"nodeSelector": {"kubernetes.io/hostname": "n3"}}),
    ],
    ids=["never", "no lower", "too large", "daemons", "others'", "nowhere"],
)  # fmt: skip
def test_nobody_goes_where_that_is_not_asked_allowed_or_of_any_use(made, tmp_path, how, waits):
    full(made, **how)
    urgent(made, **waits)
    run(made, tmp_path / "run")
    assert made.evicted == []
    assert made.bound == []


def test_without_being_asked_nobody_goes(made, tmp_path):
    full(made)
    urgent(made)
    run(made, tmp_path / "run", on=False)
    assert made.evicted == []


@pytest.mark.parametrize(("spaces", "goes"), [((), "default/d"), (("default",), "default/d"), (("urgent",), None)])
def test_nobody_goes_in_a_namespace_that_is_not_ours(made, tmp_path, spaces, goes):
    full(made)
    made.add(pod("now", namespace=spaces[0] if spaces else "urgent", cpu=4, created_s=950, priority=100))
    run(made, tmp_path / "run", scope=PodScope(namespaces=spaces))
    assert made.evicted == ([goes] if goes else [])


def test_who_was_pushed_aside_pushes_aside_who_is_worth_less_still(made, tmp_path):
    full(made)
    made.pods["default/c"]["spec"]["priority"] = 50
    urgent(made, cpu=8)
    run(made, tmp_path / "run")
    assert sorted(made.evicted) == ["default/a", "default/b", "default/d"]
    assert made.bound[0] == ("default/urgent", "n1")
    assert made.bound[1] in (("default/ax", "n2"), ("default/bx", "n2"))


def test_a_budget_of_disruptions_is_kept_and_the_next_goes(made, tmp_path):
    full(made)
    budget(made, ["d"], 0)
    urgent(made)
    run(made, tmp_path / "run")
    assert len(made.evicted) == 1
    assert made.evicted != ["default/d"]
    assert len(made.bound) == 1


def test_no_more_of_one_budget_go_than_may_go_together(made, tmp_path):
    full(made)
    budget(made, ["a", "b", "c", "d"], 1)
    urgent(made, cpu=8)
    run(made, tmp_path / "run")
    assert made.evicted == []


def test_an_eviction_that_is_refused_ends_it_and_others_are_tried(made, tmp_path):
    full(made)
    urgent(made)
    made.faults.append(("/eviction", 429, "Cannot evict pod as it would violate the pod's disruption budget."))
    said = run(made, tmp_path / "run")
    assert any("was not evicted: Cannot evict" in each for each in said)
    assert check_live(tmp_path / "run", RULE).same


def test_who_went_waits_again_and_does_not_take_the_room_that_it_left(made, tmp_path):
    full(made)
    urgent(made)
    run(made, tmp_path / "run")
    again = made.pods["default/dx"]
    assert not again["spec"].get("nodeName")
    assert made.bound == [("default/urgent", "n2")]
