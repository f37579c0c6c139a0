"""Remembered scores name the host that a look at every host names, however hosts change in between."""

from functools import cache
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit, typeof, types
from resource_counts import resource_counts

from loadmaster.compiled_rules.scans import SCAN, scanner
from loadmaster.host_index.lowest_kernel import lowest, lowest_open
from loadmaster.host_index.open_room_kernel import is_infeasible
from loadmaster.host_index.scores_kernel import (
    SHARED,
    changed,
    empty_scores,
    rate_all,
    refresh,
    score_in,
)
from loadmaster.host_index.shut_kernel import open_again, shut
from loadmaster.jit.by_reference import by_reference
from loadmaster.place import POLICIES, Context, Policy


def leaving_early(demand, free, capacity):
    for r in range(len(demand)):
        if demand[r] == free[r]:
            return -1.0
    return free[0] * capacity[-1] - free[-1]


RULES = [POLICIES[name] for name in ("first-fit", "norm-greedy", "dot-product", "opportunity-cost", "random")]
RULES.append(Policy("leaving-early", leaving_early))


@cache
def engine(scores, kept):
    """Notes changed and shut hosts, requests a host, in slot 0 or remembered, for its score, and for an open host."""

    def ask(given, scan, hosts, kind, demand, free, usable, some_are_not, closed):
        scores = by_reference(given)
        for host in hosts:
            changed(scores, host)
        for host in range(closed.shape[0]):
            if closed[host] and not scores.shut.host[host]:
                shut(scores, host)
            elif scores.shut.host[host] and not closed[host]:
                open_again(scores, host)
        if kept:
            slot, wrong = refresh(scores, scan, kind, demand, free, -1, 0)
        else:
            slot, wrong = 0, rate_all(scores, scan, demand, free, -1, kind, 0)
        host = lowest(scores, slot, usable, some_are_not)
        score = score_in(scores, slot, host) if host >= 0 else np.inf
        return host, score, lowest_open(scores, slot, closed.any()), wrong

    numbers, row, table, flags = types.int32[::1], types.float64[::1], types.float64[:, ::1], types.boolean[::1]
    arguments = (scores, types.FunctionType(SCAN), numbers, types.int64, row, table, flags, types.boolean, flags)
    return njit(types.Tuple((types.int64, types.float64, types.int64, types.int64))(*arguments))(ask)


def expected(policy, task, demand, free, capacity, usable):
    """The usable host with the lowest score, the lowest index among equals, and its score."""
    found = (-1, np.inf)
    for host in range(len(free)):
        if usable[host] and (free[host] >= demand).all():
            score = policy.rate(demand, free[host], capacity[host], Context(host, len(free), -1, task, 0))
            if score < found[1]:
                found = host, score
    return found


@pytest.mark.parametrize(
    ("policy", "resources"),
    [(policy, resources) for policy in RULES for resources in resource_counts(policy)],
    ids=lambda value: getattr(value, "name", value),
)
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_the_host_named_is_the_one_that_a_look_at_every_host_names(policy, resources, seed):
    names_what_a_look_at_every_host_names(policy, resources, np.random.default_rng(seed), most=60, questions=60)


@pytest.mark.parametrize("policy", RULES, ids=lambda policy: policy.name)
@pytest.mark.parametrize("seed", range(3))
def test_the_same_where_blocks_lie_in_groups(policy, seed):
    with patch("loadmaster.host_index.groups_kernel.MANY_BLOCKS", 0):
        names_what_a_look_at_every_host_names(policy, 2, np.random.default_rng(seed), most=2000, questions=20)


