"""Which nodes a pod may use."""

import pytest

from loadmaster.packing.kubernetes_affinity import admits, selects

SSD = {"disk": "ssd", "zone": "a", "cores": "16"}


def affine(*terms):
    return {
        "affinity": {
            "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": list(terms)}}
        }
    }


def wants(key, operator, *values):
    return {"matchExpressions": [{"key": key, "operator": operator, "values": list(values)}]}


@pytest.mark.parametrize(
    ("spec", "good"),
    [
        ({}, True), ({"nodeSelector": {"disk": "ssd"}}, True), ({"nodeSelector": {"disk": "hdd"}}, False),
        (affine(wants("zone", "In", "a", "b")), True), (affine(wants("zone", "NotIn", "a")), False),
        (affine(wants("gpu", "NotIn", "a")), True), (affine(wants("zone", "Exists")), True),
        (affine(wants("zone", "DoesNotExist")), False), (affine(wants("cores", "Gt", "8")), True),
        (affine(wants("cores", "Lt", "8")), False), (affine(wants("zone", "Gt", "8")), False),
        (affine(wants("zone", "In", "b"), wants("disk", "Exists")), True), (affine({}), False),
        (affine({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}), True),
        (affine({"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n2"]}]}), False),
    ],
)  # fmt: skip
def test_selectors_and_required_affinity_choose_nodes(spec, good):
    assert admits(SSD, "n1", (), spec) is good


@pytest.mark.parametrize(
    ("toleration", "good"),
    [
        (None, False), ({"operator": "Exists"}, True), ({"key": "gpu", "operator": "Exists"}, True),
        ({"key": "gpu", "value": "yes"}, True), ({"key": "gpu", "value": "no"}, False),
        ({"key": "gpu", "value": "yes", "effect": "NoExecute"}, False), ({"key": "other", "operator": "Exists"}, False),
        ({"key": "gpu", "operator": "Near", "value": "yes"}, False),
    ],
)  # fmt: skip
def test_a_taint_keeps_out_who_does_not_tolerate_it(toleration, good):
    taint = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
    assert admits({}, "n1", [taint], {"tolerations": [toleration] if toleration else None}) is good


def test_a_taint_that_only_warns_keeps_nobody_out():
    assert admits({}, "n1", [{"key": "slow", "effect": "PreferNoSchedule"}], {})


def test_an_operator_that_nobody_knows_is_said():
    with pytest.raises(ValueError, match="Near"):
        admits(SSD, "n1", (), affine(wants("zone", "Near", "a")))
    with pytest.raises(ValueError, match="Near"):
        selects(wants("app", "Near", "web"), {"app": "web"})
