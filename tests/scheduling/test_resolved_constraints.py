import numpy as np
import pytest

from loadmaster.model import (
    CalendarRow,
    Cluster,
    Constraints,
    Dependencies,
    Limits,
    Named,
    Partition,
    Qos,
    SiteRules,
    Workload,
)
from loadmaster.model.whole_hosts import HOST
from loadmaster.scheduling.resolved_constraints import binds, resolve_constraints


def workload(jobs=3, **constraints):
    given = Constraints(**constraints)
    return Workload.of(submit_s=[0.0] * jobs, runtime_s=[1.0] * jobs, cores=[1] * jobs, constraints=given)


def cluster(rules=None, hosts=2):
    return Cluster(("cores",), np.full((hosts, 1), 4.0), rules=rules)


def test_columns_that_only_orders_look_at_bind_nothing():
    jobs = workload(priority=[1, 2, 3], partition=Named.of(["a", "b", "c"]), reservation=Named.of(["x"] * 3))
    assert not binds(jobs, cluster())
    assert binds(jobs, cluster(SiteRules((Partition("a"),))))


def mixed(features=()):
    return Cluster(
        ("cores",), np.array([[4.0], [2.0], [2.0]]), rules=SiteRules(features=features) if features else None
    )


def whole(cores, tasks=None):
    bound = Constraints(exclusive=[HOST, 0])
    given = {} if tasks is None else {"tasks": tasks}
    return Workload.of(submit_s=[0.0, 0.0], runtime_s=[1.0, 1.0], cores=cores, constraints=bound, **given)


def test_jobs_that_want_whole_hosts_bind_where_one_fits_on_a_host_that_it_does_not_fill():
    assert binds(whole([2, 1]), mixed())
    assert not binds(whole([4, 1]), mixed())


def test_a_job_that_fills_more_hosts_than_there_are_binds_so_that_it_is_known_never_to_start():
    assert binds(whole([4, 1], tasks=[2, 1]), mixed())
    assert not binds(whole([4, 1], tasks=[1, 1]), mixed())


def test_names_of_hosts_bind_where_some_host_is_not_among_them_even_without_features():
    named = Cluster(("cores",), np.full((3, 1), 4.0), names=("n1", "n2", "n3"))
    jobs = workload(features=Named.of(["host:n[1-3]", "!host:n9", "x"]))
    assert not binds(jobs, named)
    jobs = workload(features=Named.of(["host:n[1-2]", "!host:n1&x", None]))
    entries = resolve_constraints(jobs, named).entries
    assert entries.allowed[entries.hosts].tolist() == [[True, True, False], [False, True, True], [True, True, True]]


def test_a_job_has_an_entry_for_each_partition_and_choice_of_features():
    rules = SiteRules((Partition("a"), Partition("b", hosts=(1, 3))), features=(("x",), ("x",), ("y",), ("y",)))
    jobs = workload(4, features=Named.of(["x|y", "[x|y]", None, "[x|z]"]), partition=Named.of(["a", "a,b", "b", "a"]))
    entries = resolve_constraints(jobs, cluster(rules, hosts=4)).entries
    assert (entries.first.tolist(), entries.job.tolist()) == ([0, 1, 5, 6, 8], [0, 1, 1, 1, 1, 2, 3, 3])
    assert entries.partition.tolist() == [0, 0, 0, 1, 1, 1, 0, 0]
    hosts = [np.flatnonzero(each).tolist() for each in entries.allowed[entries.hosts]]
    assert hosts == [[0, 1, 2, 3], [0, 1], [2, 3], [1], [3], [1, 3], [0, 1], []]
    assert entries.closed.tolist() == [False] * 7 + [True]


def test_features_that_every_host_has_bind_nobody():
    jobs = workload(features=Named.of(["x86&fast|slow", None, None]))
    assert not binds(jobs, mixed((("x86", "fast"), ("slow",), ("slow", "x86"))))
    assert binds(jobs, mixed((("x86", "fast"), ("slow",), ("x86",))))


@pytest.mark.parametrize("columns", [
    {"hold": [0, 0, 0]}, {"throttle": [0, 0, 0]}, {"eligible_s": [0.0, 0.0, 0.0]}, {"min_hosts": [0, 1, 1]},
    {"max_hosts": [0, 0, 0]}, {"exclusive": [0, 0, 0]},
])  # fmt: skip
def test_a_column_of_constraints_that_asks_for_nothing_binds_nobody(columns):
    (name,) = columns
    assert not binds(workload(**columns), cluster())
    assert binds(workload(**{name: [2, 2, 2]}), cluster())


