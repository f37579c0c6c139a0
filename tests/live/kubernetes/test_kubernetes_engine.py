"""Kubernetes as an engine: what is seen, what is done, what goes wrong; on a fake of its API, through the real loop."""

import copy
import json
import math
import time
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from fake_kubernetes import DIES_AFTER, DIES_BEFORE, FakeKubernetes, forbidden, node, pod, serving

from loadmaster.live.kubernetes.api import Api
from loadmaster.live.kubernetes.engine import KubernetesEngine
from loadmaster.live.kubernetes.lease import LeaseTerms, when_free
from loadmaster.live.kubernetes.pods import PodScope
from loadmaster.live.queue.agreement import agreement_of
from loadmaster.live.queue.check import check_live
from loadmaster.live.queue.door import run_live
from loadmaster.live.queue.record import LiveRecord, lines_of
from loadmaster.live.queue.run_record import run_record_of
from loadmaster.live.queue.settings import LiveSettings
from loadmaster.live.session.clocks import FakeClock
from loadmaster.live.session.engine import HELD, RUNNING, EngineDown
from loadmaster.live.session.loop import Denied
from loadmaster.model import InputError
from loadmaster.model.actions import Hold, Repin, Start, Withdraw
from loadmaster.place import POLICIES
from loadmaster.runs import Setting
from loadmaster.scheduling import Scheduler, discipline_named

RULE = Scheduler(POLICIES["first-fit"], discipline_named("easy"))


@dataclass
class Made:
    fake: FakeKubernetes
    clock: FakeClock
    api: Api
    config: Any

    def engine(self, **more):
        return KubernetesEngine(self.api, now_s=self.clock.now_s, **more)

    def run(self, folder, *, for_s=60.0, mode="live", events=(), rule=RULE, **settings):
        """A live run; `events` are (moment, what to do) of the world outside."""
        waiting = sorted(events, key=lambda event: event[0])
        engine = self.engine(looks_on=mode != "live", scope=PodScope(everyone=mode == "shadow"))

        def observe():
            while waiting and waiting[0][0] <= self.clock.now_s():
                waiting.pop(0)[1]()
            return KubernetesEngine.observe(engine)

        engine.observe = observe
        record = LiveRecord(folder)
        how = LiveSettings(**{"interval_s": 5.0, "mode": mode, "for_s": for_s, "on_exit": "hold", **settings})
        try:
            return run_live(engine, self.clock, rule, how, record)
        finally:
            record.close()
            engine.close()


@pytest.fixture
def made(tmp_path):
    clock = FakeClock(1000.0)
    fake = FakeKubernetes(clock.now_s)
    fake.add(node("n1"), node("n2"))
    with serving(fake, tmp_path) as config:
        yield Made(fake, clock, Api(config), config)


def until(holds):
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.002)


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


def named(name, uid=None):
    return f"default/{name}@{uid or 'uid-' + name}"


def test_a_listing_says_what_pods_ask_and_what_nodes_have(made):
    made.fake.add(
        node("n3", **{"nvidia.com/gpu": 2, "ephemeral-storage": "10Gi"}),
        pod("a", cpu="1500m", memory="2Gi", priority=7, activeDeadlineSeconds=60, created_s=990),
        pod("b", created_s=980, asks={"nvidia.com/gpu": "1"}),
    )
    made.fake.add(pod("c", schedulerName="default-scheduler", created_s=970))
    made.fake.bind("default/c", "n2")
    seen = made.engine().observe()
    assert seen.cluster.resources == ("cores", "memory", "pods", "ephemeral-storage", "gpus")
    assert seen.ids == (named("c"), named("b"), named("a"))
    assert seen.jobs.demand.tolist() == [[1, 2**30, 1, 0, 0], [1, 2**30, 1, 0, 1], [1.5, 2**31, 1, 0, 0]]
    assert seen.tasks.state.tolist() == [RUNNING, HELD, HELD]
    assert seen.tasks.host.tolist() == [1, -1, -1]
    assert seen.jobs.constraints.priority.tolist() == [0, 0, 7]
    assert seen.jobs.estimate_s[2] == 60.0


def test_a_start_binds_the_pod_and_only_the_one_that_was_seen(made):
    made.fake.add(pod("a"))
    engine = made.engine()
    engine.observe()
    assert engine.act(Start(named("a"), ("n2",))) is None
    assert made.fake.bound == [("default/a", "n2")]
    assert engine.act(Start(named("a"), ("n1",))).kind == "busy"
    assert made.fake.bound == [("default/a", "n2")]


