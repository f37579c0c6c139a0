"""Small schedules under a power cap, worked out by hand (rule C14)."""

import numpy as np
import pytest

from loadmaster.measure.check import violations
from loadmaster.model import Cluster, Constraints, InputError, Named, SiteRules, Workload
from loadmaster.model.energy import HostPower
from loadmaster.place import POLICIES
from loadmaster.runs import Case, Setting, run_fully
from loadmaster.runs.explain import explain
from loadmaster.runs.record import Record
from loadmaster.scheduling import Scheduler
from loadmaster.scheduling.notation import discipline_named
from loadmaster.sim.queue.reference import replay

POWER = (HostPower((0, 1), ((0.0, 100.0), (1.0, 200.0))),)
"""Two hosts of 4 cores: 200 W without load, and 25 W for each core in use."""


def case(rows, cap, power=POWER, asked=None, **rules):
    submit_s, cores, runtime_s = zip(*rows, strict=True)
    bound = None if asked is None else Constraints(licences=Named.of(asked))
    jobs = Workload.of(submit_s=submit_s, runtime_s=runtime_s, cores=cores, constraints=bound)
    rules = SiteRules(power=power, power_cap=cap, **rules)
    return jobs, Cluster(("cores",), np.array([[4.0], [4.0]]), rules=rules)


def starts(rows, cap, discipline="easy", **more):
    jobs, cluster = case(rows, cap, **more)
    schedule = replay(jobs, cluster, Scheduler(POLICIES["first-fit"], discipline_named(discipline)))
    assert violations(jobs, cluster, schedule) == ()
    return [None if np.isnan(start) else start for start in schedule.start_s.tolist()]


@pytest.mark.parametrize(
    ("discipline", "expected"),
    [
        ("easy", [0, 100, 2, 110]),
        ("conservative", [0, 100, 2, 110]),
        ("skip", [0, 252, 2, 52]),
        ("fcfs", [0, 100, 100, 110]),
    ],
)
def test_jobs_start_while_the_sum_of_draws_stays_under_the_cap(discipline, expected):
    # 100 W are left to jobs: the first draws 50 W, the second needs 75 W, the others 25 W and 50 W
    assert starts([(0, 2, 100), (1, 3, 10), (2, 1, 50), (3, 2, 200)], ((0.0, 300.0),), discipline) == expected


def test_a_job_that_would_run_into_a_lower_cap_waits_and_a_shorter_one_starts():
    # 100 W are left until 60, then 50 W: the second would run beside the first after 60
    assert starts([(0, 2, 100), (0, 2, 100), (0, 2, 50)], ((0.0, 300.0), (60.0, 250.0))) == [0, 100, 0]


def test_a_cap_that_rises_starts_jobs_at_that_moment():
    assert starts([(0, 3, 10), (0, 2, 10)], ((0.0, 250.0), (60.0, 400.0)), "conservative") == [60, 0]
    assert starts([(0, 3, 10), (0, 2, 10)], ((0.0, 250.0), (60.0, 400.0)), "fcfs") == [60, 60]


def test_what_runs_goes_on_under_a_lower_cap():
    assert starts([(0, 4, 100), (70, 1, 10)], ((0.0, 300.0), (150.0, 200.0)), "skip") == [0, 100]


def test_the_draw_of_a_job_is_the_most_that_its_cores_add_anywhere():
    # the first half of the cores of the second host draws 50 W a core
    power = (HostPower((0,), ((0.0, 100.0), (1.0, 200.0))), HostPower((1,), ((0.0, 100.0), (0.5, 200.0), (1.0, 210.0))))
    assert starts([(0, 1, 10), (0, 1, 10), (0, 1, 10)], ((0.0, 300.0),), power=power) == [0, 0, 10]


def test_a_job_above_the_cap_never_runs_and_licences_count_beside_power():
    # 99 W are left: 4 cores draw 100 W; the second and the third share the only licence
    rows, asked = [(0, 4, 10), (0, 2, 10), (0, 1, 10), (0, 1, 10)], [None, "m", "m", None]
    assert starts(rows, ((0.0, 299.0),), asked=asked, licences=(("m", 1.0),)) == [None, 0, 10, 0]


def test_idle_hosts_above_the_cap_are_refused():
    with pytest.raises(InputError, match="idle hosts draw 200 W"):
        starts([(0, 1, 10)], ((0.0, 150.0),))
    with pytest.raises(InputError, match="power of the hosts is not known"):
        starts([(0, 1, 10)], ((0.0, 150.0),), power=())


def test_explain_names_the_cap_and_the_checker_counts_it():
    jobs, cluster = case([(0, 2, 100), (1, 3, 10)], ((0.0, 300.0),))
    given, setting = Case(jobs, cluster), Setting("first-fit", "easy")
    record = Record(given, setting, jobs, run_fully(given, setting, {}).schedule)
    assert set(explain(record, 1).delay.reasons) == {"power cap: it is expected to draw 75 W, and 50 W were left"}
    free = Cluster(cluster.resources, cluster.capacity)
    schedule = replay(jobs, free, Scheduler(POLICIES["first-fit"], discipline_named("easy")))
    assert violations(jobs, cluster, schedule) == ("power: 325 W expected as a job starts at 1 s, the cap is 300 W",)
