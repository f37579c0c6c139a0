"""The plain engine of time-shared hosts on runs small enough to check by hand."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadmaster.model import Cluster, Workload
from loadmaster.move.migration import MigrationCost
from loadmaster.scheduling.time_shared import METHODS, method_named
from loadmaster.sharing.host_loads import HostLoads
from loadmaster.sharing.load_scale import raised_scale
from loadmaster.sim.timeshared.problem import TimesharedProblem
from loadmaster.sim.timeshared.reference import choose, replay_timeshared


def one_host(memory_each, tasks=8):
    jobs = Workload.of(submit_s=[0.0] * tasks, runtime_s=[3.0] * tasks, cores=[1] * tasks, memory=[memory_each] * tasks)
    return TimesharedProblem(jobs, Cluster.uniform(1, cores=1, memory=128), METHODS["pvm"])


@pytest.mark.parametrize(("memory", "end"), [(16, 24.0), (17, 240.0)], ids=["fits", "thrashes"])
def test_eight_jobs_of_three_seconds_share_a_host_as_the_authors_worked_out(memory, end):
    assert replay_timeshared(one_host(memory)).end_s == pytest.approx([end] * 8)


def test_work_left_runs_faster_when_half_of_the_others_leave():
    """Of 8 jobs, 4 leave after 12 s; what needs 3 s then has 1.5 s left and takes 6 s more at a load of 4."""
    jobs = Workload.of(submit_s=[0.0] * 8, runtime_s=[1.5] * 4 + [3.0] * 4, cores=[1] * 8, memory=[1] * 8)
    run = replay_timeshared(TimesharedProblem(jobs, Cluster.uniform(1, cores=1, memory=128), METHODS["pvm"]))
    assert run.end_s == pytest.approx([12.0] * 4 + [18.0] * 4)


def test_the_scale_is_the_power_of_two_strictly_above_every_load_seen():
    assert [raised_scale(1.0, load) for load in (0, 1, 2, 3, 4, 7, 8)] == [1, 2, 4, 4, 8, 8, 16]


@pytest.mark.parametrize(
    ("reading", "costs", "chosen"),
    [("jobs", (0.883006, 0.778578, 0.632148), 2), ("jobs/speed", (0.883006, 1.630550, 2.316074), 0)],
)
def test_the_published_three_hosts_rate_a_new_job_in_both_readings_of_the_load(reading, costs, chosen):
    capacity = np.array([[1.0, 128.0], [1.0, 64.0], [1.0, 64.0]])
    cluster = Cluster(("cores", "memory"), capacity, speed=np.array([1.0, 0.5, 0.25]))
    hosts = HostLoads(cluster, reading)
    for task, (host, memory) in enumerate([(0, 64.0), (0, 32.0), (1, 8.0)]):
        hosts.add(task, host, np.array([1.0, memory]))
    assert hosts.scale == 4.0
    jobs = Workload.of(submit_s=[0.0], runtime_s=[1.0], cores=[1], memory=[16])
    problem = TimesharedProblem(jobs, cluster, METHODS["e-pvm"], cpu_load=reading)
    got = [
        problem.method.policy.score(jobs.demand[0], *hosts.seen_by_policy(host, True), _Context3()) for host in range(3)
    ]
    assert got == pytest.approx(costs, abs=1e-6)
    assert choose(problem, hosts, jobs.demand[0], 3, -1) == chosen


class _Context3:
    hosts = 3


def test_one_step_of_memory_and_of_load_costs_what_was_published():
    cluster = Cluster.uniform(6, cores=1, memory=100)
    hosts = HostLoads(cluster, "jobs")
    for task in range(3):
        hosts.add(task, 0, np.array([1.0, 50.0 / 3]))
    hosts.scale = 8.0
    free, capacity = hosts.seen_by_policy(0, scaled=True)

    class Six:
        hosts = 6

    score = METHODS["e-pvm"].policy.score
    assert score(np.array([0.0, 25.0]), free, capacity, Six) == pytest.approx(1.384169, abs=1e-6)
    assert score(np.array([1.0, 0.0]), free, capacity, Six) == pytest.approx(0.491517, abs=1e-6)
    assert score(np.array([1.0, 25.0]), free, capacity, Six) == pytest.approx(1.875686, abs=1e-6)


def test_pvm_goes_round():
    jobs = Workload.of(submit_s=[0.0, 1.0, 2.0], runtime_s=[50.0] * 3, cores=[1] * 3, memory=[1] * 3, tasks=[2, 1, 2])
    run = replay_timeshared(TimesharedProblem(jobs, Cluster.uniform(3, cores=1, memory=128), METHODS["pvm"]))
    assert run.host.tolist() == [0, 1, 2, 0, 1]


def ends_without_clocks(problem):
    """The ends by bringing every task's work left up to date at every event; placements by turns, no moves."""
    cluster, jobs, now = problem.cluster, problem.workload, 0.0
    left, end_s = {}, np.zeros(jobs.jobs)
    arrivals = list(enumerate(jobs.submit_s))
    while left or arrivals:
        pace = {}
        for task in left:
            beside = [other for other in left if other % cluster.hosts == task % cluster.hosts]
            asked = jobs.demand[beside].sum(axis=0)
            host = task % cluster.hosts
            share = min(1.0, cluster.capacity[host, 0] / asked[0])
            pace[task] = (
                cluster.speed[host] * share / (10.0 if asked[1] > cluster.capacity[host, 1] * (1 + 1e-9) else 1)
            )
        then = min([now + left[task] / pace[task] for task in left] + [submit for _, submit in arrivals[:1]])
        for task in list(left):
            left[task] -= pace[task] * (then - now)
            if left[task] < 1e-9:
                end_s[task] = then
                del left[task]
        now = then
        while arrivals and arrivals[0][1] <= now:
            task = arrivals.pop(0)[0]
            left[task] = float(jobs.runtime_s[task])
    return end_s


