"""From listings to an observation: who may go where, and who is left out by name."""

import copy

import pytest
from pods_and_nodes import node, pod, stamp

from loadmaster.live.kubernetes.movable import why_not_evictable
from loadmaster.live.kubernetes.observation import KubernetesListings, KubernetesObserver
from loadmaster.live.kubernetes.pods import PodScope
from loadmaster.live.queue.eligibility import EligibleJobs
from loadmaster.live.session.engine import ENDING, HELD, KEPT_ROOM, RUNNING
from loadmaster.model import InputError
from loadmaster.packing.kubernetes_rules import GANGS


def see(nodes, pods, **more):
    return KubernetesObserver(PodScope(**more)).see(KubernetesListings(1000.0, nodes, pods))


def allowed(seen):
    """By job, the hosts that it may use."""
    from loadmaster.live.queue.listing import listing_of

    listing, waiting = listing_of(seen), EligibleJobs()
    waiting.know(seen.cluster, listing["jobs"], listing)
    names = seen.cluster.names
    if waiting.binding is None:
        return {name: list(names) for name in waiting.ids}
    rows = waiting.binding.entries.allowed
    return {name: [host for host, good in zip(names, rows[k], strict=True) if good] for k, name in enumerate(seen.ids)}


NODES = [
    node("n1", labels={"disk": "ssd"}), node("n2", labels={"disk": "hdd"}), node("n3", labels={"disk": "ssd"}),
    node("n4", labels={"disk": "ssd"}, taints=[{"key": "gpu", "value": "yes", "effect": "NoSchedule"}]),
]  # fmt: skip


def test_selectors_and_taints_come_to_the_hosts_that_a_scheduler_may_use():
    pods = [
        pod("any", tolerations=[{"operator": "Exists"}]),
        pod("plain"),
        pod("ssd", nodeSelector={"disk": "ssd"}),
        pod("one", nodeSelector={"kubernetes.io/hostname": "n3"}),
        pod("gpu", nodeSelector={"disk": "ssd"}, tolerations=[{"key": "gpu", "operator": "Exists"}]),
    ]
    found = {name.partition("@")[0]: hosts for name, hosts in allowed(see(NODES, pods)).items()}
    assert found == {
        "default/any": ["n1", "n2", "n3", "n4"],
        "default/plain": ["n1", "n2", "n3"],
        "default/ssd": ["n1", "n3"],
        "default/one": ["n3"],
        "default/gpu": ["n1", "n3", "n4"],
    }


@pytest.mark.parametrize(("everyone", "good"), [(True, ["n1", "n3"]), (False, ["n1", "n2", "n3", "n4"])])
def test_where_a_bound_pod_of_another_scheduler_may_go_is_known_to_a_shadow(everyone, good):
    """Its own queue places that pod anew; to a live run it is only there."""
    item = pod("ssd", nodeSelector={"disk": "ssd"}, schedulerName="default-scheduler", nodeName="n3")
    assert allowed(see(NODES, [item], everyone=everyone)) == {"default/ssd@uid-ssd": good}


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"volumes": [{"name": "v", "csi": None, "iscsi": {"iqn": "data"}}]}, "a volume of the kind iscsi"),
        ({"resourceClaims": [{"name": "gpu"}]}, "resourceClaims"),
        ({"asks": {"fpga.example/x": 1}}, "fpga.example/x, which no node has"),
        ({"nodeSelector": {"disk": "tape"}}, "no node has"),
    ],
)  # fmt: skip
def test_what_the_model_has_no_words_for_is_left_out_by_name(more, why):
    seen = see(NODES, [pod("a", **more), pod("b")])
    assert seen.ids == ("default/b@uid-b",)
    ((name, reason),) = seen.left_out
    assert name == "default/a@uid-a"
    assert why in reason


