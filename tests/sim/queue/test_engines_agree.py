"""Every compiled engine gives the schedule of the plain one, to the bit, on random small workloads."""

from dataclasses import replace

import numpy as np
import pytest
from backlog_order import BY_BACKLOG
from bursts import bursts, held_by_all
from hypothesis import given, settings
from hypothesis import strategies as st
from resource_counts import resource_counts

from loadmaster.backfilling import Easy
from loadmaster.measure.check import violations
from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES, Policy
from loadmaster.scheduling import MaxJobs
from loadmaster.scheduling import discipline_named as named
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.capabilities import by_arrival
from loadmaster.sim.queue.engine.profile import layout
from loadmaster.sim.queue.engine.state import HOSTS_OF_BLOCK

DISCIPLINES = [
    named("netbatch"),
    named("skip"),
    named("netbatch(reservations=2,lookahead=5)"),
    named("fcfs"),
    named("fair-share(shares=1:2)"),
    named("easy"),
    named("fair-share(shares=1:2)+easy"),
    named("sjf+skip"),
    named("wfp3+easy"),
    named("lxf+netbatch"),
    named(f"{BY_BACKLOG}+netbatch"),
    named(f"{BY_BACKLOG}+easy"),
]
WALKS = [d for d in DISCIPLINES if by_arrival(d) and not isinstance(d.backfilling, Easy)]
BACKFILLS = [named("conservative(early_end=replan)"), named("conservative(early_end=replan,lookahead=4)")]
STANDING = [
    named("conservative"), named("conservative(early_end=start)"), named("conservative(early_end=now)"),
    named("conservative(early_end=kept)"), named("conservative(early_end=arrival,lookahead=4)"),
    named("conservative(early_end=now,lookahead=3)"),
]  # fmt: skip
METAS = [
    MaxJobs(),
    MaxJobs(target="cores"),
    MaxJobs(target="weighted", members=(POLICIES["random"], POLICIES["first-fit"])),
]


NAMES = ("cores", "memory", "bandwidth", "licences")
UNITS = (1, 1, 8, 10, 1000)
"""Amounts are whole, eighths, tenths or thousandths."""


@st.composite
def clusters(draw, resources, unit, most_hosts):
    """Hosts of up to nine of each resource, counted in parts of `unit`."""
    hosts = draw(st.integers(1, most_hosts))
    amounts = st.integers(1, 9 * unit).map(lambda parts: parts / unit)
    table = draw(st.lists(st.lists(amounts, min_size=resources, max_size=resources), min_size=hosts, max_size=hosts))
    return Cluster(NAMES[:resources], np.array(table, float))


def problems(single_task=False, resources=None, estimated=False, units=UNITS, speeds=False, most_hosts=6):
    """Jobs that come one by one and ask much of all, and bursts of jobs that ask much of one resource each."""
    few = bursts(single_task, resources, estimated=estimated, units=units, speeds=speeds)
    return st.one_of(streams(single_task, resources, estimated, units, speeds, most_hosts), few)


@st.composite
def streams(draw, single_task, resources, estimated, units, speeds, most_hosts):
    """A small cluster and jobs that its empty self can hold, arriving close together."""
    resources = resources or draw(st.sampled_from([1, 2, 2, 3, 4]))
    unit = draw(st.sampled_from(units))
    cluster = draw(clusters(resources, unit, most_hosts))
    jobs = draw(st.integers(1, 25))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    model = cluster.capacity[rng.integers(0, cluster.hosts, jobs)]
    demand = np.floor(model * rng.choice([0.25, 0.5, 1.0], (jobs, 1)) * rng.uniform(0, 1, model.shape) * unit) / unit
    full = rng.random(jobs) < 0.1  # these fill a host to the last bit
    demand[full] = model[full]
    tasks = np.ones(jobs, np.int32)
    if not single_task:
        held = np.array([held_by_all(row, cluster.capacity) for row in demand])
        tasks = np.minimum(rng.integers(1, 4, jobs), held).astype(np.int32)
    submit_s = np.sort(rng.integers(0, draw(st.sampled_from([1, 60, 600])), jobs)).astype(float)
    runtime_s = rng.integers(1, 200, jobs).astype(float)
    estimate_s = None
    if estimated and draw(st.booleans()):  # too long, too short, right and none at all
        estimate_s = np.floor(runtime_s * rng.choice([0.0, 0.5, 1.0, 1.0, 2.0], jobs))
    if speeds and draw(st.booleans()):
        cluster = replace(cluster, speed=rng.choice([0.5, 1.0, 3.0], cluster.hosts))
    return cluster, Workload(
        cluster.resources,
        submit_s,
        runtime_s,
        demand,
        tasks=None if single_task else tasks,
        estimate_s=estimate_s,
        project=rng.integers(0, 3, jobs).astype(np.int32),
    )


