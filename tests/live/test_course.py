"""The course of a live run, read off its record: who could begin, and who never can."""

import numpy as np
from fake_runs import drive, ruled

from loadmaster.live.course import course_in
from loadmaster.model import Cluster, Constraints, Workload
from loadmaster.model.named import Named
from loadmaster.model.site_rules import Partition, SiteRules


def course(folder, cores, *, cluster, **more):
    jobs = Workload.of(submit_s=[0.0] * len(cores), runtime_s=[100.0] * len(cores), cores=cores, **more)
    drive(folder, jobs, cluster, scheduler=ruled("first-fit", "netbatch"), on_exit="hold", for_s=30.0)
    return course_in(folder)


def test_a_job_too_large_for_every_host_is_none_that_could_begin(tmp_path):
    found = course(tmp_path, [4, 64, 4], cluster=Cluster.uniform(1, cores=4))
    assert [each.waiting for each in found.counted][-1] == 1
    assert len(found.waiting_s) == 1
    assert found.counted[0].waiting == 2


def test_a_job_whose_partition_never_takes_it_is_none_that_could_begin_and_one_that_waits_for_room_is(tmp_path):
    parts = (Partition("wide", max_time_s=1000.0), Partition("short", max_time_s=10.0))
    cluster = Cluster.uniform(1, cores=4)
    cluster = Cluster(cluster.resources, cluster.capacity, cluster.names, cluster.speed, SiteRules(partitions=parts))
    found = course(
        tmp_path, [4, 1, 1], cluster=cluster,
        constraints=Constraints(partition=Named.of(["wide", "short", "wide"]), hold=np.zeros(3, np.int32)),
    )  # fmt: skip
    assert found.counted[0].waiting == 2
    assert [each.waiting for each in found.counted][-1] == 1
