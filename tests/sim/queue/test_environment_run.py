"""Built-in rules driven from outside, one decision after another, give the built-in's schedule, job by job."""

import numpy as np
import pytest

from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES
from loadmaster.scheduling import discipline_named
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.engine import environment_run
from loadmaster.sim.queue.engine.environment_run import EnvironmentRun

HOSTS = Cluster.uniform(5, cores=8, memory=16)
FAST_AND_SLOW = Cluster(
    ("cores", "memory"), np.array([[8.0, 16.0]] * 3 + [[8.0, 32.0]]), speed=np.array([1.0, 2.0, 1.0, 0.5])
)


def random_log(seed, jobs=120, several_tasks=True):
    draw = np.random.default_rng(seed)
    runtime_s = draw.integers(1, 90, jobs).astype(float)
    return Workload.of(
        submit_s=np.sort(draw.integers(0, 600, jobs)).astype(float),
        runtime_s=runtime_s,
        estimate_s=runtime_s + draw.integers(0, 60, jobs),
        cores=draw.integers(1, 9, jobs),
        memory=draw.integers(1, 17, jobs),
        tasks=draw.integers(1, 4, jobs) if several_tasks else None,
    )


class InOrder:
    """The first job that can start, and at one moment none before the last that has started, as in one pass."""

    def __init__(self):
        self.now, self.last = -1.0, -1

    def __call__(self, view):
        now = view.clock[0]
        if now != self.now:
            self.now, self.last = now, -1
        rows = np.flatnonzero(view.startable[:-1] & (view.row > self.last))
        if not len(rows):
            return len(view.row)
        self.last = view.row[rows[0]]
        return rows[0]


class Blocking:
    """The first job, and nothing while it cannot start."""

    def __call__(self, view):
        return 0 if view.startable[0] else len(view.row)


class Shortest:
    """Of the jobs that can start, the one that is expected to be over first."""

    def __call__(self, view):
        return np.where(view.startable[:-1], view.jobs[:, 1], np.inf).argmin()


def driven(log, hosts, policy, agent, *, promises=False, interval_s=0.0, window=None):
    run = EnvironmentRun(
        log,
        hosts,
        POLICIES[policy],
        window or log.jobs,
        promises=promises,
        metric="mean_wait_s",
        interval_s=interval_s,
        seed=0,
    )
    while not run.is_done:
        run.step(int(agent(run.view)), -1)
    return run.schedule()


def assert_same(one, other):
    np.testing.assert_array_equal(one.start_s, other.start_s)
    np.testing.assert_array_equal(one.host, other.host)
    for column in ("time_s", "queue_length", "started"):
        np.testing.assert_array_equal(getattr(one.cycles, column), getattr(other.cycles, column))


@pytest.mark.parametrize("hosts", [HOSTS, FAST_AND_SLOW])
@pytest.mark.parametrize("policy", ["first-fit", "best-fit-cores", "round-robin", "mix-fit"])
@pytest.mark.parametrize(
    ("rule", "agent", "promises"),
    [("fcfs+none", Blocking, False), ("skip", InOrder, False), ("sjf+skip", Shortest, False), ("easy", InOrder, True)],
)
def test_a_built_in_rule_driven_from_outside_gives_its_own_schedule(rule, agent, promises, policy, hosts):
    for seed in range(4):
        log = random_log(seed, several_tasks=seed % 2 == 0)
        built_in = simulate(log, hosts, POLICIES[policy], discipline_named(rule))
        assert_same(driven(log, hosts, policy, agent(), promises=promises), built_in)


def test_the_plain_engine_is_its_specification():
    log = random_log(9, jobs=60)
    plain = simulate(log, HOSTS, POLICIES["best-fit-cores"], discipline_named("easy"), engine="reference")
    assert_same(driven(log, HOSTS, "best-fit-cores", InOrder(), promises=True), plain)


def test_decisions_on_a_clock_come_at_its_multiples():
    log = random_log(5)
    built_in = simulate(log, HOSTS, POLICIES["first-fit"], discipline_named("skip"), interval_s=30.0)
    assert_same(driven(log, HOSTS, "first-fit", InOrder(), interval_s=30.0), built_in)


def test_a_record_longer_than_its_buffer_is_whole(monkeypatch):
    log = random_log(6)
    whole = driven(log, HOSTS, "first-fit", InOrder())
    monkeypatch.setattr("loadmaster.sim.queue.engine.records.ROWS", 7)
    assert_same(driven(log, HOSTS, "first-fit", InOrder()), whole)


def test_a_window_hides_the_jobs_behind_it():
    log = random_log(7)
    narrow = driven(log, HOSTS, "first-fit", InOrder(), window=1)
    blocking = simulate(log, HOSTS, POLICIES["first-fit"], discipline_named("fcfs+none"))
    np.testing.assert_array_equal(narrow.start_s, blocking.start_s)


def test_metrics_paid_at_starts_are_in_the_registry():
    from loadmaster.measure.metric import METRICS

    assert environment_run.PAID_AT_STARTS.keys() <= METRICS.keys()
