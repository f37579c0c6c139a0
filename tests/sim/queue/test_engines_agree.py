"""Every compiled engine gives the schedule of the plain one, to the bit, on random small workloads."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backlog_order import BY_BACKLOG
from bursts import bursts, held_by_all
from loadmaster.backfilling import Easy
from loadmaster.measure.check import violations
from loadmaster.model import Cluster, Workload
from loadmaster.place import POLICIES, Policy
from loadmaster.schedule import MaxJobs
from loadmaster.schedule import discipline_named as named
from loadmaster.sim.queue import rows, rows_kernel, simulate
from loadmaster.sim.queue.profile import layout as profile
from loadmaster.sim.queue.rows import serves_rows
from loadmaster.sim.queue.served import by_arrival

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
    MaxJobs(target="weighted", members=(POLICIES["random"], POLICIES["mix-fit"])),
]


NAMES = ("cores", "memory", "gpus", "licences")
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
@settings(max_examples=8, deadline=None)
@given(problem=problems(estimated=True, speeds=True), interval_s=st.sampled_from([0.0, 30.0]))
def test_the_general_engine_agrees_with_the_reference(policy, discipline, problem, interval_s):
    cluster, workload = problem
    plain = simulate(workload, cluster, policy, discipline, interval_s=interval_s, seed=5, engine="reference")
    compiled = simulate(workload, cluster, policy, discipline, interval_s=interval_s, seed=5, engine="compiled")
    assert_same(plain, compiled)
    if (cluster.speed == 1.0).all():
        assert not violations(workload, cluster, compiled)


ROW_RULES = [
    "first-fit", "best-fit-cores", "best-fit-memory", "worse-fit-cores", "worse-fit-memory", "mix-fit", "round-robin",
    "opportunity-cost",
]  # fmt: skip
ROW_POLICIES = [
    *[POLICIES[name] for name in ROW_RULES],
    MaxJobs(),
    MaxJobs(log_ties=False),
    MaxJobs(target="weighted"),
    MaxJobs(members=(POLICIES["opportunity-cost"], POLICIES["best-fit-memory"])),
    MaxJobs(members=(POLICIES["round-robin"], POLICIES["worse-fit-memory"], POLICIES["worse-fit-cores"])),
]


@pytest.mark.parametrize("discipline", WALKS, ids=str)
@pytest.mark.parametrize("policy", ROW_POLICIES, ids=lambda policy: policy.name)
@settings(max_examples=25, deadline=None)
@given(
    problem=problems(single_task=True, resources=2, units=(1,)),
    interval_s=st.sampled_from([0.0, 0.3, 30.0]),
    few=st.sampled_from([0, rows_kernel.FEW_HOSTS]),
)
def test_the_netbatch_engine_agrees_with_the_reference(policy, discipline, problem, interval_s, few):
    """Whether it takes hosts for few, of which all are looked at, or for many."""
    cluster, workload = problem
    assert serves_rows(workload, cluster, policy, discipline, interval_s)
    plain = simulate(workload, cluster, policy, discipline, interval_s=interval_s, engine="reference")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows_kernel, "FEW_HOSTS", few)
        assert_same(plain, simulate(workload, cluster, policy, discipline, interval_s=interval_s, engine="rows"))


@pytest.mark.parametrize("policy", ROW_POLICIES, ids=lambda policy: policy.name)
@settings(max_examples=40, deadline=None)
@given(problem=problems(single_task=True, resources=2, units=(1,), most_hosts=50), discipline=st.sampled_from(WALKS))
def test_the_netbatch_engine_agrees_where_it_holds_many_hosts_in_a_tree(policy, problem, discipline):
    cluster, workload = problem
    plain = simulate(workload, cluster, policy, discipline, interval_s=30.0, engine="reference")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "MANY_HOSTS", 1)
        patch.setattr(rows_kernel, "FEW_HOSTS", 0)
        assert_same(plain, simulate(workload, cluster, policy, discipline, interval_s=30.0, engine="rows"))


@pytest.mark.parametrize("policy", ROW_POLICIES[: len(ROW_RULES)], ids=lambda policy: policy.name)
@settings(max_examples=25, deadline=None)
@given(problem=problems(resources=2, units=(1,)), interval_s=st.sampled_from([0.0, 30.0]))
def test_the_netbatch_engine_agrees_on_jobs_of_several_tasks(policy, problem, interval_s):
    cluster, workload = problem
    assert serves_rows(workload, cluster, policy, named("fcfs"), interval_s)
    plain = simulate(workload, cluster, policy, named("fcfs"), interval_s=interval_s, engine="reference")
    assert_same(plain, simulate(workload, cluster, policy, named("fcfs"), interval_s=interval_s, engine="rows"))


@pytest.mark.parametrize(
    "submit_s",
    [pytest.param([0.0, 0.5], id="an event between two seconds"), pytest.param([0.0, 1e9], id="a long empty time")],
)
def test_no_interval_is_a_second_only_where_that_is_the_same_and_cheap(submit_s):
    workload = Workload.of(submit_s=submit_s, runtime_s=[1.0, 1.0], cores=[1, 1], memory=[1, 1])
    assert not serves_rows(workload, Cluster.uniform(1, cores=1, memory=1), POLICIES["first-fit"], named("fcfs"), 0.0)


@pytest.mark.parametrize("policy", ROW_POLICIES, ids=lambda policy: policy.name)
def test_both_compiled_engines_agree_on_a_long_queue_and_many_hosts(policy):
    rng = np.random.default_rng(7)
    jobs, hosts = 4000, 150
    cluster = Cluster(("cores", "memory"), rng.choice([8, 12, 16], (hosts, 1)) * np.array([[1.0, 4.0]]))
    workload = Workload.of(
        submit_s=np.sort(rng.uniform(0, 8_000, jobs)),
        runtime_s=np.ceil(rng.lognormal(7, 1.5, jobs)),
        cores=rng.choice([1, 1, 1, 2, 4, 8], jobs),
        memory=rng.choice([1, 2, 4, 8, 16, 32], jobs),
    )
    fast = simulate(workload, cluster, policy, named("netbatch"), interval_s=30.0, engine="rows")
    assert fast.cycles.queue_length.max() > 100
    assert not violations(workload, cluster, fast)
    if getattr(policy, "log_ties", True):
        assert_same(simulate(workload, cluster, policy, named("netbatch"), interval_s=30.0, engine="compiled"), fast)


@pytest.mark.parametrize("discipline", BACKFILLS, ids=str)
@pytest.mark.parametrize("policy", [*POLICIES.values()], ids=lambda policy: policy.name)
@settings(max_examples=12, deadline=None)
@given(
    problem=st.one_of(problems(estimated=True), problems(single_task=True, estimated=True)),
    interval_s=st.sampled_from([0.0, 30.0]),
)
def test_the_backfilling_engine_agrees_with_the_reference(policy, discipline, problem, interval_s):
    cluster, workload = problem
    plain = simulate(workload, cluster, policy, discipline, interval_s=interval_s, seed=5, engine="reference")
    compiled = simulate(workload, cluster, policy, discipline, interval_s=interval_s, seed=5, engine="planning")
    assert_same(plain, compiled)
    assert not violations(workload, cluster, compiled)


@pytest.mark.parametrize("discipline", STANDING, ids=str)
@pytest.mark.parametrize("name", ["worse-fit-cores", "round-robin", "random"])
@settings(max_examples=8, deadline=None)
@given(
    problem=st.one_of(problems(estimated=True), problems(single_task=True, estimated=True)),
    interval_s=st.sampled_from([0.0, 7.0, 30.0]),
)
def test_the_engine_that_keeps_promises_agrees_with_the_reference(name, discipline, problem, interval_s):
    cluster, workload = problem
    policy = POLICIES[name]
    assert profile.knows(policy, discipline)
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
        ("cores",), np.sort(rng.integers(0, 600, jobs)).astype(float), runtime_s, np.ones((jobs, 1)),
        tasks=rng.integers(1, hosts + 1, jobs).astype(np.int32),
        estimate_s=np.floor(runtime_s * rng.choice([0.5, 1.0, 2.0, 4.0], jobs)),
    )  # fmt: skip


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
        submit_s=[0, 0, 0, 0, 0], runtime_s=[40, 40, 10, 60, 50], cores=[3, 3, 4, 3, 3], memory=[4, 4, 2, 2, 3],
        tasks=[1, 1, 2, 2, 2],
    )  # fmt: skip
    hosts = Cluster.uniform(3, cores=6, memory=6)
    plain, fast = (
        simulate(workload, hosts, POLICIES["first-fit"], named("easy"), interval_s=0.0, engine=engine)
        for engine in ("reference", "compiled")
    )
    assert plain.start_s.tolist() == [0.0, 0.0, 40.0, 50.0, 0.0]
    assert_same(plain, fast)


def prefers_by_task(demand, free, capacity, context):
    return float(context.task % 2) * free[0]


@pytest.mark.parametrize("discipline", [named("netbatch"), named("easy"), named("conservative")])
def test_a_score_of_ones_own_with_a_context_is_asked_for_every_task_though_it_says_it_does_not_vary(discipline):
    policy = Policy("mine", prefers_by_task, contextual=True)
    rng, n = np.random.default_rng(0), 60
    jobs = Workload.of(
        submit_s=np.sort(rng.integers(0, 300, n)).tolist(), runtime_s=rng.integers(10, 100, n).tolist(),
        cores=rng.integers(1, 5, n).tolist(), memory=rng.integers(1, 5, n).tolist(),
    )  # fmt: skip
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
