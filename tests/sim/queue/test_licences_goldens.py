"""Small schedules with licences, worked out by hand (rule C13)."""

import numpy as np
import pytest

from loadmaster.measure.check import violations
from loadmaster.model import Cluster, Constraints, InputError, Limits, Named, Partition, Qos, SiteRules, Workload
from loadmaster.model.licences import parse_licences
from loadmaster.place import POLICIES
from loadmaster.scheduling import Scheduler
from loadmaster.scheduling.notation import discipline_named
from loadmaster.sim.queue.look_ahead import looking_ahead
from loadmaster.sim.queue.reference import replay

ROWS = [(0, 100, "m:3"), (1, 10, "m:4"), (2, 50, "m:2"), (3, 200, "m:2"), (4, 500, None)]
"""Arrival, runtime, licences, one core each; 4 hosts of 4 cores and 5 licences."""


def case(rows, total=(("m", 5.0),), hosts=4, cores=None, estimates=None, **more):
    submit_s, runtime_s, asked = zip(*rows, strict=True)
    columns = {"estimate_s": estimates} if estimates else {}
    constraints = Constraints(licences=Named.of(asked), **more.pop("columns", {}))
    cores = cores or [1] * len(rows)
    jobs = Workload.of(submit_s=submit_s, runtime_s=runtime_s, cores=cores, constraints=constraints, **columns)
    cluster = Cluster.uniform(hosts, cores=4)
    return jobs, Cluster(cluster.resources, cluster.capacity, rules=SiteRules(licences=total, **more))


def starts(rows, discipline, **more):
    jobs, cluster = case(rows, **more)
    rule = looking_ahead(discipline_named(discipline), plainly=True)
    schedule = replay(jobs, cluster, Scheduler(POLICIES["first-fit"], rule))
    assert violations(jobs, cluster, schedule) == ()
    return [None if np.isnan(start) else start for start in schedule.start_s.tolist()]


@pytest.mark.parametrize(
    ("discipline", "expected"),
    [
        ("easy", [0, 100, 2, 110, 4]),
        ("easy(heads=2)", [0, 100, 2, 110, 4]),
        ("conservative", [0, 100, 2, 110, 4]),
        ("conservative(early_end=replan)", [0, 100, 2, 110, 4]),
        ("fcfs", [0, 100, 110, 110, 110]),
        ("skip", [0, 252, 2, 52, 4]),
    ],
)
def test_a_job_that_lacks_a_licence_does_not_fit_and_reservations_count_licences(discipline, expected):
    assert starts(ROWS, discipline) == expected


def test_a_twin_counts_licences_when_it_looks_ahead():
    # the one licence is back at 100: then first come, first served waits 99 s and 198 s, the shorter first 109 and 98
    rows = [(0, 100, "m"), (1, 100, "m"), (2, 10, "m")]
    twin = "twin(every_s=1,handicap=0,members=fcfs+easy;lxf+easy)"
    assert starts(rows, twin, total=(("m", 1.0),)) == [0, 110, 100]
    assert starts(rows, twin, total=(("m", 3.0),)) == [0, 1, 2]


def test_a_licence_is_expected_back_at_the_expected_end_of_its_job():
    # the first job is expected until 60 and ends at 100: from 60 on it is overdue, and back right after now
    rows = [(0, 100, "m:3"), (1, 10, "m:4"), (2, 55, "m:2"), (70, 5, "m:2")]
    assert starts(rows, "easy", estimates=[60, 10, 55, 5]) == [0, 100, 2, 110]


def test_hosts_and_licences_are_promised_for_one_moment():
    # hosts are free from 50 on, licences from 100 on: the head is promised 100, so hosts may be taken until then
    rows = [(0, 100, "m:5"), (0, 50, None), (1, 10, "m:1"), (2, 40, None), (3, 60, None)]
    assert starts(rows, "easy", hosts=1, cores=[1, 3, 4, 3, 3]) == [0, 0, 100, 50, 110]


def test_a_licence_without_a_number_binds_nobody_and_one_of_which_there_are_too_few_never_runs():
    assert starts([(0, 10, "x:9"), (0, 10, "m:6"), (0, 10, "m:5,x")], "easy") == [0, None, 0]


def test_a_job_that_lacks_a_licence_blocks_nobody_under_slurm():
    rows = [(0, 100, "m:5"), (1, 50, "m:1"), (2, 10, None)]
    assert starts(rows, "slurm", hosts=1, partitions=(Partition("p"),)) == [0, 100, 3]


def test_limits_and_licences_bind_together():
    # at most one job of the QOS: the third has its licence, and waits for the limit
    columns = {"qos": Named.of(["one", "", "one", ""])}
    rows = [(0, 100, "m:1"), (1, 30, "m:4"), (2, 10, "m:1"), (3, 5, "m:1")]
    qos = (Qos("one", limits=Limits(grp_jobs=1)),)
    assert starts(rows, "easy", columns=columns, qos=qos) == [0, 1, 100, 31]


def test_bytes_of_a_burst_buffer_read_with_units():
    assert starts([(0, 10, "bb/s:2G"), (0, 10, "bb/s:1536M")], "easy", total=(("bb/s", 3.0 * 2**30),)) == [0, 10]


@pytest.mark.parametrize("text", ["m:0.5", "a|b", "m:", ":2", "m:2x", "bb/s:9999999999999999"])
def test_what_is_no_licence_is_refused(text):
    with pytest.raises(InputError, match=r"licence"):
        parse_licences(text)


def test_the_checker_finds_licences_that_are_used_twice():
    jobs, cluster = case(ROWS)
    unbound = Cluster(cluster.resources, cluster.capacity)
    schedule = replay(jobs, unbound, Scheduler(POLICIES["first-fit"], discipline_named("easy")))
    assert violations(jobs, cluster, schedule) == ("licences m: 11 at 3 s, the limit is 5",)
