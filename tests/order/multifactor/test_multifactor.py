"""Multifactor priority (rules O8 to O12): the worked example, and when priorities change."""

from dataclasses import replace

import numpy as np
import pytest

from loadmaster.model import Cluster, InputError, Workload
from loadmaster.model.constraints import Constraints
from loadmaster.model.dependencies import Dependencies
from loadmaster.model.name_column import Named
from loadmaster.model.site_rules import Account, Partition, Qos, SiteRules
from loadmaster.order import Multifactor
from loadmaster.order.multifactor.job_size import fewest_hosts, size_factor, size_for_time_factor
from loadmaster.order.multifactor.site_view import view_of
from loadmaster.order.multifactor.terms import charges, fixed_part
from loadmaster.place import POLICIES
from loadmaster.scheduling import Scheduler
from loadmaster.scheduling import discipline_named as named
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.reference import replay, replay_deciding

ACCOUNTS = (
    *(Account(name, shares=shares) for name, shares in (("a", 50), ("b", 30), ("c", 20))),
    Account("a", "a1", "", 1), Account("a", "a2", "", 3), Account("b", "b1"), Account("b", "b2"), Account("c", "c1"),
)  # fmt: skip
RULES = SiteRules(
    partitions=(Partition("short", job_factor=10), Partition("long", job_factor=5)),
    qos=(Qos("high", 100), Qos("normal", 50), Qos("low", 0)),
    accounts=ACCOUNTS,
)
WEIGHTS = "age=1000,fair_share=10000,size=500,partition=1000,qos=2000,tres=cores:300,max_age=86400"
NOW = 172800.0
FOUR = {
    "user": ["c1", "a2", "b1", "a1"], "age": [3600.0, 43200.0, 172800.0, 0.0], "cores": [4, 32, 16, 1],
    "partition": ["long", "short", "short", "long"], "qos": ["normal", "low", "high", "high"],
}  # fmt: skip
"""Jobs P, Q, R and S; after them those whose use makes the factors of the tree."""
USE = {"a1": 300, "a2": 100, "b1": 500, "c1": 100}


def example(spec=WEIGHTS):
    """Priorities of P, Q, R, S on 4 hosts of 8 cores, after runs that left the use of the worked example."""
    users = ["a1", "a2", "b1", "b2", "c1"]
    who, age = [*FOUR["user"], *USE], FOUR["age"]
    order = np.argsort([NOW - each for each in age] + [NOW] * 4, kind="stable")
    pick = lambda column: [column[row] for row in order]  # noqa: E731
    log = Workload.of(
        submit_s=pick([NOW - each for each in age] + [NOW] * 4),
        runtime_s=[60.0] * 8,
        cores=pick([4, 8, 8, 1, 1, 1, 1, 1]),
        tasks=pick([1, 4, 2, 1, 1, 1, 1, 1]),
        user=np.array([users.index(name) for name in pick(who)], np.int32),
        project=np.array(["abc".index(name[0]) for name in pick(who)], np.int32),
        constraints=Constraints(
            partition=Named.of(pick(FOUR["partition"] + ["short"] * 4)),
            qos=Named.of(pick(FOUR["qos"] + [None] * 4)),
            nice=np.array(pick([0.0, 0.0, 0.0, 1000.0] + [0.0] * 4)),
            user_names=tuple(users),
            account_names=("a", "b", "c"),
        ),
    )
    cluster = Cluster(("cores",), np.full((4, 1), 8.0), rules=RULES)
    ranking = named(f"multifactor({spec},half_life=0)").order.begin(log, cluster)
    at = np.argsort(order)
    for row, name in enumerate(USE, start=4):
        ranking.started(int(at[row]), NOW - 1000.0)
        ranking.ended(int(at[row]), NOW - 1000.0 + USE[name])
    ranking.tick(NOW)
    return (-ranking.ranks(at[:4].astype(np.int64), NOW)).tolist()


def test_the_worked_example_adds_up():
    assert example() == [11672.0, 10300.0, 6400.0, 7579.0]


def test_small_jobs_may_be_favoured():
    assert example(f"{WEIGHTS},favor_small=yes") == [11985.0, 9800.0, 6400.0, 7939.0]


