"""Live runs on Kubernetes, through the real loop, on a fake of its API."""

import math
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from fake_kubernetes import DIES_AFTER, DIES_BEFORE
from kubernetes_runs import RULE, fake_cluster
from pods_and_nodes import node, pod

from loadmaster.live.kubernetes.engine import KubernetesEngine
from loadmaster.live.queue.agreement import agreement_of
from loadmaster.live.queue.check import check_live
from loadmaster.live.queue.record import LiveRecord, lines_of
from loadmaster.live.queue.run_live import run_live
from loadmaster.live.queue.run_record import run_record_of
from loadmaster.live.queue.settings import LiveSettings
from loadmaster.live.session.clocks import FakeClock
from loadmaster.live.session.loop import Denied
from loadmaster.place import POLICIES
from loadmaster.runs import Setting
from loadmaster.scheduling import Scheduler, discipline_named


@pytest.fixture
def made(tmp_path):
    with fake_cluster(tmp_path) as cluster:
        yield cluster


class Killed(BaseException):
    """The process is gone."""


@dataclass
class Mortal:
    """An engine and a record that work for so many steps, and then never again."""

    engine: KubernetesEngine
    record: LiveRecord
    steps: int
    name: str = "kubernetes"
    can: Any = None

    def observe(self):
        return self._step(self.engine.observe, 0)

    def act(self, action):
        refusal = self._step(lambda: self.engine.act(action))
        return self._step(lambda: refusal)  # it may die before it learns of the answer

    def __getattr__(self, name):
        method = getattr(self.record, name)
        return method if name == "lines" else lambda *words, **more: self._step(lambda: method(*words, **more))

    def _step(self, what, cost=1):
        self.steps -= cost
        if self.steps < 0:
            raise Killed
        return what()


def test_a_run_binds_everyone_once_and_the_check_agrees(made, tmp_path):
    jobs = [pod(f"p{k:02}", cpu=1 + k % 4, runs_s=7 + 3 * (k % 5), created_s=1000 + k) for k in range(30)]
    events = [(1000 + k, lambda job=job: made.fake.add(job)) for k, job in enumerate(jobs)]
    report = made.run(tmp_path / "run", for_s=150, events=events)
    assert report.starts == 30
    assert sorted(name for name, _ in made.fake.bound) == sorted(f"default/p{k:02}" for k in range(30))
    assert not made.fake.wrong
    assert {found["status"]["phase"] for found in made.fake.pods.values()} == {"Succeeded"}
    checked = check_live(tmp_path / "run", RULE)
    assert checked.same
    assert checked.starts == 30


def test_a_run_goes_on_through_trouble_and_starts_nobody_twice(made, tmp_path):
    fake = made.fake
    jobs = [pod(f"p{k:02}", cpu=2, runs_s=12, created_s=1000 + k) for k in range(24)]
    fake.add(*jobs[:12])
    fake.faults += [
        ("/binding", 500, "a webhook failed"),
        ("/binding", DIES_AFTER, ""),
        ("/binding", DIES_BEFORE, ""),
        ("GET /api/v1/pods", 503, "away"),
    ]
    events = [
        (1010, lambda: fake.remove("default/p11")),
        (1010, lambda: fake.add(*jobs[12:])),
        (1012, lambda: fake.faults.append(("/binding", 503, "etcd is away"))),
        (1015, lambda: fake.add(node("n2", cordoned=True))),
        (1020, lambda: fake.old.append({"metadata": {"resourceVersion": "5"}, "items": []})),
        (1030, lambda: fake.bind("default/p23", "n1")),
        (1040, lambda: fake.add(node("n2"))),
    ]
    report = made.run(tmp_path / "run", for_s=300, events=events)
    names = [name for name, _ in fake.bound]
    assert len(names) == len(set(names))
    assert {found["status"]["phase"] for found in fake.pods.values()} == {"Succeeded"}
    assert report.refusals["unknown"] >= 1
    assert not fake.wrong
    assert check_live(tmp_path / "run", RULE).same


def test_a_record_in_which_a_node_goes_is_simulated_without_it(made, tmp_path):
    """The check counted hosts by their place in the list: with one fewer it took another for the one that was gone."""
    fake = made.fake
    fake.add(*(pod(f"p{k}", cpu=4, runs_s=12, created_s=1000) for k in range(8)))
    made.run(tmp_path / "run", for_s=90, events=[(1007, lambda: fake.remove_node("n1"))])
    checked = check_live(tmp_path / "run", RULE)
    assert checked.same, checked.first
    assert (checked.starts, len(checked.notes)) == (8, 1)
    assert "hosts have come, gone or changed" in checked.notes[0]


def test_a_record_in_which_somebody_binds_to_a_new_node_can_be_checked(made, tmp_path):
    fake = made.fake
    fake.add(*(pod(f"p{k}", cpu=8, runs_s=30, created_s=1000) for k in range(3)))
    events = [(1007, lambda: fake.add(node("n3"))), (1008, lambda: fake.bind("default/p2", "n3"))]
    made.run(tmp_path / "run", for_s=60, events=events)
    checked = check_live(tmp_path / "run", RULE)
    assert checked.same_passes == checked.passes
    assert len(checked.notes) == 1


def test_a_run_that_died_goes_on_where_it_was(made, tmp_path):
    made.fake.add(*(pod(f"p{k}", cpu=4, runs_s=20, created_s=1000) for k in range(8)))
    first = made.run(tmp_path / "run", for_s=10)
    second = made.run(tmp_path / "run", for_s=60)
    assert first.starts + second.starts == 8
    assert sorted(name for name, _ in made.fake.bound) == [f"default/p{k}" for k in range(8)]
    assert check_live(tmp_path / "run", RULE).same


