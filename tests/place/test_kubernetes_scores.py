"""The scores of Kubernetes on three hosts worked out by hand (rule P18), and where the releases differ."""

import numpy as np
import pytest

from loadmaster.compiled_rules.policies import rater
from loadmaster.model import InputError, Workload
from loadmaster.place import POLICIES, Policy
from loadmaster.place.balanced_allocation import balanced_allocation
from loadmaster.place.least_allocated import least_allocated
from loadmaster.place.most_allocated import most_allocated
from loadmaster.place.requested_to_capacity_ratio import requested_to_capacity_ratio

POD = np.array([4000.0, 8192.0])  # milli-cpu, MiB
CAPACITY = np.array([[16000.0, 65536.0], [16000.0, 65536.0], [32000.0, 131072.0]])
FREE = CAPACITY - np.array([[8000.0, 16384.0], [12000.0, 49152.0], [4000.0, 98304.0]])
EMPTIEST_FIRST = ((0, 10), (100, 0))
SAGGING = ((0, 0), (60, 3), (100, 10))

GOLDEN = [
    (least_allocated(), [43, 6, 46]),
    (most_allocated(), [56, 93, 53]),
    (balanced_allocation(), [81, 93, 71]),
    (balanced_allocation(balance="gain"), [72, 71, 76]),
    (requested_to_capacity_ratio(), [56, 94, 53]),
    (requested_to_capacity_ratio(EMPTIEST_FIRST), [44, 13, 47]),
    (requested_to_capacity_ratio(SAGGING), [37, 89, 39]),
]
NAMES = ["least", "most", "level", "gain", "fullest", "emptiest", "sagging"]


def rated(score, demand=POD, free=FREE, capacity=CAPACITY):
    return [-score(np.asarray(demand), left, whole) for left, whole in zip(free, capacity, strict=True)]


def one(score, demand, used, capacity):
    capacity = np.array(capacity, float)
    return -score(np.array(demand, float), capacity - np.array(used, float), capacity)


@pytest.mark.parametrize(("score", "published"), GOLDEN, ids=NAMES)
def test_three_hosts_get_the_scores_worked_out_by_hand(score, published):
    assert rated(score) == published


@pytest.mark.parametrize(("score", "published"), GOLDEN, ids=NAMES)
def test_every_variant_can_be_compiled_and_gives_the_same(score, published):
    out = np.zeros(3)
    hosts = np.arange(3, dtype=np.int32)
    assert rater(Policy("mine", score))(POD, FREE, CAPACITY, hosts, 3, -1, 0, 0, out, 0) == 0
    assert (-out).tolist() == published


@pytest.mark.parametrize(
    ("name", "host"),
    [("least-allocated", 2), ("most-allocated", 1), ("balanced-allocation", 1), ("requested-to-capacity-ratio", 1)],
)
def test_the_named_policies_take_the_host_with_the_highest_score(name, host):
    scores = [POLICIES[name].score(POD, left, whole) for left, whole in zip(FREE, CAPACITY, strict=True)]
    assert int(np.argmin(scores)) == host


def test_equal_whole_scores_go_to_the_first_host_where_the_exact_ones_differ():
    hosts = np.array([[1000.0, 1000.0], [1001.0, 1001.0]])
    exact = [-least_allocated(integer_scores=False)(np.array([100.0, 100.0]), host, host) for host in hosts]
    assert exact[1] > exact[0]
    whole = [-least_allocated()(np.array([100.0, 100.0]), host, host) for host in hosts]
    assert whole == [90, 90]


@pytest.mark.parametrize(
    ("factory", "exact"),
    [
        (least_allocated, (25 + 62.5) / 2), (most_allocated, (75 + 37.5) / 2), (balanced_allocation, 81.25),
        (requested_to_capacity_ratio, (75 + 37.5) / 2),
    ],
)  # fmt: skip
def test_scores_that_are_not_whole_are_the_plain_formula(factory, exact):
    assert rated(factory(integer_scores=False))[0] == pytest.approx(exact)


def test_the_gain_in_balance_that_is_not_whole_is_the_plain_formula():
    assert rated(balanced_allocation(balance="gain", integer_scores=False))[0] == pytest.approx(
        50 + (50 + 81.25 - 87.5) / 2
    )


