"""Pods say why they wait: a condition and an event, written once for each reason, and only where we may."""

from itertools import pairwise

import pytest
from fake_kubernetes import FakeKubernetes, serving
from pods_and_nodes import node, pod

from loadmaster.live.kubernetes.api import Api
from loadmaster.live.kubernetes.engine import KubernetesEngine
from loadmaster.live.kubernetes.pod_reasons import with_reasons
from loadmaster.live.queue.check import check_live
from loadmaster.live.queue.decider import LiveExtras
from loadmaster.live.queue.record import LiveRecord, lines_of
from loadmaster.live.queue.run_live import run_live
from loadmaster.live.queue.run_record import run_record_of
from loadmaster.live.queue.settings import LiveSettings
from loadmaster.live.queue.wait_reasons import wait_reasons
from loadmaster.live.session.clocks import FakeClock
from loadmaster.place import POLICIES
from loadmaster.runs import Setting
from loadmaster.scheduling import Scheduler, discipline_named

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
TERM = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "web"}}}
WEB = {"labels": {"app": "web"}, "affinity": {"podAntiAffinity": {REQUIRED: [TERM]}}}
GATED = {"schedulingGates": [{"name": "later"}]}
RULE = Scheduler(POLICIES["first-fit"], discipline_named("priority+easy"))


class World:
    """A cluster of a fake API on a clock that jumps, and what is said by a run on it."""

    def __init__(self, fake, clock, api):
        self.fake, self.clock, self.api, self.said = fake, clock, api, []

    def run(self, folder, *, for_s=30.0, events=()):
        waiting = sorted(events, key=lambda event: event[0])
        engine = KubernetesEngine(self.api, now_s=self.clock.now_s, say=self.said.append)

        def observe():
            while waiting and waiting[0][0] <= self.clock.now_s():
                waiting.pop(0)[1]()
            return KubernetesEngine.observe(engine)

        engine.observe = observe
        record = LiveRecord(folder)
        settings = LiveSettings(interval_s=5.0, mode="live", for_s=for_s, on_exit="hold")
        try:
            extras = LiveExtras(beside=with_reasons(None, engine.waits))
            return run_live(engine, self.clock, RULE, settings, record, extras)
        finally:
            record.close()
            engine.close()

    def condition(self, name):
        conditions = self.fake.pods[f"default/{name}"]["status"].get("conditions", ())
        return next((each for each in conditions if each["type"] == "PodScheduled"), None)

    def events_of(self, name):
        return [each["message"] for each in self.fake.events if each["involvedObject"]["name"] == name]


@pytest.fixture
def world(tmp_path):
    clock = FakeClock(1000.0)
    fake = FakeKubernetes(clock.now_s)
    fake.add(node("n1"), node("n2"))
    with serving(fake, tmp_path) as config:
        yield World(fake, clock, Api(config))


def test_a_run_keeps_the_rules_between_pods_and_checks_alike(world, tmp_path):
    world.fake.add(*(pod(f"web-{k}", created_s=k, runs_s=12 + 5 * k, **WEB) for k in range(5)), pod("plain"))
    report = world.run(tmp_path / "run", for_s=120.0)
    assert report.starts == 6
    ends = {}
    for name, host in world.fake.bound:
        if "web" in name:
            ends.setdefault(host, []).append(name)
    assert sorted(len(names) for names in ends.values()) in ([2, 3], [1, 4])
    assert not world.fake.wrong
    for names in ends.values():
        items = [world.fake.pods[name] for name in names]
        begun = [float(item["metadata"]["annotations"]["begun_s"]) for item in items]
        lasts = [float(item["metadata"]["annotations"]["runs_s"]) for item in items]
        spans = sorted(zip(begun, lasts, strict=True))
        assert all(one + ran <= two for (one, ran), (two, _) in pairwise(spans))
    checked = check_live(tmp_path / "run", RULE)
    assert checked.same, checked.first


def test_explain_names_the_rule_that_kept_a_pod_waiting(world, tmp_path):
    world.fake.add(*(pod(f"web-{k}", created_s=k, **WEB) for k in range(3)), pod("later", created_s=3))
    world.run(tmp_path / "run")
    folder, setting = tmp_path / "run", Setting("first-fit", "priority+easy")
    record = run_record_of(lines_of(folder), RULE.discipline.order, setting, {})
    job = {str(record.name_of(number)).partition("@")[0]: number for number in range(record.workload.jobs)}
    ruled = {k: wait_reasons(folder, record, job[f"default/web-{k}"]).ruled for k in (1, 2)}
    kept = "a host had room, but other jobs kept it away: must be apart from pods with app=web (namespace default)"
    assert ruled[2].at(1010.0) == kept
    assert not any(ruled[1].words)


