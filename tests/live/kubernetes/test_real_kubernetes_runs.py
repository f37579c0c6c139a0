"""Live runs on a real API server of Kubernetes, beside its own scheduler and with restarts."""

import json
import subprocess
import sys
from datetime import UTC, datetime

import pytest
import real_kubernetes as rk
from pods_and_nodes import node, pod
from real_cluster import Behind, add, engine, host_of, named, until, verb

from loadmaster.live.kubernetes.api import Api
from loadmaster.live.kubernetes.engine import PODS
from loadmaster.live.kubernetes.informer import Informer
from loadmaster.live.queue.check import check_live
from loadmaster.live.session.engine import HELD, RUNNING, EngineDown
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