@pytest.mark.parametrize("checks_uid", [True, False])
def test_another_pod_of_the_same_name_is_told_as_gone(made, checks_uid):
    made.fake.checks_uid = checks_uid
    made.fake.add(pod("a"))
    engine = made.engine()
    engine.observe()
    made.fake.add(pod("a", uid="second"))
    assert engine.act(Start(named("a"), ("n1",))).kind == "gone"


@contextmanager
def told_of_changes(made, name):
    """An engine that has a node's changes told or, where it may not watch, asks for them; both have observed once."""
    made.fake.watches = name == "told"
    engine = made.engine()
    engine.observe()
    try:
        yield engine
    finally:
        engine.close()
        made.fake.cut = True
        until(lambda: made.fake.streams == 0)


CHANGES = {
    "cordoned": lambda fake: fake.add(node("n2", cordoned=True)),
    "not ready": lambda fake: fake.add(node("n2", ready=False)),
    "tainted": lambda fake: fake.add(node("n2", taints=[{"key": "k", "value": "v", "effect": "NoSchedule"}])),
    "relabelled": lambda fake: fake.add(node("n2", labels={"disk": "hdd"})),
    "deleted": lambda fake: fake.remove_node("n2"),
    "made anew": lambda fake: fake.add(node("n2") | {"metadata": {"name": "n2", "uid": "another", "labels": SSD}}),
}
SSD = {"disk": "ssd"}


@pytest.mark.parametrize("how", ["told", "asked"])
@pytest.mark.parametrize("change", CHANGES)
def test_a_node_that_has_changed_since_it_was_seen_takes_no_pod(made, change, how):
    """One that was cordoned 20 ms after a cycle began got 49 more."""
    made.fake.add(node("n2", labels=SSD) | {"metadata": {"name": "n2", "uid": "first", "labels": SSD}})
    made.fake.add(pod("a", nodeSelector=SSD), pod("b"))
    with told_of_changes(made, how) as engine:
        CHANGES[change](made.fake)
        until(lambda: engine._nodes.now("n2") == made.fake.nodes.get("n2"))
        refusal = engine.act(Start(named("a"), ("n2",)))
        assert (refusal.kind, made.fake.bound) == ("busy", [])
        assert "n2" in refusal.text
        assert engine.act(Start(named("b"), ("n1",))) is None
    assert made.fake.bound == [("default/b", "n1")]


@pytest.mark.parametrize("how", ["told", "asked"])
@pytest.mark.parametrize("checks_uid", [True, False])
def test_a_pod_made_anew_or_changed_since_it_was_seen_is_not_bound(made, checks_uid, how):
    made.fake.checks_uid = checks_uid
    made.fake.add(pod("a"), pod("b"), pod("c"))
    with told_of_changes(made, how) as engine:
        made.fake.add(pod("a", uid="second"), pod("b", cpu=7))
        made.fake.remove("default/c")
        until(lambda: engine._pods.now("default/c") is None)
        refusals = [engine.act(Start(named(name), ("n2",))) for name in "abc"]
    assert [each.kind for each in refusals] == ["gone", "busy", "gone"]
    assert made.fake.bound == []


def test_a_pod_that_changes_as_it_is_bound_is_refused_by_its_resource_version(made):
    made.fake.add(pod("a"))
    engine = made.engine()
    engine.observe()
    now = engine._pods.now
    engine._pods.now = lambda name: (copy.deepcopy(now(name)), made.fake.add(pod("a", cpu=7)))[0]
    refusal = engine.act(Start(named("a"), ("n1",)))
    assert refusal.kind == "busy"
    assert "ResourceVersion in precondition" in refusal.text
    assert made.fake.bound == []


@pytest.mark.parametrize(
    ("spoil", "kind"),
    [
        (lambda fake: fake.remove("default/a"), "gone"),
        (lambda fake: fake.bind("default/a", "n1"), "busy"),
        (lambda fake: fake.denied.add(("create", "pods/binding")), "denied"),
        (lambda fake: fake.faults.append(("/binding", 429, "slow down")), "busy"),
        (lambda fake: fake.faults.append(("/binding", 500, "a webhook failed")), "unknown"),
    ],
)
def test_a_refusal_bears_its_kind(made, spoil, kind):
    made.fake.add(pod("a"))
    engine = made.engine()
    engine.observe()
    spoil(made.fake)
    assert engine.act(Start(named("a"), ("n2",))).kind == kind


