"""The adapter on a real API server, beside Kubernetes' own scheduler."""

import json
import subprocess
import time
from contextlib import contextmanager

import pytest
import real_kubernetes as rk
from pods_and_nodes import node, pod
from real_cluster import add, engine, host_of, named, until, verb

from loadmaster.live.kubernetes.api import Api
from loadmaster.live.kubernetes.doctor import examine
from loadmaster.live.kubernetes.engine import KubernetesEngine
from loadmaster.live.kubernetes.lease import LeaseTerms
from loadmaster.live.session.engine import HELD, RUNNING
from loadmaster.model import InputError
from loadmaster.model.actions import Start

pytestmark = pytest.mark.skipif(bool(rk.why_not()), reason=rk.why_not() or "there is one")


@pytest.fixture(scope="module")
def server():
    with rk.real_kubernetes() as real:
        yield real


@pytest.fixture
def real(server):
    server.clear()
    return server


def test_a_binding_needs_the_very_pod_and_only_one_is_done(real):
    uids = add(real, node("n1"), node("n2"), pod("a"), pod("b"), pod("c"), pod("d"))
    with engine(real) as made:
        assert made.observe().tasks.state.tolist() == [HELD] * 4
        assert made.act(Start(named(uids, "a"), ("n1",))) is None
        assert host_of(real, "a") == "n1"
        real.ask(
            "POST",
            "/api/v1/namespaces/default/pods/b/binding",
            {
                "apiVersion": "v1",
                "kind": "Binding",
                "metadata": {"name": "b"},
                "target": {"kind": "Node", "name": "n2"},
            },
        )
        real.remove("c")
        real.remove("d")
        add(real, pod("d"))
        kinds = {name: made.act(Start(named(uids, name), ("n1",))).kind for name in ("a", "b", "c", "d")}
    assert kinds == {"a": "busy", "b": "busy", "c": "gone", "d": "gone"}
    assert host_of(real, "b") == "n2"


def test_a_node_cordoned_deleted_or_tainted_in_the_midst_of_a_cycle_gets_no_more_pods(real):
    add(real, *(node(f"n{k}", cpu=64, memory="640Gi") for k in range(4)))
    uids = add(real, *(pod(f"p{k:03}") for k in range(80)))
    with engine(real) as made:
        made.observe()
        first = [made.act(Start(named(uids, f"p{k:03}"), (f"n{k % 4}",))) for k in range(20)]
        real.change("/api/v1/nodes/n1", lambda found: found["spec"].update(unschedulable=True))
        real.ask("DELETE", "/api/v1/nodes/n2")
        real.change("/api/v1/nodes/n3", lambda found: found["spec"].update(taints=GPU_ONLY))
        time.sleep(0.1)
        rest = [made.act(Start(named(uids, f"p{k:03}"), (f"n{k % 4}",))) for k in range(20, 80)]
    assert first == [None] * 20
    assert [each and each.kind for each in rest] == [None, "busy", "busy", "busy"] * 15
    hosts = [item["spec"].get("nodeName") for item in real.items("pods")]
    assert {host: hosts.count(host) for host in set(hosts)} == {"n0": 20, "n1": 5, "n2": 5, "n3": 5, None: 45}


def test_what_is_bound_is_told_by_the_watch(real):
    uids = add(real, node("n1"), pod("a"))
    with engine(real) as made:
        made.observe()
        assert made.can.watch == "push"
        made.act(Start(named(uids, "a"), ("n1",)))
        until(lambda: made.observe().tasks.state.tolist() == [RUNNING])
        add(real, node("n2"), pod("b"))
        until(lambda: len(made.observe().ids) == 2 and made.observe().cluster.hosts == 2)


