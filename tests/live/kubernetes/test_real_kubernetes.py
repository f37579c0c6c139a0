"""The adapter on a real API server, beside Kubernetes' own scheduler."""

import json
import subprocess
import sys
import time
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest
import real_kubernetes as rk
from fake_kubernetes import node, pod
from typer.testing import CliRunner

from loadmaster.cli.app import app
from loadmaster.live.kubernetes.api import Api
from loadmaster.live.kubernetes.doctor import examine
from loadmaster.live.kubernetes.engine import PODS, KubernetesEngine
from loadmaster.live.kubernetes.informer import Informer
from loadmaster.live.kubernetes.lease import LeaseTerms
from loadmaster.live.queue.check import check_live
from loadmaster.live.session.engine import HELD, RUNNING, EngineDown
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


@contextmanager
def engine(real, user="loadmaster", **more):
    made = KubernetesEngine(Api(real.config(user)), **more)
    try:
        yield made
    finally:
        made.close()


def add(real, *items):
    """Nodes and pods as the API takes them; the uids of the pods."""
    found = {}
    for item in items:
        if "containers" in item["spec"]:
            item["metadata"] = {key: value for key, value in item["metadata"].items() if value}
            item["metadata"].pop("creationTimestamp"), item["metadata"].pop("uid", None)
            item["metadata"]["annotations"] = {rk.SECONDS: item["metadata"]["annotations"]["runs_s"]}
            item["spec"]["containers"][0] |= {"image": "none"}
            resources = item["spec"]["containers"][0]["resources"]
            resources["limits"] = {key: value for key, value in resources["requests"].items() if "/" in key}
            found[item["metadata"]["name"]] = real.add_pod(item)
        else:
            item["status"]["capacity"] = item["status"]["allocatable"]
            real.add_node(item)
    return found


def named(uids, name):
    return f"default/{name}@{uids[name]}"


def host_of(real, name):
    return real.ask("GET", f"/api/v1/namespaces/default/pods/{name}").body["spec"].get("nodeName", "")


def until(holds, patience_s=60.0):
    end = time.monotonic() + patience_s
    while not holds():
        assert time.monotonic() < end, "not within its time"
        time.sleep(0.05)


def verb(*words):
    return CliRunner().invoke(app, [*map(str, words)])


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


class Behind:
    """The server's API, whose first watch begins at a version that the server has forgotten."""

    def __init__(self, api):
        self._api, self.late = api, True

    def read(self, path):
        return self._api.read(path)

    def follow(self, path):
        if self.late:
            self.late = False
            path = path.rpartition("=")[0] + "=1"
        return self._api.follow(path)


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
    """Leases are asked for by another machine."""
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


RULES = (("mix-fit", "easy"), ("max-jobs", "easy"), ("mix-fit", "multifactor+easy"))


@pytest.mark.parametrize(("policy", "discipline"), RULES)
def test_a_run_of_200_pods_is_what_the_simulator_says(real, tmp_path, policy, discipline):
    add(real, *(node(f"n{k}", cpu=16, memory="64Gi") for k in range(8)))
    shapes = [(1, 2), (2, 16), (4, 4), (8, 8), (1, 24), (3, 6), (6, 40)]
    waiting = [
        pod(f"p{k:03}", cpu=cores, memory=f"{memory_gb}Gi", runs_s=1 + k % 5, activeDeadlineSeconds=6 + k % 7)
        for k, (cores, memory_gb) in enumerate(shapes[k % 7] for k in range(210))
    ]
    with rk.Kubelets(real):
        add(real, *waiting[:100])
        import threading

        late = threading.Timer(6.0, lambda: add(real, *waiting[100:]))
        late.start()
        run = verb(
            "live",
            "kubernetes",
            "--kubeconfig",
            real.config(),
            "--policy",
            policy,
            "--discipline",
            discipline,
            "--interval",
            "1s",
            "--for",
            "50s",
            "-o",
            tmp_path / "run",
            "--json",
        )
        late.join()
        assert run.exit_code == 0, run.output
        until(lambda: {item["status"]["phase"] for item in real.items("pods")} == {"Succeeded"})
    told = json.loads(run.stdout)
    assert told["starts"] == 210
    assert told["refusals"] == {}
    checked = check_live(tmp_path / "run")
    assert (checked.same_passes, checked.same_starts) == (checked.passes, checked.starts), checked.first
    assert checked.starts == 210
    _was_never_too_full(real)


def _was_never_too_full(real):
    """At no moment did pods hold more of a node than it has."""
    has = {item["metadata"]["name"]: 16.0 for item in real.items("nodes")}
    events = []
    for item in real.items("pods"):
        begun_s = _seconds(item["status"]["startTime"])
        end_s = _seconds(item["status"]["containerStatuses"][0]["state"]["terminated"]["finishedAt"])
        cores = float(item["spec"]["containers"][0]["resources"]["requests"]["cpu"])
        events += [(begun_s, 1, item["spec"]["nodeName"], cores), (end_s, 0, item["spec"]["nodeName"], -cores)]
    used = dict.fromkeys(has, 0.0)
    for _, _, host, cores in sorted(events):
        used[host] += cores
        assert used[host] <= has[host]


