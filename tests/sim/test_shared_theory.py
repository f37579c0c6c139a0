"""The time-shared engine against queueing theory, conservation, and the promises of its movers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.measure.interval import bootstrap_interval
from loadmaster.model import Cluster, Workload
from loadmaster.move.enhanced_mosix import EnhancedMosix, host_cost
from loadmaster.schedule.time_shared import METHODS, method_named
from loadmaster.share.processor_sharing import ProcessorSharing
from loadmaster.share.shared_hosts import SharedHosts
from loadmaster.sim.shared_engine import simulate_shared
from loadmaster.sim.shared_run import SharedProblem
from loadmaster.traces.opportunity import generate_opportunity

RUNS, JOBS, WARM_UP = 30, 6000, 1000


@pytest.mark.parametrize("work", ["exponential", "hyperexponential", "constant"])
@pytest.mark.parametrize("load", [0.5, 0.8])
def test_slowdown_under_processor_sharing_is_one_over_one_minus_load_whatever_the_work(work, load):
    """M/G/1-PS: a job of any size is slowed by 1 / (1 - rho) on average. 30 runs of 6,000 jobs, the first 1,000 of
    each left out; the 99.9 % interval of the mean over runs contains the theory, and is no wider than 12 % of it.
    """
    means = []
    for run in range(RUNS):
        rng = np.random.default_rng([run, int(10 * load)])
        sizes = {
            "exponential": rng.exponential(1.0, JOBS),
            "hyperexponential": rng.exponential(np.where(rng.random(JOBS) < 0.9, 0.5, 5.5)),
            "constant": np.ones(JOBS),
        }[work]
        jobs = Workload(
            ("cores", "memory"), np.cumsum(rng.exponential(1.0 / load, JOBS)), sizes, np.tile([1.0, 0.0], (JOBS, 1))
        )
        result = simulate_shared(SharedProblem(jobs, Cluster.uniform(1, cores=1, memory=1), METHODS["pvm"]))
        turnaround = (result.end_s - jobs.submit_s)[WARM_UP:]
        # Mean turnaround over mean size: the slowdown is the same for all sizes, and this has the lighter tail.
        means.append(turnaround.mean() / sizes[WARM_UP:].mean())
    low, high = bootstrap_interval(np.array(means), confidence=0.999)
    theory = 1.0 / (1.0 - load)
    assert low <= theory <= high
    assert high - low <= 0.35 * theory


@pytest.mark.parametrize("name", ["pvm", "e-pvm", "mosix", "e-mosix", "assign-u-r"])
def test_no_host_works_more_than_it_can_and_all_work_asked_is_done(name):
    """Without thrashing, a host is busy for exactly the work its tasks did there; here hosts never idle too long."""
    for seed in range(5):
        trace = generate_opportunity("equal", memory_cap="clip", seed=seed)
        problem = SharedProblem(trace.workload, trace.cluster, METHODS[name], ProcessorSharing(thrash=1.0), seed=seed)
        run = simulate_shared(problem)
        work = trace.workload.runtime_s[problem.owner]
        assert (run.end_s - trace.workload.submit_s[problem.owner] >= work * (1 - 1e-9)).all()
        span = run.end_s.max() - trace.workload.submit_s[0]
        assert work.sum() <= 6 * span * (1 + 1e-9)


def test_one_host_is_work_conserving_to_the_last_digit():
    """A single host of speed 1 is never idle while work is left: the last end of every busy period is known."""
    rng = np.random.default_rng(5)
    submit, work = np.cumsum(rng.exponential(2.0, 300)), rng.exponential(1.7, 300)
    jobs = Workload(("cores", "memory"), submit, work, np.tile([1.0, 0.0], (300, 1)))
    run = simulate_shared(SharedProblem(jobs, Cluster.uniform(1, cores=1, memory=1), METHODS["pvm"]))
    end = 0.0
    for arrival, needed in zip(submit, work, strict=True):
        end = max(end, arrival) + needed
    assert run.end_s.max() == pytest.approx(end, rel=1e-12)


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_every_move_of_enhanced_mosix_lowers_the_total_cost(seed):
    rng = np.random.default_rng(seed)
    cluster = Cluster(
        ("cores", "memory"), np.column_stack((np.ones(4), rng.uniform(50, 128, 4))), speed=rng.choice([0.5, 1.0], 4)
    )
    hosts, demand = SharedHosts(cluster), np.column_stack((np.ones(12), rng.uniform(1, 60, 12)))
    for task in range(12):
        hosts.add(task, int(rng.integers(4)), demand[task])
    moved = 0
    for turn in range(40):
        host = turn % 4
        others = [k for k in range(4) if k != host][:2]
        move = EnhancedMosix().turn(hosts, host, others, demand, 0)
        if move is None:
            continue
        scale, before = hosts.scale, sum(host_cost(hosts, k, np.zeros(2)) for k in range(4))
        hosts.remove(move.task, host, demand[move.task])
        hosts.add(move.task, move.host, demand[move.task])
        hosts.scale = scale  # the cost as it was when the move was weighed
        assert sum(host_cost(hosts, k, np.zeros(2)) for k in range(4)) < before - 1e-10
        moved += 1
    assert moved > 0 or all(EnhancedMosix().turn(hosts, h, [], demand, 0) is None for h in range(4))


@pytest.mark.parametrize(
    "name", ["first-fit", "best-fit-cores", "worse-fit-memory", "mix-fit", "dot-product", "random"]
)
def test_placement_policies_of_exclusive_hosts_run_on_shared_ones(name):
    trace = generate_opportunity(seed=3)
    run = simulate_shared(SharedProblem(trace.workload, trace.cluster, method_named(name)))
    assert np.isfinite(run.end_s).all()
    assert ((run.host >= 0) & (run.host < 6)).all()


def test_hosts_that_thrash_slow_the_naive_placement_most():
    slowdown = {}
    for name in ("pvm", "e-pvm"):
        values = []
        for seed in range(10):
            trace = generate_opportunity("unequal-memory", seed=seed)
            problem = SharedProblem(trace.workload, trace.cluster, METHODS[name])
            run = simulate_shared(problem)
            work = trace.workload.runtime_s[problem.owner]
            values.append(float(((run.end_s - trace.workload.submit_s[problem.owner]) / work).mean()))
        slowdown[name] = np.mean(values)
    assert slowdown["pvm"] > 2 * slowdown["e-pvm"]
