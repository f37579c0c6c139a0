"""Memory of jobs that request none, and limits of time where the log has none."""

from dataclasses import replace

import numpy as np
import pytest
from sites import site_of

from loadmaster.model import Cluster, Constraints, SiteRules, Workload
from loadmaster.model.constraints import EXCLUSIVE
from loadmaster.model.name_column import Named
from loadmaster.model.site_rules import Partition
from loadmaster.model.units import MB
from loadmaster.site.jobs import jobs_at, with_longest_times

HOSTS = "NodeName=n[1-2] CPUs=8 RealMemory=1000\nPartitionName=main Nodes=ALL Default=YES\n"
COUNTED = "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core_Memory\n"


@pytest.fixture
def jobs():
    """Three jobs: without memory, with some, without and in the partition `big`."""
    return Workload.of(
        submit_s=[0, 1, 2],
        runtime_s=[9, 9, 9],
        cores=[2, 1, 4],
        memory=[0, 50, 0],
        constraints=Constraints(partition=Named.of([None, "main", "big,main"])),
    )


def test_the_default_of_the_partition_comes_before_that_of_the_cluster(tmp_path, jobs):
    site = site_of(tmp_path, HOSTS + COUNTED + "DefMemPerCPU=10\nPartitionName=big Nodes=ALL DefMemPerNode=300\n")
    made, notes = jobs_at(site, jobs)
    assert made.demand[:, 1].tolist() == [20 * MB, 50, 300 * MB]
    assert made.constraints.exclusive is None
    assert notes == ("2 jobs request no memory: they get the site's default.",)


def test_without_a_default_a_job_has_its_hosts_for_itself(tmp_path, jobs):
    made, notes = jobs_at(site_of(tmp_path, HOSTS + COUNTED), jobs)
    assert made.demand[:, 1].tolist() == [0, 50, 0]
    assert [EXCLUSIVE[code] for code in made.constraints.exclusive] == ["host", "none", "host"]
    assert notes == ("2 jobs request no memory: they get all of their hosts, as in Slurm.",)


def test_a_log_without_memory_gets_the_column(tmp_path):
    bare = Workload.of(submit_s=[0], runtime_s=[9], cores=[2], gpus=[1])
    made, _ = jobs_at(site_of(tmp_path, HOSTS + COUNTED + "DefMemPerCPU=10\n"), bare)
    assert made.resources == ("cores", "memory", "gpus")
    assert np.array_equal(made.demand, [[2, 20 * MB, 1]])


def test_where_memory_is_not_counted_nobody_is_asked_for_any_and_that_is_said(tmp_path, jobs):
    site = site_of(tmp_path, HOSTS + "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\n")
    made, notes = jobs_at(site, jobs)
    assert made.resources == ("cores",)
    assert np.array_equal(made.demand, jobs.demand[:, :1])
    assert len(notes) == 1
    bare = Workload.of(submit_s=[0], runtime_s=[9], cores=[2])
    assert jobs_at(site, bare) == (bare, ())


def test_a_log_without_limits_gets_those_of_the_partitions(tmp_path):
    jobs = Workload.of(
        submit_s=[0, 1, 2],
        runtime_s=[9, 90, 9],
        cores=[2, 1, 4],
        constraints=Constraints(partition=Named.of([None, "short", "free"])),
    )
    site = site_of(
        tmp_path,
        HOSTS.replace("Default", "MaxTime=20 DefaultTime=10 Default")
        + "PartitionName=short Nodes=ALL MaxTime=1\nPartitionName=free Nodes=ALL\n",
    )
    made, notes = jobs_at(site, jobs)
    assert made.estimate_s.tolist() == [600, 60, 9]
    assert notes == ("The log has no limits of time: 2 jobs get the default of their partition.",)
    assert made.constraints.limit_s is None
    said = Workload.of(submit_s=[0], runtime_s=[9], cores=[2], estimate_s=np.array([5.0]))
    assert jobs_at(site, said)[0].estimate_s.tolist() == [5]


def test_of_a_log_in_which_some_jobs_have_limits_the_others_get_those_of_their_partitions(tmp_path):
    jobs = Workload.of(
        submit_s=[0, 1, 2, 3],
        runtime_s=[9, 90, 9, 9],
        cores=[2, 1, 4, 1],
        estimate_s=np.array([30.0, 90.0, 9.0, 9.0]),
        constraints=Constraints(
            limit_s=np.array([30.0, np.inf, np.inf, np.inf]), partition=Named.of([None, None, "short", "free"])
        ),
    )
    site = site_of(
        tmp_path,
        HOSTS.replace("Default", "MaxTime=20 DefaultTime=10 Default")
        + "PartitionName=short Nodes=ALL MaxTime=1\nPartitionName=free Nodes=ALL\n",
    )
    made, notes = jobs_at(site, jobs)
    assert made.constraints.limit_s.tolist() == [30, 600, 60, np.inf]
    assert made.estimate_s.tolist() == [30, 600, 60, 9]
    assert "2 jobs have no limit of time in the log: they get the default of their partition." in notes


def test_accounts_and_qos_are_known_whatever_case_a_log_writes_them_in(tmp_path):
    bound = Constraints(user_names=("Eve",), account_names=("Phys", "chem"), qos=Named.of(["High", "high", None]))
    asking = Workload.of(
        submit_s=[0, 1, 2], runtime_s=[9, 9, 9], cores=[1, 1, 1], user=[0, 0, 0], project=[0, 1, 0], constraints=bound
    )
    made, _ = jobs_at(site_of(tmp_path, HOSTS + COUNTED), asking)
    assert made.constraints.account_names == ("phys", "chem")
    assert made.constraints.user_names == ("Eve",)
    assert made.constraints.qos.words() == ["high", "high", None]


def test_accounts_whose_names_differ_in_their_capitals_alone_are_one(tmp_path):
    bound = Constraints(account_names=("Phys", "chem", "phys"))
    jobs = Workload.of(submit_s=[0, 1, 2], runtime_s=[9] * 3, cores=[1] * 3, project=[0, 1, 2], constraints=bound)
    made, _ = jobs_at(site_of(tmp_path, HOSTS + COUNTED), jobs)
    assert made.constraints.account_names == ("phys", "chem")
    assert made.project.tolist() == [0, 1, 0]


def test_a_job_without_a_limit_gets_the_longest_time_of_its_partition_where_no_site_is_known(jobs):
    parts = (Partition("main", max_time_s=600.0), Partition("big"))
    one = Cluster.uniform(1, cores=8, memory=1)
    made, notes = with_longest_times(jobs, replace(one, rules=SiteRules(partitions=parts)))
    assert made.estimate_s.tolist() == [600.0, 600.0, 9.0]
    assert notes == ("The log has no limits of time: 2 jobs get the longest time that their partition allows.",)
    assert with_longest_times(made, replace(one, rules=SiteRules(partitions=parts)))[1] == ()
    assert with_longest_times(jobs, one) == (jobs, ())