def assert_same(reference, other):
    assert np.array_equal(reference.start_s, other.start_s, equal_nan=True)
    assert np.array_equal(reference.host, other.host)
    for column in ("time_s", "queue_length", "started", "winners"):
        assert np.array_equal(getattr(reference.cycles, column), getattr(other.cycles, column)), column
    if reference.cycles.choices is not None:
        assert np.array_equal(reference.cycles.choices.chosen, other.cycles.choices.chosen)


@pytest.mark.parametrize("discipline", DISCIPLINES, ids=lambda discipline: str(discipline).rpartition("/")[2])
@pytest.mark.parametrize("policy", [*POLICIES.values(), *METAS], ids=lambda policy: policy.name)
@settings(max_examples=4, deadline=None)
@given(data=st.data(), interval_s=st.sampled_from([0.0, 30.0]))
def test_the_general_engine_agrees_with_the_reference(policy, discipline, data, interval_s):
    resources = data.draw(st.sampled_from(resource_counts(policy)))
    cluster, workload = data.draw(problems(resources=resources, estimated=True, speeds=True))
    plain = simulate(workload, cluster, policy, discipline, interval_s=interval_s, seed=5, engine="reference")
    compiled = simulate(workload, cluster, policy, discipline, interval_s=interval_s, seed=5, engine="compiled")
    assert_same(plain, compiled)
    if (cluster.speed == 1.0).all():
        assert not violations(workload, cluster, compiled)


THESIS = [
    *(POLICIES[name] for name in ("first-fit", "best-fit-cores", "best-fit-memory", "worse-fit-cores")),
    *(POLICIES[name] for name in ("worse-fit-memory", "mix-fit", "round-robin", "opportunity-cost")),
    MaxJobs(),
    MaxJobs(log_ties=False),
    MaxJobs(target="weighted"),
    MaxJobs(members=(POLICIES["round-robin"], POLICIES["worse-fit-memory"], POLICIES["worse-fit-cores"])),
]


@pytest.mark.parametrize("discipline", WALKS, ids=str)
@pytest.mark.parametrize("policy", THESIS, ids=lambda policy: policy.name)
@settings(max_examples=6, deadline=None)
@given(
    problem=problems(single_task=True, resources=2, units=(1,), most_hosts=12),
    interval_s=st.sampled_from([0.0, 0.3, 30.0]),
)
def test_the_rules_of_the_thesis_agree_with_the_reference(policy, discipline, problem, interval_s):
    cluster, workload = problem
    plain = simulate(workload, cluster, policy, discipline, interval_s=interval_s, engine="reference")
    compiled = simulate(workload, cluster, policy, discipline, interval_s=interval_s, engine="compiled")
    if getattr(policy, "log_ties", True):
        assert_same(plain, compiled)
    else:
        assert np.array_equal(plain.start_s, compiled.start_s, equal_nan=True)
        assert np.array_equal(plain.host, compiled.host)


IN_BLOCKS = ("netbatch", "skip", "fcfs", "netbatch(reservations=2,lookahead=20)", "easy")