def _seconds(text):
    return datetime.fromisoformat(text).astimezone(UTC).timestamp()


def test_a_shadow_beside_the_default_scheduler_says_how_they_differ(real, tmp_path):
    add(real, *(node(f"n{k}", cpu=8, memory="16Gi") for k in range(4)))
    pods = [
        pod(
            f"p{k:02}",
            cpu=1 + k % 3,
            memory=f"{1 + k % 5}Gi",
            runs_s=3 + k % 3,
            activeDeadlineSeconds=20,
            schedulerName="default-scheduler",
        )
        for k in range(60)
    ]
    with rk.Kubelets(real):
        add(real, *pods)
        run = verb(
            "live",
            "kubernetes",
            "--kubeconfig",
            real.config(),
            "--shadow",
            "--policy",
            "mix-fit",
            "--interval",
            "1s",
            "--for",
            "15s",
            "-o",
            tmp_path / "run",
            "--json",
        )
        assert run.exit_code == 0, run.output
    told = json.loads(run.stdout)
    assert told["site_starts"] > 0
    assert 0.0 <= told["same_hosts"] <= told["same_job"] <= 1.0
    rows = {(row["host"], row["resource"]) for row in told["stranded_by_host"]}
    assert rows == {(f"n{k}", resource) for k in range(4) for resource in ("cores", "memory")}
    assert check_live(tmp_path / "run").same
    assert not [item for item in real.items("pods") if item["spec"]["schedulerName"] != "default-scheduler"]


def test_a_server_that_dies_and_comes_back_is_listed_anew_and_gone_on_with():
    with rk.real_kubernetes(scheduler=False) as real:
        uids = add(real, node("n1"), pod("a"), pod("b"))
        with engine(real) as made:
            made.observe()
            real.kill("kube-apiserver")
            with pytest.raises(EngineDown):
                until(lambda: made.observe() is None)
            real.start("kube-apiserver")
            until(lambda: made.act(Start(named(uids, "a"), ("n1",))) is None)  # it answers before it knows who may what
            until(lambda: sorted(made.observe().tasks.state.tolist()) == [HELD, RUNNING])
            assert made.can.watch == "push"
        late = Informer(Behind(Api(real.config())), PODS)  # a server that was restarted remembers nothing of before
        until(lambda: late.look() and late.listings == 2)
        add(real, pod("c"))
        until(lambda: len(late.look().items) == 3)
        assert late.listings == 2
        late.close()


def bound(real):
    return sum(bool(item["spec"].get("nodeName")) for item in real.items("pods"))


def test_a_run_under_the_guides_account_outlives_restarts_of_the_server(tmp_path):
    """A server that has just started answers 403 until it has read its roles."""
    words = ["live", "kubernetes", "--policy", "first-fit", "--interval", "1s", "--for", "45s"]
    with rk.real_kubernetes(scheduler=False) as real, rk.Kubelets(real):
        add(real, node("n1", cpu=4), *(pod(f"p{k:02}", runs_s=2) for k in range(24)))
        words += ["--kubeconfig", str(real.config()), "-o", str(tmp_path / "run")]
        program = [sys.executable, "-m", "loadmaster", *words]
        with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as run:
            for count in (4, 12):
                until(lambda count=count: bound(real) >= count)
                real.kill("kube-apiserver")
                real.start("kube-apiserver")
            output = run.communicate(timeout=120)[0]
        assert run.returncode == 0, output
        until(lambda: {item["status"]["phase"] for item in real.items("pods")} == {"Succeeded"})
    assert check_live(tmp_path / "run").same


def test_priority_comes_first_and_who_waits_for_what_never_ends_keeps_nobody_back(real, tmp_path):
    uids = add(real, node("n1", cpu=8, memory="16Gi"), pod("agent", schedulerName="nobody"))
    real.ask(
        "POST",
        "/api/v1/namespaces/default/pods/agent/binding",
        {
            "apiVersion": "v1",
            "kind": "Binding",
            "metadata": {"name": "agent"},
            "target": {"kind": "Node", "name": "n1"},
        },
    )
    real.ask(
        "POST",
        "/apis/scheduling.k8s.io/v1/priorityclasses",
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": "urgent"},
            "value": 1000,
        },
    )
    uids |= add(real, pod("whole", cpu=8), *(pod(f"small{k}") for k in range(7)))
    uids |= add(
        real, pod("urgent", cpu=2, priorityClassName="urgent", labels={"pod-group.scheduling.sigs.k8s.io": "g"})
    )
    run = verb(
        "live",
        "kubernetes",
        "--kubeconfig",
        real.config(),
        "--policy",
        "first-fit",
        "--interval",
        "1s",
        "--for",
        "3s",
        "-o",
        tmp_path / "run",
        "--json",
    )
    assert run.exit_code == 0, run.output
    assert "1 pod refers to a gang (pod-group.scheduling.sigs.k8s.io)" in " ".join(run.stderr.split())
    placed = {name for name in uids if host_of(real, name)}
    assert placed == {"agent", "urgent", *(f"small{k}" for k in range(5))}
    assert (json.loads(run.stdout)["starts"], check_live(tmp_path / "run").same) == (6, True)