GPU_ONLY = [{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]


NOT_READY = [{"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}]  # as the node controller writes it


TOLERATES = [{"key": "gpu", "operator": "Exists"}]


def wants(key, operator, *values):
    term = {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}


NODES = (
    ("ssd", {"labels": {"disk": "ssd", "size": "4"}}), ("hdd", {"labels": {"disk": "hdd", "size": "8"}}),
    ("gpu", {"labels": {"disk": "ssd", "size": "16"}, "taints": GPU_ONLY, "nvidia.com/gpu": 2}),
    ("big", {"labels": {"disk": "tape"}, "cpu": 8, "ephemeral-storage": "50Gi"}),
    ("away", {"ready": False, "taints": NOT_READY}), ("cordoned", {"cordoned": True}),
)  # fmt: skip


ASKED = {
    "plain": {}, "ssd": {"nodeSelector": {"disk": "ssd"}}, "tape": {"nodeSelector": {"disk": "tape"}},
    "none": {"nodeSelector": {"disk": "floppy"}}, "in": {"affinity": wants("disk", "In", "hdd", "tape")},
    "notin": {"affinity": wants("disk", "NotIn", "hdd", "tape")}, "gt": {"affinity": wants("size", "Gt", "4")},
    "lt": {"affinity": wants("size", "Lt", "8")}, "exists": {"affinity": wants("size", "Exists")},
    "lacks": {"affinity": wants("size", "DoesNotExist")}, "tolerates": {"tolerations": TOLERATES},
    "gpus": {"tolerations": TOLERATES, "asks": {"nvidia.com/gpu": "1"}}, "untolerated": {"asks": {"nvidia.com/gpu": 1}},
    "manygpus": {"tolerations": TOLERATES, "asks": {"nvidia.com/gpu": "3"}},
    "scratch": {"asks": {"ephemeral-storage": "20Gi"}}, "large": {"cpu": "7500m"}, "huge": {"cpu": 9},
    "both": {"nodeSelector": {"disk": "ssd"}, "affinity": wants("size", "Gt", "8"), "tolerations": TOLERATES},
}  # fmt: skip


@pytest.mark.parametrize("name", ASKED)
def test_a_pod_goes_where_kubernetes_own_scheduler_may_put_it_and_nowhere_else(real, tmp_path, name):
    """The set of nodes that we may use is compared with the sets that the default scheduler gives, one by one."""
    add(real, *(node(host, **{"cpu": 4, **json.loads(json.dumps(more))}) for host, more in NODES))
    add(real, pod("ours", **json.loads(json.dumps(ASKED[name]))))
    theirs = set()
    for host, _ in NODES:
        more = json.loads(json.dumps(ASKED[name]))
        selector = more.pop("nodeSelector", {}) | {"kubernetes.io/hostname": host}
        add(real, pod(f"theirs-{host}", schedulerName="default-scheduler", nodeSelector=selector, **more))

        def decided(host=host):
            status = real.ask("GET", f"/api/v1/namespaces/default/pods/theirs-{host}").body
            return status["spec"].get("nodeName") or status["status"].get("conditions")

        until(decided)
        theirs |= {host} & {host_of(real, f"theirs-{host}")}
        real.remove(f"theirs-{host}")
    assert (name in ("none", "untolerated", "manygpus", "huge")) == (not theirs)
    ours = set()
    for _ in NODES:
        result = verb(
            "live",
            "kubernetes",
            "--kubeconfig",
            real.config(),
            "--policy",
            "first-fit",
            "--interval",
            "1s",
            "--for",
            "0.5s",
            "-o",
            tmp_path / f"run{len(ours)}",
            "--json",
        )
        assert result.exit_code == 0, result.output
        host = host_of(real, "ours")
        if not host:
            break
        ours.add(host)
        real.remove("ours")
        real.change(f"/api/v1/nodes/{host}", lambda found: found["spec"].update(unschedulable=True))
        add(real, pod("ours", **json.loads(json.dumps(ASKED[name]))))
    assert ours == theirs


def test_priorities_of_classes_decide_who_is_first(real, tmp_path):
    classes = "/apis/scheduling.k8s.io/v1/priorityclasses"
    for name, value in (("high", 1000), ("low", 10)):
        body = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}}
        real.api.ask("POST", classes, body | {"value": value})
    add(real, node("n1", cpu=2), pod("first", priorityClassName="low", cpu=2))
    time.sleep(1.1)  # the server counts arrivals in seconds
    add(real, pod("second", priorityClassName="high", cpu=2))
    result = verb(
        "live",
        "kubernetes",
        "--kubeconfig",
        real.config(),
        "--policy",
        "first-fit",
        "--discipline",
        "priority+easy",
        "--interval",
        "1s",
        "--for",
        "0.5s",
        "-o",
        tmp_path / "run",
        "--json",
    )
    assert result.exit_code == 0, result.output
    assert (host_of(real, "first"), host_of(real, "second")) == ("", "n1")


def test_one_loadmaster_at_a_time_has_the_cluster(real):
    add(real, node("n1"))
    with engine(real):
        with pytest.raises(InputError, match="another loadmaster runs this cluster"), _as("other"):
            KubernetesEngine(Api(real.config()))
        with engine(real, looks_on=True) as shadow:
            shadow.observe()
    with engine(real) as made:  # it was given back
        assert made.observe().cluster.hosts == 1


def test_a_lease_of_the_dead_is_free_when_its_time_is_over(real):
    add(real, node("n1"))
    dead = KubernetesEngine(Api(real.config()), lease=LeaseTerms(lasts_s=1.0))
    with pytest.raises(InputError, match="another loadmaster"), _as("other"):
        KubernetesEngine(Api(real.config()), lease=LeaseTerms(lasts_s=1.0))
    time.sleep(1.5)
    with _as("other"), engine(real, lease=LeaseTerms(lasts_s=60.0)) as made:
        made.observe()
    body = real.ask("GET", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/loadmaster").body
    assert body["spec"].get("holderIdentity", "") == ""
    dead.close()


@contextmanager
def _as(name):
    """Leases are requested by another machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("socket.gethostname", lambda: name)
        yield


FALLBACK = """\
apiVersion: kubescheduler.config.k8s.io/v1beta1
kind: KubeSchedulerConfiguration
clientConnection: {kubeconfig: %s}
leaderElection: {leaderElect: false}
profiles: [{schedulerName: loadmaster}]
"""


def test_while_we_are_dead_a_kube_scheduler_of_our_name_binds_what_waits_for_us(real, tmp_path):
    add(real, node("n1"), *(pod(f"p{k}") for k in range(4)))
    time.sleep(1.0)
    assert [host_of(real, f"p{k}") for k in range(4)] == [""] * 4
    config = tmp_path / "fallback.yaml"
    config.write_text(FALLBACK % real.config("kube-scheduler"))
    program = [str(rk.HOME / "bin" / "kube-scheduler"), f"--config={config}", "--secure-port=0"]
    with (tmp_path / "log").open("wb") as log, subprocess.Popen(program, stdout=log, stderr=log) as fallback:
        try:
            until(lambda: [host_of(real, f"p{k}") for k in range(4)] == ["n1"] * 4)
        finally:
            fallback.kill()


def test_who_has_no_rights_is_told_which_and_may_not_look(real):
    add(real, node("n1"))
    found = examine(Api(real.config("guest")))
    assert {each.what for each in found if each.level == "bad"} >= {"you may not list nodes", "you may not list pods"}
    with pytest.raises(InputError, match="forbidden"):
        KubernetesEngine(Api(real.config("guest")), looks_on=True).observe()
    assert not [each for each in examine(Api(real.config())) if each.level == "bad"]
