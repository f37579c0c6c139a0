"""Small schedules with constraints, worked out by hand."""

import numpy as np
import pytest

from loadmaster.model import (
    Account,
    CalendarRow,
    Cluster,
    Constraints,
    Dependencies,
    Limits,
    Named,
    Partition,
    Preemption,
    Qos,
    SiteRules,
    Workload,
)
from loadmaster.place import POLICIES
from loadmaster.scheduling import Scheduler
from loadmaster.scheduling.notation import discipline_named
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.reference import replay


def run(rows, rules=None, discipline="easy", hosts=None, columns=None, **constraints):
    """Rows (submit, cores, runtime); 4 cores unless `hosts` says otherwise; every event."""
    submit, cores, runtime = zip(*rows, strict=True)
    bound = Constraints(**constraints)
    jobs = Workload.of(submit_s=submit, runtime_s=runtime, cores=cores, constraints=bound, **(columns or {}))
    cluster = Cluster(("cores",), np.array(hosts or [[4.0]]), rules=rules)
    return replay(jobs, cluster, Scheduler(POLICIES["first-fit"], discipline_named(discipline)), interval_s=0.0)


def starts(*args, **named):
    return [None if np.isnan(start) else start for start in run(*args, **named).start_s.tolist()]


CHAIN = [(0, 4, 100), (0, 2, 50), (0, 2, 70), (10, 4, 20), (20, 1, 10), (30, 1, 30), (30, 1, 30)]


def chain(**more):
    depends = Dependencies.of(["", "afterok:1", "", "afterany:2", "after:4", "singleton", "singleton"])
    names = Named.of([None] * 5 + ["same", "same"])
    ids = {"job_id": range(1, 8), "user": [0] * 7}
    return starts(CHAIN, depends=depends, name=names, columns=ids, **more)


def test_jobs_wait_for_those_that_they_depend_on():
    assert chain() == [0, 100, 100, 170, 190, 190, 220]


def test_a_job_that_waits_for_the_success_of_one_that_failed_never_starts():
    assert chain(status=[1, 0, 0, 0, 0, 0, 0]) == [0, None, 100, None, None, 100, 130]


LIMITED = [(0, 2, 100), (10, 1, 100), (20, 2, 50), (30, 4, 40)]


@pytest.mark.parametrize(("stop", "expected"), [(False, [0, 100, 20, 200]), (True, [0, 100, 100, 200])])
def test_a_user_beyond_a_limit_waits_and_others_pass_unless_limits_stop(stop, expected):
    leaf = Account("lab", "u", limits=Limits(max_tres_pu=(("cores", 2.0),)))
    columns = {"user": [0, 0, 1, 1], "project": [0] * 4}
    rules = SiteRules(accounts=(Account("lab"), leaf), limits_stop=stop)
    named = {"user_names": ("u", "v"), "account_names": ("lab",), "nice": [0] * 4}
    assert starts(LIMITED, rules, "skip", columns=columns, **named) == expected


@pytest.mark.parametrize("discipline", ["skip", "easy", "conservative"])
def test_a_job_of_two_partitions_that_starts_in_one_stops_nobody_in_the_other(discipline):
    rules = SiteRules(
        (Partition("a"), Partition("b")), qos=(Qos("one", limits=Limits(max_jobs_pu=1)), Qos("free")), limits_stop=True
    )
    named = {"partition": Named.of(["a,b", "b", "b"]), "qos": Named.of(["one", "free", "one"])}
    rows = [(0, 1, 50), (0, 1, 10), (0, 1, 10)]
    assert starts(rows, rules, discipline, columns={"user": [0, 1, 0]}, **named) == [0, 0, 50]


def test_at_most_so_many_tasks_of_an_array_run_at_once():
    rows = [(0, 1, run_s) for run_s in (30, 50, 20, 40, 10)] + [(5, 2, 100)]
    array = {"array": [7] * 5 + [-1], "array_task": [1, 2, 3, 4, 5, -1], "throttle": [2] * 5 + [0]}
    assert starts(rows, **array) == [0, 0, 30, 50, 50, 5]


RESERVED = [(0, 2, 150), (0, 4, 100), (10, 2, 40), (20, 2, 140), (60, 1, 60)]
ROW = CalendarRow(200.0, 300.0, "reserved", name="maint")


@pytest.mark.parametrize("discipline", ["easy", "skip", "conservative"])
def test_a_reservation_is_kept_free_for_those_who_name_it(discipline):
    assert starts(RESERVED, SiteRules(calendar=(ROW,)), discipline) == [0, 300, 10, 50, 400]


