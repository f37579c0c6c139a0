"""The course of a live run, read off its record: who could begin, and who never can."""

import json
from dataclasses import replace

import numpy as np
from fake_runs import drive, ruled
from live_records import begin, cycle, first, job

from loadmaster.live.fake.fault_injection import ScheduledFault
from loadmaster.live.queue.record import FILE
from loadmaster.live.queue.timeline import timeline_in
from loadmaster.model import Cluster, Constraints, Workload
from loadmaster.model.name_column import Named
from loadmaster.model.site_rules import Partition, SiteRules
from loadmaster.report.live_answer import live_answer
from loadmaster.report.live_charts import queue_over_time, spans_of, waits_over_time
from loadmaster.runs.live_timeline import JobStart


def timeline(folder, cores, *, cluster, **more):
    jobs = Workload.of(submit_s=[0.0] * len(cores), runtime_s=[100.0] * len(cores), cores=cores, **more)
    drive(folder, jobs, cluster, scheduler=ruled("first-fit", "netbatch"), on_exit="hold", for_s=30.0)
    return timeline_in(folder)


def test_a_job_too_large_for_every_host_is_none_that_could_begin(tmp_path):
    found = timeline(tmp_path, [4, 64, 4], cluster=Cluster.uniform(1, cores=4))
    assert [each.waiting for each in found.counted][-1] == 1
    assert len(found.waiting_s) == 1
    assert found.counted[0].waiting == 2


def test_jobs_whose_start_was_refused_to_the_end_are_counted_and_named(tmp_path):
    jobs = Workload.of(submit_s=[0.0, 0.0], runtime_s=[100.0] * 2, cores=[4, 4])
    unfit = tuple(ScheduledFault(0.0, "unfit") for _ in range(3))
    drive(tmp_path, jobs, Cluster.uniform(2, cores=4), faults=unfit, on_exit="hold", for_s=10.0)
    found = timeline_in(tmp_path)
    assert (found.refusals, found.refused_jobs, found.by_others) == ({"unfit": 3}, ["0"], 0)
    assert "The engine refused 3 times (3 unfit). 1 job had not started for that by the end (0)." in live_answer(found)


def test_a_job_whose_partition_never_takes_it_is_none_that_could_begin_and_one_that_waits_for_room_is(tmp_path):
    parts = (Partition("wide", max_time_s=1000.0), Partition("short", max_time_s=10.0))
    cluster = Cluster.uniform(1, cores=4)
    cluster = Cluster(cluster.resources, cluster.capacity, cluster.names, cluster.speed, SiteRules(partitions=parts))
    found = timeline(
        tmp_path,
        [4, 1, 1],
        cluster=cluster,
        constraints=Constraints(partition=Named.of(["wide", "short", "wide"]), hold=np.zeros(3, np.int32)),
    )
    assert found.counted[0].waiting == 2
    assert [each.waiting for each in found.counted][-1] == 1


def test_a_run_is_told_up_to_its_end_though_nothing_happened_in_its_last_cycles(tmp_path):
    found = timeline(tmp_path, [4, 4], cluster=Cluster.uniform(1, cores=4))
    assert found.counted[-1].at_s == 5.0
    assert (found.last_s, found.waiting_s) == (30.0, [30.0])


def test_what_was_seen_as_all_was_handed_back_is_told_too(tmp_path):
    jobs = Workload.of(submit_s=[0.0], runtime_s=[31.0], cores=[1])
    drive(tmp_path, jobs, Cluster.uniform(1, cores=4), interval_s=10.0, for_s=39.5)
    found = timeline_in(tmp_path)
    assert (found.counted[-1].running, found.last_s) == (0, 31.0)


def test_a_run_of_a_single_cycle_shows_its_queue_and_its_start(tmp_path):
    lines = [begin(), cycle(0.0, first({"j1": job(995.0)})), {"end": "done", "at_s": 1000.0}]
    (tmp_path / FILE).write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = timeline_in(tmp_path)
    shown = queue_over_time(found, spans_of(found)).to_dict()
    times = {row["t"] for row in shown["data"]["values"] if row["what"] == "waiting"}
    assert len(times) == 2
    began = replace(found, began=[JobStart(0.0, 5.0)])
    layers = waits_over_time(began, spans_of(began), "seconds", 1.0).to_dict()["layer"]
    assert layers[1]["mark"]["point"]["size"] == 40
    assert layers[0]["encoding"]["y"]["scale"]["domain"][1] > 5.0
    assert found.since == "the record began"


def test_of_jobs_that_came_long_before_the_record_time_is_counted_from_the_first(tmp_path):
    lines = [begin(), cycle(500.0, first({"j1": job(995.0)})), {"end": "done", "at_s": 1510.0}]
    (tmp_path / FILE).write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = timeline_in(tmp_path)
    shown = queue_over_time(found, spans_of(found)).to_dict()
    assert shown["encoding"]["x"]["title"] == "seconds since the first of its jobs came"