def names_what_a_look_at_every_host_names(policy, resources, rng, most, questions):
    sizes = rng.integers(1, 9, (rng.integers(1, 4), resources)).astype(float)
    kind = rng.integers(0, len(sizes), rng.integers(1, most)).astype(np.int32)
    capacity = sizes[kind]
    free = capacity.copy()
    demands = np.unique(rng.integers(1, 5, (rng.integers(1, 40), resources)), axis=0).astype(float)
    scores = empty_scores((sizes, kind), demands, rng.uniform(0, 9, len(demands)))
    ask = engine(typeof(scores), not policy.varies)
    closed = np.zeros(len(kind), np.bool_)
    for _ in range(questions):
        hosts = rng.integers(0, len(kind), rng.choice([0, 1, 1, 2, 30])).astype(np.int32)
        free[hosts] = np.floor(capacity[hosts] * rng.choice([0.0, 0.5, 0.8, 1.0], (len(hosts), 1)))
        number = int(rng.integers(0, len(demands))) if rng.random() < 0.6 else 0
        usable = rng.random(len(kind)) < rng.choice([0.1, 0.9, 1.0])
        closed ^= rng.random(len(kind)) < rng.choice([0.0, 0.1, 0.9])
        host, score, open_host, wrong = ask(
            scores, scanner(policy, resources), hosts, number, demands[number], free, usable, not usable.all(), closed
        )
        assert wrong == 0
        assert open_host == expected(policy, number, demands[number], free, capacity, ~closed)[0]
        assert (host, score) == expected(policy, number, demands[number], free, capacity, usable)


def test_very_many_hosts_have_groups_and_few_have_none():
    demands = np.ones((1, 1))
    few, many = (
        empty_scores((np.array([[9.0]]), np.zeros(hosts, np.int32)), demands, np.ones(1)) for hosts in (8000, 8200)
    )
    assert few.groups.many == 0
    assert many.groups.many == 17


def test_the_most_frequent_demands_have_slots_of_their_own_and_the_others_share():
    demands = np.arange(1000.0)[:, None]
    scores = empty_scores((np.array([[9.0]]), np.zeros(3, np.int32)), demands, demands[:, 0])
    own = len(scores.owner) - SHARED - 1
    assert len(set(scores.slot_of[-own:])) == own
    assert len(set(scores.slot_of[:-own])) == SHARED
    assert not set(scores.slot_of[-own:]) & set(scores.slot_of[:-own])
    assert 0 not in scores.slot_of


def test_a_demand_of_another_policy_of_the_same_run_is_another_one():
    demands = np.array([[1.0], [2.0]])
    scores = empty_scores((np.array([[9.0]]), np.zeros(3, np.int32)), demands, np.ones(2), members=2)
    assert len(set(scores.slot_of)) == 4


@pytest.mark.parametrize("resources", [1, 2, 3])
@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_demand_is_in_vain_if_no_open_host_holds_it_and_nothing_is_remembered_of_it(resources, seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, (rng.integers(1, 4), resources)).astype(float)
    kind = rng.integers(0, len(sizes), rng.integers(1, 60)).astype(np.int32)
    demands = np.unique(rng.integers(1, 9, (9, resources)), axis=0).astype(float)
    scores = empty_scores((sizes, kind), demands, np.ones(len(demands)))
    free = np.floor(sizes[kind] * rng.choice([0.0, 0.5, 1.0], (len(kind), 1)))
    closed = rng.random(len(kind)) < rng.choice([0.1, 0.9])
    ask = vain_engine(typeof(scores))
    for number, demand in enumerate(demands):
        held = (free[~closed] >= demand).all(axis=1).any()
        assert ask(scores, number, demand, free, closed) == (not held)
    scores.owner[scores.slot_of[0]] = 0
    assert not ask(scores, 0, demands[0], free, closed)


@cache
def vain_engine(scores):
    def ask(given, number, demand, free, closed):
        scores = by_reference(given)
        for host in range(closed.shape[0]):
            if closed[host] and not scores.shut.host[host]:
                shut(scores, host)
        return is_infeasible(scores, number, demand, free)

    arguments = (scores, types.int64, types.float64[::1], types.float64[:, ::1], types.boolean[::1])
    return njit(types.boolean(*arguments))(ask)
