"""Who may run where, and what one job may request, is checked by the rules alone."""

from dataclasses import replace

import numpy as np
import pytest

from loadmaster.measure import violations
from loadmaster.model import Cluster, Constraints, Limits, Named, Partition, Qos, SiteRules, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate


def started(rules):
    """What is found where two jobs of three tasks have started at once that might, for all the engine knew."""
    bound = Constraints(
        partition=Named.of(["a", "a,b"]),
        qos=Named.of(["low", "low"]),
        account_names=("p",),
        limit_s=[50.0, 50.0],
        min_hosts=[2, 2],
    )
    jobs = Workload.of(submit_s=[0, 0], runtime_s=[9, 9], cores=[2, 2], tasks=[3, 3], project=[0, 0], constraints=bound)
    hosts = Cluster.uniform(6, cores=2)
    schedule = simulate(jobs, hosts, POLICIES["first-fit"], discipline_named("easy"), interval_s=0.0)
    assert schedule.started.all()
    return violations(jobs, replace(hosts, rules=rules), schedule)


@pytest.mark.parametrize(
    ("shut", "open_"),
    [
        ({"max_time_s": 49.0}, {"max_time_s": 50.0}),
        ({"allow_accounts": ("q",)}, {"allow_accounts": ("p", "q")}),
        ({"deny_accounts": ("p",)}, {"deny_accounts": ("p",), "allow_accounts": ("p",)}),
        ({"allow_qos": ("high",)}, {"allow_qos": ("low",)}),
        ({"deny_qos": ("low",)}, {"deny_qos": ("high",)}),
    ],
    ids=str,
)
def test_a_job_where_no_partition_that_it_names_admits_it_is_found(shut, open_):
    assert started(SiteRules((Partition("a", **open_), Partition("b")))) == ()
    (found,) = started(SiteRules((Partition("a", **shut), Partition("b"))))
    assert found == "job 0 runs where no partition that it names admits it (1 job)"  # the other may run in b


@pytest.mark.parametrize(
    ("shut", "open_", "says"),
    [
        (
            {"max_tres_job": (("cores", 5.0),)},
            {"max_tres_job": (("cores", 6.0),)},
            "cores: job 0 requests 6, the limit",
        ),
        (
            {"min_tres_job": (("cores", 7.0),)},
            {"min_tres_job": (("cores", 6.0),)},
            "cores: job 0 requests 6, the limit",
        ),
        ({"max_tres_host": (("cores", 2.0),)}, {"max_tres_host": (("cores", 3.0),)}, "cores: job 0 requests 3"),
        ({"max_tres_s_job": (("cores", 299.0),)}, {"max_tres_s_job": (("cores", 300.0),)}, "cores: job 0 requests 300"),
        ({"max_wall_s": 49.0}, {"max_wall_s": 50.0}, "max_wall_s: job 0 requests 50, the limit is 49"),
    ],
    ids=str,
)
def test_a_job_that_asks_for_more_than_one_job_may_is_found(shut, open_, says):
    parts = Partition("a"), Partition("b")
    assert started(SiteRules(parts, qos=(Qos("low", limits=Limits(**open_)),))) == ()
    (found,) = started(SiteRules(parts, qos=(Qos("low", limits=Limits(**shut)),)))
    assert found.startswith("qos low ")
    assert says in found


def test_hosts_of_different_choices_and_hosts_that_a_job_excludes_are_found():
    bound = Constraints(features=Named.of(["[x|y]", "!host:1"]), min_hosts=[2, 1])
    jobs = Workload.of(submit_s=[0, 0], runtime_s=[9, 9], cores=[1, 1], tasks=[2, 1], constraints=bound)
    hosts = replace(Cluster.uniform(4, cores=2), rules=SiteRules(features=(("x",), ("x",), ("y",), ("y",))))
    schedule = simulate(jobs, hosts, POLICIES["first-fit"], discipline_named("skip"), interval_s=0.0)
    assert (schedule.host.tolist(), violations(jobs, hosts, schedule)) == ([0, 1, 0], ())
    mixed = replace(schedule, host=np.array([1, 2, 0], np.int32))
    assert violations(jobs, hosts, mixed) == ("job 0 runs on a host without the features that it requests (1 job)",)
    excluded = replace(schedule, host=np.array([2, 3, 1], np.int32))
    assert violations(jobs, hosts, excluded) == ("job 1 runs on a host without the features that it requests (1 job)",)
