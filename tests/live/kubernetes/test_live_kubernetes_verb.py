"""`loadmaster live kubernetes` as an operator meets it, on a fake of the API in this process."""

import json
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from types import SimpleNamespace

import pytest
import real_kubernetes as rk
from fake_kubernetes import FakeKubernetes, serving
from pods_and_nodes import node, pod
from typer.testing import CliRunner

from loadmaster.cli.app import app
from loadmaster.live.kubernetes.api import Api
from loadmaster.live.kubernetes.engine import KubernetesEngine
from loadmaster.model import InputError

RULE = ("--policy", "first-fit", "--interval", "5s", "--for", "1s")


@pytest.fixture
def made(tmp_path):
    fake = FakeKubernetes(time.time)
    fake.add(node("n1"), node("n2", cordoned=True))
    with serving(fake, tmp_path) as config:
        yield fake, ("live", "kubernetes", "--kubeconfig", str(config)), tmp_path


def verb(*words):
    return CliRunner().invoke(app, [*map(str, words)])


def test_the_doctor_looks_and_changes_nothing(made):
    fake, words, _ = made
    fake.add(pod("a"), pod("b", resourceClaims=[{"name": "gpu"}]), pod("c", schedulerName="default-scheduler"))
    result = verb(*words, "--doctor")
    assert result.exit_code == 0, result.output
    for part in (
        "ok Kubernetes v1.31.0-fake",
        "you may list nodes",
        "2 nodes, 1 of them takes no pods now",
        "requests devices by",
        "schedulerName loadmaster: 1 wait and can be placed, 1 left out",
        "any scheduler: 2 wait",
        "note 1 left out",
    ):
        assert part in " ".join(result.output.split())
    assert not fake.bound
    assert not fake.leases


def test_the_doctor_names_each_right_that_is_missing(made):
    fake, words, _ = made
    fake.denied |= {("create", "pods/binding"), ("update", "leases"), ("watch", "pods")}
    result = verb(*words, "--doctor", "--json")
    assert result.exit_code == 1
    rows = [row for row in json.loads(result.output)["rows"] if row["what"].startswith("you may not")]
    assert [row["what"] for row in rows if row["level"] == "bad"] == [
        "you may not create pods/binding",
        "you may not update leases in kube-system",
    ]
    assert [row["what"] for row in rows if row["level"] == "note"] == [
        "you may not watch pods: everything is listed in every cycle"
    ]


def test_a_token_that_is_not_accepted_is_told_with_what_to_do_about_it(made):
    fake, words, folder = made
    fake.token = "next"
    told = verb(*words, "--doctor")
    assert told.exit_code == 1
    assert "does not accept these credentials: Unauthorized" in " ".join(told.output.split())
    run = verb(*words, *RULE, "-o", folder / "run")
    for text in (told.output, str(run.exception)):
        assert "its token or certificate is wrong or has expired" in " ".join(text.split())
        assert "--doctor" not in text


def test_the_doctor_asks_for_evictions_where_pods_are_ours(made):
    _, words, _ = made
    told = " ".join(verb(*words, "--doctor", "--preempt", "--namespace", "a,b").output.split())
    assert "create pods/eviction in a, create pods/eviction in b, list poddisruptionbudgets" in told


def test_the_doctor_ends_with_the_rights_where_it_may_not_look(made):
    fake, words, _ = made
    fake.denied.add(("list", "pods"))
    result = verb(*words, "--doctor")
    assert result.exit_code == 1
    assert "you may not list pods" in result.output


def test_a_run_binds_what_waits_and_its_record_is_checked(made):
    fake, words, folder = made
    fake.add(*(pod(f"p{k}", cpu=3, created_s=time.time()) for k in range(3)))
    run = verb(*words, *RULE, "-o", folder / "run", "--json")
    assert run.exit_code == 0, run.output
    assert sorted(fake.bound) == [("default/p0", "n1"), ("default/p1", "n1")]
    assert not fake.wrong
    checked = verb("live", "--check", folder / "run")
    assert checked.exit_code == 0, checked.output
    assert "2 of 2 decided starts identical in the simulator (100 %)" in checked.output


