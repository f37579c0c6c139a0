"""A policy compiled as a scan gives every host that fits the score of plain Python, and is checked as a rater is."""

import math
import os
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit, types
from resource_counts import resource_counts

from loadmaster.compiled_rules.scans import LANES, SCAN, scanner
from loadmaster.host_index.lanes_kernel import BLOCK, EMPTY, NEVER, UNKNOWN, Lanes
from loadmaster.jit.by_reference import by_reference
from loadmaster.model import InputError
from loadmaster.place import POLICIES, Context, Policy


def double(amount):
    return 2.0 * amount


def with_helpers(demand, free, capacity):
    return double(free[0]) + len(demand) * sum(demand)


def allocating(demand, free, capacity):
    return float(((free - demand) ** 2).sum())


def only_where_it_fits(demand, free, capacity):
    if free[0] < demand[0]:
        raise ValueError("asked about a host without room")
    return free[0]


def leaving_early(demand, free, capacity):
    for r in range(len(demand)):
        if demand[r] == free[r]:
            return -1.0
    return math.exp(free[0] / capacity[0])


def far_by_the_data(demand, free, capacity):
    return free[int(capacity[0])]


def contextual(demand, free, capacity, context):
    return free[0] + 10.0 * context.host + 1000.0 * context.task + context.seed - context.last_host


def nowhere_finite(demand, free, capacity):
    return np.inf if free[0] > demand[0] else free[0]


OWN = [Policy(score.__name__, score) for score in (with_helpers, allocating, only_where_it_fits, leaving_early)]
OWN.append(Policy("contextual", contextual, contextual=True))


def lanes_of(free, capacity):
    """Hosts of two kinds, the even ones and the odd ones, of capacity float64[2, R], in two blocks of lanes."""
    hosts, resources = free.shape
    columns, host = np.full((resources, 2 * BLOCK), EMPTY), np.full(2 * BLOCK, -1, np.int32)
    for h in range(hosts):
        lane = h % 2 * BLOCK + h // 2
        columns[:, lane], host[lane] = free[h], h
    ranks = np.full(2 * BLOCK, 7, np.int64), np.zeros(2, np.int64), np.zeros(2, np.int32)
    kind = np.arange(2, dtype=np.int32)
    return Lanes(columns.ravel(), host, np.ones(2 * BLOCK, np.int64), capacity.ravel(), kind, *ranks)


def scan_all(policy, lanes, demand, since=0):
    """Scan both blocks as for task 3 of a run with seed 5."""
    hosts = int((lanes.host >= 0).sum())
    blocks = np.arange(2, dtype=np.int32)
    return call()(scanner(policy, len(demand)), lanes, demand, blocks, since, hosts)


@cache
def call():
    """What hands a scan its lanes as engines do."""
    arguments = types.FunctionType(SCAN), LANES, types.float64[::1], types.int32[::1], types.int64, types.int64

    @njit(types.int64(*arguments))
    def scan_both(scan, lanes, demand, blocks, since, hosts):
        return scan(by_reference(lanes), demand, blocks, 2, 0, since, hosts, 1, 3, 5)

    return scan_both


def score_of(rank):
    return np.int64(rank ^ ((rank >> np.int64(63)) & np.int64(2**63 - 1))).view(np.float64)


@pytest.mark.parametrize(
    ("policy", "resources"),
    [(policy, resources) for policy in (*POLICIES.values(), *OWN) for resources in resource_counts(policy)],
    ids=lambda value: getattr(value, "name", value),
)
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_every_host_that_fits_has_the_score_of_plain_python(policy, resources, seed):
    rng = np.random.default_rng(seed)
    capacity = rng.integers(1, 9, (2, resources)).astype(float)
    hosts = int(rng.integers(1, 2 * BLOCK + 1))
    free = np.floor(capacity[np.arange(hosts) % 2] * rng.uniform(0, 1.3, (hosts, 1))).clip(max=capacity.max(axis=0))
    demand = np.floor(rng.uniform(0, 3, resources))
    lanes = lanes_of(free, capacity)
    wrong = scan_all(policy, lanes, demand)
    least, nonsense = [NEVER, NEVER], 0
    for lane, host in enumerate(lanes.host):
        if host < 0 or (free[host] < demand).any():
            assert lanes.rank[lane] == NEVER
        else:
            expected = policy.rate(demand, free[host], capacity[host % 2], Context(int(host), hosts, 1, 3, 5))
            nonsense += not math.isfinite(expected)
            assert score_of(lanes.rank[lane]) == expected or not math.isfinite(expected)
        least[lane // BLOCK] = min(least[lane // BLOCK], lanes.rank[lane])
    assert lanes.least.tolist() == least
    for block, low in enumerate(least):
        lowest = [int(lanes.host[i]) for i in range(block * BLOCK, (block + 1) * BLOCK) if lanes.rank[i] == low]
        assert lanes.holder[block] in (UNKNOWN, min(lowest)) or low == NEVER
    assert wrong == (nonsense > 0)


def test_hosts_that_have_not_changed_are_not_rated_again():
    lanes = lanes_of(np.full((4, 2), 3.0), np.full((2, 2), 4.0))
    lanes.changed_at[:] = [9] + [2] * (2 * BLOCK - 1)
    scan_all(Policy("mine", with_helpers), lanes, np.ones(2), since=2)
    assert lanes.rank[0] != 7
    assert lanes.rank[1] == 7


def test_scores_that_are_not_finite_are_told_where_the_task_fits():
    free = np.array([[3.0, 3.0], [1.0, 1.0], [0.0, 9.0]])
    assert scan_all(Policy("mine", nowhere_finite), lanes_of(free, np.full((2, 2), 9.0)), np.ones(2)) == 1


def test_an_index_beyond_the_resources_is_an_error_and_not_what_lies_behind_them():
    with pytest.raises(IndexError):
        scan_all(Policy("mine", far_by_the_data), lanes_of(np.full((1, 2), 3.0), np.full((2, 2), 4.0)), np.ones(2))


@pytest.mark.parametrize("line", ["demand[0] = 0.0", "free[:] = 0.0", "capacity.sort()", "free -= demand"])
def test_what_changes_an_argument_is_not_compiled(line):
    names = {}
    exec(f"def rule(demand, free, capacity):\n    {line}\n    return 0.0\n", names)
    with pytest.raises(InputError, match="change"):
        scanner(Policy("mine", names["rule"]), 2)


KEPT = """
from dataclasses import replace
from loadmaster.compiled_rules.orders import ranker
from loadmaster.compiled_rules.policies import rater
from loadmaster.compiled_rules.scans import scanner
from loadmaster.order import ORDERS, Order
from loadmaster.place import POLICIES
policy = POLICIES["first-fit"]
loops = scanner(policy, 2), rater(policy), ranker(ORDERS["wfp3"])
loops += rater(replace(policy, name="mine")), ranker(Order("wfp3", lambda job, now: job.cores))
print([bool(loop.stats.cache_hits) for loop in loops])
"""


def test_loops_of_built_in_rules_are_found_on_disk_by_the_next_process_and_those_of_ones_own_are_not(tmp_path):
    shown = [
        subprocess.run(
            [sys.executable, "-c", KEPT],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        ).stdout
        for _ in range(2)
    ]
    assert shown == ["[False, False, False, False, False]\n", "[True, True, True, False, False]\n"]
