"""An instance: hosts that have none of a fluid resource, and names."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.model.errors import InputError
from loadmaster.packing import Instance, PackOptions, finish, pack
from loadmaster.packing.branch_and_bound import branch_and_bound
from loadmaster.packing.check import violations
from loadmaster.packing.level import level_of
from loadmaster.packing.solve import PACKERS

POOLING = {name: packer for name, packer in PACKERS.items() if not packer.cards}
"""Packers that need no GPUs."""


def some_hosts_without(seed, tasks=5, hosts=3):
    """Hosts of which some have no cores, and tasks of which some request none."""
    rng = np.random.default_rng(seed)
    fluid = np.where(rng.random(tasks) < 0.6, rng.uniform(0.1, 1, tasks), 0.0)
    cores = np.where(rng.random(hosts) < 0.5, 0.0, rng.uniform(0.3, 1, hosts))
    rigid, memory = rng.uniform(0.1, 0.6, tasks), rng.uniform(0.4, 1, hosts)
    return Instance(fluid[:, None], rigid[:, None], cores[:, None], memory[:, None])


def best_of_all(instance):
    """The optimum by trying every mapping, from the rule itself: no task that requests cores where there are none."""
    best = float("nan")
    for mapping in np.ndindex(*[instance.hosts] * instance.tasks):
        worst = 1.0
        for h in range(instance.hosts):
            mine = [t for t, host in enumerate(mapping) if host == h]
            cores, memory = instance.fluid[mine, 0].sum(), instance.rigid[mine, 0].sum()
            room = instance.fluid_capacity[h, 0]
            if memory > instance.rigid_capacity[h, 0] + 1e-9 or (room == 0 and cores > 0):
                break
            worst = min(worst, room / cores if cores > 0 else 1.0)
        else:
            best = worst if np.isnan(best) else max(best, worst)
    return best


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_every_packer_keeps_tasks_that_ask_for_cores_off_hosts_without_any(seed):
    instance = some_hosts_without(seed)
    best = best_of_all(instance)
    for method, packer in POOLING.items():
        if method in ("cp-sat", "highs-paper", "exact"):  # slow: below
            continue
        limit_s = 600.0 if packer.exact else 0.05  # a first run compiles
        packing = pack(instance, method, PackOptions(time_limit_s=limit_s, attempts=5_000))
        assert violations(instance, packing) == [], method
        if packing.placed:
            assert level_of(instance, packing.host) <= best + 1e-6, method
            at = instance.fluid_capacity[packing.host, 0]
            assert (instance.fluid[at == 0, 0] == 0).all(), method
        if packing.proven:
            assert packing.placed == (not np.isnan(best)), method
        if packer.exact:
            assert packing.proven
            assert packing.level == pytest.approx(best, abs=1e-6, nan_ok=True), method


@pytest.mark.parametrize("method", ["cp-sat", "highs-paper", "exact"])
def test_the_exact_solvers_agree_on_hosts_without_cores(method):
    if method == "cp-sat":
        pytest.importorskip("ortools")
    placed = 0
    for seed in range(8):
        instance = some_hosts_without(seed)
        packing = pack(instance, method, PackOptions(time_limit_s=600))
        assert packing.proven
        assert packing.level == pytest.approx(best_of_all(instance), abs=1e-6, nan_ok=True)
        placed += packing.placed
    assert 0 < placed < 8


def test_a_host_without_cores_takes_what_asks_for_none():
    instance = Instance([[1.0], [0.0]], [[0.9], [0.9]], [[0.0], [1.0]], [[1.0], [1.0]])
    for method in POOLING:
        if method == "cp-sat":
            pytest.importorskip("ortools")
        assert pack(instance, method, PackOptions(time_limit_s=600)).host.tolist() == [1, 0], method


def test_cores_that_no_host_has_are_proven_infeasible_and_the_task_is_named():
    nowhere = Instance([[0.0], [1.0]], [[0.1], [0.1]], [[0.0], [0.0]], [[1.0], [1.0]], task_names=("idle", "busy"))
    packing = finish(nowhere, branch_and_bound(nowhere))
    assert (packing.status, packing.proven, packing.unplaced) == ("infeasible", True, 1)
    assert "busy" in packing.reason


def test_a_job_of_one_task_bears_the_name_of_its_task():
    named = Instance([[1.0], [1.0]], [[0.1], [0.1]], [[1.0]], [[1.0]], job=[1, 0], task_names=("a", "b"))
    assert [named.job_name(j) for j in range(2)] == ["b", "a"]


@pytest.mark.parametrize("names", ["task_names", "host_names", "job_names"])
def test_names_that_do_not_match_are_refused(names):
    with pytest.raises(InputError, match="name"):
        Instance([[1.0], [1.0]], [[0.1], [0.1]], [[1.0], [1.0]], [[1.0], [1.0]], **{names: ("only",)})
