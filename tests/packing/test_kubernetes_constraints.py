"""Kubernetes' rules as constraint objects: each says of a pod and a node whether it may be there, and why not."""

import json

import pytest
from kubernetes_items import REQUIRED, apart, budget, near, node, pod, spread

from loadmaster.packing.constrained.placement import CountedPlacement
from loadmaster.packing.kubernetes_problem import read_kubernetes_problem


def state_of(tmp_path, *items):
    path = tmp_path / "state.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(items)}))
    return read_kubernetes_problem(path)


def reasons(kubernetes, task, host):
    problem = kubernetes.problem
    placement = CountedPlacement(problem)
    return placement.why_not(problem.task_names.index(f"web/{task}"), problem.host_names.index(host))


GPU = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
IN_A = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]}


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"nodeSelector": {"disk": "ssd"}}, "needs node selector disk=ssd, which n2 does not match"),
        ({"affinity": {"nodeAffinity": {REQUIRED: IN_A}}}, "needs node affinity zone In (a), which n2 does not match"),
        (near("db"), "needs a task of pods with app=db (namespace web) in the hostname of n2"),
        (
            apart("web"),
            "must be apart from pods with app=web (namespace web), which has a task in the same hostname as n2",
        ),
        ({"resourceClaims": [{"name": "d"}]}, "needs what no plan models (resource claim)"),
        ({"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "d"}}]}, "what no plan models (volume)"),
        (spread("web"), "pods with app=web (namespace web) would differ by 2 between domains of zone; at most 1"),
    ],
)
def test_a_pod_that_waits_is_told_which_rule_keeps_it_from_a_node(tmp_path, spec, words):
    nodes = [node("n1", labels={"disk": "ssd", "zone": "a"}), node("n2", labels={"zone": "b"})]
    others = [pod("db", "n1", "500m", "db"), pod("w", "n2", "500m", "web")]
    kubernetes = state_of(tmp_path, *nodes, *others, pod("new", "", "1", "web", **spec))
    (reason,) = reasons(kubernetes, "new", "n2")
    assert words in reason
    assert bool(reasons(kubernetes, "new", "n1")) == ("no plan models" in words)


def test_taints_keep_pods_out_that_do_not_tolerate_them(tmp_path):
    tolerant = pod("t", "", tolerations=[{"key": "gpu", "operator": "Exists"}])
    kubernetes = state_of(tmp_path, node("n1"), node("n2", taints=[GPU]), pod("a", "n1"), tolerant)
    assert reasons(kubernetes, "a", "n2") == (
        "web/a needs a node without the taint gpu=yes:NoSchedule, which n2 does not match",
    )
    assert reasons(kubernetes, "t", "n2") == ()


def test_the_port_of_a_host_is_used_once(tmp_path):
    ports = {"containers": [{"name": "c", "ports": [{"hostPort": 80}], "resources": {}}]}
    kubernetes = state_of(tmp_path, node("n1"), node("n2"), pod("a", "n1", **ports), pod("b", "", **ports))
    assert "pods with port 80/TCP of their host" in reasons(kubernetes, "b", "n1")[0]
    assert reasons(kubernetes, "b", "n2") == ()


def test_a_cordoned_node_takes_no_pod_but_its_pods_may_leave(tmp_path):
    kubernetes = state_of(tmp_path, node("n1"), node("n2", closed=True), pod("a", "n2"), pod("b", "n1"))
    assert reasons(kubernetes, "b", "n2") == ("web/b needs a node that is not cordoned, which n2 does not match",)
    assert reasons(kubernetes, "a", "n1") == ()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"kind": ""}, "it has no owner that would start it again"),
        ({"kind": "DaemonSet"}, "it belongs to its node"),
        ({"kind": "Job"}, "a Job would lose its work"),
        (
            {"annotations": {"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}},
            "it says cluster-autoscaler.kubernetes.io/safe-to-evict: false",
        ),
        ({"volumes": [{"name": "d", "emptyDir": {}}]}, "it keeps data on its node (emptyDir)"),
    ],
)
def test_a_pod_that_must_not_be_evicted_stays(tmp_path, more, words):
    kubernetes = state_of(tmp_path, node("n1"), node("n2"), pod("a", "n1", **more))
    assert words in reasons(kubernetes, "a", "n2")[0]


def test_local_data_go_with_the_pod_where_it_says_so(tmp_path):
    safe = {"cluster-autoscaler.kubernetes.io/safe-to-evict": "true"}
    moving = pod("a", "n1", annotations=safe, volumes=[{"name": "d", "emptyDir": {}}])
    assert reasons(state_of(tmp_path, node("n1"), node("n2"), moving), "a", "n2") == ()


