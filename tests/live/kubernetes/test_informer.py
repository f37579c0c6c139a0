"""All objects of one kind, followed by a watch: on a fake of the API."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from fake_kubernetes import FakeKubernetes, serving
from pods_and_nodes import node, pod

from loadmaster.live.kubernetes.api import Api
from loadmaster.live.kubernetes.engine import NODES, PODS, KubernetesEngine
from loadmaster.live.kubernetes.informer import Informer
from loadmaster.live.session.engine import EngineDown


@pytest.fixture
def fake(tmp_path):
    made = FakeKubernetes(time.time, watches=True)
    made.add(node("n1"), pod("a"), pod("b"))
    with serving(made, tmp_path) as config:
        made.config = config
        yield made


@contextmanager
def followed(fake, path=PODS, **more) -> Iterator[Informer]:
    made = Informer(Api(fake.config), path, **more)
    try:
        yield made
    finally:
        made.close()
        fake.cut = True
        until(lambda: fake.streams == 0)


def names(watched):
    return sorted(item["metadata"]["name"] for item in watched.look().items)


def until(holds):
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_changes_are_told_and_nothing_is_listed_again(fake):
    with followed(fake) as pods:
        assert names(pods) == ["a", "b"]
        fake.add(pod("c"), node("n2"))
        fake.remove("default/a")
        until(lambda: names(pods) == ["b", "c"])
        fake.bind("default/b", "n1")
        until(lambda: {item["spec"].get("nodeName") for item in pods.look().items} == {"n1", None})
        assert pods.listings == 1
        assert pods.pushed


def test_a_watch_whose_time_is_over_is_followed_by_the_next(fake):
    with followed(fake) as pods:
        pods.look()
        fake.cut = True
        until(lambda: fake.ended > 0)
        fake.cut = False
        fake.add(pod("c"))
        until(lambda: names(pods) == ["a", "b", "c"])
        assert pods.listings == 1
        assert sum(line.startswith("watch") for line in fake.asked) > 1


def test_what_the_server_has_forgotten_is_listed_anew(fake):
    with followed(fake) as pods:
        pods.look()
        fake.forgotten = fake.version + 1
        fake.add(pod("c"))
        until(lambda: names(pods) == ["a", "b", "c"])
        assert pods.listings == 2
        fake.add(pod("d"))
        until(lambda: names(pods) == ["a", "b", "c", "d"])
        assert pods.listings == 2


def test_an_event_that_makes_no_sense_has_everything_listed_anew(fake):
    """The thread of the watch died of it, and nothing was ever seen to change again."""
    with followed(fake) as pods:
        pods.look()
        fake.version += 1
        fake.told.append((fake.version, "pods", {"type": "MODIFIED", "object": {"kind": "Pod"}}))
        fake.add(pod("c"))
        until(lambda: names(pods) == ["a", "b", "c"])
        assert pods.listings > 1


def test_who_may_not_watch_lists_every_time(fake):
    fake.watches = False
    with followed(fake) as pods:
        names(pods)
        fake.add(pod("c"))
        assert names(pods) == ["a", "b", "c"]
        assert pods.listings == 2
        assert not pods.pushed


def test_a_server_that_goes_is_told_at_the_next_look(fake):
    with followed(fake) as pods:
        pods.look()
        fake.faults.append(("GET /api/v1/pods", 503, "away"))
        fake.watches, fake.cut = False, True
        until(lambda: fake.streams == 0)
        fake.faults.append(("GET /api/v1/pods", 503, "away"))
        with pytest.raises(EngineDown, match="away"):
            until(lambda: pods.look() is None)


def test_an_engine_that_is_told_of_changes_sees_as_one_that_lists(fake):
    told, lists = (KubernetesEngine(Api(fake.config), looks_on=True, watch=watch) for watch in (True, False))
    told.observe()
    assert (told.can.watch, lists.can.watch) == ("push", "poll")
    fake.add(pod("c", cpu=3), node("n2", cpu=64))
    fake.bind("default/a", "n2")
    until(lambda: told.observe().cluster.hosts == 2 and told.observe().ids == lists.observe().ids)
    until(lambda: told.observe().tasks.host.tolist() == lists.observe().tasks.host.tolist())
    assert told.observe().jobs.demand.tolist() == lists.observe().jobs.demand.tolist()
    told.close()
    fake.cut = True
    until(lambda: fake.streams == 0)


def test_nodes_are_followed_like_pods(fake):
    with followed(fake, NODES) as nodes:
        assert names(nodes) == ["n1"]
        fake.add(pod("c"), node("n2"))
        until(lambda: names(nodes) == ["n1", "n2"])
