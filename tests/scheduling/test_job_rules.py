"""Rules between jobs: no decision breaks one, none leaves a job that could start, and all ways to decide agree."""

import math
from dataclasses import replace

import numpy as np
import pytest

from loadmaster.model import Cluster
from loadmaster.model.snapshot import Closure, Queue, Running, Snapshot
from loadmaster.packing.constrained.constraints import Apart, MaxSkew, Together
from loadmaster.packing.constrained.evaluate import broken_by
from loadmaster.packing.constrained.groups import DomainLevel, TaskGroup
from loadmaster.packing.constrained.job_rules import ConstrainedJobs
from loadmaster.packing.constrained.placement import CountedPlacement
from loadmaster.packing.constrained.problem import ConstrainedProblem
from loadmaster.place import POLICIES
from loadmaster.scheduling import MaxJobs, Scheduler, discipline_named

EVERYWHERE, NOWHERE = "host", -1


def group(name, jobs):
    return TaskGroup(name, np.array(sorted(jobs), np.int32))


def snapshot_of(constraints, hosts, running=(), waiting=(), cores=4.0, expected_s=10.0):
    """Jobs of one core; `running` are (job, host); hosts of `cores` cores."""
    jobs = max([job for job, _ in running] + list(waiting)) + 1
    names = tuple(f"n{host}" for host in range(hosts))
    owner, host = np.array([job for job, _ in running], np.int64), np.array([at for _, at in running], np.int32)
    runs = Running(owner, host, np.ones((len(owner), 1)), np.full(len(owner), 1e30), np.zeros(len(owner), np.int32))
    queued, many = np.array(waiting, np.int64), len(waiting)
    queue = Queue(
        queued,
        np.ones((many, 1)),
        np.ones(many, np.int32),
        np.full(many, expected_s),
        np.zeros(many, np.int32),
        queued,
    )
    capacity = np.full((hosts, 1), cores)
    free = capacity.copy()
    np.subtract.at(free, host, runs.demand)
    rules = ConstrainedJobs(constraints, [f"j{job}" for job in range(jobs)], names)
    return Snapshot(0.0, Cluster(("cores",), capacity, names), free, queue, runs, rules=rules)


def placed(decision):
    return {place.job: place.hosts[0] for place in decision.place}


def scheduler(policy="first-fit", discipline="priority+skip"):
    return Scheduler(POLICIES[policy], discipline_named(discipline))