@pytest.mark.parametrize("steps", range(16))
def test_wherever_a_run_is_killed_the_next_one_binds_the_rest_and_nobody_twice(made, tmp_path, steps):
    made.fake.add(*(pod(f"p{k}", cpu=4, runs_s=20, created_s=1000) for k in range(8)))
    record = LiveRecord(tmp_path / "run")
    mortal = Mortal(made.engine(), record, steps)
    with pytest.raises(Killed):
        run_live(mortal, made.clock, RULE, LiveSettings(interval_s=5.0, for_s=60.0, on_exit="hold"), mortal)
    record.close()
    made.run(tmp_path / "run", for_s=120)
    assert sorted(name for name, _ in made.fake.bound) == [f"default/p{k}" for k in range(8)]
    assert not made.fake.wrong
    assert {found["status"]["phase"] for found in made.fake.pods.values()} == {"Succeeded"}
    assert check_live(tmp_path / "run", RULE).same


@pytest.mark.parametrize("policy", ["mix-fit", "best-fit-memory", "round-robin"])
def test_pods_that_request_nothing_are_placed_up_to_the_pods_of_a_node(made, tmp_path, policy):
    made.fake.add(node("n1", pods=2), node("n2", pods=1))
    for k in range(4):
        made.fake.add(pod(f"p{k}", cpu=0, memory=0, created_s=1000 + k))
    engine, record = made.engine(), LiveRecord(tmp_path / "run")
    rule = Scheduler(POLICIES[policy], discipline_named("easy"))
    run_live(engine, made.clock, rule, LiveSettings(interval_s=5.0, for_s=20.0, on_exit="hold"), record)
    record.close()
    assert sorted(host for _, host in made.fake.bound) == ["n1", "n1", "n2"]


def test_a_first_start_that_is_denied_ends_the_run_with_nothing_touched(made, tmp_path):
    made.fake.add(pod("a"))
    made.fake.denied.add(("create", "pods/binding"))
    with pytest.raises(Denied, match="forbidden"):
        made.run(tmp_path / "run")
    assert not made.fake.bound
    assert made.fake.leases["kube-system/loadmaster"]["spec"]["holderIdentity"] == ""


def test_a_shadow_asks_nothing_and_says_how_often_it_agrees_with_the_site(made, tmp_path):
    fake = made.fake
    fake.add(*(pod(f"p{k}", cpu=4, runs_s=1e6, created_s=1000, schedulerName="default-scheduler") for k in range(4)))
    events = [(1007 + k, lambda k=k: fake.bind(f"default/p{k}", "n1" if k < 2 else "n2")) for k in range(4)]
    report = made.run(tmp_path / "run", mode="shadow", events=events)
    assert len(fake.bound) == 4
    assert all(line.startswith("GET") for line in fake.asked)
    summary = SimpleNamespace(**agreement_of(lines_of(tmp_path / "run")).summary())
    assert (summary.site_starts, summary.same_job, summary.same_hosts) == (4, 1.0, 1.0)
    assert report.starts >= 4
    assert math.isclose(summary.site_cores, 16.0)


def test_a_shadow_remembers_where_a_pod_may_go_once_the_site_has_bound_it(made, tmp_path):
    """What the check simulates is the pod as it waited: for n1 alone, though n2 is empty."""
    fake = made.fake
    picky = {"nodeSelector": {"kubernetes.io/hostname": "n1"}, "schedulerName": "default-scheduler"}
    fake.add(pod("large", cpu=6, created_s=900, runs_s=30, schedulerName="default-scheduler"))
    fake.bind("default/large", "n1")
    fake.add(pod("picky", cpu=4, created_s=1000, runs_s=10, **picky))
    made.run(tmp_path / "run", mode="shadow", events=[(1037, lambda: fake.bind("default/picky", "n1"))])
    checked = check_live(tmp_path / "run", RULE)
    assert checked.same, checked.first


@dataclass
class Compiling:
    """Decides as its rule, but takes its time over the first decision."""

    rule: Scheduler
    clock: FakeClock
    took_s: float

    @property
    def discipline(self):
        return self.rule.discipline

    def decide(self, snapshot):
        self.clock.sleep_until(self.clock.now_s() + self.took_s)
        self.took_s = 0.0
        return self.rule.decide(snapshot)


def test_a_first_cycle_that_is_late_keeps_the_true_times_of_its_pods(made, tmp_path):
    made.fake.add(pod("a", created_s=1000.0, runs_s=20.0))
    rule = Compiling(RULE, made.clock, 17.0)
    made.run(tmp_path / "run", for_s=120.0, interval_s=30.0, rule=rule)
    assert made.fake.bound == [("default/a", "n1")]
    lines = lines_of(tmp_path / "run")
    found = run_record_of(lines, RULE.discipline.order, Setting("first-fit", "easy", interval_s=30.0), {})
    origin_s = lines[0]["origin_s"]
    times = (found.workload.submit_s[0], found.schedule.start_s[0], found.schedule.end_s[0])
    assert [each + origin_s for each in times] == [1000.0, 1017.0, 1037.0]
    assert [line["cycle"] + origin_s for line in lines if "cycle" in line][:3] == [1017.0, 1020.0, 1050.0]
    assert check_live(tmp_path / "run", RULE).same