def test_without_backfilling_all_wait_behind_the_one_that_the_reservation_stops():
    assert starts(RESERVED, SiteRules(calendar=(ROW,)), "none") == [0, 300, 400, 400, 440]


def test_a_job_that_names_the_reservation_starts_with_it():
    rows = [*RESERVED, (100, 4, 50)]
    named = Named.of([None] * 5 + ["maint"])
    assert starts(rows, SiteRules(calendar=(ROW,)), reservation=named)[5] == 200


def test_a_begin_time_and_a_hold_keep_a_job_back():
    assert starts([(0, 1, 5), (0, 1, 5), (0, 1, 5)], eligible_s=[0, 7, 0], hold=[0, 0, 1]) == [0, 7, None]


def test_a_job_of_several_partitions_starts_in_the_first_that_has_room_and_once():
    parts = (Partition("a", hosts=(0,)), Partition("b", hosts=(1,), tier=2))
    named = Named.of(["a", "a", "a,b", "b"])
    schedule = run(
        [(0, 4, 10), (0, 4, 10), (0, 4, 10), (0, 4, 10)], SiteRules(parts), hosts=[[4.0]] * 2, partition=named
    )
    assert schedule.start_s.tolist() == [0, 10, 0, 10]
    assert schedule.host.tolist() == [0, 0, 1, 1]


def test_features_and_partitions_that_no_host_has_are_named_and_block_nobody():
    rules = SiteRules((Partition("a"),), features=(("gpu", "fast"), ("gpu",)))
    named = {"features": Named.of(["fast", "gpu&slow", "gpu", None]), "partition": Named.of(["a", "a", "b", "a"])}
    schedule = run([(0, 4, 10)] * 4, rules, "none", hosts=[[4.0]] * 2, **named)
    assert schedule.host.tolist() == [0, -1, -1, 1]
    assert schedule.never == {"no such partition": 1, "no host has what it requests": 1}


def test_hosts_that_go_down_lose_their_jobs_and_take_them_back_if_they_may():
    down = SiteRules(calendar=(CalendarRow(5.0, 20.0, "down", hosts=(0,)),))
    schedule = run([(0, 4, 10), (0, 2, 10)], down, hosts=[[4.0], [2.0]], requeue=[True, True])
    assert schedule.start_s.tolist() == [20, 0]
    assert schedule.segments.lost.tolist() == [True]
    assert (schedule.segments.start_s.tolist(), schedule.segments.end_s.tolist()) == ([0], [5])
    stopped = run([(0, 4, 10), (0, 2, 10)], down, hosts=[[4.0], [2.0]], requeue=[False, True])
    assert stopped.end_s.tolist() == [5, 10]
    assert stopped.status.tolist() == [5, -1]


def test_drained_hosts_let_their_jobs_end_and_start_none_that_would_run_into_it():
    drained = SiteRules(calendar=(CalendarRow(5.0, 20.0, "drained"),))
    rows, estimates = [(0, 2, 10), (0, 2, 6), (1, 1, 4)], {"estimate_s": [5, 6, 4]}
    assert starts(rows, drained, columns=estimates) == [0, 20, 1]


def test_jobs_beyond_a_limit_on_what_waits_are_refused():
    normal = Qos("normal", limits=Limits(max_submit_pu=2))
    schedule = run([(0, 4, 10), (0, 4, 10), (1, 4, 10), (11, 4, 10)], SiteRules(qos=(normal,)))
    assert schedule.start_s.tolist()[3] == 20
    assert (schedule.refused, dict(schedule.never)) == (1, {})


def test_of_two_scopes_that_set_one_kind_of_limit_the_first_counts():
    own, whole = Qos("normal", limits=Limits(grp_jobs=2)), Qos("part", limits=Limits(grp_jobs=1))
    rules = SiteRules((Partition("a", qos="part"),), qos=(own, whole))
    assert starts([(0, 1, 10)] * 3, rules, "skip") == [0, 10, 20]
    turned = SiteRules(
        (Partition("a", qos="part"),), qos=(Qos("normal", limits=Limits(grp_jobs=2), over_partition=True), whole)
    )
    assert starts([(0, 1, 10)] * 3, turned, "skip") == [0, 0, 10]


def test_jobs_of_nobody_known_count_against_the_limits_of_their_account_with_those_of_its_users():
    rules = SiteRules(accounts=(Account("p", limits=Limits(grp_jobs=1)), Account("p", "eve")))
    names = {"user_names": ("eve",), "account_names": ("p",), "nice": [0, 0, 0]}
    columns = {"user": np.array([0, -1, -1]), "project": np.array([0, 0, 0])}
    assert starts([(0, 1, 10)] * 3, rules, "skip", columns=columns, **names) == [0, 10, 20]