def test_raw_factors_are_not_divided_by_the_highest():
    plain, raw = (
        example("fair_share=0,age=0,size=0,partition=10,qos=1"),
        example("fair_share=0,age=0,size=0,partition=10,qos=1,no_normal=part:qos"),
    )
    assert plain == [5.0, 10.0, 11.0, 1.0]  # of S the nice value leaves nothing, and nothing is less than 1
    assert raw == [100.0, 100.0, 200.0, 1.0]


def test_a_second_is_charged_by_the_factor_of_the_quality_of_service():
    rules = replace(RULES, qos=(Qos("high", usage_factor=2.5), Qos("normal"), Qos("low", usage_factor=0.0)))
    log = Workload.of(
        submit_s=[0.0] * 3,
        runtime_s=[60.0] * 3,
        cores=[4, 4, 4],
        tasks=[1, 2, 1],
        user=np.zeros(3, np.int32),
        constraints=Constraints(
            partition=Named.of(["short"] * 3),
            qos=Named.of(["high", "normal", "low"]),
            user_names=("a1",),
            account_names=("a",),
        ),
    )
    cluster = Cluster(("cores",), np.full((4, 1), 8.0), rules=rules)
    rule = named(f"multifactor({WEIGHTS})").order
    assert charges(rule, log, cluster, view_of(log, cluster)).tolist() == [10.0, 8.0, 0.0]


def test_the_size_factor_has_three_forms():
    hosts, cores = np.array([1.0, 4.0, 2.0, 1.0]), np.array([4.0, 32.0, 16.0, 1.0])
    assert size_factor(hosts, cores, 4, 32, favor_small=False).tolist() == [0.1875, 1.0, 0.5, 0.140625]
    assert size_factor(hosts, cores, 4, 32, favor_small=True).tolist() == [0.8125, 0.0, 0.5, 0.859375]
    hosts, cores, limit_s = np.array([1.0, 4.0, 4.0]), np.array([4.0, 32.0, 32.0]), np.array([60.0, 1.0, 600.0]) * 60
    found = size_for_time_factor(hosts, cores, limit_s, 4, 32, favor_small=False)
    assert found == pytest.approx([1 / 240, 1.0, 1 / 600])
    found = size_for_time_factor(hosts, cores, limit_s, 4, 32, favor_small=True)
    assert found == pytest.approx([239 / 240, 0.0, 599 / 600])


def test_the_size_factor_is_what_a_real_slurm_printed_for_unlike_hosts():
    assert size_factor(np.ones(1), np.ones(1), 4, 36, favor_small=False) == pytest.approx(0.1388889, abs=5e-8)


def test_where_cores_are_unknown_the_size_factor_is_that_of_the_hosts_alone():
    hosts, cores = np.array([1.0, 4.0]), np.zeros(2)
    assert size_factor(hosts, cores, 4, 32, favor_small=False).tolist() == [0.25, 1.0]
    assert size_factor(hosts, cores, 4, 32, favor_small=True).tolist() == [0.75, 0.0]


def test_the_size_of_a_job_is_that_of_the_hosts_it_asks_for():
    jobs = Workload.of(submit_s=[0, 0], runtime_s=[9, 9], cores=[1, 1], tasks=[4, 4])
    asked = replace(jobs, constraints=Constraints(min_hosts=[0, 4]))
    rule, hosts = Multifactor(size=100.0), Cluster.uniform(8, cores=8)
    before, after = (fixed_part(rule, each, hosts, view_of(each, hosts)) for each in (jobs, asked))
    assert (after - before).tolist() == [0.0, 100 * (4 / 8 - 1 / 8) / 2]


def test_a_job_asks_for_the_fewest_hosts_that_hold_it():
    kinds, kind = np.array([[8.0, 64.0], [16.0, 16.0]]), np.array([0, 0, 1], np.int32)
    demand, tasks = np.array([[4.0, 8.0], [4.0, 8.0], [1.0, 64.0], [9.0, 99.0]]), np.array([2, 5, 2, 1], np.int32)
    assert fewest_hosts(demand, tasks, kinds, kind).tolist() == [1.0, 3.0, 2.0, 3.0]


