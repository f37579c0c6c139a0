"""Claims whose volume waits for its first pod: which nodes can give one, and how pod and volume come together."""

import pytest
from fake_kubernetes import FakeKubernetes, serving
from pods_and_nodes import node, pod
from test_pod_places import ZONE, claim, decided, nodes, uses, volume

from loadmaster.live.kubernetes.api import Api
from loadmaster.live.kubernetes.engine import KubernetesEngine
from loadmaster.live.kubernetes.new_volumes import CHOSEN
from loadmaster.live.session.engine import HELD, RUNNING
from loadmaster.model.actions import Start

CLAIMS, VOLUMES, CLASSES = "persistentvolumeclaims", "persistentvolumes", "storageclasses"


def storage_class(provisioner="disks.example.org", *terms):
    topologies = [{"matchLabelExpressions": [{"key": ZONE, "values": list(zones)}]} for zones in terms]
    meta = {"name": "later"}
    more = {"allowedTopologies": topologies} if topologies else {}
    return {"metadata": meta, "provisioner": provisioner, "volumeBindingMode": "WaitForFirstConsumer", **more}


def new_claim(name="data", storage="2Gi", **spec):
    made = claim(name, storageClassName="later", resources={"requests": {"storage": storage}}, **spec)
    made["metadata"] |= {"uid": f"uid-{name}", "resourceVersion": "1"}
    return made


def made_volume(name, *hosts, storage="2Gi", phase="Available", **spec):
    made = volume(name, *hosts, labels=spec.pop("labels", None))
    has = {"accessModes": ["ReadWriteOnce"], "storageClassName": "later", "capacity": {"storage": storage}}
    made["spec"] |= has | spec
    made["metadata"]["resourceVersion"] = "1"
    return made | {"status": {"phase": phase}}


def start_of(*volumes, kind=None, the_claim=None, zones="aabb"):
    """The node of a pod with one new claim, or why it is left out."""
    items = {"PersistentVolumeClaim": [the_claim or new_claim()], "PersistentVolume": list(volumes)}
    starts, left_out = decided(nodes(*zones), [pod("db", **uses())], StorageClass=[kind or storage_class()], **items)
    return starts.get("db") or left_out.get("db")


def test_a_class_makes_volumes_on_the_nodes_of_its_topology():
    assert start_of() == "n0"
    assert start_of(kind=storage_class("disks.example.org", "b")) == "n2"
    assert start_of(kind=storage_class("disks.example.org", "z", "ab")) == "n0"
    why = "no node has or can get a volume of the class later for the claim default/data"
    assert start_of(kind=storage_class("disks.example.org", "z")) == why


def test_a_node_that_was_chosen_for_the_claim_is_the_only_one():
    one = new_claim()
    one["metadata"]["annotations"] = {CHOSEN: "n3"}
    assert start_of(the_claim=one) == "n3"
    one["metadata"]["annotations"] = {CHOSEN: "lost"}
    assert start_of(the_claim=one) == "the claim default/data gets its volume on lost, which is not there"


NONE = storage_class("kubernetes.io/no-provisioner")


@pytest.mark.parametrize(
    "other",
    [
        {"storage": "1Gi"},
        {"storageClassName": "now"},
        {"accessModes": ["ReadOnlyMany"]},
        {"volumeMode": "Block"},
        {"phase": "Released"},
        {"claimRef": {"namespace": "default", "name": "other"}},
        {"labels": {"disk": "slow"}},
    ],
)
def test_a_volume_that_was_made_before_is_taken_only_if_it_is_what_the_claim_asks_for(other):
    labels = {"labels": {"disk": "fast"}}
    asks = new_claim(selector={"matchLabels": {"disk": "fast"}})
    good = made_volume("good", "n2", **labels)
    bad = made_volume("bad", "n1", **(labels | other))
    assert start_of(bad, good, kind=NONE, the_claim=asks) == "n2"
    assert start_of(bad, kind=NONE, the_claim=asks).startswith("no node has or can get a volume")


def test_a_volume_that_is_kept_for_the_claim_is_its_volume():
    kept = made_volume("kept", "n2", claimRef={"namespace": "default", "name": "data"})
    assert start_of(made_volume("v", "n1"), kept, kind=NONE) == "n2"
    kept["spec"]["claimRef"]["uid"] = "of a claim that was there before"
    assert start_of(made_volume("v", "n1"), kept, kind=NONE) == "n1"