@pytest.mark.parametrize("status", [DIES_BEFORE, DIES_AFTER, 503])
def test_a_server_that_goes_away_in_a_binding_leaves_it_open(made, status):
    made.fake.add(pod("a"))
    engine = made.engine()
    engine.observe()
    made.fake.faults.append(("/binding", status, "etcd is away"))
    with pytest.raises(EngineDown):
        engine.act(Start(named("a"), ("n2",)))


def test_what_kubernetes_cannot_do_is_refused_and_nothing_is_deleted(made):
    made.fake.add(pod("a"), pod("b"))
    engine = made.engine()
    engine.observe()
    made.fake.bind("default/a", "n1")
    assert engine.act(Hold(named("a"))).kind == "busy"
    assert engine.act(Hold(named("b"))) is None
    assert engine.act(Withdraw(named("b"))).kind == "denied"
    assert engine.act(Repin(named("a"), ("n1",))) is None
    assert engine.act(Repin(named("a"), ("n2",))).kind == "busy"
    assert engine.act(Repin(named("b"), ("n2",))) is None
    assert made.fake.bound == [("default/a", "n1"), ("default/b", "n2")]
    assert not any(line.startswith("DELETE") for line in made.fake.asked)


def test_an_older_listing_is_not_looked_at_until_it_stays(made):
    made.fake.add(pod("a"))
    engine = made.engine()
    old = {"metadata": {"resourceVersion": "5"}, "items": []}
    first = engine.observe()
    made.fake.old = [old, old, old]
    assert engine.observe() is first
    assert engine.observe() is first
    restored = engine.observe()
    assert restored.ids == ()
    assert restored.token != first.token


def test_a_second_loadmaster_finds_the_lease_taken_until_it_is_given_back_or_over(made, monkeypatch):
    first = made.engine()
    monkeypatch.setattr("socket.gethostname", lambda: "elsewhere")
    with pytest.raises(InputError, match="another loadmaster runs this cluster"):
        made.engine()
    made.engine(looks_on=True).observe()
    first.close()
    made.engine()
    monkeypatch.setattr("socket.gethostname", lambda: "third")
    made.clock.sleep_until(1061.0)
    third = made.engine()
    monkeypatch.undo()
    made.clock.sleep_until(1090.0)
    with pytest.raises(InputError, match="another loadmaster"):
        first.observe()
    third.observe()
    assert made.fake.leases["kube-system/loadmaster"]["spec"]["holderIdentity"].startswith("third_")


def test_another_process_of_the_same_name_and_number_is_another_holder(made, monkeypatch):
    """Two containers of one host name, as two StatefulSets of two teams have, are process 1 each."""
    made.engine()
    monkeypatch.setattr("loadmaster.live.kubernetes.lease.PROCESS", "another")
    with pytest.raises(InputError, match="another loadmaster runs this cluster"):
        made.engine()


def test_who_stands_by_takes_over_when_the_lease_is_over(made, monkeypatch):
    made.engine(lease=LeaseTerms(lasts_s=60.0))
    monkeypatch.setattr("socket.gethostname", lambda: "other")
    said = []
    pauses = []

    def pause():
        pauses.append(made.clock.now_s())
        made.clock.sleep_until(made.clock.now_s() + 20.0)

    when_free(made.engine, pause, said.append)
    assert pauses == [1000.0, 1020.0, 1040.0]
    assert len(said) == 1
    assert "another loadmaster runs this cluster" in said[0]
    assert made.fake.leases["kube-system/loadmaster"]["spec"]["holderIdentity"].startswith("other_")


def test_a_lease_that_we_may_not_have_is_an_error_of_one_line(made):
    made.fake.denied.add(("create", "leases"))
    with pytest.raises(InputError, match="no lease can be kept in namespace kube-system"):
        made.engine()


def test_a_token_that_is_not_accepted_is_an_error_of_one_line(made):
    made.config.write_text(made.config.read_text().replace("secret", "wrong"))
    with pytest.raises(InputError, match="Unauthorized"):
        KubernetesEngine(Api(made.config), looks_on=True).observe()