def test_explain_takes_the_name_of_a_pod_and_says_why_one_was_never_decided_on(made):
    fake, words, folder = made
    fake.add(pod("web-1", cpu=2), pod("db-1", resourceClaims=[{"name": "gpu"}]))
    run = verb(*words, "--interval", "0.2s", "--for", "1s", "-o", folder / "run")
    assert run.exit_code == 0, run.output
    for name in ("web-1", "default/web-1"):
        assert "Job default/web-1@uid-web-1 requests 2 cores" in verb("explain", folder / "run", name).output
    for name in ("db-1", "default/db-1"):
        with pytest.raises(
            InputError, match=f"'{name}': the scheduler left it out: requests devices by resourceClaims"
        ):
            CliRunner().invoke(app, ["explain", str(folder / "run"), name], catch_exceptions=False)


def test_a_dry_run_binds_nothing_and_takes_no_lease(made):
    fake, words, folder = made
    fake.add(pod("a", created_s=time.time()))
    run = verb(*words, *RULE, "-o", folder / "run", "--dry-run")
    assert run.exit_code == 0, run.output
    assert not fake.bound
    assert not fake.leases


def test_a_kubeconfig_that_is_not_there_is_an_error_of_one_line(tmp_path):
    result = verb("live", "kubernetes", "--kubeconfig", tmp_path / "nowhere", "--doctor")
    assert isinstance(result.exception, InputError)
    assert "kubeconfig" in str(result.exception)


def test_what_a_run_does_is_printed_while_it_runs_and_not_into_a_json_document(made):
    fake, words, folder = made
    fake.add(
        *(pod(f"p{k}", cpu=1, created_s=time.time() + k) for k in range(4)), pod("db", resourceClaims=[{"name": "x"}])
    )
    run = verb(*words, *RULE, "-o", folder / "run")
    lines = [line.partition("Z ")[2] for line in run.stdout.splitlines() if "Z " in line]
    assert lines[:2] == [
        "left out: default/db: requests devices by resourceClaims",
        "asked to start 4 (default/p0, default/p1, default/p2, ...), refused 0, waiting 0, running 0, left out 1",
    ]
    fake.add(pod("late", created_s=time.time()))
    assert json.loads(verb(*words, *RULE, "-o", folder / "run", "--json").stdout)["starts"] == 1


def test_all_is_compiled_before_the_lease_is_taken(made, monkeypatch):
    fake, words, folder = made
    fake.add(pod("a", created_s=time.time()))
    seen = []

    def compiling(scheduler, first, **more):
        seen.append((list(fake.leases), list(first.ids)))

    monkeypatch.setattr("loadmaster.live.queue.warmup.compile_for", compiling)
    run = verb(*words, *RULE, "-o", folder / "run")
    assert run.exit_code == 0, run.output
    assert seen[0] == ([], ["default/a@uid-a"])
    assert fake.bound == [("default/a", "n1")]


def test_a_standby_is_alive_and_ends_without_the_lease_when_its_time_is_over(made, monkeypatch):
    fake, words, folder = made
    first = KubernetesEngine(Api(words[-1]))
    holder = fake.leases["kube-system/loadmaster"]["spec"]["holderIdentity"]
    fake.leases["kube-system/loadmaster"]["spec"]["holderIdentity"] = "another"
    alive = list[bytes]()

    def asked(_: float) -> None:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=30) as answer:
            alive.append(answer.read())

    (port,) = rk._free_ports(1)
    monkeypatch.setattr("loadmaster.verbs.live_kubernetes.time", SimpleNamespace(time=time.time, sleep=asked))
    run = verb(*words, *RULE, "--standby", "--metrics", port, "-o", folder / "run")
    assert run.exit_code == 0, run.output
    assert set(alive) == {b"ok\n"}
    assert "another loadmaster held the Lease" in run.output
    assert fake.leases["kube-system/loadmaster"]["spec"]["holderIdentity"] == "another" != holder
    first.close()


def test_a_run_ends_in_its_time_while_the_server_is_away(made):
    fake, words, folder = made
    fake.add(pod("a", created_s=time.time()))
    threading.Timer(1.0, lambda: setattr(fake, "starting", True)).start()
    begun_s = time.monotonic()
    run = verb(*words, "--interval", "0.5s", "--for", "4s", "-o", folder / "run")
    assert run.exit_code == 0, run.output
    assert time.monotonic() - begun_s < 30.0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