def test_wishes_leave_nobody_out():
    soft = {"topologySpreadConstraints": [{"topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}]}
    assert len(see(NODES, [pod("a", **soft)]).ids) == 1


def test_only_our_pods_wait_for_us_and_all_hold_their_nodes():
    pods = [pod("mine"), pod("theirs", schedulerName="default-scheduler"), pod("far", namespace="far")]
    pods.append(pod("runs", schedulerName="default-scheduler", namespace="far", nodeName="n1"))
    names = {name.partition("@")[0] for name in see(NODES, pods, namespaces=("default",)).ids}
    assert names == {"default/mine", "far/runs"}
    assert len(see(NODES, pods, everyone=True).ids) == 4


def test_a_node_that_takes_no_pods_is_not_up_and_is_there():
    nodes = [
        node("n1"),
        node("n2", ready=False),
        node("n3", cordoned=True),
        node("n4", taints=[{"key": "node.kubernetes.io/memory-pressure", "effect": "NoSchedule"}]),
    ]
    assert see(nodes, []).up.tolist() == [True, False, False, False]


def test_gates_hold_a_pod_and_a_pod_that_goes_still_holds_its_node():
    gated = pod("gated", schedulingGates=[{"name": "later"}])
    goes, never = pod("goes", nodeName="n1"), pod("never")
    for each in (goes, never):
        each["metadata"]["deletionTimestamp"] = stamp(990)
    seen = see(NODES, [gated, goes, never])
    assert dict(zip(seen.ids, seen.tasks.state.tolist(), strict=True)) == {
        "default/gated@uid-gated": HELD,
        "default/goes@uid-goes": ENDING,
    }
    assert seen.jobs.constraints.hold.tolist() == [1, 0]


def test_an_end_is_told_once():
    done, failed = pod("done", nodeName="n1"), pod("failed", nodeName="n1")
    ends = [{"state": {"terminated": {"finishedAt": stamp(900)}}}]
    done["status"] = {"phase": "Succeeded", "containerStatuses": ends}
    failed["status"] = {"phase": "Failed", "reason": "Evicted"}
    observer = KubernetesObserver(PodScope())
    first = observer.see(KubernetesListings(1000.0, NODES, [done, failed]))
    assert [(over.id, over.end_s, over.status) for over in first.over] == [
        ("default/done@uid-done", 900.0, "ok"),
        ("default/failed@uid-failed", 1000.0, "preempted"),
    ]
    assert not first.ids
    assert observer.see(KubernetesListings(1010.0, NODES, [done, failed])).over == ()


def test_a_pod_or_node_that_cannot_be_read_is_left_out_by_name_and_the_rest_goes_on():
    """One pod that requests 8Ei ended a live run."""
    odd = pod("odd", nodeName="n1")
    odd["spec"]["containers"] = [{"name": "c", "resources": {"requests": {"cpu": "often"}}}]
    done = pod("done", nodeName="n2")
    done["status"] = {"phase": "Succeeded"}
    newborn = node("new")
    del newborn["status"]["allocatable"]
    seen = see([*NODES, node("n9", cpu="many"), newborn], [pod("plain"), odd, done])
    assert (seen.cluster.names, seen.up.tolist()) == (("n1", "n2", "n3", "n4"), [False, True, True, True])
    assert (seen.ids, len(seen.over)) == (("default/plain@uid-plain",), 1)
    assert dict(seen.left_out) == {
        "n9": "this node cannot be read: many is no quantity",
        "new": "this node has no processors for pods yet",
        "default/odd": "this pod cannot be read: often is no quantity",
    }
    huge = pod("huge")
    huge["spec"]["containers"] = [{"name": "c", "resources": {"requests": {"memory": str(2**63 - 1)}}}]
    assert "default/huge@uid-huge" in see(NODES, [huge]).ids


ODD = (None, 0, -1, "x", str(2**63 - 1), [], {}, [None], {"a": None}, 10**400, "left away")


def paths(item, path=()):
    """Where the parts of an object are."""
    inside = item.items() if isinstance(item, dict) else enumerate(item) if isinstance(item, list) else ()
    for key, part in inside:
        yield (*path, key)
        yield from paths(part, (*path, key))


def spoiled(item, path, value):
    item = part = copy.deepcopy(item)
    for key in path[:-1]:
        part = part[key]
    if value == "left away":
        del part[path[-1]]
    else:
        part[path[-1]] = value
    return item


def rich_pod(name, **more):
    """A pod that says something in every part that is read."""
    term = {"labelSelector": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}}
    away = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}} if "nodeName" in more else {}
    near = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}
    near = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [near]}}}
    found = pod(
        name,
        affinity=near | away,
        activeDeadlineSeconds=60,
        priority=3,
        owner=("ReplicaSet", "web"),
        nodeSelector={"disk": "ssd"},
        overhead={"cpu": "1"},
        tolerations=[{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}],
        volumes=[{"emptyDir": {}}],
        initContainers=[{"name": "i", "resources": {"requests": {"cpu": "1"}}, "restartPolicy": "Always"}],
        topologySpreadConstraints=[{"topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}],
        **more,
    )
    bound = {"type": "PodScheduled", "status": "True", "lastTransitionTime": stamp(900)}
    allocated = [{"name": "c", "allocatedResources": {"cpu": "1"}}]
    found["status"] = {"phase": "Running", "conditions": [bound], "containerStatuses": allocated}
    return found


@pytest.mark.parametrize("value", ODD, ids=str)
def test_whatever_one_object_says_the_pods_of_others_are_placed(value):
    """Every part of a node and of pods that wait, run and have ended, replaced by something odd."""
    ended = rich_pod("ended", nodeName="n1")
    ended["status"]["phase"] = "Succeeded"
    ended["status"]["containerStatuses"][0]["state"] = {"terminated": {"finishedAt": stamp(900)}}
    spare = node("spare", labels={"disk": "ssd"}, taints=[{"key": "k", "value": "v", "effect": "NoExecute"}])
    for odd in (spare, rich_pod("waits"), rich_pod("runs", nodeName="n1"), ended):
        for path in paths(odd):
            item = spoiled(odd, path, value)
            nodes, pods = [node("n1"), node("n2")], [pod("plain", namespace="theirs")]
            (nodes if odd is spare else pods).append(item)
            seen = see(nodes, pods)
            assert "theirs/plain@uid-plain" in seen.ids, path
            assert seen.up[list(seen.cluster.names).index("n2")], path


def test_a_listing_without_a_node_that_can_be_read_is_an_error_of_one_line():
    with pytest.raises(InputError, match=r"n1: this node cannot be read.*there is none"):
        see([node("n1", cpu="many")], [])
    with pytest.raises(InputError, match="there is none"):
        see([], [])


def test_room_that_another_scheduler_has_made_for_its_pod_is_taken():
    waits = pod("urgent", cpu=6, schedulerName="default-scheduler")
    waits["status"]["nominatedNodeName"] = "n1"
    ours = pod("ours", cpu=6)
    ours["status"]["nominatedNodeName"] = "n2"
    runs = pod("victim", cpu=5, schedulerName="default-scheduler", nodeName="n1")
    nodes = [node("n1"), node("n2")]
    seen = see(nodes, [waits, ours, runs])
    room = seen.ids.index(next(name for name in seen.ids if name.startswith(KEPT_ROOM)))
    assert (seen.tasks.state[room], seen.tasks.host[room]) == (RUNNING, 0)
    assert seen.jobs.demand[room, 0] == 3.0  # of six cores, what its victim has left
    assert see(nodes, [waits, ours]).jobs.demand[:, 0].tolist() == [6.0, 6.0]
    assert not any(name.startswith(KEPT_ROOM) for name in see(nodes, [waits, ours], everyone=True).ids)
    waits["spec"]["nodeName"] = "n1"
    assert not any(name.startswith(KEPT_ROOM) for name in see(nodes, [waits, ours]).ids)


def test_a_resized_pod_and_its_sidecar_hold_the_larger_of_asked_and_allocated():
    asks = {"resources": {"requests": {"cpu": "1"}}}
    sidecar = {"name": "s", "restartPolicy": "Always", **asks}
    resized = pod("r", cpu=1, initContainers=[sidecar, {"name": "once", **asks}], nodeName="n1")
    resized["status"] = {
        "containerStatuses": [{"name": "c", "allocatedResources": {"cpu": "3"}}],
        "initContainerStatuses": [
            {"name": "s", "resources": {"requests": {"cpu": "2"}}},
            {"name": "once", "allocatedResources": {"cpu": "9"}},
        ],
    }
    assert see([node("n1")], [resized]).jobs.demand[0, 0] == 5.0
    whole = pod("w", cpu=1, resources={"requests": {"cpu": "2"}}, nodeName="n1")
    whole["status"] = {"allocatedResources": {"cpu": "4"}}
    assert see([node("n1")], [whole]).jobs.demand[0, 0] == 4.0


@pytest.mark.parametrize("where", ["labels", "annotations"])
@pytest.mark.parametrize("key", GANGS)
def test_a_pod_of_a_gang_is_placed_and_its_gang_named(key, where):
    member, other = pod("member"), pod("other", schedulerName="default-scheduler")
    for each in (member, other):
        each["metadata"].setdefault(where, {})[key] = "train"
    observer = KubernetesObserver(PodScope())
    assert observer.see(KubernetesListings(1000.0, [node("n1")], [member, other])).ids == ("default/member@uid-member",)
    assert observer.gangs == {key: 1}
    member["spec"]["nodeName"] = "n1"
    member["metadata"]["ownerReferences"] = [{"kind": "ReplicaSet", "name": "web", "controller": True}]
    assert why_not_evictable(member, "loadmaster") == f"it starts together with others ({key})"
