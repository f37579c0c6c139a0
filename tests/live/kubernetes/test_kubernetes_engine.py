"""Kubernetes as an engine: what is seen, what is done, what goes wrong; on a fake of its API, through the real loop."""

import copy
import json
from contextlib import contextmanager

import pytest
from fake_kubernetes import DIES_AFTER, DIES_BEFORE, forbidden
from kubernetes_runs import fake_cluster, until
from pods_and_nodes import node, pod

from loadmaster.live.kubernetes.api import Api
from loadmaster.live.kubernetes.engine import KubernetesEngine
from loadmaster.live.session.engine import HELD, RUNNING, EngineDown
from loadmaster.model import InputError
from loadmaster.model.actions import Hold, Repin, Start, Withdraw


@pytest.fixture
def made(tmp_path):
    with fake_cluster(tmp_path) as cluster:
        yield cluster


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
    """An engine that has a node's changes told or, where it may not watch, requests them; both have observed once."""
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