@pytest.mark.parametrize("standby", [True, False])
def test_a_supervisor_that_ends_a_run_is_told_that_it_ended_well(made, number, code, standby):
    fake, words, folder = made
    if standby:
        KubernetesEngine(Api(words[-1]))
        fake.leases["kube-system/loadmaster"]["spec"]["holderIdentity"] = "another"
    program = [sys.executable, "-m", "loadmaster", *words, "--interval", "1s", "-o", str(folder / "run"), "--policy"]
    more = ["first-fit", *["--standby"] * standby]
    with subprocess.Popen([*program, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        waits_for = "leases/loadmaster" if standby else "/binding"
        fake.add(pod("a", created_s=time.time()))
        fake.asked.clear()
        end = time.monotonic() + 60
        while not any(waits_for in line for line in fake.asked):
            assert time.monotonic() < end
            time.sleep(0.05)
        run.send_signal(number)
        out, err = run.communicate(timeout=60)
    assert run.returncode == code, out + err


def test_a_pod_that_waits_for_what_never_ends_keeps_nobody_from_free_cores(made):
    fake, words, folder = made
    fake.add(pod("agent", cpu=1, owner=("DaemonSet", "agent")), pod("whole", cpu=8, created_s=10.0))
    fake.bind("default/agent", "n1")
    fake.add(*(pod(f"small{k}", created_s=20.0 + k) for k in range(5)))
    run = verb(*words, *RULE, "-o", folder / "run")
    assert run.exit_code == 0, run.output
    assert {name for name, _ in fake.bound[1:]} == {f"default/small{k}" for k in range(5)}
    assert verb("live", "--check", folder / "run").exit_code == 0
    told = verb("explain", folder / "run", "small0").output
    assert "e+" not in told  # what never ends is no figure
    assert verb("report", folder / "run").exit_code == 0


def test_a_pod_that_waits_for_a_deadline_is_not_held_up(made):
    fake, words, folder = made
    fake.add(pod("ends", cpu=1, activeDeadlineSeconds=600), pod("whole", cpu=8, created_s=10.0))
    fake.bind("default/ends", "n1")
    fake.add(pod("long", created_s=20.0), pod("short", created_s=20.0, activeDeadlineSeconds=60))
    run = verb(*words, *RULE, "-o", folder / "run")
    assert run.exit_code == 0, run.output
    assert [name for name, _ in fake.bound[1:]] == ["default/short"]


def test_pods_of_a_higher_priority_class_come_first_unless_another_order_is_asked_for(made):
    fake, words, folder = made
    fake.add(pod("first", cpu=6, created_s=10.0), pod("urgent", cpu=6, created_s=20.0, priority=1000))
    assert verb(*words, *RULE, "--dry-run", "--discipline", "easy", "-o", folder / "easy").exit_code == 0
    assert "default/first@uid-first" in (folder / "easy" / "live.jsonl").read_text().partition('"passes"')[2]
    assert verb(*words, *RULE, "-o", folder / "run").exit_code == 0
    assert fake.bound == [("default/urgent", "n1")]


def test_gangs_are_named_once_by_the_run_and_by_the_doctor(made):
    fake, words, folder = made
    fake.add(*(pod(f"g{k}", labels={"kueue.x-k8s.io/pod-group-name": "train"}) for k in range(2)))
    said = "2 pods refer to a gang (kueue.x-k8s.io/pod-group-name), which is not obeyed"
    assert said in " ".join(verb(*words, "--doctor").output.split())
    run = verb(*words, "--interval", "0.2s", "--for", "1s", "--policy", "first-fit", "-o", folder / "run")
    assert " ".join(run.output.split()).count(said) == 1
    assert len(fake.bound) == 2


def test_a_fallback_is_told_in_figures_and_in_the_exit_code(made):
    fake, words, folder = made
    fake.add(pod("a"))
    (folder / "mine.py").write_text("def broken(demand, after, capacity):\n    return after[0] * float('nan')\n")
    rule = ("--policy", f"{folder / 'mine.py'}:broken", "--interval", "0.2s", "--for", "3s", "--json")
    run = verb(*words, *rule, "-o", folder / "run")
    assert run.exit_code == 1
    figures = json.loads(run.stdout)
    assert (figures["fallbacks"], figures["starts"]) == (1, 1)
    assert "in 1 cycle first-fit decided in its place" in " ".join(run.stderr.split())


def test_starts_are_those_that_the_server_accepted(made):
    fake, words, folder = made
    fake.add(*(pod(f"p{k}") for k in range(3)))
    fake.faults += [("p0/binding", 409, "busy"), ("p1/binding", 500, "a webhook failed")]
    run = verb(*words, "--policy", "first-fit", "--interval", "0.2s", "--for", "2s", "--json", "-o", folder / "run")
    figures = json.loads(run.stdout)
    assert (figures["starts"], figures["foreign"], len(fake.bound)) == (3, 0, 3)
    assert sum(figures["refusals"].values()) == 2