@given(seed=st.integers(0, 10**6))
def test_a_clock_for_each_host_comes_to_the_ends_of_counting_every_task(seed):
    rng = np.random.default_rng(seed)
    jobs, hosts = int(rng.integers(1, 25)), int(rng.integers(1, 4))
    workload = Workload.of(
        submit_s=np.cumsum(rng.exponential(3.0, jobs)),
        runtime_s=2.0 / rng.uniform(0.05, 1.0, jobs),
        cores=rng.choice([1.0, 2.0], jobs),
        memory=rng.uniform(1, 60, jobs),
    )
    cluster = Cluster(("cores", "memory"), np.tile([2.0, 100.0], (hosts, 1)), speed=rng.choice([0.5, 1.0], hosts))
    problem = TimesharedProblem(workload, cluster, METHODS["pvm"])
    assert replay_timeshared(problem).end_s == pytest.approx(ends_without_clocks(problem), rel=1e-7, abs=1e-7)


def test_a_placement_policy_avoids_hosts_without_room_while_there_are_others():
    jobs = Workload.of(submit_s=[0.0] * 3, runtime_s=[5.0] * 3, cores=[1] * 3, memory=[60, 60, 60])
    cluster = Cluster.uniform(2, cores=1, memory=128)
    run = replay_timeshared(TimesharedProblem(jobs, cluster, method_named("best-fit-memory")))
    assert run.host.tolist() == [0, 1, 0]


def test_a_moved_task_stands_still_while_its_memory_travels():
    """Two tasks of 30 s start on one host; at 1 s one of them, with 29.5 s left, leaves for the empty one."""
    jobs = Workload.of(submit_s=[0.0] * 2, runtime_s=[30.0] * 2, cores=[1] * 2, memory=[2.0] * 2)
    method = replace(method_named("first-fit+mosix"), overcommit=True)
    problem = TimesharedProblem(jobs, Cluster.uniform(2, cores=1, memory=128), method)
    assert sorted(replay_timeshared(problem).end_s) == pytest.approx([30.5, 30.5])
    dear = replay_timeshared(replace(problem, migration=MigrationCost(pause_s=5.0, memory_per_s=2.0)))
    assert dear.moves.sum() == 1
    assert sorted(dear.end_s) == pytest.approx([30.5, 36.5])
