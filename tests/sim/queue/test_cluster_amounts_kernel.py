"""Licences and a power cap in the compiled engine: it counts them in its own passes, and the plain engine agrees."""

from dataclasses import replace

import numpy as np
import pytest

from loadmaster.model import Cluster, Constraints, Named, SiteRules, StartingState, Workload
from loadmaster.model.energy import HostPower
from loadmaster.place import POLICIES
from loadmaster.scheduling import MaxJobs, Scheduler, discipline_named
from loadmaster.scheduling.resolved_constraints import resolve_constraints
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.constrained_run import replay_constrained, shadow_serves
from loadmaster.sim.queue.engine.arrays import engine_arrays
from loadmaster.sim.queue.engine.records import Records
from loadmaster.sim.queue.queue_run import QueueRun

RULES = (
    "easy", "sjf+easy", "largest+easy", "wfp3+easy", "fair-share+easy", "fcfs", "skip", "sjf+skip", "netbatch",
    "netbatch(reservations=1,lookahead=3)",
)  # fmt: skip
PLACED = (*(POLICIES[name] for name in ("first-fit", "worse-fit-cores", "round-robin", "random")), MaxJobs())
LICENCES = ("m", "m:2", "m:2,k", "k:2", "m:4", None, None)


def problem(rng, *, licences, changes, jobs=None, speeds=False):
    """Jobs that crowd a few hosts. `changes`: how often the cap on power changes, None for no cap.

    Some hosts have one core, so that the engine counts them as one; a long queue has blocks that are passed over whole.
    """
    jobs, hosts = jobs or int(rng.choice([12, 30, 100])), int(rng.integers(1, 6))
    most_cores = int(rng.choice([1, 1, 4]))
    cores, tasks = rng.integers(1, most_cores + 1, jobs), np.minimum(rng.integers(1, 4, jobs), hosts)
    runtime_s = rng.integers(1, 40, jobs).astype(float)
    columns, rules = {}, {}
    if licences:
        columns["licences"] = Named.of([LICENCES[n] for n in rng.integers(0, len(LICENCES), jobs)])
        rules["licences"] = (("m", float(rng.integers(4, 8))), ("k", 2.0), ("unused", 1.0))
    if changes is not None:
        rules["power"] = (HostPower(tuple(range(hosts)), ((0.0, 10.0), (1.0, 10.0 + 7 * most_cores))),)
        from_s = np.cumsum(rng.integers(1, 60, changes + 1)).tolist()
        most_w = 10.0 * hosts + 7.0 * hosts * most_cores * rng.uniform(0.4, 1.1, changes + 1)
        rules["power_cap"] = tuple(zip(map(float, from_s), most_w.tolist(), strict=True))
    workload = Workload.of(
        submit_s=np.sort(rng.integers(0, 5 * jobs, jobs)).astype(float),
        runtime_s=runtime_s,
        estimate_s=runtime_s * rng.choice([0.5, 1.0, 1.0, 3.0], jobs),
        cores=cores,
        tasks=tasks,
        project=rng.integers(0, 2, jobs),
        constraints=Constraints(**columns),
    )
    cluster = Cluster.uniform(hosts, cores=most_cores)
    speed = rng.choice([0.5, 1.0, 2.0], hosts) if speeds else None
    return workload, replace(cluster, rules=SiteRules(**rules), speed=speed)


def run_of(rng, workload, cluster, rules=RULES):
    policy = PLACED[rng.integers(len(PLACED))]
    return QueueRun(workload, cluster, Scheduler(policy, discipline_named(str(rng.choice(rules)))), seed=5)


def assert_agrees(run):
    assert shadow_serves(run)
    plain = simulate(run.workload, run.cluster, run.policy, run.discipline, seed=5, engine="reference")
    compiled = replay_constrained(run, few=False)
    assert compiled.same_as(plain)
    assert compiled.never == plain.never
    assert np.array_equal(compiled.cycles.queue_length, plain.cycles.queue_length)


@pytest.mark.parametrize("changes", [None, 0, 4])
@pytest.mark.parametrize("seed", range(60))
def test_runs_with_licences_and_a_power_cap_agree_with_the_plain_engine(seed, changes):
    rng = np.random.default_rng([seed, 9 if changes is None else changes])
    licences = changes is None or bool(rng.random() < 0.5)
    assert_agrees(run_of(rng, *problem(rng, licences=licences, changes=changes, speeds=bool(rng.random() < 0.3))))


@pytest.mark.parametrize("seed", range(30))
def test_jobs_that_already_run_hold_their_amounts(seed):
    rng = np.random.default_rng(seed)
    workload, cluster = problem(rng, licences=True, changes=None if seed % 2 else 3, jobs=12)
    column = workload.constraints.licences
    workload = replace(
        workload,
        submit_s=np.r_[0.0, workload.submit_s[1:]],
        tasks=np.r_[1, workload.tasks[1:]],
        constraints=Constraints(licences=Named.of(["m:2", *(column[job] for job in range(1, 12))])),
        starting=StartingState(now_s=0.0, job=[0], start_s=[0.0], host=[0], last_host=0),
    )
    assert_agrees(run_of(rng, workload, cluster))


@pytest.mark.parametrize("rule", RULES)
def test_licences_that_are_never_short_change_no_schedule(rule):
    rng = np.random.default_rng(3)
    workload, cluster = problem(rng, licences=True, changes=None, jobs=100)
    many = replace(cluster, rules=SiteRules(licences=(("m", 1000.0), ("k", 1000.0))))
    policy, discipline = POLICIES["first-fit"], discipline_named(rule)
    free = simulate(replace(workload, constraints=None), replace(cluster, rules=None), policy, discipline)
    assert simulate(workload, many, policy, discipline).same_as(free)


def test_where_only_amounts_bind_hosts_of_one_task_are_counted_as_one():
    rng = np.random.default_rng(4)
    workload, cluster = problem(rng, licences=True, changes=0, jobs=12)
    asked = Constraints(licences=Named.of(["k:3", *["m:1"] * 11]))  # there are two of k: the first job can never run
    workload = replace(workload, demand=np.ones((12, 1)), constraints=asked)
    run = QueueRun(workload, cluster, Scheduler(POLICIES["first-fit"], discipline_named("easy")))
    binding = resolve_constraints(workload, cluster)
    engine, bound = engine_arrays(run, Records(workload), binding)
    assert binding.never[0]
    assert bound is None
    assert engine.rules.keeps
    assert engine.capacity.shape == (1, 1)
