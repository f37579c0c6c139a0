"""Rules between pods, and volumes: which pods the live scheduler starts where, and what it says of the others."""

import numpy as np
import pytest
from pods_and_nodes import node, pod

from loadmaster.live.kubernetes.observation import KubernetesListings, KubernetesObserver
from loadmaster.live.kubernetes.pod_places import kinds_named
from loadmaster.live.kubernetes.pods import PodScope
from loadmaster.live.queue.ledger import Ledger
from loadmaster.live.queue.listing import applied, change, listing_of
from loadmaster.order import ORDERS
from loadmaster.place import POLICIES
from loadmaster.scheduling import Scheduler, discipline_named

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
HOSTNAME, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
WEB = {"labels": {"app": "web"}}


def term(app="web", key=HOSTNAME, **more):
    return {"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}, **more}


def apart(*terms):
    return {"affinity": {"podAntiAffinity": {REQUIRED: list(terms) or [term()]}}}


def near(*terms):
    return {"affinity": {"podAffinity": {REQUIRED: list(terms) or [term()]}}}


def spread(**more):
    one = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule"} | more
    return {"topologySpreadConstraints": [{"labelSelector": {"matchLabels": {"app": "web"}}} | one]}


def uses(claim="data"):
    return {"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": claim}}]}


def claim(name, volume="", modes=("ReadWriteOnce",), **spec):
    bound = {"volumeName": volume} if volume else {}
    meta = {"namespace": "default", "name": name}
    return {"metadata": meta, "spec": {"accessModes": list(modes), **bound, **spec}}


def volume(name, *hosts, labels=None):
    terms = [{"matchExpressions": [{"key": HOSTNAME, "operator": "In", "values": list(hosts)}]}]
    affinity = {"nodeAffinity": {"required": {"nodeSelectorTerms": terms}}} if hosts else {}
    return {"metadata": {"name": name, "labels": labels or {}}, "spec": affinity}


def nodes(*zones, **more):
    return [node(f"n{k}", labels={ZONE: zone} if zone else {}, **more) for k, zone in enumerate(zones)]


def see(the_nodes, pods, **others):
    return KubernetesObserver(PodScope()).see(KubernetesListings(1000.0, the_nodes, pods, others=others))


def decided(the_nodes, pods, *, policy="first-fit", **others):
    """Where the pods start, by name, and why the others are left out: decided on what a record would hold."""
    seen = see(the_nodes, pods, **others)
    ledger = Ledger(ORDERS["fcfs"], 0.0)
    ledger.see(applied({}, change({}, listing_of(seen))), 1000.0)
    snapshot = ledger.snapshot()
    decision = (
        () if snapshot is None else Scheduler(POLICIES[policy], discipline_named("fcfs+skip")).decide(snapshot).place
    )
    short = [name.partition("@")[0].partition("/")[2] for name in ledger.waiting.ids]
    starts = {short[each.job]: seen.cluster.names[each.hosts[0]] for each in decision}
    return starts, {name.partition("@")[0].partition("/")[2]: why for name, why in seen.left_out}


def test_pods_that_must_be_apart_start_on_nodes_of_their_own_and_the_last_waits():
    pods = [pod(f"web-{k}", created_s=k, **WEB, **apart()) for k in range(3)]
    assert decided(nodes("a", "a"), pods) == ({"web-0": "n0", "web-1": "n1"}, {})


def test_a_running_pod_keeps_pods_away_that_say_nothing_themselves():
    keeper = pod("keeper", nodeName="n0", **apart())
    pods = [keeper, pod("web", **WEB), pod("db", labels={"app": "db"})]
    assert decided(nodes("a", "a"), pods)[0] == {"web": "n1", "db": "n0"}


def test_a_pod_starts_in_the_zone_of_the_pod_that_it_must_be_near():
    pods = [pod("web", nodeName="n2", **WEB), pod("cache", **near(term(key=ZONE)))]
    assert decided(nodes("a", "a", "b", "b"), pods)[0] == {"cache": "n2"}
    assert decided(nodes("a", "b"), pods[1:]) == ({}, {})


def test_a_pod_must_be_near_one_pod_that_all_its_terms_choose():
    both = near(term("web", ZONE), {"topologyKey": ZONE, "labelSelector": {"matchLabels": {"tier": "1"}}})
    pods = [
        pod("web", nodeName="n0", **WEB),
        pod("one", nodeName="n1", labels={"tier": "1"}),
        pod("web-one", nodeName="n2", labels={"app": "web", "tier": "1"}),
        pod("new", **both),
    ]
    assert decided(nodes("a", "b", "c"), pods)[0] == {"new": "n2"}


