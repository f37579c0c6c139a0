"""The end of what the calendar closes is a moment of decision, simulated and live, under every backfilling."""

from dataclasses import replace

import pytest
from fake_runs import Looking, drive, ruled

from loadmaster.backfilling import BACKFILLINGS
from loadmaster.model import CalendarRow, Cluster, SiteRules, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import Scheduler, discipline_named
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.reference import replay

JOBS = Workload.of(submit_s=[0.0, 30.0, 800.0], runtime_s=[900.0, 100.0, 10.0], cores=[2, 4, 1], memory=[1, 1, 1])
NOT_AT_ONCE = {"slurm": "slurm(bf_interval=600,sched_interval=600)"}
"""Passes that would come by themselves are far away."""


def closed(kind):
    rows = (CalendarRow(20.0, 217.0, kind, hosts=(0,), name="maintenance"),)
    hosts = Cluster(("cores", "memory"), [[4.0, 8.0], [2.0, 8.0]], ("a", "b"))
    return replace(hosts, rules=SiteRules(calendar=rows))


@pytest.mark.parametrize("kind", ["reserved", "drained", "down"])
@pytest.mark.parametrize("backfilling", BACKFILLINGS)
def test_a_job_that_waits_for_closed_hosts_starts_as_they_open(backfilling, kind, tmp_path):
    name = NOT_AT_ONCE.get(backfilling, f"fcfs+{backfilling}")
    rule = discipline_named(name)
    plain = replay(JOBS, closed(kind), Scheduler(POLICIES["best-fit-cores"], rule), interval_s=0.0)
    asked = simulate(JOBS, closed(kind), POLICIES["best-fit-cores"], rule, interval_s=5.0)
    assert plain.start_s.tolist()[:2] == [0.0, 217.0]
    assert asked.start_s.tolist()[:2] == [0.0, 220.0]
    live = drive(tmp_path, JOBS, closed(kind), scheduler=Looking(ruled("best-fit-cores", name)), interval_s=5.0)
    assert live.engine.over["1"][0] == 220.0 + JOBS.runtime_s[1]
