"""Stranded GPUs by partition and GPU model are those of their hosts, as the plain sweep over events counts them."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_runs import runs
from timeline_reference import sweep_plainly

from loadmaster.measure.group_stranding import GroupStranding
from loadmaster.measure.group_waits import group_waits
from loadmaster.measure.timeline import task_events
from loadmaster.measure.timeline_kernel import empty_sums
from loadmaster.measure.usage import measured
from loadmaster.model import Cluster, Constraints, Cycles, Named, Schedule, SiteRules, Workload
from loadmaster.model.site_rules import Partition

NAMES = ("cores", "gpus")


def by(groups, name):
    return next(each for each in groups if each.by == name)


def of_all_hosts(workload, cluster, schedule):
    """The part of all GPUs that was stranded, event by event."""
    first_s, last_s = measured(workload, schedule)
    sums = empty_sums(1, 2)
    sweep_plainly(task_events(workload, cluster, schedule), first_s, max(last_s - first_s, 1e-9), sums)
    return float(sums.stranded[0, 1] / cluster.total[1])


@given(runs(), st.integers(0, 3))
def test_groups_of_hosts_make_up_what_the_plain_sweep_says_of_all(run, split):
    workload, cluster, schedule = run
    first = tuple(range(min(1 + split, cluster.hosts - 1)))
    rest = tuple(range(len(first), cluster.hosts))
    features = tuple(("gpu:a100", "fast") if host in first else ("V100",) for host in range(cluster.hosts))
    rules = SiteRules(partitions=(Partition("a", first), Partition("b", rest), Partition("all")), features=features)
    names = [("a", "b", "all", "b,a")[job % 4] for job in range(workload.jobs)]
    kinds = [("a100", "v100")[job % 2] for job in range(workload.jobs)]
    bound = Constraints(partition=Named.of(names), gpu_kind=Named.of(kinds))
    workload = replace(workload, resources=NAMES, constraints=bound)
    cluster = replace(cluster, resources=NAMES, rules=rules)
    whole = of_all_hosts(workload, cluster, schedule)
    groups = group_waits(workload, schedule, GroupStranding(workload, cluster, schedule))
    for grouping, pair in (("partition", ("a", "b")), ("gpu", ("a100", "v100"))):
        part = dict(zip(by(groups, grouping).names, by(groups, grouping).stranded_gpus.tolist(), strict=True))
        assert all(part[name] == pytest.approx(whole, abs=1e-6) for name in ("all", "b,a") if name in part)
        if set(pair) <= set(part):
            hosts = np.array([len(first), len(rest)])
            assert np.average([part[name] for name in pair], weights=hosts) == pytest.approx(whole, abs=1e-6)


def one_run(**more):
    """From 0 to 10 a job fills the cores of host 1 and one of its four GPUs; the last arrival is at 20."""
    workload = Workload.of(submit_s=[0, 20], runtime_s=[10, 1], cores=[4, 4], gpus=[1, 0], **more)
    none = np.array([], np.int64)
    return workload, Schedule(np.array([0.0, 20.0]), np.array([1, 0]), Cycles(none * 1.0, none, none, none))


def cluster_of(rules=None):
    return Cluster(NAMES, np.array([[4.0, 0.0], [4.0, 4.0]]), ("n1", "n2"), rules=rules)


def test_three_of_four_gpus_beside_full_cores_for_half_of_the_time_are_three_eighths():
    rules = SiteRules(partitions=(Partition("cpu", (0,)), Partition("gpu", (1,))))
    workload, schedule = one_run(constraints=Constraints(partition=Named.of(["gpu", "cpu"])))
    found = by(group_waits(workload, schedule, GroupStranding(workload, cluster_of(rules), schedule)), "partition")
    assert found.names == ("gpu", "cpu")
    assert found.stranded_gpus[0] == pytest.approx(0.375)
    rows = {row["name"]: row["stranded_gpus"] for row in found.rows()}
    assert rows["cpu"] is None, "a partition without GPUs strands none"


def test_gpus_of_jobs_that_name_no_model_are_those_of_all_hosts():
    workload, schedule = one_run()
    found = by(group_waits(workload, schedule, GroupStranding(workload, cluster_of(), schedule)), "gpu")
    assert dict(zip(found.names, found.stranded_gpus.tolist(), strict=True)) == pytest.approx(
        {"model not named": 0.375, "no GPU": np.nan}, nan_ok=True
    )


@pytest.mark.parametrize("rules", [None, SiteRules(partitions=(Partition("other"),), features=(("fast",), ("fast",)))])
def test_nothing_is_said_of_a_partition_or_model_of_which_no_host_is_known(rules):
    bound = Constraints(partition=Named.of(["gpu", "gpu"]), gpu_kind=Named.of(["a100", None]), status=np.zeros(2))
    workload, schedule = one_run(constraints=bound, user=[0, 1])
    for groups in group_waits(workload, schedule, GroupStranding(workload, cluster_of(rules), schedule)):
        assert np.isnan(groups.stranded_gpus).all(), groups.by


def test_nothing_is_said_where_it_is_not_known_on_which_hosts_jobs_ran():
    workload, schedule = one_run()
    assert all(np.isnan(groups.stranded_gpus).all() for groups in group_waits(workload, schedule))