def test_the_first_pod_of_a_group_that_must_be_together_starts_where_the_label_is():
    pods = [pod(f"web-{k}", created_s=k, cpu=5, **WEB, **near(term(key=ZONE))) for k in range(2)]
    assert decided(nodes("", "a", "b", "a"), pods)[0] == {"web-0": "n1", "web-1": "n3"}


def test_pods_that_must_be_spread_go_round_the_zones():
    pods = [pod(f"web-{k}", created_s=k, **WEB, **spread()) for k in range(4)]
    starts, _ = decided(nodes("a", "b", "", "a"), pods)
    assert sorted(starts.values()) == ["n0", "n0", "n1", "n1"]


def test_a_pod_that_is_being_deleted_does_not_count_for_a_spread():
    goes = pod("old", nodeName="n0", **WEB)
    goes["metadata"]["deletionTimestamp"] = "1970-01-01T00:00:01Z"
    pods = [goes, pod("web-0", nodeName="n0", **WEB), pod("web-1", **WEB, **spread())]
    assert decided(nodes("a", "b"), pods)[0] == {"web-1": "n1"}
    assert decided(nodes("a", "b"), [goes, pod("web-1", **WEB, **spread())])[0] == {"web-1": "n0"}


def test_zones_that_a_pod_may_not_use_do_not_count_for_its_spread():
    pods = [pod("web-0", nodeName="n0", **WEB), pod("web-1", **WEB, **spread(), nodeSelector={ZONE: "a"})]
    assert decided(nodes("a", "b"), pods)[0] == {"web-1": "n0"}


@pytest.mark.parametrize("part", ["containers", "initContainers"])
def test_pods_with_one_port_of_their_host_start_on_different_nodes(part):
    port = {"name": "x", "restartPolicy": "Always", "ports": [{"hostPort": 80}]}
    pods = [pod(f"proxy-{k}", created_s=k) for k in range(2)]
    for each in pods:
        each["spec"][part] = [*each["spec"].get(part, ()), port]
    assert sorted(decided(nodes("a", "a"), pods)[0].values()) == ["n0", "n1"]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (apart(term(namespaceSelector={"matchLabels": {"team": "a"}})), "namespaces are not listed"),
        (spread(labelSelector={"matchLabels": {"app": "db"}}), "its labelSelector leaves out the pod itself"),
        (spread(minDomains=3), "minDomains is 3, and there are 2"),
        (spread(maxSkew="much"), "its topology spread is not served"),
        (uses(), "the claim default/data is not listed"),
    ],
)
def test_what_is_not_served_is_said_with_its_reason(more, why):
    starts, left_out = decided(nodes("a", "b"), [pod("web", **WEB, **more), pod("plain")])
    assert starts == {"plain": "n0"}
    assert why in left_out["web"]


def test_a_selector_of_namespaces_is_served_where_they_are_listed():
    keeper = pod(
        "keeper", nodeName="n0", namespace="far", **apart(term(namespaceSelector={"matchLabels": {"team": "a"}}))
    )
    spaces = [{"metadata": {"name": "default", "labels": {"team": "a"}}}, {"metadata": {"name": "far"}}]
    pods = [keeper, pod("web", **WEB)]
    assert kinds_named(pods) == ["Namespace"]
    assert decided(nodes("a", "a"), pods, Namespace=spaces) == ({"web": "n1"}, {})
    assert "may keep it away" in decided(nodes("a", "a"), pods)[1]["web"]


def test_a_pod_starts_where_its_volume_is():
    items = {"PersistentVolumeClaim": [claim("data", "v")], "PersistentVolume": [volume("v", "n1")]}
    pods = [pod("db", **uses()), pod("plain")]
    assert kinds_named(pods) == ["PersistentVolumeClaim", "PersistentVolume", "StorageClass"]
    assert decided(nodes("a", "a"), pods, **items)[0] == {"db": "n1", "plain": "n0"}
    zonal = [volume("v", labels={ZONE: "b__c"})]
    assert decided(nodes("a", "c"), pods, **(items | {"PersistentVolume": zonal}))[0]["db"] == "n1"


def test_the_claim_of_an_ephemeral_volume_bears_the_names_of_pod_and_volume():
    items = {"PersistentVolumeClaim": [claim("db-tmp", "v")], "PersistentVolume": [volume("v", "n1")]}
    pods = [pod("db", volumes=[{"name": "tmp", "ephemeral": {"volumeClaimTemplate": {}}}])]
    assert decided(nodes("a", "a"), pods, **items)[0] == {"db": "n1"}


