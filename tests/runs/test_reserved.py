"""What a job waits for where hosts are kept for others: a reservation says its name."""

import pytest

from loadmaster.model import CalendarRow, Cluster, Constraints, SiteRules, Workload
from loadmaster.model.name_column import Named
from loadmaster.place import POLICIES
from loadmaster.runs import Case, Setting
from loadmaster.runs.explain import explain
from loadmaster.runs.record import Record
from loadmaster.scheduling import Scheduler, discipline_named
from loadmaster.sim.queue.reference import replay


def told(reservation, *rows, runtime_s=(100.0, 50.0), hosts=2):
    """Job 0 runs on host 0 from the beginning; what of job 1, which came at 10 s."""
    rules = SiteRules(calendar=rows)
    cluster = Cluster.uniform(hosts, cores=4, memory=8)
    cluster = Cluster(cluster.resources, cluster.capacity, ("a", "b")[:hosts], cluster.speed, rules)
    names = Constraints(reservation=Named.of(["", reservation]))
    work = Workload.of(submit_s=[0, 10], runtime_s=list(runtime_s), cores=[4, 4], memory=[1, 1], constraints=names)
    setting = Setting("first-fit", "easy")
    schedule = replay(work, cluster, Scheduler(POLICIES["first-fit"], discipline_named("easy")), interval_s=30.0)
    return explain(Record(Case(work, cluster), setting, work, schedule, {}), int(work.id_of(1)))


def test_a_job_waits_for_the_reservation_that_it_names():
    found = told("night", CalendarRow(300.0, 900.0, "reserved", (1,), "night"))
    assert found.start_s == 300.0
    assert "its reservation night had not begun" in found.delay.reasons


def test_a_host_with_room_is_kept_by_the_reservation_of_others():
    found = told("", CalendarRow(0.0, 400.0, "reserved", (1,), "course"))
    assert found.start_s == 120.0
    assert list(found.delay.reasons) == ["the hosts that had room were kept by the reservation course"]


def test_a_reservation_that_comes_before_the_job_would_end_keeps_it_away_too():
    found = told("", CalendarRow(60.0, 400.0, "reserved", (1,), "course"))
    assert found.start_s == 120.0
    assert list(found.delay.reasons) == ["the hosts that had room were kept by the reservation course"]


@pytest.mark.parametrize("row", [CalendarRow(200.0, 400.0, "reserved", (1,), "later"), None])
def test_a_reservation_that_is_not_in_the_way_is_not_named(row):
    found = told("", *([row] if row else []), runtime_s=(100.0, 50.0))
    assert found.start_s == 30.0
    assert not found.delay.reasons


def test_drained_hosts_are_told_as_such():
    found = told("", CalendarRow(0.0, 400.0, "drained", (1,)))
    assert list(found.delay.reasons) == ["the hosts that had room were drained"]
