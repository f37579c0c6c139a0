"""Rules between pods, volumes and reasons on a real API server, with the rights that the guide gives."""

import subprocess
import sys

import pytest
import real_kubernetes as rk
from pods_and_nodes import node, pod
from real_cluster import add, host_of, until, verb
from test_pod_places import WEB, ZONE, apart, near, spread, term, uses

pytestmark = pytest.mark.skipif(bool(rk.why_not()), reason=rk.why_not() or "there is one")


@pytest.fixture(scope="module")
def real():
    with rk.real_kubernetes(scheduler=False) as server:
        yield server


def with_volume(real, claim, volume, host):
    """A claim of that name and its volume, which only one node can mount."""
    terms = [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [host]}]}]
    both = {"accessModes": ["ReadWriteOnce"], "storageClassName": "local"}
    volume_spec = {"capacity": {"storage": "1Gi"}, "local": {"path": "/data"}, **both}
    volume_spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
    real.ask("POST", "/api/v1/persistentvolumes", {"metadata": {"name": volume}, "spec": volume_spec})
    claim_spec = {"resources": {"requests": {"storage": "1Gi"}}, "volumeName": volume, **both}
    path = "/api/v1/namespaces/default/persistentvolumeclaims"
    real.ask("POST", path, {"metadata": {"name": claim}, "spec": claim_spec})