def test_pods_that_share_a_volume_of_one_node_start_on_one_node():
    pods = [pod(f"db-{k}", created_s=k, cpu=3, **uses()) for k in range(3)]
    listed = {"PersistentVolume": [volume("v")]}
    one = decided(nodes("a", "a"), pods, PersistentVolumeClaim=[claim("data", "v")], policy="worse-fit-cores", **listed)
    assert one[0] == {"db-0": "n0", "db-1": "n0"}
    many = [claim("data", "v", ["ReadWriteMany"])]
    assert len(decided(nodes("a", "a"), pods, PersistentVolumeClaim=many, **listed)[0]) == 3
    alone = [claim("data", "v", ["ReadWriteOncePod"])]
    assert decided(nodes("a", "a"), pods, PersistentVolumeClaim=alone, **listed)[0] == {"db-0": "n0"}


@pytest.mark.parametrize(
    ("claims", "classes", "why"),
    [
        ([], [], "the claim default/data is not there"),
        ([claim("data")], [], "the claim default/data has no volume yet"),
        ([claim("data", "lost")], [], "the volume lost of the claim default/data is not there"),
        (
            [claim("data", storageClassName="fast")],
            [{"metadata": {"name": "fast"}, "volumeBindingMode": "Immediate"}],
            "the claim default/data has no volume yet",
        ),
    ],
)
def test_a_pod_whose_claim_has_no_volume_is_left_out_with_the_reason(claims, classes, why):
    items = {"PersistentVolumeClaim": claims, "PersistentVolume": [volume("v")], "StorageClass": classes}
    starts, left_out = decided(nodes("a"), [pod("db", **uses())], **items)
    assert starts == {}
    assert why in left_out["db"]


def test_a_record_names_the_groups_of_each_pod_and_changes_only_rows_that_change():
    pods = [pod(f"web-{k}", created_s=k, **WEB, **apart()) for k in range(2)]
    before = listing_of(see(nodes("a", "a"), pods))
    plain = before["rules"]["rules"]
    assert [(kind, groups[1]) for kind, groups, _ in plain] == [("apart", "pods with app=web (namespace default)")]
    after = listing_of(
        see(nodes("a", "a"), [*pods, pod("web-2", created_s=2, **WEB, **apart()), pod("db", created_s=3)])
    )
    changed = change(before, after)
    assert changed.keys() == {"new"}
    assert changed["new"].keys() == {"default/web-2@uid-web-2", "default/db@uid-db"}
    assert changed["new"]["default/db@uid-db"]["groups"] == []
    assert applied(before, changed) == after


def test_rules_that_are_over_leave_the_record():
    before = listing_of(see(nodes("a"), [pod("web", **WEB, **apart())]))
    after = listing_of(see(nodes("a"), [pod("db")]))
    assert change(before, after)["rules"] is None
    assert applied(before, change(before, after)) == after


def test_rows_of_a_cluster_without_rules_name_no_groups():
    listing = listing_of(see(nodes("a"), [pod("a")]))
    assert "rules" not in listing
    assert "groups" not in listing["jobs"]["default/a@uid-a"]


def test_two_topology_keys_with_one_last_part_make_two_rules():
    the_nodes = nodes("a", "b")
    for each, zone in zip(the_nodes, "xx", strict=True):
        each["metadata"]["labels"]["example.org/zone"] = zone
    pods = [
        pod("one", nodeName="n0", **apart(term("db", ZONE))),
        pod("two", nodeName="n0", **apart(term("db", "example.org/zone"))),
    ]
    seen = see(the_nodes, pods)
    assert len({rule.subjects.name for rule in seen.rules}) == 2
    assert len({tuple(rule.level.domain.tolist()) for rule in seen.rules}) == 2
    assert decided(the_nodes, [*pods, pod("db", labels={"app": "db"})]) == ({}, {})
    assert decided(the_nodes, [pods[0], pod("db", labels={"app": "db"})])[0] == {"db": "n1"}


def test_pods_that_rules_look_at_are_not_moved():
    observer = KubernetesObserver(PodScope())
    pods = [pod("keeper", nodeName="n0", **apart()), pod("web", nodeName="n1", **WEB), pod("db", nodeName="n1")]
    observer.see(KubernetesListings(1000.0, nodes("a", "a"), pods))
    assert {name.partition("@")[0] for name in observer.tied} == {"default/keeper", "default/web"}
    assert not np.any([name.startswith("default/db") for name in observer.tied])
