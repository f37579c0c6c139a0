from itertools import combinations

import numpy as np
import pytest

from loadmaster.measure import metrics, violations
from loadmaster.model import CalendarRow, Cluster, SiteRules, Workload
from loadmaster.order import ORDERS, Order, job_columns
from loadmaster.place import POLICIES
from loadmaster.scheduling import Discipline
from loadmaster.scheduling.notation import discipline_named
from loadmaster.sim.queue import simulate


@pytest.mark.parametrize("speed", [[2.0, 2.0], [2.0, 0.5]])
@pytest.mark.parametrize("discipline", ["fcfs", "easy", "netbatch"])
def test_a_job_lasts_its_runtime_over_the_speed_of_its_slowest_host(speed, discipline):
    cluster = Cluster(("cores",), np.array([[1.0], [1.0]]), speed=np.array(speed))
    jobs = Workload.of(submit_s=[0, 0, 0], runtime_s=[10, 40, 40], cores=[1, 1, 1], tasks=[1, 1, 2])
    schedule = simulate(jobs, cluster, POLICIES["first-fit"], discipline_named(discipline), interval_s=0.0)
    slow = speed[1]
    assert schedule.ends_s(jobs).tolist() == [5.0, 40 / slow, 40 / slow + 40 / slow]
    assert violations(jobs, cluster, schedule) == ()
    assert metrics(jobs, cluster, schedule).makespan_s == 80 / slow


def test_the_kill_of_a_checker_sees_a_job_that_ran_too_long():
    cluster = Cluster(("cores",), np.array([[1.0]]), speed=np.array([2.0]))
    jobs = Workload.of(submit_s=[0], runtime_s=[10], cores=[1])
    schedule = simulate(jobs, cluster, POLICIES["first-fit"], discipline_named("fcfs"), interval_s=0.0)
    other = Cluster(("cores",), np.array([[1.0]]), speed=np.array([4.0]))
    assert "ran 5 s of 2.5 s" in violations(jobs, other, schedule)[0]


def test_offered_load_counts_cores_times_speed():
    jobs = Workload.of(submit_s=[0, 10], runtime_s=[10, 10], cores=[1, 1])
    fast = Cluster(("cores",), np.array([[1.0], [1.0]]), speed=np.array([3.0, 1.0]))
    assert jobs.offered_load(fast) == 0.5


ENGINES = ("auto", "compiled", "reference")
SLOW_FIRST = np.array([0.5, 1.0, 1.0])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("discipline", ["fcfs", "skip", "easy", "easy(heads=2)", "conservative", "netbatch"])
def test_a_job_takes_a_quick_host_where_the_slow_one_is_closed_too_soon(engine, discipline):
    rules = SiteRules(calendar=(CalendarRow(9.0, 50.0, "drained"),))
    cluster = Cluster(("cores",), np.ones((3, 1)), speed=SLOW_FIRST, rules=rules)
    jobs = Workload.of(submit_s=[0, 0, 0, 0], runtime_s=[8, 8, 8, 4], cores=[1, 1, 1, 1])
    schedule = simulate(
        jobs, cluster, POLICIES["first-fit"], discipline_named(discipline), interval_s=0.0, engine=engine
    )
    blocked = discipline in ("fcfs", "netbatch")  # the third waits, and keeps the slow host
    assert schedule.host.tolist() == [1, 2, 0, 1 if blocked else 0]
    assert schedule.start_s.tolist() == [0.0, 0.0, 50.0, 50.0 if blocked else 0.0]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("discipline", ["easy", "easy(promise=hosts)", "easy(heads=2)", "conservative", "stepwise"])
def test_a_job_takes_a_quick_host_where_it_would_hold_up_a_head_on_the_slow_one(engine, discipline):
    cluster = Cluster(("cores",), np.ones((3, 1)), speed=SLOW_FIRST)
    jobs = Workload.of(
        submit_s=[0, 1, 2, 2], runtime_s=[5, 10, 8, 4], estimate_s=[5, 10, 8, 4], cores=[1] * 4, tasks=[1, 3, 1, 1]
    )
    schedule = simulate(
        jobs, cluster, POLICIES["first-fit"], discipline_named(discipline), interval_s=0.0, engine=engine
    )
    assert schedule.host.tolist() == [0, 0, 1, 2, 1, 2]
    assert schedule.start_s.tolist() == [0.0, 10.0, 2.0, 2.0]


def by_length_and_arrival(job, now):
    """Lengths and moments beside each other: whoever shortens the one and not the other gets another order."""
    return job.expected_s + 2.0 * job.submit_s


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("backfilling", ["none", "easy", "easy(heads=2)", "conservative", "slurm", "selective"])
@pytest.mark.parametrize("order", ["f1", "f4", "own"])
@pytest.mark.parametrize("speed", [[4.0], [4.0, 4.0, 2.0]])
def test_ranks_see_the_runtime_at_speed_1_on_hosts_of_any_speed(engine, backfilling, order, speed):
    rng = np.random.default_rng(7)
    hosts = Cluster(("cores",), np.ones((len(speed), 1)), speed=np.array(speed))
    rule = ORDERS[order] if order in ORDERS else Order("own", by_length_and_arrival)
    discipline = Discipline(rule, discipline_named(f"sjf+{backfilling}").backfilling)
    jobs = Workload.of(submit_s=np.sort(rng.integers(0, 300, 40)), runtime_s=rng.integers(1, 300, 40), cores=[1] * 40)
    run = simulate(jobs, hosts, POLICIES["first-fit"], discipline, interval_s=0.0, engine=engine)
    plain = simulate(jobs, hosts, POLICIES["first-fit"], discipline, interval_s=0.0, engine="reference")
    assert run.start_s.tolist() == plain.start_s.tolist()
    ranks = [rule.rank(job_columns(jobs).job(number), 0.0) for number in range(jobs.jobs)]
    for before, after in combinations(np.argsort(run.start_s, kind="stable"), 2):  # of two that waited, the lower rank
        if backfilling == "none" and jobs.submit_s[after] <= run.start_s[before] and len(speed) == 1:
            assert ranks[before] <= ranks[after]
