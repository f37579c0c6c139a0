"""Limits are checked by the rules alone: what binds a job is found, and what another limit hides is not claimed."""

from dataclasses import replace

import numpy as np
import pytest

from loadmaster.measure import violations
from loadmaster.model import Account, Cluster, Constraints, Limits, Named, Partition, Qos, SiteRules, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate

ONE, TWO, NONE = Limits(grp_jobs=1), Limits(grp_jobs=2), Limits()
BROKEN = "grp_jobs: 2 at 0 s, the limit is 1"


def at_once(qos, parts, normal=NONE, *, over=False):
    """What is found where two jobs of an account that may run one run at once; each waits in partitions a and b."""
    bound = Constraints(partition=Named.of(["a,b", "a,b"]), account_names=("p",))
    jobs = Workload.of(submit_s=[0, 0], runtime_s=[9, 9], cores=[1, 1], project=[0, 0], constraints=bound)
    hosts = Cluster.uniform(2, cores=1)
    schedule = simulate(jobs, hosts, POLICIES["first-fit"], discipline_named("easy"), interval_s=0.0)
    rules = SiteRules(
        tuple(Partition(name, qos=of) for name, of in zip("ab", parts, strict=True)),
        qos=(Qos("normal", limits=normal, over_partition=over), *qos),
        accounts=(Account("p", limits=ONE),),
    )
    return violations(jobs, replace(hosts, rules=rules), schedule)


def test_of_a_job_in_several_partitions_the_limit_of_its_account_is_checked():
    (found,) = at_once((), ("", ""))
    assert BROKEN in found


def test_its_own_quality_of_service_hides_that_limit():
    assert at_once((), ("", ""), TWO) == ()
    (found,) = at_once((), ("", ""), ONE)
    assert found == f"qos normal {BROKEN}"


def test_that_of_one_of_its_partitions_may_hide_it():
    assert at_once((Qos("part", limits=TWO),), ("part", "")) == ()
    assert at_once((Qos("part", limits=ONE),), ("part", "")) == ()  # both may have run in the other
    assert at_once((Qos("part", limits=ONE),), ("part", "part")) == (f"qos part {BROKEN}",)
    assert at_once((Qos("part", limits=TWO),), ("part", ""), ONE) == ()
    assert at_once((Qos("part", limits=TWO),), ("part", ""), ONE, over=True) == (f"qos normal {BROKEN}",)


def started_later(runtime_s, start_s, half_life_s):
    """What is found where a job starts at `start_s` behind one of that runtime, and 40 s are all that may be used."""
    jobs = Workload.of(submit_s=[0, 0], runtime_s=[runtime_s, 9], cores=[1, 1])
    hosts = Cluster.uniform(1, cores=1)
    schedule = simulate(jobs, hosts, POLICIES["first-fit"], discipline_named("easy"), interval_s=0.0)
    rules = SiteRules(
        qos=(Qos("normal", limits=Limits(grp_wall_s=40.0)),), use_half_life_s=half_life_s, limits_safe=False
    )
    found = violations(
        jobs, replace(hosts, rules=rules), replace(schedule, start_s=np.array([0.0, start_s]), end_s=None)
    )
    return [each for each in found if "beyond the limit 40" in each]


@pytest.mark.parametrize("runtime_s", [60.0, 77.0, 100.0, 101.3, 250.0, 333.3])
def test_who_starts_as_use_has_faded_to_the_limit_passes_none(runtime_s):
    used_s = 50.0 / np.log(2.0) * (1.0 - 2.0 ** (-runtime_s / 50.0))
    at_s = runtime_s + 50.0 * np.log2(used_s / 40.0)
    assert started_later(runtime_s, at_s, 50.0) == []
    assert started_later(runtime_s, at_s - 0.001, 50.0)


def test_use_that_never_fades_binds_from_the_limit_on():
    assert started_later(40.0, 40.0, 0.0)
    assert started_later(39.999999, 40.0, 0.0) == []
