"""Local search by exchanges off the fullest host: the kernels against their plain references."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pair_swap_plain import can_divide, least_after_exchange

from loadmaster.packing import Instance
from loadmaster.packing.generate import Spec, virtual_clusters
from loadmaster.packing.improve import _group, _walk, improve, search_state
from loadmaster.packing.improve_kernel import draw, load_state, relocate
from loadmaster.packing.level import fits, level_of
from loadmaster.packing.mcb import mcb
from loadmaster.packing.pair_swap_kernel import best_exchange, build_tree, search_on, start_walk, update_tree
from loadmaster.packing.regroup_kernel import regroup


def random_state(seed, hosts=None, tasks=None):
    """An instance of two fluid and two rigid resources on unequal hosts, with a mapping that fits."""
    rng = np.random.default_rng(seed)
    hosts, tasks = hosts or int(rng.integers(2, 6)), tasks or int(rng.integers(2, 12))
    instance = Instance(
        rng.integers(0, 9, (tasks, 2)) / 8,
        rng.integers(0, 9, (tasks, 2)) / 8,
        rng.integers(2, 5, (hosts, 2)) / 2,
        rng.integers(4, 9, (hosts, 2)) / 4 * tasks / hosts,
        fluid_names=("cpu", "net"),
        rigid_names=("memory", "disk"),
    )
    mapping = rng.integers(0, hosts, tasks)
    assume(fits(instance, mapping))
    problem, state = search_state(instance)
    load_state(problem, state, mapping)
    return instance, mapping, problem, state


@settings(max_examples=80)
@given(st.integers(0, 10**9))
def test_the_compiled_exchange_is_as_good_as_the_plain_one(seed):
    instance, mapping, problem, state = random_state(seed)
    top = int(np.argmax(state.peak))
    for other in range(instance.hosts):
        if other == top:
            continue
        best = least_after_exchange(instance, mapping, top, other)
        task, back, _ = best_exchange(problem, state, top, other)
        if task < 0:
            assert best == pytest.approx(state.peak[top])
            continue
        after = mapping.copy()
        after[task] = other
        if back >= 0:
            after[back] = top
        load_state(problem, state, after)
        assert max(state.peak[top], state.peak[other]) == pytest.approx(best)
        assert fits(instance, after)
        load_state(problem, state, mapping)


@settings(max_examples=80)
@given(st.integers(0, 10**9), st.floats(0.5, 1.0))
def test_tasks_are_divided_anew_just_where_the_plain_search_divides_them(seed, part):
    instance, mapping, problem, state = random_state(seed, hosts=3, tasks=7)
    group = _group(instance)
    group.hosts[:3] = np.random.default_rng(seed).permutation(3)
    limit = float(state.peak.max()) * part + 1e-9
    expected = can_divide(instance, mapping, [0, 1, 2], limit)
    done, _ = regroup(problem, state, group, 3, limit, np.array([seed], np.uint64))
    assert done == expected
    if done:
        assert state.peak.max() <= limit + 1e-9
        assert fits(instance, state.host)
    else:
        assert state.host.tolist() == mapping.tolist()


def test_the_tournaments_know_the_fullest_and_the_emptiest_host_after_every_change():
    rng = np.random.default_rng(0)
    for hosts in (1, 2, 3, 7, 16, 33):
        peak = rng.integers(0, 6, hosts).astype(float)
        tree = np.full((2, 2 << max(1, (hosts - 1).bit_length())), -1, np.int64)
        build_tree(tree, peak)
        for _ in range(40):
            assert (tree[0, 1], tree[1, 1]) == (np.argmax(peak), np.argmin(peak))
            h = int(rng.integers(hosts))
            peak[h] = rng.integers(0, 6)
            update_tree(tree, peak, h)


def test_loads_kept_while_tasks_move_are_those_counted_anew():
    instance = virtual_clusters(Spec(4, 11, 0.3), 1)
    problem, state = search_state(instance)
    rng = np.random.default_rng(1)
    mapping = rng.integers(0, 4, 11)
    load_state(problem, state, mapping)
    for _ in range(200):
        t, h = int(rng.integers(11)), int(rng.integers(4))
        relocate(problem, state, t, h)
        mapping[t] = h
    kept = state.load.copy(), state.free.copy(), state.peak.copy()
    load_state(problem, state, mapping)
    for one, other in zip(kept, (state.load, state.free, state.peak), strict=True):
        assert one == pytest.approx(other, abs=1e-12)


def test_random_numbers_reach_every_value():
    random = np.array([7], np.uint64)
    assert {draw(random, 5) for _ in range(200)} == set(range(5))


def test_the_search_never_gets_worse_and_keeps_memory():
    better = 0
    for seed in range(10):
        instance = virtual_clusters(Spec(16, 80, 0.3), seed)
        start = mcb(instance)
        found = improve(instance, start, 100.0, seed, stop_when_stuck=3)
        assert fits(instance, found.host)
        assert level_of(instance, found.host) >= level_of(instance, start.host)
        better += level_of(instance, found.host) > level_of(instance, start.host) * (1 + 1e-4)
    assert better == 10


def test_the_same_seed_gives_the_same_mapping():
    instance = virtual_clusters(Spec(12, 50, 0.2), 1)
    one, other = (improve(instance, mcb(instance), 100.0, 3, stop_when_stuck=2) for _ in range(2))
    assert one.host.tolist() == other.host.tolist()


def test_a_slice_of_the_search_ends_at_its_budget():
    instance = virtual_clusters(Spec(64, 250, 0.3), 0)
    problem, state = search_state(instance)
    walk = _walk(instance, 0)
    start_walk(problem, state, walk, mcb(instance).host.astype(np.int64))
    for budget in (1, 1_000, 100_000):
        _, _, looks = search_on(problem, state, walk, _group(instance), 0.0, budget)
        assert budget <= looks <= budget + 1_000_000