@pytest.mark.parametrize(
    ("limits", "may_move"),
    [
        ({"minAvailable": 2}, False), ({"minAvailable": 1}, True), ({"minAvailable": "51%"}, False),
        ({"maxUnavailable": 0}, False), ({"maxUnavailable": "1%"}, True), ({"maxUnavailable": 1}, True),
    ],
)  # fmt: skip
def test_a_disruption_budget_is_kept(tmp_path, limits, may_move):
    pods = [pod("a", "n1", "1", "web"), pod("b", "n1", "1", "web"), pod("c", "n1", "1", "other")]
    kubernetes = state_of(tmp_path, node("n1"), node("n2"), *pods, budget("web", **limits))
    assert reasons(kubernetes, "a", "n2") == (
        () if may_move else ("web/a may not move: the disruption budget b allows no eviction now",)
    )
    assert reasons(kubernetes, "c", "n2") == ()


def test_what_the_status_of_a_budget_says_goes_before_its_limits(tmp_path):
    full = budget("web", minAvailable=0) | {"status": {"disruptionsAllowed": 0}}
    kubernetes = state_of(tmp_path, node("n1"), node("n2"), pod("a", "n1", "1", "web"), full)
    assert "allows no eviction" in reasons(kubernetes, "a", "n2")[0]


def test_no_pod_moves_that_two_budgets_choose(tmp_path):
    both = [budget("web", "x", maxUnavailable=1), budget("web", "y", maxUnavailable=1)]
    kubernetes = state_of(tmp_path, node("n1"), node("n2"), pod("a", "n1", "1", "web"), *both)
    assert reasons(kubernetes, "a", "n2") == ("web/a may not move: 2 disruption budgets choose it",)


def claim(name, volume, local="", modes=("ReadWriteOnce",)):
    meta = {"name": name, "namespace": "web"}
    term = {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": [local]}]}
    affinity = {"nodeAffinity": {"required": {"nodeSelectorTerms": [term]}}} if local else {}
    spec = {"accessModes": list(modes), **affinity}
    return [
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta, "spec": {"volumeName": volume}},
        {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": volume}, "spec": spec},
    ]


def test_a_volume_that_is_listed_leaves_its_nodes_to_the_pod(tmp_path):
    uses = {"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "d"}}]}
    items = [node("n1"), node("n2"), pod("a", "n1", **uses)]
    assert reasons(state_of(tmp_path, *items, *claim("d", "v", "n1")), "a", "n2") == (
        "web/a needs the nodes of its volume, which n2 does not match",
    )
    assert reasons(state_of(tmp_path, *items, *claim("d", "v")), "a", "n2") == ()
    shared = [*items, pod("b", "n1", **uses)]
    shared_by_two = reasons(state_of(tmp_path, *shared, *claim("d", "v")), "a", "n2")
    assert shared_by_two == ("web/a needs a task of pods with the claim web/d in the host of n2",)
    free = claim("d", "v", modes=["ReadWriteMany"])
    assert reasons(state_of(tmp_path, *shared, *free), "a", "n2") == ()


def test_namespaces_and_expressions_of_a_selector_are_obeyed(tmp_path):
    far = apart("db")["affinity"]["podAntiAffinity"][REQUIRED][0]
    elsewhere = {"affinity": {"podAntiAffinity": {REQUIRED: [far | {"namespaces": ["other"]}]}}}
    everywhere = {"affinity": {"podAntiAffinity": {REQUIRED: [far | {"namespaceSelector": {}}]}}}
    unlisted = {"namespaceSelector": {"matchLabels": {"team": "a"}}}
    unknown = {"affinity": {"podAntiAffinity": {REQUIRED: [far | unlisted]}}}
    db = pod("db", "n1", "1", "db")
    db["metadata"]["namespace"] = "other"
    waits = [pod("own", "", **apart("db")), pod("named", "", **elsewhere), pod("every", "", **everywhere)]
    kubernetes = state_of(tmp_path, node("n1"), db, *waits, pod("unknown", "", **unknown))
    assert [bool(reasons(kubernetes, name, "n1")) for name in ("own", "named", "every")] == [False, True, True]
    assert "no plan models (pod anti-affinity)" in reasons(kubernetes, "unknown", "n1")[0]


def test_every_rule_is_named_with_the_pods_that_it_concerns(tmp_path):
    soft = {"affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{}]}}}
    items = [node("n1"), pod("a", "n1", "1", **soft), pod("b", "n1", "1", "web", **apart("web"))]
    kubernetes = state_of(tmp_path, *items, pod("c", "n1", "1", resourceClaims=[{"name": "d"}]))
    assert [tuple(each) for each in kubernetes.rules] == [
        ("pod anti-affinity", 1, True),
        ("resource claim", 1, False),
        ("preferred node affinity", 1, False),
    ]
    notes = " ".join(kubernetes.notes)
    for words in ("Rules kept", "pod anti-affinity (1)", "no plan models", "resource claim (1)", "preferred node aff"):
        assert words in notes


def test_nodes_that_list_neither_pods_nor_storage_keep_the_rules_too(tmp_path):
    nodes = [node("n1"), node("n2", taints=[GPU])]
    for each in nodes:
        each["status"]["allocatable"] = {"cpu": "4", "memory": "16Gi"}
    kubernetes = state_of(tmp_path, *nodes, pod("a", "n1"))
    assert "without the taint" in reasons(kubernetes, "a", "n2")[0]
    assert [tuple(each) for each in kubernetes.rules] == [("taint", 1, True)]
