"""Lookahead backfilling (rule Q23): the set behind the head that uses most cores starts; the head is not delayed."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_queues import starts_of

from loadmaster.backfilling.lookahead import PackedJob, best_packing
from loadmaster.model import InputError
from loadmaster.scheduling import discipline_named

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
