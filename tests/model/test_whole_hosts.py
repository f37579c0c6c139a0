from dataclasses import replace

import numpy as np

from loadmaster.measure import violations
from loadmaster.model import Cluster, Constraints, Named, Partition, SiteRules, Workload
from loadmaster.model.whole_hosts import hold_whole_hosts
from loadmaster.place import POLICIES
from loadmaster.runs import case_of
from loadmaster.scheduling import Scheduler
from loadmaster.scheduling.notation import discipline_named
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.reference import replay
from loadmaster.traces import Trace


def test_jobs_that_want_whole_hosts_share_them_with_nobody():
    bound = Constraints(exclusive=[2, 0, 0])
    jobs = Workload.of(submit_s=[0, 0, 0], runtime_s=[10, 10, 10], cores=[1, 1, 4], constraints=bound)
    case = case_of(Trace(jobs), Cluster.uniform(1, cores=4))
    schedule = simulate(case.workload, case.cluster, POLICIES["first-fit"], discipline_named("fcfs"), interval_s=0.0)
    assert schedule.start_s.tolist() == [0, 10, 20]
    assert violations(case.workload, case.cluster, schedule) == ()


def test_a_partition_of_whole_hosts_gives_them_to_all_its_jobs():
    rules = SiteRules((Partition("whole", exclusive="host"), Partition("shared")))
    jobs = Workload.of(
        submit_s=[0, 0],
        runtime_s=[1, 1],
        cores=[1, 1],
        memory=[2, 2],
        tasks=[3, 3],
        constraints=Constraints(partition=Named.of(["whole", "shared"])),
    )
    cluster = Cluster(("cores", "memory"), np.array([[2.0, 8.0], [2.0, 8.0], [9.0, 8.0]]), rules=rules)
    whole = hold_whole_hosts(jobs, cluster)
    assert whole.demand.tolist() == [[2, 4], [1, 2]]
    assert whole.tasks.tolist() == [2, 3]


def test_a_job_of_whole_hosts_gets_as_many_as_it_asks_for():
    bound = Constraints(exclusive=[2, 2, 2], min_hosts=[3, 9, 0])
    jobs = Workload.of(
        submit_s=[0] * 3, runtime_s=[1] * 3, cores=[1] * 3, memory=[2] * 3, tasks=[5, 2, 5], constraints=bound
    )
    whole = hold_whole_hosts(jobs, Cluster.uniform(4, cores=4, memory=8))
    assert whole.tasks.tolist() == [3, 2, 2]
    assert whole.demand.tolist() == [[4, 4], [4, 2], [4, 8]]


def test_a_job_of_whole_hosts_gets_as_many_as_its_partition_gives_at_least():
    rules = SiteRules((Partition("wide", min_hosts=3, exclusive="host"), Partition("any", exclusive="host")))
    bound = Constraints(partition=Named.of(["wide", "any", None, "wide"]))
    jobs = Workload.of(
        submit_s=[0] * 4, runtime_s=[10] * 4, cores=[1] * 4, memory=[2] * 4, tasks=[1, 1, 8, 16], constraints=bound
    )
    cluster = replace(Cluster.uniform(4, cores=4, memory=8), rules=rules)
    whole = hold_whole_hosts(jobs, cluster)
    assert whole.tasks.tolist() == [3, 1, 3, 4]
    assert whole.demand.tolist() == [[4, 2], [4, 2], [4, 6], [4, 8]]
    schedule = simulate(whole, cluster, POLICIES["first-fit"], discipline_named("fcfs"), interval_s=0.0)
    assert schedule.start_s.tolist() == [0, 0, 10, 20]
    assert violations(whole, cluster, schedule) == ()


def test_a_partition_with_hosts_of_another_size_than_most_gives_those_whole():
    rules = SiteRules((Partition("main"), Partition("large", hosts=(2,))))
    bound = Constraints(exclusive=[2, 2, 2], partition=Named.of(["main", "large", None]))
    jobs = Workload.of(submit_s=[0] * 3, runtime_s=[1] * 3, cores=[1] * 3, constraints=bound)
    cluster = Cluster(("cores",), np.array([[4.0], [4.0], [16.0]]), rules=rules)
    assert hold_whole_hosts(jobs, cluster).demand[:, 0].tolist() == [4, 16, 4]


def test_a_job_of_whole_hosts_is_as_large_as_those_of_the_first_of_its_partitions_that_hold_it():
    rules = SiteRules((Partition("small", hosts=(0,), min_hosts=7), Partition("large", hosts=(1,))))
    bound = Constraints(exclusive=[2, 0], partition=Named.of(["small,large", "large"]))
    jobs = Workload.of(submit_s=[0, 0], runtime_s=[10, 10], cores=[3, 1], constraints=bound)
    cluster = Cluster(("cores",), np.array([[2.0], [4.0]]), rules=rules)
    case = case_of(Trace(jobs), cluster)
    skip = Scheduler(POLICIES["first-fit"], discipline_named("skip"))
    schedule = replay(case.workload, case.cluster, skip, interval_s=30.0)
    assert schedule.start_s.tolist() == [0, 30]
