"""PodDisruptionBudgets as the server lists them, in the version that it has."""

import pytest
from fake_kubernetes import FakeKubernetes, serving
from pods_and_nodes import node, pod

from loadmaster.live.kubernetes.api import Api
from loadmaster.live.kubernetes.engine import KubernetesEngine
from loadmaster.live.kubernetes.eviction import Budget, Evictions, barred


def budget(selector, allows=0, space="default"):
    meta = {"name": "b", "namespace": space}
    return {"metadata": meta, "spec": {"selector": selector}, "status": {"disruptionsAllowed": allows}}


WEB = {"matchLabels": {"app": "web"}}


@pytest.mark.parametrize(
    ("listed", "version", "why"),
    [
        ([budget(WEB)], "v1", "allows no disruption now"), ([budget(WEB, 1)], "v1", ""), ([], "v1", ""),
        ([budget(WEB, 1), budget(WEB, 1)], "v1", "several PodDisruptionBudgets"), ([budget(WEB, 0, "far")], "v1", ""),
        ([budget({"matchLabels": {"app": "db"}})], "v1", ""), ([budget({})], "v1", "allows no disruption now"),
        ([budget({})], "v1beta1", ""), ([budget(None)], "v1", ""),
    ],
)  # fmt: skip
def test_a_budget_keeps_the_pods_that_it_selects(listed, version, why):
    found = barred(pod("a", labels={"app": "web"}), [Budget(each, version) for each in listed])
    assert (why in found) if why else found == ""


@pytest.mark.parametrize(
    ("served", "version"), [(("v1", "v1beta1"), "policy/v1"), (("v1beta1",), "policy/v1beta1"), ((), "")]
)
def test_versions_are_what_the_server_says(tmp_path, served, version):
    fake = FakeKubernetes(lambda: 0.0, policy=served, budgets=[budget(WEB)])
    with serving(fake, tmp_path) as config:
        evictions = Evictions(Api(config))
        assert evictions.version() == version
        assert [each.allows for each in evictions.budgets()] == ([0] if served else [])
    asked = [line for line in fake.asked if line.endswith("poddisruptionbudgets")]
    assert asked == [f"GET /apis/{version}/poddisruptionbudgets"] * bool(served)


def test_a_budget_that_cannot_be_read_is_told_by_name_and_the_others_count(tmp_path):
    odd = budget({"matchExpressions": [{"key": "app", "operator": "Near"}]})
    fake = FakeKubernetes(lambda: 1000.0, budgets=[odd, budget(WEB, 2)])
    fake.add(node("n1"), pod("a", labels={"app": "web"}, owner=("ReplicaSet", "web")))
    fake.bind("default/a", "n1")
    with serving(fake, tmp_path) as config:
        engine = KubernetesEngine(Api(config), looks_on=True)
        assert engine.observe().left_out == ()
        assert engine.movable() == {"default/a@uid-a"}
        assert engine.observe().left_out == (
            ("default/b", "this PodDisruptionBudget cannot be read: the operator Near is not known"),
        )