def test_a_resource_that_a_host_lacks_is_skipped_and_in_old_releases_counts_nothing():
    lacking = dict(demand=(4, 0), used=(0, 0), capacity=(16, 0))
    assert one(least_allocated(), **lacking) == 75
    assert one(least_allocated(zero_counts=True), **lacking) == 37
    assert one(most_allocated(), **lacking) == 25
    assert one(most_allocated(zero_counts=True), **lacking) == 12
    assert one(balanced_allocation(), **lacking) == 100
    assert one(requested_to_capacity_ratio(), **lacking) == 25


def test_a_host_with_nothing_of_what_counts_is_rated_like_no_other():
    nothing = dict(demand=(0, 0, 1), used=(0, 0, 0), capacity=(0, 0, 4))
    assert [one(factory(), **nothing) for factory in (least_allocated, most_allocated)] == [0, 0]
    assert one(balanced_allocation(), **nothing) == 100
    assert one(requested_to_capacity_ratio(), **nothing) == 0


def test_resources_after_the_last_weight_do_not_count_until_they_have_one():
    gpus = dict(demand=(4, 8, 1), used=(0, 0, 0), capacity=(16, 32, 1))
    assert one(most_allocated(), **gpus) == 25
    assert one(most_allocated((1, 1, 2)), **gpus) == 62
    assert one(least_allocated((1, 1, 2)), **gpus) == 37
    assert one(requested_to_capacity_ratio(weights=(0, 0, 1)), **gpus) == 100
    assert one(balanced_allocation((1, 1, 1)), **gpus) == 64


def test_one_resource_is_always_in_balance():
    assert one(balanced_allocation(), demand=(3,), used=(4,), capacity=(16,)) == 100


def test_a_host_without_room_counts_as_full():
    crowded = dict(demand=(12, 0), used=(8, 16), capacity=(16, 32))
    assert one(least_allocated(), **crowded) == 25
    assert one(most_allocated(), **crowded) == 75


def test_old_releases_rounded_the_percentage_of_the_curve_up():
    part = dict(demand=(1, 0), used=(0, 0), capacity=(8, 0))
    assert one(requested_to_capacity_ratio(), **part) == 12
    assert one(requested_to_capacity_ratio(round_up=True), **part) == 13


def test_between_points_the_curve_rounds_towards_its_left_point():
    assert one(requested_to_capacity_ratio(((0, 0), (70, 10))), demand=(1,), used=(0,), capacity=(100,)) == 1
    assert one(requested_to_capacity_ratio(((0, 10), (70, 0))), demand=(1,), used=(0,), capacity=(100,)) == 99


def test_the_curve_is_flat_outside_its_points():
    hill = requested_to_capacity_ratio(((20, 2), (60, 8)))
    assert [one(hill, demand=(cores,), used=(0,), capacity=(100,)) for cores in (1, 20, 60, 90)] == [20, 20, 80, 80]


@pytest.mark.parametrize(("factory", "whole"), [(most_allocated, 30), (requested_to_capacity_ratio, 30)])
def test_tenths_of_a_core_use_whole_percents_though_amounts_are_rounded_down(factory, whole):
    tenth = Workload.of(submit_s=[0.0], runtime_s=[1.0], cores=[0.1]).demand[0, 0]
    assert tenth < 0.1
    assert one(factory(), demand=(tenth,), used=(2 * tenth,), capacity=(1,)) == whole


@pytest.mark.parametrize(
    ("factory", "given", "rule"),
    [
        (least_allocated, dict(weights=(1, -1)), "must be zero or more"),
        (most_allocated, dict(weights=(0, 0)), "weight above 0"),
        (balanced_allocation, dict(weights=(float("nan"),)), "must be zero or more"),
        (balanced_allocation, dict(balance="levle"), "no such balance"),
        (requested_to_capacity_ratio, dict(shape=()), "at least one point"),
        (requested_to_capacity_ratio, dict(shape=((50, 1), (50, 2))), "must rise"),
        (requested_to_capacity_ratio, dict(shape=((0, 1), (101, 2))), "must rise"),
        (requested_to_capacity_ratio, dict(shape=((0, 11),)), "from 0 to 10"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(factory, given, rule):
    with pytest.raises(InputError, match=rule):
        factory(**given)