@pytest.mark.parametrize("discipline", IN_BLOCKS)
@pytest.mark.parametrize("policy", [*THESIS[:8], MaxJobs()], ids=lambda policy: policy.name)
def test_it_agrees_where_hosts_lie_in_several_blocks(policy, discipline):
    """A queue before hosts that differ, of which one has cores and another memory.

    Each policy is tried with every number of resources up to three for which it is compiled.
    """
    counts = [count for count in resource_counts(policy) if count < 4]
    resources = counts[(THESIS.index(policy) + IN_BLOCKS.index(discipline)) % len(counts)]
    rng = np.random.default_rng(7 + resources)
    jobs, hosts = 300, 3 * HOSTS_OF_BLOCK + 5
    whole = np.column_stack([rng.choice([2, 8, 12], hosts), rng.choice([8, 16, 64], hosts), rng.integers(0, 3, hosts)])
    cluster = Cluster(NAMES[:resources], np.maximum(whole[:, :resources], [[1, 1, 0]][0][:resources]).astype(float))
    model = cluster.capacity[rng.integers(0, hosts, jobs)]
    demand = np.floor(model * rng.choice([0.25, 0.5, 1.0], model.shape))
    workload = Workload(
        cluster.resources,
        np.sort(rng.integers(0, 200, jobs)).astype(float),
        rng.integers(30, 400, jobs).astype(float),
        demand,
        tasks=np.where(rng.random(jobs) < 0.1, 3, 1).astype(np.int32),
    )
    plain = simulate(workload, cluster, policy, named(discipline), interval_s=30.0, engine="reference")
    compiled = simulate(workload, cluster, policy, named(discipline), interval_s=30.0, engine="compiled")
    assert_same(plain, compiled)
    assert not violations(workload, cluster, compiled)
    assert plain.cycles.queue_length.max() > hosts / 5


@pytest.mark.parametrize("discipline", BACKFILLS, ids=str)
@pytest.mark.parametrize("policy", [*POLICIES.values()], ids=lambda policy: policy.name)
@settings(max_examples=6, deadline=None)
@given(data=st.data(), single_task=st.booleans(), interval_s=st.sampled_from([0.0, 30.0]))
def test_the_backfilling_engine_agrees_with_the_reference(policy, discipline, data, single_task, interval_s):
    resources = data.draw(st.sampled_from(resource_counts(policy)))
    cluster, workload = data.draw(problems(single_task=single_task, resources=resources, estimated=True))
    plain = simulate(workload, cluster, policy, discipline, interval_s=interval_s, seed=5, engine="reference")
    compiled = simulate(workload, cluster, policy, discipline, interval_s=interval_s, seed=5, engine="planning")
    assert_same(plain, compiled)
    assert not violations(workload, cluster, compiled)


@pytest.mark.parametrize("discipline", STANDING, ids=str)
@pytest.mark.parametrize("name", ["worse-fit-cores", "round-robin", "random"])
@settings(max_examples=8, deadline=None)
@given(data=st.data(), single_task=st.booleans(), interval_s=st.sampled_from([0.0, 7.0, 30.0]))
def test_the_engine_that_keeps_promises_agrees_with_the_reference(name, discipline, data, single_task, interval_s):
    policy = POLICIES[name]
    resources = data.draw(st.sampled_from(resource_counts(policy)))
    cluster, workload = data.draw(problems(single_task=single_task, resources=resources, estimated=True))
    assert layout.knows(policy, discipline)
    plain = simulate(workload, cluster, policy, discipline, interval_s=interval_s, seed=5, engine="reference")
    compiled = simulate(workload, cluster, policy, discipline, interval_s=interval_s, seed=5, engine="planning")
    assert_same(plain, compiled)
    assert not violations(workload, cluster, compiled)