def test_a_server_that_starts_again_is_away_until_it_knows_its_roles(made, tmp_path):
    """It answers 403 until then, which ended the run under the guide's own account."""
    fake = made.fake
    fake.add(*(pod(f"p{k}", cpu=4, runs_s=12, created_s=1000) for k in range(8)))
    events = [(1010, lambda: setattr(fake, "starting", True)), (1027, lambda: setattr(fake, "starting", False))]
    report = made.run(tmp_path / "run", for_s=150, events=events)
    assert sorted(name for name, _ in fake.bound) == [f"default/p{k}" for k in range(8)]
    assert report.ended == "done"
    assert report.refusals == {}
    assert any("refuses now what it allowed before" in note for note in report.notes)


def test_a_binding_refused_in_the_midst_of_a_cycle_by_a_server_that_starts_puts_no_pod_aside(made, tmp_path):
    fake = made.fake
    fake.add(*(pod(f"p{k}", cpu=1, created_s=1000) for k in range(6)))
    denials = ("/p3/binding", 403, forbidden("create", "pods/binding")["message"])
    fake.faults.append(denials)
    report = made.run(tmp_path / "run", for_s=20)
    assert sorted(name for name, _ in fake.bound) == [f"default/p{k}" for k in range(6)]
    assert report.refusals == {"unknown": 1}


def test_a_pod_that_an_admission_plugin_forbids_is_denied_and_holds_up_nobody(made, tmp_path):
    fake = made.fake
    fake.add(*(pod(f"p{k}", cpu=1, created_s=1000 + k) for k in range(4)))
    why = 'admission webhook "site" denied the request: no'
    fake.faults += [("/p1/binding", 403, why)] * 3
    report = made.run(tmp_path / "run", for_s=20)
    assert sorted(name for name, _ in fake.bound) == ["default/p0", "default/p2", "default/p3"]
    assert report.refusals == {"denied": 1}


def test_rights_that_were_never_there_are_refused_for_good(made):
    made.fake.denied.add(("list", "pods"))
    engine = made.engine()
    for _ in range(2):
        with pytest.raises(InputError, match="cannot list resource"):
            engine.observe()


@pytest.mark.parametrize("how", ["told", "asked"])
def test_watches_begin_again_when_a_server_that_starts_knows_its_roles(made, how):
    with told_of_changes(made, how) as engine:
        made.fake.starting = made.fake.cut = True
        with pytest.raises(EngineDown, match="refuses now"):
            until(lambda: engine.observe() is None)
        made.fake.starting = made.fake.cut = False
        engine.observe()
        assert engine.can.watch == ("push" if how == "told" else "poll")


def test_who_stands_by_waits_for_a_server_that_starts(made, monkeypatch):
    made.engine(lease=LeaseTerms(lasts_s=60.0))
    monkeypatch.setattr("socket.gethostname", lambda: "other")
    said = []

    def pause():
        made.clock.sleep_until(made.clock.now_s() + 20.0)
        made.fake.starting = made.clock.now_s() == 1020.0

    when_free(made.engine, pause, said.append)
    assert "refuses now what it allowed before" in said[1]
    assert made.fake.leases["kube-system/loadmaster"]["spec"]["holderIdentity"].startswith("other_")


def test_an_expired_token_is_read_anew_from_its_file(made, tmp_path):
    config, token = json.loads(made.config.read_text()), tmp_path / "token"
    config["users"][0]["user"] = {"tokenFile": str(token)}
    made.config.write_text(json.dumps(config))
    token.write_text("secret")
    engine = KubernetesEngine(Api(made.config), now_s=made.clock.now_s)
    engine.observe()
    made.fake.token = "next"
    with pytest.raises(EngineDown, match="Unauthorized"):
        engine.observe()
    token.unlink()
    with pytest.raises(EngineDown, match="Unauthorized"):
        engine.observe()
    token.write_text("next")
    engine.observe()


def test_a_cluster_whose_nodes_are_all_gone_is_waited_for(made):
    engine = made.engine()
    engine.observe()
    nodes = dict(made.fake.nodes)
    made.fake.nodes.clear()
    with pytest.raises(EngineDown, match="none with processors"):
        engine.observe()
    made.fake.nodes.update(nodes)
    assert engine.observe().cluster.hosts == 2


def test_a_run_ends_in_peace_when_the_server_is_away_at_its_end(made):
    engine = made.engine()
    engine.observe()
    made.fake.starting = True
    engine.close()


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