def two_users(jobs=4, **constraints):
    return Workload.of(
        submit_s=np.arange(jobs) * 10.0,
        runtime_s=[1000.0] * jobs,
        cores=[1] * jobs,
        user=np.arange(jobs, dtype=np.int32) % 2,
        constraints=Constraints(**constraints),
    )


ONE_HOST = Cluster.uniform(1, cores=1)


def test_between_ticks_nothing_changes_and_at_a_tick_all_does():
    ranking = Multifactor(age=1e6, fair_share=1e6, size=0.0, partition=0.0).begin(two_users(), ONE_HOST)
    jobs = np.arange(1, 4)
    ranking.started(0, 0.0)
    before = ranking.ranks(jobs, 299.0).tolist()
    assert before == [-1e6] * 3  # nobody has used anything, nobody has waited
    ranking.tick(300.0)
    later = ranking.ranks(jobs, 301.0)
    assert later[1] > later[2] > later[0]  # user 0 has used the host; of user 1, job 3 came later
    assert ranking.ranks(jobs, 599.0).tolist() == later.tolist()


def test_what_has_ended_since_a_tick_counts_at_the_next_one():
    ranking = Multifactor(age=0.0, fair_share=1e6, size=0.0).begin(two_users(), ONE_HOST)
    ranking.started(0, 0.0)
    ranking.started(1, 290.0)
    ranking.tick(300.0)
    ranking.ended(1, 9000.0)  # no rank was requested since the tick
    before = ranking.ranks(np.array([2, 3]), 9000.0)
    assert before[0] > before[1]  # user 0 had used more then
    ranking.ended(0, 9000.0)
    assert ranking.ranks(np.array([2, 3]), 9000.0).tolist() == before.tolist()


def test_a_job_that_comes_back_has_the_age_that_it_had():
    log = two_users(depends=Dependencies.of(["", "afterany:0", "", ""]))
    ranking = Multifactor(age=1e6, fair_share=0.0, size=0.0, max_age=1000.0).begin(log, ONE_HOST)
    ranking.submitted(1, 100.0)
    ranking.started(1, 150.0)
    ranking.ended(1, 250.0)
    ranking.submitted(1, 250.0)
    ranking.tick(300.0)
    assert ranking.ranks(np.array([1]), 300.0).tolist() == [-2e5]


@pytest.mark.parametrize("engine", [replay, replay_deciding])
def test_the_age_of_a_singleton_counts_from_when_it_is_its_turn(engine):
    names = Named.of(["mine", "mine", "other"])
    log = Workload.of(
        submit_s=[0.0, 10.0, 50.0],
        runtime_s=[100.0] * 3,
        cores=[1] * 3,
        user=np.zeros(3, np.int32),
        constraints=Constraints(depends=Dependencies.of(["", "singleton", ""]), name=names),
    )
    rule = named("multifactor(fair_share=0,size=0,calc_period=1,max_age=1000)+skip")
    found = engine(log, ONE_HOST, Scheduler(POLICIES["first-fit"], rule), interval_s=0.0, seed=0)
    assert found.start_s.tolist() == [0.0, 200.0, 100.0]


def test_a_log_without_partitions_gets_nothing_for_them():
    order = Multifactor(age=0.0, fair_share=0.0, size=0.0, partition=1e6, site=5.0)
    assert order.begin(two_users(), ONE_HOST).ranks(np.arange(2), 0.0).tolist() == [-5.0, -5.0]


def test_priorities_may_change_at_every_pass():
    order = Multifactor(age=1e6, fair_share=0.0, size=0.0, partition=0.0, recalc="pass", max_age=1000.0)
    ranking = order.begin(two_users(), ONE_HOST)
    assert ranking.ranks(np.arange(2), 100.0).tolist() == [-1e5, -0.9e5]
    assert ranking.ranks(np.arange(2), 110.0).tolist() == [-1.1e5, -1e5]


