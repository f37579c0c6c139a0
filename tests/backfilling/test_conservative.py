"""Conservative backfilling: what an early end moves, and when promises stand (rule Q7)."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from small_queues import as_equal_hosts, as_one_host, starts, starts_of

from loadmaster.model import (
    CalendarRow,
    Cluster,
    Constraints,
    InputError,
    Named,
    Partition,
    Preemption,
    Qos,
    SiteRules,
    Workload,
)
from loadmaster.place import POLICIES
from loadmaster.scheduling import Scheduler
from loadmaster.scheduling import discipline_named as named
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.plain.scheduler_like import PlainDecisions
from loadmaster.sim.queue.reference import Replay, replay, replay_deciding

VARIANTS = ("kept", "arrival", "start", "now", "replan")


@pytest.mark.parametrize(
    ("early_end", "expected"),
    [
        ("kept", [0, 60, 0, 30]),
        ("arrival", [0, 40, 0, 10]),
        ("start", [0, 20, 0, 10]),
        ("replan", [0, 10, 0, 40]),  # the last job was promised 30
    ],
)
def test_each_variant_moves_other_promises_when_a_job_ends_early(early_end, expected):
    found = starts_of(
        f"conservative(early_end={early_end})", 4, [1, 4, 3, 2], [10, 30, 10, 10], estimate_s=[60, 30, 30, 10]
    )
    assert found == expected


@pytest.mark.parametrize(
    ("cores", "runtime_s", "estimate_s", "expected"),
    [
        ([2, 1, 4, 3], [6, 4, 10, 2], [6, 16, 40, 2], {"replan": [0, 0, 6, 16], "arrival": [0, 0, 8, 6],
                                                       "now": [0, 0, 8, 6]}),
        ([3, 1, 4, 1], [4, 6, 6, 2], [8, 6, 6, 4], {"replan": [0, 0, 6, 12], "arrival": [0, 0, 6, 12],
                                                    "now": [0, 0, 6, 4]}),
        ([1, 4, 2, 2], [6, 4, 8, 6], [24, 4, 8, 6], {"replan": [0, 8, 0, 12], "arrival": [0, 14, 0, 6],
                                                     "now": [0, 12, 0, 6]}),
    ],
)  # fmt: skip
def test_the_variants_differ_as_worked_out_by_hand(cores, runtime_s, estimate_s, expected):
    found = {
        early_end: starts_of(f"conservative(early_end={early_end})", 4, cores, runtime_s, estimate_s)
        for early_end in expected
    }
    assert found == expected


def test_behind_first_come_first_served_promises_stand_and_move_in_the_order_of_arrival():
    plain, spelt = named("conservative"), named("conservative(early_end=arrival)")
    assert plain.backfilling == spelt.backfilling
    assert plain.notes == ()


@st.composite
def queues(draw, exact=False):
    """Up to eight jobs on up to six cores, with estimates that are right, or up to four times too long."""
    processors, jobs = draw(st.integers(2, 6)), draw(st.integers(2, 8))
    many = {"min_size": jobs, "max_size": jobs}
    cores = draw(st.lists(st.integers(1, processors), **many))
    runtime_s = draw(st.lists(st.integers(1, 12), **many))
    factor = draw(st.lists(st.sampled_from([1] if exact else [1, 1, 2, 4]), **many))
    submit_s = sorted(draw(st.lists(st.sampled_from([0, 0, 0, 3, 7]), **many)))
    return processors, cores, runtime_s, [f * r for f, r in zip(factor, runtime_s, strict=True)], submit_s


@settings(max_examples=60)
@given(queue=queues(exact=True))
def test_with_exact_estimates_all_variants_give_one_schedule(queue):
    found = {tuple(starts(*as_one_host(*queue), f"conservative(early_end={name})")) for name in VARIANTS}
    assert len(found) == 1


@settings(max_examples=60)
@given(queue=queues(), early_end=st.sampled_from(VARIANTS))
def test_equal_hosts_of_one_core_give_the_schedule_of_one_large_host(queue, early_end):
    starts_of(f"conservative(early_end={early_end})", *queue)


def test_a_promise_comes_true_at_its_moment_though_nothing_happens_then():
    workload, cluster = as_one_host(4, [4, 4], [10, 5], estimate_s=[25, 5])
    assert starts(workload, cluster, "conservative(early_end=kept)") == [0, 25]


def test_promises_slide_behind_a_job_that_outlives_its_estimate_and_keep_their_order():
    # Job 1 was promised 10 and job 2 15; a job comes at 12 and is promised its place behind both.
    found = starts_of("conservative", 4, [4, 4, 4, 4], [20, 5, 5, 1], estimate_s=[10, 5, 5, 1], submit_s=[0, 0, 0, 12])
    assert found == [0, 20, 25, 30]


def test_an_overdue_job_lets_only_those_start_that_leave_its_cores_to_the_promised():
    # Job 0 holds 2 cores beyond its 10 s, so job 1, promised all 4, may start at any moment: job 2 would outlast it.
    found = starts_of("conservative", 4, [2, 4, 2], [30, 5, 5], estimate_s=[10, 5, 5], submit_s=[0, 0, 12])
    assert found == [0, 30, 35]


def test_promises_are_looked_at_in_cycles_where_decisions_are_made_in_cycles():
    workload, cluster = as_one_host(4, [4, 4, 4], [10, 5, 5], estimate_s=[25, 5, 5])
    assert starts(workload, cluster, "conservative(early_end=kept)", interval_s=30.0) == [0, 30, 60]


def test_promises_on_unlike_hosts_are_kept_on_the_hosts_that_were_promised():
    assert starts(*as_equal_hosts(3, [2, 3, 1], [10, 5, 20]), "conservative(promise=hosts)") == [0, 10, 15]


def test_counting_hosts_is_refused_where_hosts_are_not_alike():
    workload, _ = as_equal_hosts(4, [2, 4], [10, 5])
    _, cluster = as_one_host(4, [1], [1])
    with pytest.raises(InputError, match="these hosts differ"):
        starts(workload, cluster, "conservative(promise=pool)")


def test_a_run_ends_though_a_job_of_no_length_is_promised_something_behind_one_that_has_outlived_its_estimate():
    found = starts_of("conservative", 1, [1, 1, 1], [30, 5, 5], estimate_s=[10, 0, 20], submit_s=[0, 1, 2])
    assert found == [0, 30, 35]


TIERS = (Partition("low"), Partition("high", tier=5))


@pytest.mark.parametrize("early_end", ["arrival", "start", "now", "kept"])
@pytest.mark.parametrize(
    ("lookahead", "columns", "rules", "expected"),
    [
        ("1", {"eligible_s": np.array([0.0, 5.0, 1.0])}, {}, [0.0, 40.0, 20.0]),
        (
            "all", {"array": np.array([-1, 7, 7]), "partition": Named.of(["low", "low", "high"])},
            {"partitions": TIERS}, [0.0, 20.0, 40.0],
        ),
    ],
    ids=["more jobs in front than look ahead", "a task of the same array in front"],
)  # fmt: skip
def test_a_promise_is_kept_though_others_stand_in_front_by_then(early_end, lookahead, columns, rules, expected):
    bound = Constraints(**columns)
    jobs = Workload.of(submit_s=[0, 0, 1], runtime_s=[20] * 3, cores=[1] * 3)
    jobs = Workload(**{**vars(jobs), "constraints": bound})
    cluster = Cluster(("cores",), np.ones((1, 1)), rules=SiteRules(**rules))
    rule = named(f"conservative(early_end={early_end},lookahead={lookahead})")
    plain = Replay(jobs, cluster, PlainDecisions(Scheduler(POLICIES["first-fit"], rule)), 0.0, 1)
    moments = 0
    while plain.step():
        moments += 1
        assert moments < 20
    assert plain.schedule().start_s.tolist() == expected
    compiled = simulate(jobs, cluster, POLICIES["first-fit"], rule, interval_s=0.0, engine="compiled")
    assert compiled.start_s.tolist() == expected


@pytest.mark.parametrize("early_end", ["arrival", "start", "now"])
def test_the_promise_to_a_job_of_several_partitions_stands_in_the_order_of_arrival(early_end):
    names = Named.of(["one", "one,other", "one"])
    jobs = Workload.of(submit_s=[0, 1, 2], runtime_s=[30, 20, 20], estimate_s=[90, 40, 60], cores=[1] * 3)
    jobs = Workload(**{**vars(jobs), "constraints": Constraints(partition=names)})
    cluster = Cluster(("cores",), np.ones((1, 1)), rules=SiteRules((Partition("one"), Partition("other"))))
    for engine in ("reference", "compiled"):
        rule = named(f"conservative(early_end={early_end})")
        found = simulate(jobs, cluster, POLICIES["first-fit"], rule, interval_s=0.0, engine=engine)
        assert found.start_s.tolist() == [0.0, 30.0, 50.0], engine


def three_jobs(qos, runtime_s=(20, 5, 2), **columns):
    bound = Constraints(requeue=np.zeros(3, bool), qos=Named.of(qos), **columns)
    jobs = Workload.of(submit_s=[0, 1, 5], runtime_s=runtime_s, cores=[1] * 3, tasks=[2, 1, 1])
    return replace(jobs, constraints=bound)


@pytest.mark.parametrize("engine", [replay, replay_deciding])
@pytest.mark.parametrize(("early_end", "start_s"), [("arrival", 5.0), ("start", 5.0), ("now", 5.0), ("kept", 20.0)])
def test_a_job_that_loses_its_host_has_left_the_others_early(engine, early_end, start_s):
    failure = CalendarRow(5.0, 100.0, "down", hosts=(1,))
    hosts = replace(Cluster.uniform(2, cores=1), rules=SiteRules(calendar=(failure,)))
    scheduler = Scheduler(POLICIES["first-fit"], named(f"conservative(early_end={early_end})"))
    found = engine(three_jobs(["a"] * 3), hosts, scheduler, interval_s=0.0, seed=0)
    assert found.start_s[1] == start_s


@pytest.mark.parametrize(("grace_s", "runtime_s", "high_s"), [(0.0, 20, 5.0), (3.0, 20, 8.0), (3.0, 7, 7.0)])
def test_a_job_that_is_stopped_for_another_leaves_early(grace_s, runtime_s, high_s):
    qos = (Qos("low", grace_s=grace_s), Qos("mid"), Qos("high", preempts=("low",)))
    hosts = replace(Cluster.uniform(2, cores=1), rules=SiteRules(qos=qos, preemption=Preemption("qos", "cancel")))
    jobs = replace(three_jobs(["low", "mid", "high"], [runtime_s, 5, 2]), estimate_s=np.array([20.0, 5.0, 2.0]))
    found = replay(jobs, hosts, Scheduler(POLICIES["first-fit"], named("conservative")), interval_s=0.0)
    assert found.start_s.tolist() == [0.0, high_s, high_s]
