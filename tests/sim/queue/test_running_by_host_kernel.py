"""Who runs on each host is what a plain list says."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from loadmaster.sim.queue.engine.running_by_host_kernel import (
    STALE,
    all_fresh,
    move_in,
    move_out,
    next_end_at,
    no_tenants,
)


@njit
def moved(tenants, task, host, comes):
    if comes:
        move_in(tenants, task, 1, task, host)
    else:
        move_out(tenants, task, host)


@njit
def asked(tenants, host, after_s):
    return next_end_at(tenants, host, after_s)


@njit
def forgotten(tenants):
    all_fresh(tenants)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), hosts=st.integers(1, 4))
def test_tasks_come_and_go_in_any_order_and_a_host_names_its_next_end(seed, hosts):
    rng, tasks = np.random.default_rng(seed), 12
    tenants = no_tenants(tasks, tasks, hosts)
    tenants.end_s[:] = rng.integers(0, 6, tasks)
    where = dict[int, int]()
    for _ in range(60):
        task = int(rng.integers(tasks))
        comes = task not in where
        host = int(rng.integers(hosts)) if comes else where.pop(task)
        if comes:
            where[task] = host
        moved(tenants, task, host, comes)
        assert host in tenants.stale[: tenants.number[STALE]]
        if rng.random() < 0.3:
            forgotten(tenants)
            assert tenants.number[STALE] == 0
            assert not tenants.is_stale.any()
        after_s = float(rng.integers(-1, 6))
        for each in range(hosts):
            there = [task for task, place in where.items() if place == each]
            assert tenants.many[each] == len(there)
            later = [end_s for end_s in tenants.end_s[there] if end_s > after_s]
            assert asked(tenants, each, after_s) == min(later, default=np.inf)