def test_jobs_without_an_account_are_not_those_of_one_whose_name_is_a_number():
    rules = SiteRules(accounts=(Account("p"), Account("1", limits=Limits(grp_jobs=1))))
    names = {"user_names": ("eve",), "account_names": ("p",), "nice": [0, 0, 0]}
    columns = {"user": np.array([0, 0, 0]), "project": np.array([0, 1, 1])}  # who has no account has the number behind
    assert starts([(0, 1, 10)] * 3, rules, "skip", columns=columns, **names) == [0, 0, 0]
    numbers = {"nice": [0, 0, 0]}  # where no account has a name the numbers are their names
    assert starts([(0, 1, 10)] * 3, rules, "skip", columns=columns, **numbers) == [0, 0, 10]


LOW_AND_HIGH = [(0, 4, 100), (30, 2, 20)]


def preempted(mode, grace_s=0.0, **more):
    qos = (Qos("low", grace_s=grace_s), Qos("high", 10, preempts=("low",)))
    rules = SiteRules(qos=qos, preemption=Preemption("qos", mode, **more))
    return run(LOW_AND_HIGH, rules, qos=Named.of(["low", "high"]))


def test_a_requeued_job_begins_anew_and_its_work_is_lost():
    schedule = preempted("requeue")
    assert (schedule.start_s.tolist(), schedule.end_s.tolist()) == ([50, 30], [150, 50])
    assert (schedule.segments.lost.tolist(), schedule.segments.lasts_s.tolist()) == ([True], [30])


@pytest.mark.parametrize(("grace_s", "ends"), [(0.0, [30, 50]), (10.0, [40, 60])])
def test_a_cancelled_job_ends_after_its_time_of_grace(grace_s, ends):
    schedule = preempted("cancel", grace_s)
    assert schedule.end_s.tolist() == ends
    assert schedule.status.tolist() == [4, -1]


def test_a_suspended_job_goes_on_where_it_was():
    schedule = preempted("suspend")
    assert (schedule.start_s.tolist(), schedule.end_s.tolist()) == ([50, 30], [120, 50])
    assert (schedule.segments.lost.tolist(), schedule.segments.lasts_s.tolist()) == ([False], [30])


def test_a_job_that_has_not_run_for_long_enough_is_not_stopped():
    assert preempted("requeue", exempt_s=31.0).start_s.tolist() == [0, 100]


def test_jobs_of_a_lower_tier_are_stopped_by_those_of_a_higher():
    parts = (Partition("low", preempt_mode="requeue"), Partition("high", tier=5))
    rules = SiteRules(parts, preemption=Preemption("partition", "off"))
    schedule = run(LOW_AND_HIGH, rules, partition=Named.of(["low", "high"]))
    assert schedule.start_s.tolist() == [50, 30]


APART = [(0, 2, 100), (10, 1, 20), (20, 2, 30), (30, 1, 20)]


@pytest.mark.parametrize(
    ("discipline", "expected"),
    [("fcfs", [0, 100, 120, 120]), ("skip", [0, 100, 20, 50]), ("easy", [0, 100, 20, 50])],
)
def test_a_job_that_asks_for_two_hosts_does_not_start_where_one_has_room_for_all(discipline, expected):
    # The first job fills one host of two cores for 100 s: the second requests two hosts, and one would hold both tasks.
    found = starts(APART, None, discipline, [[2.0], [2.0]], {"tasks": [1, 2, 1, 1]}, min_hosts=[0, 2, 0, 0])
    assert found == expected
    free = starts(APART, None, discipline, [[2.0], [2.0]], {"tasks": [1, 2, 1, 1]}, min_hosts=[0, 0, 0, 0])
    assert free[1] == 10


def test_easy_keeps_a_core_on_each_host_for_a_head_that_asks_for_two():
    # One host of two cores is full until 50, the other half full until 100: the head is promised 50. The last job
    # outlasts that, and would leave room for both tasks of the head, but on one host.
    rows, hosts, tasks = [(0, 2, 50), (0, 1, 100), (1, 1, 10), (2, 1, 200)], [[2.0], [2.0]], {"tasks": [1, 1, 2, 1]}
    assert starts(rows, None, "easy", hosts, tasks, min_hosts=[0, 0, 2, 0]) == [0, 0, 50, 50]
    assert starts(rows, None, "easy", hosts, tasks) == [0, 0, 50, 2]