def random_case(seed):
    rng = np.random.default_rng(seed)
    hosts, jobs = int(rng.integers(2, 9)), int(rng.integers(3, 24))
    on = np.full(jobs, NOWHERE)
    levels = [DomainLevel.of_hosts(hosts), DomainLevel("zone", rng.integers(-1, 3, hosts).astype(np.int32))]

    def some():
        return group(f"g{rng.integers(1000)}", rng.choice(jobs, int(rng.integers(1, jobs // 2 + 2)), replace=False))

    def drawn():
        level, one = levels[int(rng.integers(2))], some()
        kind = int(rng.integers(5))
        if kind < 2:
            return Apart(one, one if kind else some(), level)
        if kind < 4:
            return Together(one, one if kind == 2 else some(), level)
        return MaxSkew(one, level, int(rng.integers(1, 3)), np.ones(level.domains, bool))

    for job in rng.choice(jobs, jobs // 4, replace=False):
        on[job] = rng.integers(hosts)
    problem = ConstrainedProblem(("cores",), np.ones((jobs, 1), int), np.full((hosts, 1), 99), np.full(jobs, -1))
    rules = [each for each in (drawn() for _ in range(5)) if not any(broken_by(each, problem, on))]
    problem = replace(problem, constraints=tuple(rules))
    running = [(job, int(on[job])) for job in range(jobs) if on[job] >= 0]
    waiting = [job for job in range(jobs) if on[job] < 0]
    cores = float(max(3, np.bincount(on[on >= 0], minlength=hosts).max()))
    return snapshot_of(rules, hosts, running, waiting, cores), rules, problem, on


@pytest.mark.parametrize("policy", ["first-fit", "mix-fit", "worse-fit-cores"])
@pytest.mark.parametrize("discipline", ["priority+skip", "fcfs+easy", "fcfs+conservative", "fcfs+none", "netbatch"])
def test_no_decision_breaks_a_rule_or_fills_a_host_beyond_its_capacity(policy, discipline):
    started = 0
    for seed in range(40):
        snapshot, rules, problem, on = random_case(seed)
        decision = scheduler(policy, discipline).decide(snapshot)
        placement, use = CountedPlacement(problem, on), snapshot.cluster.capacity[:, 0] - snapshot.free[:, 0]
        for job, host in placed(decision).items():
            assert placement.host[job] == NOWHERE
            assert placement.why_not(job, host) == ()
            placement.move(job, host)
            use[host] += 1
        assert (use <= snapshot.cluster.capacity[:, 0]).all()
        lasting = [rule for rule in rules if not isinstance(rule, Together)]  # which asks nothing of jobs that run
        assert [words for rule in lasting for words in broken_by(rule, problem, placement.host)] == []
        started += len(decision.place)
    assert started > 100


def test_no_job_waits_that_a_host_with_room_could_take():
    for seed in range(80):
        snapshot, _, _, _ = random_case(seed)
        decision = scheduler().decide(snapshot)
        where, free = placed(decision), snapshot.free.copy()
        np.subtract.at(free, list(where.values()), 1.0)
        both = [*zip(snapshot.running.job, snapshot.running.host, strict=True), *where.items()]
        jobs, hosts = np.array([job for job, _ in both]), np.array([host for _, host in both])
        now = snapshot.rules.beside(replace(snapshot.running, job=jobs, host=hosts))
        for job in set(snapshot.queue.job.tolist()) - where.keys():
            assert not (now.open_hosts(job) & (free[:, 0] >= 1)).any()


@pytest.mark.parametrize("discipline", ["priority+skip", "fcfs+easy"])
def test_the_compiled_decision_is_the_plain_one(discipline, monkeypatch):
    monkeypatch.setattr("loadmaster.scheduling.scheduler.WORTHWHILE", 0)
    for seed in range(25):
        snapshot, *_ = random_case(seed)
        rule = scheduler("mix-fit", discipline)
        assert rule.decide(snapshot) == rule.decide_plainly(snapshot)


def test_rules_that_look_at_no_job_change_nothing():
    for seed in range(20):
        snapshot, *_ = random_case(seed)
        empty = ConstrainedJobs((), ["j"] * 99, snapshot.cluster.names)
        for rule in (scheduler("mix-fit", "fcfs+easy"), Scheduler(MaxJobs(), discipline_named("easy"))):
            assert rule.decide(replace(snapshot, rules=empty)) == rule.decide(replace(snapshot, rules=None))


def test_a_job_that_a_start_before_it_keeps_away_goes_to_the_best_rated_host_left():
    own = group("web", [0, 1, 2])
    snapshot = snapshot_of([Apart(own, own, DomainLevel.of_hosts(3))], 3, waiting=[0, 1, 2, 3])
    assert placed(scheduler("best-fit-cores").decide(snapshot)) == {0: 0, 1: 1, 2: 2, 3: 0}


def test_a_job_starts_beside_one_that_starts_after_it_in_the_queue():
    near = Together(group("cache", [0]), group("web", [1]), DomainLevel("zone", np.array([0, 1], np.int32)))
    assert placed(scheduler("worse-fit-cores").decide(snapshot_of([near], 2, waiting=[0, 1]))) == {1: 0, 0: 0}


def test_a_group_that_must_be_spread_goes_round_its_domains_and_waits_where_one_is_full():
    own = group("web", range(8))
    zones = DomainLevel("zone", np.array([0, 1], np.int32))
    snapshot = snapshot_of([MaxSkew(own, zones, 1, np.ones(2, bool))], 2, [(6, 1), (7, 1)], list(range(6)), cores=4.0)
    hosts = list(placed(scheduler("first-fit").decide(snapshot)).values())
    assert (hosts.count(0), hosts.count(1)) == (4, 2)


def test_a_spread_that_is_broken_takes_jobs_where_they_mend_it():
    own, zones = group("web", range(5)), DomainLevel("zone", np.array([0, 1], np.int32))
    broken = [MaxSkew(own, zones, 1, np.ones(2, bool))]
    snapshot = snapshot_of(broken, 2, [(0, 0), (1, 0), (2, 0)], [3, 4])
    assert placed(scheduler().decide(snapshot)) == {3: 1, 4: 1}


def test_no_host_is_reserved_for_a_job_that_waits_for_another_one():
    """Job 0 must be near a job that is not there: under easy it would otherwise hold the jobs behind it back."""
    lonely = Together(group("cache", [0]), group("web", ()), DomainLevel.of_hosts(2))
    snapshot = snapshot_of([lonely], 2, waiting=[0, 1, 2])
    assert placed(scheduler("first-fit", "fcfs+none").decide(snapshot)) == {1: 0, 2: 0}


def test_a_job_that_is_placed_anew_goes_to_no_host_that_is_closed():
    own = group("web", [0, 1])
    snapshot = snapshot_of([Apart(own, own, DomainLevel.of_hosts(3))], 3, waiting=[0, 1])
    down = Closure(np.array([False, True, False]), -math.inf, math.inf)
    assert placed(scheduler().decide(replace(snapshot, closures=(down,)))) == {0: 0, 1: 2}
