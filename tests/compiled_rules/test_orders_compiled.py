"""Orders compiled: equal to plain Python to the bit, a user's own with every index checked, and refused in one line."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from backlog_order import by_backlog
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from numba.core.caching import NullCache

from loadmaster.backfilling import Skip
from loadmaster.compiled_rules.orders import check_order, is_compiled, no_ranker, ranker, refusing_order
from loadmaster.model import Cluster, InputError, Workload
from loadmaster.order import ORDERS, Backlog, Job, JobColumns, Order
from loadmaster.order.job import MOST_CORE_S
from loadmaster.order.order import rank_of
from loadmaster.place import POLICIES
from loadmaster.scheduling import Discipline, Scheduler
from loadmaster.sim.queue.engine.replay import replay_compiled
from loadmaster.sim.queue.queue_run import QueueRun

NONE = np.zeros(0, np.int32)
WHOLE = ("tasks", "user", "account", "partition", "qos")


@st.composite
def columns(draw):
    """Up to 30 jobs of every kind, zero estimates among them."""
    jobs, rng = draw(st.integers(1, 30)), np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    whole = {name: rng.integers(0, 70, jobs).astype(np.int32) for name in WHOLE}
    return JobColumns(
        submit_s=np.sort(rng.choice([0.0, 1.0, 3.5, 1e5, 2e7], jobs)),
        eligible_s=rng.uniform(0, 2e7, jobs),
        expected_s=np.floor(10 ** rng.uniform(-1, 6, jobs)),
        cores=np.floor(10 ** rng.uniform(0, 4, jobs)),
        memory=rng.uniform(0, 99, jobs),
        priority=rng.normal(0, 9, jobs),
        nice=rng.integers(-9, 9, jobs) * 1.0,
        **whole,
    )


def some_jobs(**given):
    """Three jobs."""
    zeros = {name: np.zeros(3, np.int32 if name in WHOLE else float) for name in Job._fields}
    return JobColumns(**{**zeros, "submit_s": np.array([0.0, 5.0, 9.0]), "expected_s": np.full(3, 60.0), **given})


def ranks(order, jobs, numbers=NONE, now=1e8):
    out = np.full(len(numbers) or len(jobs.submit_s), np.nan)
    wrong = ranker(order)(jobs, numbers, len(out), now, out)
    return out.tolist(), wrong


EVERY = [*ORDERS.values(), *(order.in_form(word) for order in ORDERS.values() for word, _ in order.forms[1:])]


@pytest.mark.parametrize("order", EVERY, ids=lambda order: order.name)
@given(jobs=columns(), seed=st.integers(0, 99), wait=st.sampled_from([0.0, 1.0, 12345.678]))
def test_ranks_are_finite_and_the_same_compiled(order, jobs, seed, wait):
    now = jobs.submit_s.max() + wait
    plain = [rank_of(order, jobs.job(number), now) for number in range(len(jobs.submit_s))]
    assert ranks(order, jobs, now=now) == (plain, 0)
    numbers = np.random.default_rng(seed).permutation(len(plain)).astype(np.int32)
    assert ranks(order, jobs, numbers, now) == ([plain[number] for number in numbers], 0)


@given(jobs=columns(), seed=st.integers(0, 99), wait=st.sampled_from([0.0, 1.0, 12345.678]))
def test_an_order_that_looks_at_the_backlog_is_the_same_compiled_whichever_jobs_wait(jobs, seed, wait):
    order, now = Order("mine", by_backlog), float(jobs.submit_s.max() + wait)
    for numbers in (np.arange(len(jobs.submit_s)), np.random.default_rng(seed).permutation(len(jobs.submit_s))[:9]):
        backlog = jobs.backlog(numbers, now)
        plain = [rank_of(order, jobs.job(number), now, backlog) for number in numbers]
        assert ranks(order, jobs, numbers.astype(np.int32), now) == (plain, 0)
    assert ranks(order, jobs, now=now)[0] == [
        rank_of(order, jobs.job(number), now, jobs.backlog(np.arange(len(jobs.submit_s)), now))
        for number in range(len(jobs.submit_s))
    ]


def test_a_backlog_is_what_all_that_wait_ask_for_and_the_longest_wait():
    jobs = some_jobs(
        submit_s=np.array([0.0, 5.0, 9.0]), expected_s=np.array([60.0, 1.25, np.inf]), cores=np.full(3, 2.0)
    )
    assert jobs.backlog(np.array([1, 0]), 10.0) == Backlog(2, 122.0, 10.0)
    assert jobs.backlog(np.array([2]), 10.0) == Backlog(1, MOST_CORE_S, 1.0)
    assert jobs.backlog(np.zeros(0, int), 10.0) == Backlog(0, 0.0, 0.0)


def double(amount):
    return 2.0 * amount


@njit
def peek(amounts, index):
    return amounts[index]


def with_helpers(job, now):
    table = np.zeros(4)
    table[2] = double(job.cores)
    return peek(table, job.user) + math.sqrt(now - job.submit_s)


def fails_late(job, now):
    if now > 5.0:
        raise ValueError("late")
    return job.submit_s


def test_a_function_of_the_users_own_is_compiled_with_those_that_it_calls():
    jobs = some_jobs(user=np.array([2, 1, 0], np.int32), cores=np.array([8.0, 1.0, 1.0]))
    assert ranks(Order("mine", with_helpers), jobs, now=9.0) == ([19.0, 2.0, 0.0], 0)


def test_an_index_that_is_not_there_is_an_error_of_the_order():
    jobs = some_jobs(user=np.array([0, 7, 0], np.int32))
    mine = Order("mine", with_helpers)
    with pytest.raises(InputError, match="'mine': this order fails: IndexError"), refusing_order(mine):
        ranks(mine, jobs)


@pytest.mark.parametrize("name", ORDERS)
def test_an_error_under_a_built_in_order_is_a_fault_of_ours_and_passes_as_it_is(name):
    with pytest.raises(IndexError), refusing_order(ORDERS[name]):
        raise IndexError


def test_an_order_that_fails_late_is_named_where_the_policy_is_built_in():
    jobs = Workload.of(submit_s=[0, 0, 0], runtime_s=[9, 9, 9], cores=[1, 1, 1], memory=[1, 1, 1])
    mine = Order("mine", fails_late, moves=True)
    with pytest.raises(InputError, match="'mine': this order fails: ValueError: late"):
        replay_compiled(
            QueueRun(
                jobs,
                Cluster.uniform(1, cores=1, memory=1),
                Scheduler(POLICIES["first-fit"], Discipline(mine, Skip())),
                seed=1,
            )
        )


def test_ranks_that_are_not_finite_are_counted():
    def expansion(job, now):
        return (now - job.submit_s) / job.expected_s

    jobs = some_jobs(expected_s=np.array([0.0, 0.0, 1.0]))
    assert ranks(Order("mine", expansion), jobs, now=5.0) == ([math.inf, pytest.approx(math.nan, nan_ok=True), -4.0], 2)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("def rank(job):\n    return 0.0", r"takes 2 or 3 parameters, this takes 1; write it as rank\(job, now\)"),
        ("def rank(job, now, weight=2):\n    return 0.0", "the third parameter of an order is called backlog"),
        ("async def rank(job, now):\n    return 0.0", "async def"),
        ("def rank(job, now):\n    yield 0.0", "a generator"),
        ("def rank(job, now):\n    job.nice = 2.0\n    return 0.0", "cannot be compiled"),
        (
            "def rank(job, now):\n    return job.colour",
            "Unknown attribute .colour.; a job has submit_s, eligible_s, expected_s",
        ),
        ("def rank(job, now):\n    return open('/dev/null')", "cannot be compiled"),
        ("def rank(job, now):\n    return (now - job.submit_s) / job.cores", "finite number.*a wait of 0 s"),
        ("def rank(job, now):\n    return [1.0, 2.0][int(job.submit_s)]", "this order fails: IndexError"),
        ("def rank(job, now):\n    return -1.0 / (now - job.submit_s)", "finite number"),
    ],
)
def test_an_order_that_is_not_sound_is_refused_in_one_line(body, says):
    names = {}
    exec(body, names)
    with pytest.raises(InputError, match=says) as refusal:
        check_order(Order("mine", names["rank"]), some_jobs())
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 300


def test_a_subclass_runs_plain_and_is_tried_out_too():
    @dataclass(frozen=True)
    class Mine(Order):
        pass

    order = Mine("mine", lambda job, now: math.nan)
    assert not is_compiled(order)
    with pytest.raises(InputError, match="finite"):
        check_order(order, some_jobs())


def test_what_an_engine_is_given_that_asks_for_no_rank_writes_none_and_is_kept_on_disk():
    jobs, out = some_jobs(), np.full(3, np.nan)
    assert no_ranker()(jobs, NONE, 3, 0.0, out) == 0
    assert np.isnan(out).all()
    assert not isinstance(no_ranker()._cache, NullCache)
