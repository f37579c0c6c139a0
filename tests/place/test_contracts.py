"""What every listed placement policy must keep, and what some must keep among themselves."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from loadmaster.compiled_rules.policies import rater
from loadmaster.measure import violations
from loadmaster.model import Cluster, InputError, Workload
from loadmaster.place import POLICIES, Context, Policy
from loadmaster.place.load import policy_named
from loadmaster.scheduling import discipline_named as named
from loadmaster.sim.queue import simulate

EVERY = pytest.mark.parametrize("policy", POLICIES.values(), ids=lambda policy: policy.name)
# Their scores see free, demand and capacity of a host alone: no host's number, no last host.
BLIND = [policy for policy in POLICIES.values() if not policy.varies]


@st.composite
def states(draw, resources=st.integers(2, 4), fits=st.booleans()):
    """Hosts with whole amounts, part of them in use, one task, and the context's numbers."""
    count, dims = draw(st.integers(1, 8)), draw(resources)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    capacity = rng.integers(0, 40, (count, dims)).astype(float)
    capacity[:, :2] += 1.0
    free = np.floor(capacity * rng.uniform(0, 1, capacity.shape))
    demand = np.floor(free[0] * rng.uniform(0, 1, dims)) if draw(fits) else rng.integers(0, 9, dims).astype(float)
    context = Context(0, count, draw(st.integers(-1, count - 1)), draw(st.integers(0, 10**7)), draw(st.integers(0, 99)))
    return demand, free, capacity, context


def plain_scores(policy, state):
    demand, free, capacity, context = state
    return [
        policy.rate(demand, left, whole, context._replace(host=host)) if (left >= demand).all() else math.inf
        for host, (left, whole) in enumerate(zip(free, capacity, strict=True))
    ]


def compiled_scores(policy, state):
    demand, free, capacity, context = state
    hosts = np.arange(len(free), dtype=np.int32)
    out = np.full(len(free), np.nan)
    wrong = rater(policy)(
        demand, free, capacity, hosts, len(hosts), context.last_host, context.task, context.seed, out, 0
    )
    return out.tolist(), wrong


@EVERY
@given(state=states())
def test_scores_are_finite_repeatable_and_the_same_compiled(policy, state):
    before = [array.copy() for array in state[:3]]
    plain = plain_scores(policy, state)
    fitting = [score for score in plain if score != math.inf]
    compiled, wrong = compiled_scores(policy, state)
    assert all(math.isfinite(score) for score in fitting)
    assert plain_scores(policy, state) == plain
    assert wrong == 0
    assert compiled == plain
    assert all(np.array_equal(now, then) for now, then in zip(state[:3], before, strict=True))


@pytest.mark.parametrize("policy", BLIND, ids=lambda policy: policy.name)
@given(state=states(), seed=st.integers(0, 2**32 - 1))
def test_a_host_keeps_its_score_wherever_it_stands_in_the_list(policy, state, seed):
    demand, free, capacity, context = state
    order = np.random.default_rng(seed).permutation(len(free))
    moved = plain_scores(policy, (demand, free[order], capacity[order], context))
    assert moved == [plain_scores(policy, state)[host] for host in order]


@st.composite
def logs(draw, dims=2):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    jobs, hosts = draw(st.integers(1, 40)), draw(st.integers(1, 7))
    capacity = rng.integers(4, 17, (hosts, dims)).astype(float)
    demand = np.floor(capacity[rng.integers(0, hosts, jobs)] * rng.uniform(0, 1, (jobs, dims)))
    resources = ("cores", "memory", "gpus")[:dims]
    submit = np.sort(rng.integers(0, 300, jobs)).astype(float)
    return Cluster(resources, capacity), Workload(resources, submit, rng.integers(1, 400, jobs).astype(float), demand)


@EVERY
@given(problem=st.one_of(logs(), logs(dims=3)))
def test_no_policy_overfills_a_host_or_loses_a_job(policy, problem):
    cluster, workload = problem
    schedule = simulate(workload, cluster, policy, named("netbatch"), interval_s=30.0, seed=3)
    assert not violations(workload, cluster, schedule)
    assert schedule.started.all()


