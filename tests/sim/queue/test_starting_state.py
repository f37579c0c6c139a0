"""A run goes on from jobs that run already: compiled as in plain Python, and as if the run had not been cut in two."""

import numpy as np
import pytest
from bound_jobs import bound_jobs
from cut_runs import cut_at

from loadmaster.measure.resample import shake
from loadmaster.model import Cluster, InputError, StartingState, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.scheduling.time_shared import METHODS
from loadmaster.search.bound import bound
from loadmaster.sim.fractional.problem import FractionalProblem
from loadmaster.sim.queue.simulation import simulate
from loadmaster.sim.timeshared.problem import TimesharedProblem

FIRST_FIT, EASY = POLICIES["first-fit"], discipline_named("easy")
DISCIPLINES = (
    "easy", "fcfs", "fcfs+skip", "netbatch", "lxf+easy", "sjf+easy(fill=shortest)", "fair-share", "multifactor+easy",
    "easy(heads=2)", "conservative", "lxf+conservative(early_end=replan)", "twin(every_s=5)",
)  # fmt: skip


def log_at_random(seed):
    """Some thirty jobs of one task or several on a few hosts, or on a pool; times tie often, as do estimates."""
    rng = np.random.default_rng(seed)
    many, pool = int(rng.integers(8, 40)), rng.random() < 0.3
    estimate_s = rng.choice([5.0, 20.0, 20.0, 60.0], many)
    runtime_s = np.where(rng.random(many) < 0.5, estimate_s, estimate_s * rng.choice([0.25, 0.5, 1.5], many))
    if pool:
        cluster, demand = Cluster.uniform(int(rng.integers(5, 9)), cores=1), np.ones((many, 1))
    else:
        capacity = np.column_stack((rng.integers(2, 9, 4), rng.integers(4, 17, 4))).astype(float)
        speed = rng.choice([1.0, 0.5], 4) if rng.random() < 0.2 else None
        cluster = Cluster(("cores", "memory"), capacity, speed=speed)
        demand = np.column_stack((rng.integers(1, 8, many), rng.integers(1, 14, many))).astype(float)
    return Workload(
        cluster.resources,
        np.sort(rng.integers(0, 80, many)).astype(float),
        runtime_s,
        demand,
        tasks=rng.choice([1, 1, 2, 5], many).astype(np.int32),
        estimate_s=estimate_s,
        project=rng.integers(0, 3, many).astype(np.int32),
    ), cluster


def assert_same(made, plain):
    np.testing.assert_array_equal(made.start_s, plain.start_s)
    np.testing.assert_array_equal(made.host, plain.host)
    np.testing.assert_array_equal(made.end_s, plain.end_s)
    np.testing.assert_array_equal(made.cycles.time_s, plain.cycles.time_s)
    np.testing.assert_array_equal(made.cycles.queue_length, plain.cycles.queue_length)


def rest_at_random(seed, discipline):
    """The rest of a run at random, a policy, and an interval."""
    rng = np.random.default_rng([seed, 1])
    workload, cluster = log_at_random(seed)
    policy = POLICIES[str(rng.choice(["first-fit", "best-fit-cores", "round-robin", "worse-fit-cores"]))]
    whole = simulate(workload, cluster, policy, discipline_named("easy"), engine="reference")
    now_s = float(rng.choice([30.0, 55.5, 80.0]))
    rest, _ = cut_at(workload, cluster, whole, now_s, ends=rng.random() < 0.5)
    return rest, cluster, policy, float(rng.choice([0.0, 0.0, 7.0]))


@pytest.mark.parametrize("name", DISCIPLINES)
def test_a_run_from_a_starting_state_is_compiled_as_in_plain_python(name):
    discipline = discipline_named(name)
    for seed in range(40):
        rest, cluster, policy, interval_s = rest_at_random(seed, name)
        given = {"interval_s": interval_s, "seed": 3}
        made = simulate(rest, cluster, policy, discipline, engine="compiled", **given)
        assert_same(made, simulate(rest, cluster, policy, discipline, engine="reference", **given))