def test_a_job_that_takes_one_host_at_most_waits_for_one_with_room_for_all_its_tasks():
    rows = [(0, 1, 50), (0, 2, 100), (5, 1, 10)]
    columns = {"tasks": [1, 1, 2]}
    assert starts(rows, None, "fcfs", [[2.0], [3.0]], columns, max_hosts=[0, 0, 1]) == [0, 0, 50]
    assert starts(rows, None, "fcfs", [[2.0], [3.0]], columns) == [0, 0, 5]


def test_a_job_takes_no_more_hosts_than_its_partition_gives():
    rules = SiteRules((Partition("p", max_hosts=1),))
    jobs = run([(0, 1, 50), (5, 1, 10)], rules, "fcfs", [[2.0], [3.0]], {"tasks": [1, 3]})
    assert jobs.start_s.tolist() == [0, 5]
    assert jobs.host.tolist() == [0, 1, 1, 1]


@pytest.mark.parametrize(
    ("takes", "asks", "expected"),
    [
        ([0, 0, 0], [0, 0, 0], [0, 100, 5]),  # two tasks lie on two hosts, though one would hold both
        ([0, 1, 0], [0, 1, 0], [0, np.nan, 5]),  # -N 1: refused there
        ([0, 2, 0], [0, 1, 0], [0, 100, 5]),  # -N 1-2: it takes two
    ],
    ids=["says nothing", "one host", "one or two"],
)
def test_a_partition_of_two_hosts_at_least_refuses_who_takes_one_and_spreads_the_rest(takes, asks, expected):
    rules = SiteRules((Partition("wide", min_hosts=2), Partition("any")), default_partition="any")
    named = Named.of(["any", "wide", "any"])
    jobs = run(
        [(0, 2, 100), (1, 1, 10), (5, 1, 10)],
        rules,
        "skip",
        [[2.0], [2.0]],
        {"tasks": [1, 2, 1]},
        partition=named,
        max_hosts=takes,
        min_hosts=asks,
    )
    assert np.array_equal(jobs.start_s, expected, equal_nan=True)


def test_a_job_of_several_partitions_goes_to_the_one_that_takes_few_hosts():
    rules = SiteRules((Partition("wide", hosts=(0, 1), min_hosts=2), Partition("any", hosts=(2,))))
    named = Named.of(["wide,any", "wide,any"])
    jobs = run([(0, 1, 10), (0, 1, 10)], rules, "skip", [[2.0]] * 3, {"tasks": [1, 2]}, partition=named)
    assert jobs.start_s.tolist() == [0, 0]
    assert jobs.host.tolist() == [2, 0, 1]


def test_a_job_of_fewer_tasks_than_the_hosts_it_asks_for_can_never_run():
    found = run([(0, 1, 5)], None, "easy", [[2.0], [2.0]], min_hosts=[2])
    assert found.never == {"no host has what it requests": 1}


@pytest.mark.parametrize("engine", ["reference", "compiled"])
@pytest.mark.parametrize("discipline", ["sjf+skip", "sjf+easy", "fcfs+conservative"])
def test_tasks_of_a_throttled_array_start_by_index_and_those_beyond_are_promised_nothing(engine, discipline):
    # Index 1 is the longest and came last; beside it only job 4 may start, which no promise to another task keeps back.
    array = {"array": [7, 7, 7, -1], "array_task": [3, 2, 1, -1], "throttle": [1, 1, 1, 0]}
    jobs = Workload.of(
        submit_s=[0, 0, 0, 1], runtime_s=[10, 20, 30, 30], cores=[1, 4, 2, 2], constraints=Constraints(**array)
    )
    host, rule = Cluster.uniform(1, cores=4), discipline_named(discipline)
    found = simulate(jobs, host, POLICIES["first-fit"], rule, interval_s=0.0, engine=engine)
    assert found.start_s.tolist() == [51.0, 31.0, 0.0, 1.0]


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_a_task_that_may_start_later_than_others_gets_its_turn_before_them_when_it_may(engine):
    columns = {"array": [7] * 4, "array_task": [1, 2, 3, 4], "throttle": [1] * 4, "eligible_s": [15.0, 0.0, 0.0, 0.0]}
    jobs = Workload.of(submit_s=[0] * 4, runtime_s=[10] * 4, cores=[1] * 4, constraints=Constraints(**columns))
    host, rule = Cluster.uniform(1, cores=4), discipline_named("ljf+skip")
    found = simulate(jobs, host, POLICIES["first-fit"], rule, interval_s=0.0, engine=engine)
    assert found.start_s.tolist() == [20.0, 0.0, 10.0, 30.0]
