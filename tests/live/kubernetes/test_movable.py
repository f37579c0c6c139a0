"""Which running pods may be evicted, by what they say themselves."""

import pytest
from pods_and_nodes import pod, stamp

from loadmaster.live.kubernetes.movable import why_not_evictable

WEB = ("ReplicaSet", "web")
SAFE = "cluster-autoscaler.kubernetes.io/safe-to-evict"
LOCAL = {"volumes": [{"name": "v", "emptyDir": {}}]}


def runs(**more):
    notes = more.pop("notes", {})
    made = pod("a", **{"nodeName": "n1", "owner": WEB, **more})
    made["metadata"]["annotations"] |= notes
    return made


@pytest.mark.parametrize("kind", ["ReplicaSet", "ReplicationController", "StatefulSet"])
def test_what_its_owner_starts_again_may_move(kind):
    assert why_not_evictable(runs(owner=(kind, "web")), "loadmaster") == ""


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"owner": ("Job", "night")}, "a Job would lose its work"), ({"owner": None}, "nothing would start it again"),
        ({"owner": ("DaemonSet", "logs")}, "a DaemonSet would"), ({"nodeName": None}, "it does not run"),
        ({"schedulerName": "default-scheduler"}, "another scheduler"), (LOCAL, "keeps data on its node"),
        ({"volumes": [{"name": "v", "hostPath": {"path": "/"}}]}, "keeps data"),
        ({"notes": {SAFE: "false"}}, "safe-to-evict: false"),
        ({"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]}, "mounts a persistentVolumeClaim"),
    ],
)  # fmt: skip
def test_what_would_lose_something_stays(more, why):
    assert why in why_not_evictable(runs(**more), "loadmaster")


def test_who_says_that_its_data_may_go_may_move():
    assert why_not_evictable(runs(**LOCAL, notes={SAFE: "true"}), "loadmaster") == ""


def test_what_goes_already_is_left_alone():
    going = runs()
    going["metadata"]["deletionTimestamp"] = stamp(990)
    assert why_not_evictable(going, "loadmaster") == "it does not run"