@EVERY
def test_the_same_seed_gives_the_same_schedule_and_another_order_of_policies_changes_nothing(policy):
    rng = np.random.default_rng(11)
    workload = Workload.of(
        submit_s=np.sort(rng.integers(0, 500, 80)),
        runtime_s=rng.integers(1, 300, 80),
        cores=rng.integers(1, 5, 80),
        memory=rng.integers(0, 17, 80),
    )
    cluster = Cluster.uniform(4, cores=8, memory=32)
    first = simulate(workload, cluster, policy, named("netbatch"), interval_s=30.0, seed=7)
    simulate(workload, cluster, POLICIES["round-robin"], named("netbatch"), interval_s=30.0, seed=1)
    assert first.same_as(simulate(workload, cluster, policy, named("netbatch"), interval_s=30.0, seed=7))


def test_random_draws_follow_the_seed():
    workload = Workload.of(submit_s=[0.0] * 30, runtime_s=[60.0] * 30, cores=[1] * 30, memory=[1] * 30)
    cluster = Cluster.uniform(10, cores=8, memory=32)
    hosts = [
        simulate(workload, cluster, POLICIES["random"], named("netbatch"), interval_s=30.0, seed=seed).host.tolist()
        for seed in (1, 2)
    ]
    assert hosts[0] != hosts[1]


@pytest.fixture(scope="module")
def own_best_fit(tmp_path_factory):
    file = tmp_path_factory.mktemp("own") / "mine.py"
    file.write_text("def least_cores(demand, free, capacity):\n    return free[0]\n")
    return policy_named(f"{file}:least_cores")


@given(problem=logs(), interval_s=st.sampled_from([0.0, 30.0]))
def test_a_users_own_best_fit_gives_the_schedule_of_the_built_in_one(own_best_fit, problem, interval_s):
    cluster, workload = problem
    built_in = simulate(workload, cluster, POLICIES["best-fit-cores"], named("netbatch"), interval_s=interval_s)
    assert simulate(workload, cluster, own_best_fit, named("netbatch"), interval_s=interval_s).same_as(built_in)


def fails(demand, free, capacity):
    return 1.0 / (free[0] - demand[0])


def test_a_score_that_is_not_finite_ends_the_run_with_its_name_and_the_rule():
    workload = Workload.of(submit_s=[0.0], runtime_s=[1.0], cores=[4], memory=[1])
    with pytest.raises(InputError, match="finite"):
        simulate(workload, Cluster.uniform(1, cores=4, memory=32), Policy("mine", fails), named("netbatch"))


@given(state=states(resources=st.just(2), fits=st.just(True)))
def test_mix_fit_with_more_dimensions_is_the_same_angle(state):
    demand, free, capacity, context = state
    policy = POLICIES["mix-fit"]
    tangent = policy.rate(demand, free[0], capacity[0], context)
    # A third resource that no host has goes through the general formula, and does not count.
    squared_sine = policy.rate(np.append(demand, 0.0), np.append(free[0], 0.0), np.append(capacity[0], 0.0), context)
    assert squared_sine == pytest.approx(tangent**2 / (1.0 + tangent**2), abs=2e-12)


@given(state=states(resources=st.just(4), fits=st.just(True)))
def test_mix_fit_is_the_angle_between_what_is_left_and_the_diagonal(state):
    demand, free, capacity, context = state
    has = capacity[0] > 0
    assume(has.sum() != 2)  # of two the score is the tangent, see above
    left = ((free[0] - demand) / np.where(has, capacity[0], 1.0))[has]
    score = POLICIES["mix-fit"].rate(demand, free[0], capacity[0], context)
    cosine = left.sum() / (np.linalg.norm(left) * math.sqrt(left.size)) if left.any() else 1.0
    assert score == pytest.approx(1.0 - cosine**2, abs=1e-9)
