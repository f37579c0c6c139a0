"""Who runs on each host is what a plain list says."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from loadmaster.sim.queue.engine.running_by_host_kernel import (
    STALE,
    all_fresh,
    empty_running,
    move_in,
    move_out,
    next_end_at,
)


@njit
def moved(running_by_host, task, host, comes):
    if comes:
        move_in(running_by_host, task, 1, task, host)
    else:
        move_out(running_by_host, task, host)


@njit
def asked(running_by_host, host, after_s):
    return next_end_at(running_by_host, host, after_s)


@njit
def forgotten(running_by_host):
    all_fresh(running_by_host)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), hosts=st.integers(1, 4))
def test_tasks_come_and_go_in_any_order_and_a_host_names_its_next_end(seed, hosts):
    rng, tasks = np.random.default_rng(seed), 12
    running_by_host = empty_running(tasks, tasks, hosts)
    running_by_host.end_s[:] = rng.integers(0, 6, tasks)
    where = dict[int, int]()
    for _ in range(60):
        task = int(rng.integers(tasks))
        comes = task not in where
        host = int(rng.integers(hosts)) if comes else where.pop(task)
        if comes:
            where[task] = host
        moved(running_by_host, task, host, comes)
        assert host in running_by_host.stale[: running_by_host.number[STALE]]
        if rng.random() < 0.3:
            forgotten(running_by_host)
            assert running_by_host.number[STALE] == 0
            assert not running_by_host.is_stale.any()
        after_s = float(rng.integers(-1, 6))
        for each in range(hosts):
            there = [task for task, place in where.items() if place == each]
            assert running_by_host.many[each] == len(there)
            later = [end_s for end_s in running_by_host.end_s[there] if end_s > after_s]
            assert asked(running_by_host, each, after_s) == min(later, default=np.inf)