def test_a_pod_that_waits_says_why_in_a_condition_and_an_event(world, tmp_path):
    world.fake.add(*(pod(f"web-{k}", created_s=k, **WEB) for k in range(3)), pod("large", cpu=99), pod("odd", **odd()))
    world.fake.add(pod("gated", **GATED), pod("theirs", cpu=99, schedulerName="default-scheduler"))
    world.run(tmp_path / "run")
    alone = "0/2 nodes are available: must be apart from pods with app=web (namespace default)"
    told = world.condition("web-2")
    assert (told["status"], told["reason"], told["message"]) == ("False", "Unschedulable", alone)
    assert world.events_of("web-2") == [alone]
    event = next(each for each in world.fake.events if each["involvedObject"]["name"] == "web-2")
    assert (event["type"], event["reason"], event["involvedObject"]["uid"]) == (
        "Warning",
        "FailedScheduling",
        "uid-web-2",
    )
    assert world.events_of("large") == ["no host has what it requests"]
    assert world.events_of("odd") == ["requests devices by resourceClaims"]
    assert world.condition("web-0")["status"] == "True"
    assert {each["involvedObject"]["name"] for each in world.fake.events} == {"web-2", "large", "odd"}


def odd():
    return {"resourceClaims": [{"name": "gpu"}]}


def test_a_reason_is_said_again_only_when_it_changes(world, tmp_path):
    world.fake.add(
        pod("full-1", cpu=8, created_s=1), pod("full-2", cpu=7, created_s=2), pod("waits", cpu=6, created_s=3)
    )
    more = [
        (1010.0 + 5 * k, lambda k=k: world.fake.add(pod(f"later-{k}", cpu=1, created_s=1010 + k))) for k in range(4)
    ]
    cordon = (1040.0, lambda: world.fake.nodes["n2"]["spec"].update(unschedulable=True))
    world.run(tmp_path / "run", for_s=60.0, events=[*more, cordon])
    short = "0/2 nodes are available: not enough cores"
    assert world.events_of("waits") == [short, "0/2 nodes are available: nodes that take no pods now, not enough cores"]


def test_a_new_run_does_not_say_again_what_a_pod_says_already(world, tmp_path):
    world.fake.add(pod("full", cpu=8, created_s=1), pod("also", cpu=8, created_s=2), pod("waits", cpu=8, created_s=3))
    for number in range(2):
        world.run(tmp_path / f"run-{number}", for_s=10.0)
    assert len(world.events_of("waits")) == 1


@pytest.mark.parametrize("right", [("patch", "pods/status"), ("create", "events")])
def test_a_run_that_may_not_say_why_goes_on_and_says_so_once(world, tmp_path, right):
    world.fake.denied.add(right)
    world.fake.add(*(pod(f"p{k}", cpu=8, created_s=k) for k in range(4)))
    assert world.run(tmp_path / "run").starts == 2
    assert [text for text in world.said if "pods do not say why they wait" in text] == [world.said[0]]


def test_a_pod_behind_a_reservation_says_that_room_is_kept(world, tmp_path):
    world.fake.add(pod("runs", cpu=8, created_s=1, runs_s=100, activeDeadlineSeconds=300))
    world.fake.add(pod("also", cpu=5, created_s=2, runs_s=100, activeDeadlineSeconds=100))
    world.fake.add(pod("head", cpu=8, created_s=3, activeDeadlineSeconds=100), pod("behind", cpu=3, created_s=4))
    world.run(tmp_path / "run", for_s=10.0)
    assert world.events_of("head") == ["0/2 nodes are available: not enough cores"]
    kept = "0/2 nodes are available: not enough cores, room is kept for pods that go before it"
    assert world.events_of("behind") == [kept]


def test_a_volume_that_comes_lets_its_pod_start(world, tmp_path):
    claim = {"metadata": {"namespace": "default", "name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}
    terms = [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["n2"]}]}]
    volume = {"metadata": {"name": "v"}, "spec": {"nodeAffinity": {"required": {"nodeSelectorTerms": terms}}}}
    world.fake.others = {"persistentvolumeclaims": [claim], "persistentvolumes": [volume]}
    world.fake.add(pod("db", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]))
    world.run(tmp_path / "run", events=[(1012.0, lambda: claim["spec"].update(volumeName="v"))])
    assert world.fake.bound == [("default/db", "n2")]
    assert world.events_of("db") == ["the claim default/data has no volume yet"]
    assert check_live(tmp_path / "run", RULE).same


def test_claims_that_may_not_be_listed_leave_their_pods_out(world, tmp_path):
    world.fake.denied.add(("list", "persistentvolumeclaims"))
    world.fake.add(pod("db", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]), pod("plain"))
    report = world.run(tmp_path / "run")
    assert [why for _, why in report.left_out] == ["the claim default/data is not listed"]
    assert [name for name, _ in world.fake.bound] == ["default/plain"]