@st.composite
def pools(draw):
    """Up to nine equal hosts of one core, and jobs of several tasks with estimates too long, too short and right."""
    hosts, jobs = draw(st.integers(1, 9)), draw(st.integers(1, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    runtime_s = rng.integers(1, 200, jobs).astype(float)
    return Cluster.uniform(hosts, cores=1), Workload(
        ("cores",),
        np.sort(rng.integers(0, 600, jobs)).astype(float),
        runtime_s,
        np.ones((jobs, 1)),
        tasks=rng.integers(1, hosts + 1, jobs).astype(np.int32),
        estimate_s=np.floor(runtime_s * rng.choice([0.5, 1.0, 2.0, 4.0], jobs)),
    )


@pytest.mark.parametrize("discipline", [*STANDING, named("conservative(promise=hosts)")], ids=str)
@settings(max_examples=12, deadline=None)
@given(problem=pools(), interval_s=st.sampled_from([0.0, 30.0]))
def test_it_also_agrees_where_hosts_are_counted(discipline, problem, interval_s):
    cluster, workload = problem
    policy = POLICIES["round-robin"]
    plain = simulate(workload, cluster, policy, discipline, interval_s=interval_s, engine="reference")
    assert_same(plain, simulate(workload, cluster, policy, discipline, interval_s=interval_s, engine="planning"))


def test_easy_tries_a_larger_job_of_several_tasks_though_a_smaller_one_took_what_the_head_can_spare_and_failed():
    workload = Workload.of(
        submit_s=[0, 0, 0, 0, 0],
        runtime_s=[40, 40, 10, 60, 50],
        cores=[3, 3, 4, 3, 3],
        memory=[4, 4, 2, 2, 3],
        tasks=[1, 1, 2, 2, 2],
    )
    hosts = Cluster.uniform(3, cores=6, memory=6)
    plain, fast = (
        simulate(workload, hosts, POLICIES["first-fit"], named("easy"), interval_s=0.0, engine=engine)
        for engine in ("reference", "compiled")
    )
    assert plain.start_s.tolist() == [0.0, 0.0, 40.0, 50.0, 0.0]
    assert_same(plain, fast)


def test_a_job_of_other_draws_is_tried_though_an_equal_one_found_no_hosts_beside_the_reservation():
    """The random policy draws for each task: the hosts drawn for the last job cost the head less than the third's."""
    jobs = Workload.of(
        submit_s=[40, 40, 60, 60],
        runtime_s=[29, 4, 23, 37],
        estimate_s=[29, 4, 69, 37],
        cores=[3, 4, 1, 1],
        tasks=[2, 2, 3, 2],
    )
    given = jobs, Cluster.uniform(3, cores=4), POLICIES["random"], named("easy")
    run = simulate(*given, interval_s=7.0, engine="compiled")
    assert_same(simulate(*given, interval_s=7.0, engine="reference"), run)


def prefers_by_task(demand, free, capacity, context):
    return float(context.task % 2) * free[0]


@pytest.mark.parametrize("discipline", [named("netbatch"), named("easy"), named("conservative")])
def test_a_score_of_ones_own_with_a_context_is_asked_for_every_task_though_it_says_it_does_not_vary(discipline):
    policy = Policy("mine", prefers_by_task, contextual=True)
    rng, n = np.random.default_rng(0), 60
    jobs = Workload.of(
        submit_s=np.sort(rng.integers(0, 300, n)).tolist(),
        runtime_s=rng.integers(10, 100, n).tolist(),
        cores=rng.integers(1, 5, n).tolist(),
        memory=rng.integers(1, 5, n).tolist(),
    )
    hosts = Cluster.uniform(3, cores=8, memory=8)
    compiled, plain = (
        simulate(jobs, hosts, policy, discipline, interval_s=0.0, engine=e) for e in ("auto", "reference")
    )
    assert compiled.host.tolist() == plain.host.tolist()
    assert compiled.start_s.tolist() == plain.start_s.tolist()


@pytest.mark.parametrize("early_end", ["arrival", "replan", "start", "now", "kept"])
@pytest.mark.parametrize("interval_s", [0.0, 30.0])
def test_a_job_that_no_host_ever_holds_keeps_nobody_behind_it_from_a_place_in_the_plan(early_end, interval_s):
    workload = Workload.of(
        submit_s=[0, 1, 2, 3, 4], runtime_s=[10, 10, 10, 10, 5], cores=[4, 9, 4, 2, 2], estimate_s=[40, 40, 40, 40, 5.0]
    )
    discipline = named(f"conservative(early_end={early_end})")
    plain, auto = (
        simulate(
            workload, Cluster.uniform(1, cores=4), POLICIES["first-fit"], discipline, interval_s=interval_s, engine=e
        )
        for e in ("reference", "auto")
    )
    assert_same(plain, auto)
    assert np.isfinite(plain.start_s).tolist() == [True, False, True, True, True]