def test_age_counts_from_the_begin_time_or_the_release_by_other_jobs():
    order = Multifactor(age=1e6, fair_share=0.0, size=0.0, partition=0.0, max_age=1000.0)
    log = two_users(eligible_s=np.array([0.0, 110.0, 20.0, 30.0]), depends=Dependencies.of(["", "", "afterany:0", ""]))
    for rule, expected in (
        (order, [300.0, 190.0, 0.0, 270.0]),
        (Multifactor(**{**vars(order), "accrue_always": True}), [300.0, 290.0, 280.0, 270.0]),
    ):
        ranking = rule.begin(log, ONE_HOST)
        for job in range(4):
            ranking.submitted(job, 10.0 * job)
        ranking.submitted(2, 300.0)
        ranking.tick(300.0)
        assert ranking.ranks(np.arange(4), 300.0).tolist() == [-max(1000.0 * waited, 1.0) for waited in expected]


def test_without_a_table_users_stand_on_one_level_and_it_is_said():
    log = two_users()
    notes = Multifactor().notes(log, ONE_HOST)
    assert notes == ("multifactor: no table of accounts, so all users are on one level with one share each.",)


def test_a_user_whom_the_table_does_not_have_gets_one_share_and_it_is_said():
    log = two_users(user_names=("a1", "zoe"))
    cluster = Cluster(("cores",), np.ones((1, 1)), rules=RULES)
    assert "user zoe" in Multifactor().notes(log, cluster)[0]
    assert Multifactor().begin(log, cluster).ranks(np.arange(2), 0.0).shape == (2,)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("multifactor(damp=0.5)", "damp must be 1 or more"),
        ("multifactor(calc_period=0)", "calc_period must be 1 or more"),
        ("multifactor(form=flat)", "tree, classic"),
        ("multifactor(no_normal=part:size)", "part, qos, assoc, tres, all"),
        ("multifactor(tres=cores)", "names and numbers"),
        ("multifactor(weight=3)", "no such parameter"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(spec, says):
    with pytest.raises(InputError, match=says):
        named(spec)


def test_a_weight_for_a_resource_that_is_not_there_is_refused():
    with pytest.raises(InputError, match=r"gpus.*the hosts do not have"):
        named("multifactor(tres=gpus:10)").order.begin(two_users(), ONE_HOST)


def test_a_job_without_an_account_goes_to_the_first_one_of_its_user():
    rules = SiteRules(accounts=(Account("x"), Account("y"), Account("x", "eve"), Account("y", "eve")))
    log = Workload.of(
        submit_s=[0, 0],
        runtime_s=[9, 9],
        cores=[1, 1],
        user=np.array([0, 0], np.int32),
        project=np.array([0, 1], np.int32),  # as readers have it: the number behind those of all known accounts
        constraints=Constraints(user_names=("eve",), account_names=("y",)),
    )
    view = view_of(log, Cluster(("cores",), np.array([[8.0]]), rules=rules))
    assert view.notes == ()
    assert view.leaf[0] != view.leaf[1]


def test_accounts_with_capitals_are_found_as_the_rules_write_them():
    rules = SiteRules(accounts=(Account("Phys", shares=3), Account("Phys", "eve")))
    log = Workload.of(
        submit_s=[0],
        runtime_s=[9],
        cores=[1],
        user=[0],
        project=[0],
        constraints=Constraints(user_names=("eve",), account_names=("Phys",)),
    )
    assert view_of(log, replace(ONE_HOST, rules=rules)).notes == ()


def test_under_saturation_users_get_what_their_shares_say():
    """Two accounts of 3 and 1 shares with an endless queue each: use follows the shares."""
    jobs = 800
    rules = SiteRules(accounts=(Account("x", shares=3), Account("y", shares=1), Account("x", "u0"), Account("y", "u1")))
    log = Workload.of(
        submit_s=[0.0] * jobs,
        runtime_s=[600.0] * jobs,
        cores=[1] * jobs,
        user=np.arange(jobs, dtype=np.int32) % 2,
        project=np.arange(jobs, dtype=np.int32) % 2,
        constraints=Constraints(user_names=("u0", "u1"), account_names=("x", "y")),
    )
    cluster = Cluster(("cores",), np.array([[8.0]]), rules=rules)
    order = "multifactor(age=0,size=0,partition=0,half_life=0)+none"
    schedule = simulate(log, cluster, POLICIES["first-fit"], named(order), interval_s=0.0)
    early = schedule.start_s < 24000.0
    share = np.bincount(np.arange(jobs)[early] % 2) / early.sum()
    assert share == pytest.approx([0.75, 0.25], abs=0.03)