@pytest.mark.parametrize("name", ["easy", "fcfs+skip", "lxf+easy", "netbatch"])
@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_the_rest_of_a_run_is_as_if_it_had_not_been_cut(name, engine):
    discipline = discipline_named(name)
    for seed in range(30):
        workload, cluster = log_at_random(seed)
        whole = simulate(workload, cluster, FIRST_FIT, discipline)
        now_s = float(whole.cycles.time_s[len(whole.cycles.time_s) // 2])
        rest, stays = cut_at(workload, cluster, whole, now_s, ends=False)
        made = simulate(rest, cluster, FIRST_FIT, discipline, engine=engine)
        np.testing.assert_array_equal(made.start_s, whole.start_s[stays])
        np.testing.assert_array_equal(made.host, whole.host[np.repeat(stays, workload.task_count)])


@pytest.mark.parametrize("kinds", [("partition", "features"), ("begin", "limits"), ("calendar",), ("depends",)])
@pytest.mark.parametrize("name", ["easy", "fcfs+skip", "multifactor+easy", "easy(heads=2)"])
def test_under_constraints_too(kinds, name):
    discipline, runs_at_start = discipline_named(name), 0
    for seed in range(12):
        workload, cluster = bound_jobs(seed, *kinds)
        whole = simulate(workload, cluster, FIRST_FIT, EASY, engine="reference")
        if whole.segments is not None:
            continue
        now_s = float(np.median(whole.start_s[whole.started]))
        rest, _ = cut_at(workload, cluster, whole, now_s, ends=False)
        runs_at_start += rest.starting.jobs
        made = simulate(rest, cluster, FIRST_FIT, discipline, engine="compiled")
        assert_same(made, simulate(rest, cluster, FIRST_FIT, discipline, engine="reference"))
    assert runs_at_start > 10


def test_a_job_that_runs_keeps_its_host_and_its_end_and_the_next_one_waits_for_it():
    work = Workload.of(
        submit_s=[0, 1000],
        runtime_s=[7200, 3600],
        cores=[32, 32],
        starting=StartingState(4000.0, job=[0], start_s=[3600.0], host=[0]),
    )
    schedule = simulate(work, Cluster.uniform(1, cores=32), FIRST_FIT, EASY)
    assert schedule.start_s.tolist() == [3600.0, 10_800.0]


def test_a_job_that_is_late_ends_right_after_the_run_begins():
    work = Workload.of(
        submit_s=[0, 10],
        runtime_s=[60, 60],
        cores=[1, 1],
        starting=StartingState(100.0, job=[0], start_s=[0.0], host=[0]),
    )
    schedule = simulate(work, Cluster.uniform(1, cores=1), FIRST_FIT, EASY)
    assert schedule.start_s.tolist() == [0.0, np.nextafter(100.0, np.inf)]


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ({"job": [2], "start_s": [0.0], "host": [0]}, "one of the 2"),
        ({"job": [0, 0], "start_s": [0.0, 0.0], "host": [0, 0]}, "so that each runs once"),
        ({"job": [0], "start_s": [0.0], "host": [0, 1]}, "each of which has one host"),
        ({"job": [0], "start_s": [11.0], "host": [0]}, "has started by 10"),
        ({"job": [0], "start_s": [0.0], "host": [0], "end_s": [10.0]}, "ends after 10"),
        ({"job": [0], "start_s": [0.0], "host": [7]}, "hosts from 0 to 1"),
        ({"job": [0, 1], "start_s": [0.0, 0.0], "host": [1, 1]}, "hold more than it has"),
    ],
)
@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_a_state_that_cannot_be_is_refused_in_one_line(state, why, engine):
    with pytest.raises(InputError, match=why):
        simulate(
            Workload.of(submit_s=[0, 0], runtime_s=[5, 5], cores=[1, 1], starting=StartingState(10.0, **state)),
            Cluster.uniform(2, cores=1),
            FIRST_FIT,
            EASY,
            engine=engine,
        )


def log_at_start():
    return Workload.of(
        submit_s=[0, 1], runtime_s=[5, 5], cores=[1, 1], starting=StartingState(2.0, job=[0], start_s=[0.0], host=[0])
    )


@pytest.mark.parametrize(
    "use",
    [
        lambda log, hosts: log.scaled(2.0),
        lambda log, hosts: shake(log, np.random.default_rng(1)),
        lambda log, hosts: FractionalProblem(log, hosts),
        lambda log, hosts: TimesharedProblem(log, hosts, METHODS["e-mosix"]),
        lambda log, hosts: bound(log, hosts),
    ],
)
def test_what_begins_on_empty_hosts_refuses_a_starting_state(use):
    with pytest.raises(InputError, match="run as it begins"):
        use(log_at_start(), Cluster.uniform(2, cores=1))