def test_pods_with_rules_and_volumes_start_where_these_allow_and_the_others_say_why_they_wait(real, tmp_path):
    add(real, *(node(f"n{k}", labels={ZONE: f"z{k % 2}"}) for k in range(4)))
    with_volume(real, "data", "v", "n3")
    add(real, *(pod(f"web-{k}", **WEB, **apart(), **spread()) for k in range(5)))
    add(real, pod("cache", **near(term(key=ZONE))), pod("db", **uses()), pod("lost", **uses("none")))
    port = [{"containerPort": 80, "hostPort": 80}]
    for k in range(2):
        proxy = pod(f"proxy-{k}")
        proxy["spec"]["containers"][0]["ports"] = port
        add(real, proxy)
    folder = tmp_path / "run"
    options = ["--kubeconfig", real.config(), "--interval", "1s", "--for", "12s", "--policy", "first-fit", "-o", folder]
    result = verb("live", "kubernetes", *options)
    assert result.exit_code == 0, result.output
    hosts = {f"web-{k}": host_of(real, f"web-{k}") for k in range(5)}
    waits = [name for name, host in hosts.items() if not host]
    assert len(waits) == 1
    assert sorted(host for host in hosts.values() if host) == ["n0", "n1", "n2", "n3"]
    assert host_of(real, "db") == "n3"
    assert host_of(real, "cache")
    assert len({host_of(real, f"proxy-{k}") for k in range(2)} - {""}) == 2
    shown = subprocess.run(
        [rk.HOME / "bin" / "kubectl", "--kubeconfig", real.config("admin"), "describe", "pod", waits[0], "lost"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "0/4 nodes are available: must be apart from pods with app=web (namespace default)" in shown
    assert "the claim default/none is not there" in shown
    assert shown.count("FailedScheduling") == 2
    conditions = real.ask("GET", f"/api/v1/namespaces/default/pods/{waits[0]}").body["status"]["conditions"]
    assert [(each["type"], each["status"], each["reason"]) for each in conditions] == [
        ("PodScheduled", "False", "Unschedulable")
    ]
    bound = real.ask("GET", "/api/v1/namespaces/default/pods/db").body["status"]["conditions"]
    assert [(each["type"], each["status"]) for each in bound] == [("PodScheduled", "True")]
    assert verb("live", "--check", folder).exit_code == 0


def test_the_doctor_finds_every_right_that_the_guide_gives(real):
    result = verb("live", "kubernetes", "--doctor", "--kubeconfig", real.config())
    assert "you may not" not in result.output
    assert "patch pods/status" in result.output


CLAIMS, VOLUMES = "/api/v1/namespaces/default/persistentvolumeclaims", "/api/v1/persistentvolumes"
ALLOWED = [{"matchLabelExpressions": [{"key": ZONE, "values": ["z1"]}]}]


def provision(real, name):
    """Make the volume of a claim on the node that was chosen for it, as an external provisioner does; the node."""
    path, found = f"{CLAIMS}/{name}", []
    until(lambda: found or found.extend(_chosen(real.ask("GET", path).body)))
    meta = real.ask("GET", path).body["metadata"]
    terms = [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": found}]}]
    refers = {key: meta[key] for key in ("namespace", "name", "uid")} | {"kind": "PersistentVolumeClaim"}
    real.ask("POST", VOLUMES, {"metadata": {"name": f"pv-{name}"}, "spec": storage(terms, "made", claimRef=refers)})
    return found[0]


def _chosen(item):
    return filter(None, [(item["metadata"].get("annotations") or {}).get("volume.kubernetes.io/selected-node")])


def storage(terms, kind, **more):
    spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": kind, **more}
    return spec | {"local": {"path": "/data"}, "nodeAffinity": {"required": {"nodeSelectorTerms": terms}}}


@pytest.mark.skipif(bool(rk.why_not(rk.MANAGER)), reason=rk.why_not(rk.MANAGER) or "there is one")
def test_a_volume_that_waits_for_its_first_pod_is_made_or_taken_where_that_pod_then_starts(tmp_path):
    with rk.real_kubernetes(scheduler=False, controllers=["persistentvolume-binder"]) as real:
        add(real, *(node(f"n{k}", labels={ZONE: f"z{k % 2}"}) for k in range(4)))
        for name, provisioner, more in (
            ("made", "disks.example.org", {"allowedTopologies": ALLOWED}),
            ("local", "kubernetes.io/no-provisioner", {}),
        ):
            kind = {"metadata": {"name": name}, "provisioner": provisioner, "volumeBindingMode": "WaitForFirstConsumer"}
            real.ask("POST", "/apis/storage.k8s.io/v1/storageclasses", kind | more)
            claims = [name, f"{name}-2"] if name == "local" else [name]
            for claim in claims:
                spec = {"storageClassName": name, "accessModes": ["ReadWriteOnce"]}
                asks = {"resources": {"requests": {"storage": "1Gi"}}}
                real.ask("POST", CLAIMS, {"metadata": {"name": claim}, "spec": spec | asks})
        terms = [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["n2"]}]}]
        real.ask("POST", VOLUMES, {"metadata": {"name": "v"}, "spec": storage(terms, "local")})
        add(real, pod("a", **uses("made")), pod("b", **uses("local")))
        command = [sys.executable, "-m", "loadmaster", "live", "kubernetes", "--kubeconfig", real.config()]
        options = ["--interval", "1s", "--policy", "first-fit", "-o", tmp_path / "run"]
        with subprocess.Popen([*map(str, [*command, *options])], stdout=subprocess.DEVNULL) as run:
            try:
                node_of_a = provision(real, "made")
                until(lambda: host_of(real, "a") and host_of(real, "b"))
                add(real, pod("c", **uses("local-2")))
                path = "/api/v1/namespaces/default/pods/c"
                until(lambda: real.ask("GET", path).body["status"].get("conditions"))
            finally:
                run.terminate()
        assert node_of_a == "n1"
        assert (host_of(real, "a"), host_of(real, "b"), host_of(real, "c")) == ("n1", "n2", "")
        for name in ("made", "local"):
            assert real.ask("GET", f"{CLAIMS}/{name}").body["status"]["phase"] == "Bound"
        why = real.ask("GET", path).body["status"]["conditions"][0]["message"]
        assert "no node has or can get a volume of the class local for the claim default/local-2" in why
    assert verb("live", "--check", tmp_path / "run").exit_code == 0