def test_a_job_of_several_partitions_has_an_entry_for_each():
    rules = SiteRules((Partition("a", hosts=(0,)), Partition("b", tier=3)), default_partition="b")
    found = resolve_constraints(workload(partition=Named.of(["b,a", None, "a"])), cluster(rules)).entries
    assert found.job.tolist() == [0, 0, 1, 2]
    assert found.partition.tolist() == [1, 0, 1, 0]
    assert found.tier.tolist() == [-3, -1, -3, -1]
    assert found.allowed[found.hosts].tolist() == [[True, True], [True, False], [True, True], [True, False]]


def test_dependencies_on_an_array_name_all_its_tasks_and_those_on_strangers_are_lifted():
    jobs = workload(
        4,
        array=[9, 9, -1, -1],
        array_task=[1, 2, -1, -1],
        depends=Dependencies.of(["", "", "afterok:9,afterok:77", "aftercorr:9_2"]),
    )
    waits = resolve_constraints(jobs, cluster()).waits
    assert waits.first.tolist() == [0, 0, 0, 2, 3]
    assert waits.first_on.tolist() == [0, 2, 2, 3]
    assert waits.on.tolist() == [0, 1, 1]


def test_counters_are_one_for_each_user_and_resource_that_a_limit_is_set_for():
    limits = Limits(max_jobs_pu=2, max_tres_pu=(("cores", 3.0),), grp_jobs=5, max_tres_job=(("cores", 0.5),))
    jobs = Workload.of(submit_s=[0, 0], runtime_s=[1, 1], cores=[1, 2], user=[4, 5])
    found = resolve_constraints(jobs, cluster(SiteRules(qos=(Qos("normal", limits=limits),))))
    assert sorted(found.counters.most.tolist()) == [2, 2, 3, 3, 5]
    assert sorted(amount for _, amount in found.counters.uses(1)) == [1, 1, 2]
    assert found.count_never() == {"more than a limit allows": 2}


@pytest.mark.parametrize(
    ("limits", "never"),
    [
        (Limits(grp_wall_s=3.0), 0), (Limits(grp_tres_s=(("cores", 99.0),)), 1),
        (Limits(grp_tres_run_s=(("cores", 100.0),)), 0), (Limits(max_tres_s_job=(("cores", 99.0),)), 1),
        (Limits(max_tres_s_job=(("cores", 100.0),)), 0), (Limits(max_tres_host=(("cores", 1.0),)), 1),
        (Limits(max_tres_host=(("cores", 2.0),)), 0),
    ],
)  # fmt: skip
def test_a_job_that_asks_for_more_than_a_whole_limit_never_runs(limits, never):
    bound = Constraints(limit_s=[25.0, 1.0], min_hosts=[2, 0])
    jobs = Workload.of(submit_s=[0, 0], runtime_s=[1, 1], cores=[1, 1], tasks=[4, 1], constraints=bound)
    found = resolve_constraints(jobs, cluster(SiteRules(qos=(Qos("normal", limits=limits),)))).count_never()
    assert sum(found.values()) == never


@pytest.mark.parametrize(
    "limits", [Limits(max_tres_pu=(("cores", 1.0),)), Limits(grp_tres_run_s=(("cores", 1.0),)), Limits(max_wall_s=9.0)]
)
def test_a_job_of_several_partitions_is_closed_to_those_alone_whose_limits_it_is_beyond(limits):
    parts = (Partition("small", qos="tight"), Partition("large"))
    rules = SiteRules(parts, qos=(Qos("tight", limits=limits),))
    names = Named.of(["small,large", "small", "large"])
    bound = Constraints(partition=names, limit_s=[10.0] * 3)
    jobs = Workload.of(submit_s=[0] * 3, runtime_s=[5] * 3, cores=[2] * 3, constraints=bound)
    found = resolve_constraints(jobs, cluster(rules))
    assert found.entries.closed.tolist() == [True, False, True, False]
    assert found.never.tolist().count(0) == 2
    assert found.count_never() == {"more than a limit allows": 1}


def test_a_failure_is_known_only_once_it_has_happened():
    rules = SiteRules(calendar=(CalendarRow(5.0, 9.0, "down"), CalendarRow(7.0, None, "drained", hosts=(1,))))
    calendar = resolve_constraints(workload(), cluster(rules)).calendar
    assert calendar.moments == (5.0, 7.0, 9.0)
    assert [len(calendar.at(now_s)) for now_s in (0.0, 5.0, 9.0)] == [1, 2, 1]


def test_partitions_admit_whom_they_say():
    rules = SiteRules((Partition("a", max_time_s=10.0, deny_qos=("low",)),))
    jobs = workload(limit_s=[5, 20, 5], qos=Named.of(["high", "high", "low"]))
    assert resolve_constraints(jobs, cluster(rules)).count_never() == {
        "its partition does not admit it, or starts none": 2
    }
