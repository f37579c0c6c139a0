"""Exact packing of few tasks by a choice of disjoint sets, against other exact searches."""

from itertools import combinations

import numpy as np
import pytest
from subset_oracle import subset_oracle

from loadmaster.packing import Instance, finish
from loadmaster.packing import set_partition as partition
from loadmaster.packing.check import violations
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.generate import Spec, virtual_clusters
from loadmaster.packing.greedy import sorted_greedy_backtracking
from loadmaster.packing.improve import improve
from loadmaster.packing.level import level_of
from loadmaster.packing.mcb import mcb


def start_of(instance):
    start = mcb(instance)
    return start if start.host is not None else sorted_greedy_backtracking(instance, 50_000)


def test_it_proves_the_optimum_of_the_subset_oracle():
    improved = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        hosts, tasks = int(rng.integers(2, 5)), int(rng.integers(6, 12))
        memory = rng.uniform(0.05, 0.9, tasks)
        memory *= rng.uniform(0.5, 0.9) * hosts / memory.sum()
        cpu = rng.uniform(0.05, 1, tasks).round(int(rng.integers(1, 4)))
        instance = Instance.of(hosts, cpu, memory, weight=rng.choice([1.0, 2.0], tasks) if seed % 2 else None)
        start = start_of(instance)
        if start.host is None:
            continue
        best = finish(instance, partition.set_partition(instance, start, 60))
        assert best.proven
        assert best.level == pytest.approx(finish(instance, subset_oracle(instance)).level, rel=1e-9)
        assert violations(instance, best) == []
        improved += best.level > level_of(instance, start.host) * (1 + 1e-9)
    assert improved > 10


def test_the_sets_listed_are_those_that_leave_no_more_empty_than_all_hosts_may():
    instance = virtual_clusters(Spec(4, 10, 0.2), 3)
    start = start_of(instance)
    search = partition._Search(instance, start, Deadline.after(60.0))
    peak = search.high
    sets = search.list_below(peak)
    capacity, least = search.capacity(peak), search.capacity(peak) - search.budget(peak) - 1e-12
    expected = set()
    for size in range(11):
        for tasks in combinations(range(10), size):
            asked = search.demand[list(tasks)].sum(axis=0)
            if (asked <= capacity).all() and (asked >= least).all():
                expected.add(sum(1 << t for t in tasks))
    assert {int(mask) for mask in sets.mask} == expected
    assert len(expected) > 5


def test_a_search_that_is_cut_short_has_a_bound_above_the_optimum(monkeypatch):
    open_cases = 0
    for seed in range(8):
        instance = virtual_clusters(Spec(6, 18, 0.1), seed)
        start = start_of(instance)
        if start.host is None:
            continue
        whole = partition.set_partition(instance, start, 60)
        assert whole.proven
        checks = iter(range(10**6))
        monkeypatch.setattr("loadmaster.packing.deadline.FIRST_TIME.clock_s", lambda c=checks: float(next(c)))
        short = partition.set_partition(instance, start, 3)
        monkeypatch.undo()
        assert short.bound >= level_of(instance, whole.host) * (1 - 1e-12)
        open_cases += not short.proven
    assert open_cases > 0


def test_sixteen_hosts_of_three_tasks_are_proven():
    instance = virtual_clusters(Spec(16, 48, 0.1), 0)
    start = improve(instance, mcb(instance), 100.0, 0, stop_when_stuck=5)
    best = finish(instance, partition.set_partition(instance, start, 60))
    assert best.proven
    assert best.bound < start.bound


def test_instances_of_another_kind_are_left_to_others():
    assert not partition.served(virtual_clusters(Spec(16, 65, 0.3), 0))
    assert not partition.served(Instance.of(2, [0.1], [0.1], guarantee=[0.5]))
    assert partition.served(Instance.of(2, [0.1], [0.1]))
