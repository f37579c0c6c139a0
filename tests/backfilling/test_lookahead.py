"""Lookahead backfilling (rule Q23): the set behind the head that uses most cores starts; the head is not delayed."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from small_queues import starts_of

from loadmaster.backfilling.lookahead import PackedJob, best_packing
from loadmaster.backfilling.lookahead_kernel import CHOSEN, MOST_PACKED, begin_set, offer_job
from loadmaster.model import Cluster, InputError, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate

# Job 0 runs on 2 of 5 cores to 10, job 1 asks all 5. Behind it job 2 asks 2 cores, job 3 asks 3.
JOBS = {"cores": [2, 5, 2, 3], "runtime_s": [10, 10, 10, 10]}


def test_a_set_that_fills_the_machine_starts_where_easy_takes_the_first_job_that_fits():
    assert starts_of("easy", 5, **JOBS) == [0, 10, 0, 20]
    assert starts_of("lookahead", 5, **JOBS) == [0, 10, 20, 0]


def test_a_window_of_one_is_easy():
    assert starts_of("lookahead(window=1)", 5, **JOBS) == starts_of("easy", 5, **JOBS)


def test_jobs_past_the_shadow_time_share_the_cores_that_the_head_leaves():
    # The head asks 4 of 5 cores at 10: one core may be held longer. Jobs 2 and 3 last 20 s, job 4 ends before.
    jobs = {"cores": [2, 4, 2, 1, 2], "runtime_s": [10, 10, 20, 20, 10]}
    assert starts_of("lookahead", 5, **jobs) == [0, 10, 20, 0, 0]


def test_jobs_behind_the_window_start_if_they_still_fit():
    jobs = {"cores": [2, 5, 4, 3], "runtime_s": [10, 10, 10, 10]}
    assert starts_of("lookahead(window=1)", 5, **jobs) == [0, 10, 20, 0]


def test_a_window_of_none_is_refused():
    with pytest.raises(InputError):
        discipline_named("lookahead(window=0)")


@given(
    sizes=st.lists(st.tuples(st.integers(0, 6), st.booleans()), max_size=8),
    free=st.integers(0, 14),
    left=st.integers(0, 14),
)
def test_no_other_set_uses_more(sizes, free, left):
    left = min(left, free)
    jobs = [PackedJob(cores, cores if long else 0) for cores, long in sizes]
    picked = np.array(best_packing(jobs, free, left), bool)
    now, later = (np.array([job[k] for job in jobs], int) for k in (0, 1))
    assert now[picked].sum() <= free
    assert later[picked].sum() <= left
    sets = (list(c) for n in range(len(jobs) + 1) for c in combinations(range(len(jobs)), n))
    best = max(now[c].sum() for c in sets if now[c].sum() <= free and later[c].sum() <= left)
    assert now[picked].sum() == best


@njit
def packed_by_kernel(now, later, free, left, table):
    begin_set(table, free, left)
    for number in range(len(now) - 1, -1, -1):
        offer_job(table, free, left, number, now[number], later[number])
    return table[CHOSEN, (free + 1) * (left + 1) - 1]


def test_the_kernel_picks_the_same_set():
    for seed in range(300):
        rng = np.random.default_rng(seed)
        many, free = int(rng.integers(1, MOST_PACKED + 1)), int(rng.integers(0, 60))
        left = int(rng.integers(0, free + 1))
        now = rng.integers(0, 20, many)
        later = now * rng.integers(0, 2, many)
        jobs = list(map(PackedJob, now.tolist(), later.tolist()))
        table = np.zeros((2, (free + 1) * (left + 1)), np.int64)
        bits = packed_by_kernel(now, later, free, left, table)
        assert [bool(bits >> k & 1) for k in range(many)] == best_packing(jobs, free, left)


def random_log(seed, jobs, unit):
    """Jobs of one to three tasks of up to 8 units of cores."""
    rng = np.random.default_rng(seed)
    runtime_s = rng.integers(1, 90, jobs)
    return Workload.of(
        submit_s=np.sort(rng.integers(0, 2 * jobs, jobs)).astype(float),
        runtime_s=runtime_s,
        estimate_s=runtime_s * rng.integers(1, 4, jobs),
        cores=rng.integers(1, 9, jobs) * unit,
        tasks=rng.integers(1, 4, jobs),
    )


@pytest.mark.parametrize(("jobs", "unit"), [(150, 1), (40, 250)])  # many cores are counted in larger units
def test_compiled_runs_have_the_schedules_of_the_plain_engine(jobs, unit):
    cluster, rule = Cluster.uniform(3, cores=8 * unit), discipline_named("lookahead")
    for seed in range(3):
        run = random_log(seed, jobs, unit), cluster, POLICIES["worse-fit-cores"], rule
        plain, compiled = (simulate(*run, engine=engine) for engine in ("reference", "compiled"))
        assert plain.start_s.tolist() == compiled.start_s.tolist()
        assert plain.host.tolist() == compiled.host.tolist()