class World:
    def __init__(self, fake, api):
        self.fake, self.now_s = fake, 1000.0
        self.engine = KubernetesEngine(api, now_s=lambda: self.now_s)

    def __setitem__(self, kind, items):
        self.fake.others[kind] = items

    def look(self):
        """State and node of each pod, as the next observation has them."""
        self.now_s += 1
        seen = self.engine.observe()
        states = zip(seen.ids, seen.tasks.state.tolist(), seen.tasks.host.tolist(), strict=True)
        return {name.partition("@")[0].partition("/")[2]: (state, host) for name, state, host in states}

    def start(self, name, host):
        return self.engine.act(Start(f"default/{name}@uid-{name}", (host,)))


@pytest.fixture(params=[False, True], ids=["polling", "watching"])
def world(tmp_path, request):
    fake = FakeKubernetes(lambda: 1000.0, watches=request.param)
    fake.add(node("n0"), node("n1"), pod("db", **uses()))
    fake.others = {CLAIMS: [new_claim()], VOLUMES: [], CLASSES: [storage_class()]}
    with serving(fake, tmp_path) as config:
        made = World(fake, Api(config))
        yield made
        made.engine.close()


def changed(world, kind, item, **spec):
    item["spec"].update(spec)
    world.fake.tell(kind, "MODIFIED", item)


def settled(world, wanted):
    """Look until the watches have told it."""
    for _ in range(200):
        if (seen := world.look()) == wanted:
            return seen
    return seen


def test_the_pod_is_bound_once_the_provisioner_has_made_the_volume_on_the_node_that_was_chosen(world):
    assert world.look() == {"db": (HELD, -1)}
    assert world.start("db", "n1") is None
    (asked,) = world.fake.others[CLAIMS]
    assert asked["metadata"]["annotations"] == {CHOSEN: "n1"}
    assert settled(world, {"db": (RUNNING, 1)}) == {"db": (RUNNING, 1)}
    assert world.fake.bound == []
    world.fake.others[VOLUMES].append(made_volume("v", "n1", phase="Bound"))
    world.fake.tell(VOLUMES, "ADDED", world.fake.others[VOLUMES][0])
    changed(world, CLAIMS, asked, volumeName="v")
    for _ in range(200):
        world.look()
        if world.fake.bound:
            break
    assert world.fake.bound == [("default/db", "n1")]
    assert settled(world, {"db": (RUNNING, 1)}) == {"db": (RUNNING, 1)}


def test_the_pod_waits_again_if_the_provisioner_takes_the_choice_back(world):
    world.look()
    world.start("db", "n1")
    assert settled(world, {"db": (RUNNING, 1)}) == {"db": (RUNNING, 1)}
    (asked,) = world.fake.others[CLAIMS]
    del asked["metadata"]["annotations"][CHOSEN]
    changed(world, CLAIMS, asked)
    assert settled(world, {"db": (HELD, -1)}) == {"db": (HELD, -1)}
    assert world.start("db", "n0") is None


def test_the_smallest_volume_that_fits_is_reserved_and_another_pod_gets_none(world):
    world.fake.add(pod("web", **uses("more")))
    world[CLAIMS] = [new_claim(), new_claim("more")]
    world[VOLUMES] = [made_volume("big", "n1", storage="9Gi"), made_volume("v", "n1"), made_volume("far", "n0")]
    world[CLASSES] = [NONE]
    world.look()
    assert world.start("db", "n1") is None
    refers = world.fake.others[VOLUMES][1]["spec"]["claimRef"]
    assert (refers["name"], refers["uid"]) == ("data", "uid-data")
    assert world.start("web", "n1").kind == "busy"  # the volume that it was to have is another's now
    assert "claimRef" not in world.fake.others[VOLUMES][0]["spec"]
    assert settled(world, {"db": (RUNNING, 1), "web": (HELD, -1)})["db"] == (RUNNING, 1)


def test_a_run_that_begins_anew_goes_on_with_what_was_chosen(world):
    world.fake.others[CLAIMS][0]["metadata"]["annotations"] = {CHOSEN: "n1"}
    assert world.look() == {"db": (HELD, -1)}
    assert world.start("db", "n1") is None
    assert not [line for line in world.fake.asked if line.startswith("PATCH")]
    assert settled(world, {"db": (RUNNING, 1)}) == {"db": (RUNNING, 1)}


def test_without_the_right_the_start_is_denied_and_nothing_is_bound(world):
    world.fake.denied = {("patch", CLAIMS)}
    world.look()
    refusal = world.start("db", "n1")
    assert (refusal.kind, CLAIMS in refusal.text) == ("denied", True)
    assert world.fake.bound == []
    assert world.look() == {"db": (HELD, -1)}
