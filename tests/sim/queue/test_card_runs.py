"""GPUs as cards in the queue: the compiled engine gives the plain one's schedule, and no card is given twice (Q22)."""

from dataclasses import replace

import numpy as np
import pytest
from cut_runs import cut_at

from loadmaster.measure.check import violations
from loadmaster.measure.check_cards import broken_cards
from loadmaster.model import (
    CalendarRow,
    Cluster,
    Constraints,
    InputError,
    Named,
    Preemption,
    SiteRules,
    StartingState,
    Workload,
)
from loadmaster.model.cards import cards_in
from loadmaster.place import POLICIES
from loadmaster.scheduling import MaxJobs
from loadmaster.scheduling import discipline_named as named
from loadmaster.sim.queue import simulate
from loadmaster.sim.queue.engine_cost import MANY_JOBS
from loadmaster.sim.queue.simulation import is_compiled

FIRST_FIT = POLICIES["first-fit"]
TWO_CARDS = Cluster.uniform(1, cores=8, gpus=2)
SHARED = Workload.of(submit_s=[0] * 4, runtime_s=[100, 100, 100, 10], cores=[1] * 4, gpus=[0.6, 0.6, 0.8, 2])
PROMISED = Workload.of(
    submit_s=[0, 0, 1, 1, 1, 1], runtime_s=[10, 50, 10, 30, 30, 5], cores=[1] * 6, gpus=[0.6, 0.5, 1, 0.3, 0.3, 0.3]
)
"""A, B, H, C, D and E of the example in rule Q22."""
EASY = ["easy", "sjf+easy", "wfp3+easy"]
DISCIPLINES = ["fcfs", "skip", "netbatch", "netbatch(reservations=2,lookahead=5)", *EASY]
RULES = [POLICIES["first-fit"], POLICIES["mix-fit"], POLICIES["round-robin"], POLICIES["random"], MaxJobs()]
GPU_AMOUNTS = [0.1, 0.25, 0.3, 0.4, 0.5, 0.6, 0.75, 1.0, 1.0, 2.0]
PLANS = ["conservative", "easy(heads=3)", "slurm(bf_interval=1,bf_resolution=5)"]
PLAIN_ONLY = ["lookahead(window=64)"]


def run(log, discipline, policy=FIRST_FIT, cluster=TWO_CARDS, **how):
    return simulate(log, cluster, policy, named(discipline), **how)


def cards(schedule):
    return [cards_in(bits) for bits in schedule.cards.tolist()]


def random_log(seed, *, bound=False):
    """Jobs for a few hosts with up to three GPUs each; most share GPUs, and each fits on the empty hosts."""
    rng = np.random.default_rng(seed)
    hosts, jobs = int(rng.integers(1, 6)), int(rng.integers(8, 30))
    capacity = np.column_stack([rng.integers(4, 9, hosts), rng.integers(4, 9, hosts), rng.integers(1, 4, hosts)])
    speed = rng.choice([0.5, 1.0, 2.0], hosts) if rng.random() < 0.3 else None
    rules = SiteRules(features=tuple(("a100",) if host % 2 else ("t4",) for host in range(hosts))) if bound else None
    cluster = Cluster(("cores", "memory", "gpus"), capacity.astype(float), speed=speed, rules=rules)
    gpus = rng.choice([0.0, *GPU_AMOUNTS], jobs)
    gpus[0] = 0.5
    gpus = np.minimum(gpus, capacity[:, 2].min())
    runtime_s = rng.integers(1, 30, jobs).astype(float)
    constraints = None
    if bound:
        words = ["t4" if host == 0 or hosts == 1 else "a100" for host in rng.integers(0, 3, jobs)]
        constraints = Constraints(features=Named.of([word if rng.random() < 0.6 else None for word in words]))
    log = Workload(
        ("cores", "memory", "gpus"),
        np.sort(rng.integers(0, 25, jobs)).astype(float),
        runtime_s,
        np.column_stack([rng.integers(0, 4, jobs), rng.integers(0, 4, jobs), gpus]).astype(float),
        tasks=np.where((rng.random(jobs) < 0.7) | (hosts == 1), 1, 2).astype(np.int32),
        estimate_s=runtime_s * rng.choice([0.5, 1.0, 1.5, 3.0], jobs),
        constraints=constraints,
    )
    return log, cluster, float(rng.choice([0.0, 0.0, 7.0]))


@pytest.mark.parametrize("engine", ["auto", "reference"])
@pytest.mark.parametrize("discipline", ["fcfs", "skip", "easy", "netbatch", "conservative", "slurm", *PLAIN_ONLY])
def test_a_part_never_lies_on_two_cards(discipline, engine):
    schedule = run(SHARED, discipline, engine=engine)
    assert schedule.start_s.tolist() == [0, 0, 100, 200]
    assert cards(schedule) == [[0], [1], [0], [0, 1]]
    assert violations(SHARED, TWO_CARDS, schedule) == ()


@pytest.mark.parametrize("engine", ["auto", "reference"])
def test_a_job_that_outlasts_the_promise_leaves_the_head_its_card(engine):
    schedule = run(PROMISED, "easy", engine=engine)
    assert schedule.start_s.tolist() == [0, 0, 10, 1, 20, 1]
    assert cards(schedule) == [[0], [1], [0], [1], [0], [0]]


@pytest.mark.parametrize("bound", [False, True])
@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_the_compiled_engine_gives_the_schedule_of_the_plain_one(discipline, bound):
    waits = 0
    for seed in range(6):
        log, cluster, interval_s = random_log(seed, bound=bound)
        for policy in RULES:
            how = {"cluster": cluster, "interval_s": interval_s, "seed": seed}
            expected = run(log, discipline, policy, engine="reference", **how)
            schedule = run(log, discipline, policy, engine="compiled", **how)
            assert schedule.same_as(expected), (seed, policy.name)
            assert violations(log, cluster, schedule) == ()
            waits += int((schedule.start_s > log.submit_s).sum())
    assert waits > 300


@pytest.mark.parametrize("bound", [False, True])
@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_a_run_that_begins_with_running_jobs_gives_the_schedule_of_the_plain_engine(discipline, bound):
    runs_at_start = 0
    for seed in range(12):
        log, cluster, interval_s = random_log(seed, bound=bound)
        whole = run(log, "easy", RULES[seed % 2], cluster, engine="reference")
        rest, _ = cut_at(log, cluster, whole, float(8 + seed % 3 * 10), ends=seed % 2 == 0)
        runs_at_start += rest.starting.jobs
        for policy in RULES:
            how = {"cluster": cluster, "interval_s": interval_s, "seed": seed}
            assert is_compiled(rest, cluster, policy, named(discipline)) or (
                "easy" in discipline and policy is RULES[-1]
            )
            expected = run(rest, discipline, policy, engine="reference", **how)
            schedule = run(rest, discipline, policy, engine="compiled", **how)
            assert schedule.same_as(expected), (seed, policy.name)
            assert violations(rest, cluster, schedule) == ()
    assert runs_at_start > 30


def test_a_job_that_can_never_start_has_no_cards():
    log, cluster, _ = random_log(1, bound=True)
    absent = Constraints(features=Named.of([None] * (log.jobs - 1) + ["h100"]))
    log = replace(log, constraints=absent)
    schedule = run(log, "lxf+skip", cluster=cluster, engine="compiled")
    assert np.isnan(schedule.start_s[-1])
    assert violations(log, cluster, schedule) == ()
    assert schedule.same_as(run(log, "lxf+skip", cluster=cluster, engine="reference"))


@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_running_jobs_take_cards_by_size_where_the_order_of_their_starts_finds_too_few(engine):
    state = StartingState(10.0, job=[0, 1, 2, 3], start_s=[1.0, 2.0, 3.0, 4.0], host=[0] * 4)
    gpus = [0.25, 0.5, 0.5, 0.75, 1]
    log = Workload.of(submit_s=[0] * 5, runtime_s=[99] * 5, cores=[1] * 5, gpus=gpus, starting=state)
    schedule = run(log, "easy", engine=engine)
    assert cards(schedule)[:4] == [[0], [1], [1], [0]]
    assert broken_cards(log, TWO_CARDS, schedule) == []


@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_running_jobs_that_no_card_holds_are_refused_in_one_line(engine):
    state = StartingState(10.0, job=[0, 1, 2], start_s=[1.0] * 3, host=[0] * 3)
    log = Workload.of(submit_s=[0] * 4, runtime_s=[99] * 4, cores=[1] * 4, gpus=[0.6, 0.6, 0.7, 1], starting=state)
    with pytest.raises(InputError, match="were not found to fit on its GPUs") as refused:
        run(log, "easy", engine=engine)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("discipline", PLANS)
def test_compiled_plans_give_the_schedule_and_the_cards_of_the_plain_engine(discipline):
    waits = 0
    for seed in range(10):
        log, cluster, interval_s = random_log(seed)
        if seed % 3 == 0:
            whole = run(log, "easy", cluster=cluster, engine="reference")
            log, _ = cut_at(log, cluster, whole, 12.0, ends=seed % 2 == 0)
        for policy in RULES:
            how = {"cluster": cluster, "interval_s": interval_s, "seed": seed}
            expected = run(log, discipline, policy, engine="reference", **how)
            schedule = run(log, discipline, policy, engine="compiled", **how)
            assert schedule.same_as(expected), (seed, policy.name)
            assert broken_cards(log, cluster, schedule) == []
            waits += int((schedule.start_s > log.submit_s).sum())
    assert waits > 200


@pytest.mark.parametrize("discipline", [*PLANS, "selective", "stepwise"])
def test_plans_on_cards_are_compiled(discipline):
    log = Workload.of(
        submit_s=[0] * MANY_JOBS, runtime_s=[9] * MANY_JOBS, cores=[1] * MANY_JOBS, gpus=[0.5] * MANY_JOBS
    )
    assert is_compiled(log, TWO_CARDS, FIRST_FIT, named(discipline))


@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_a_job_is_promised_one_card_for_its_whole_runtime(engine):
    # .9 GPUs are free from 5 on: on card 1 until 10, and on card 0 from then on
    log = Workload.of(
        submit_s=[0, 0, 0, 1, 2], runtime_s=[10, 100, 5, 20, 10], cores=[5, 1, 1, 5, 1], memory=[1] * 5,
        gpus=[1, 0.1, 0.9, 0.5, 0.9],
    )  # fmt: skip
    hosts = Cluster.uniform(1, cores=8, memory=8, gpus=2)
    schedule = run(log, "conservative(early_end=kept)", cluster=hosts, engine=engine)
    assert schedule.start_s.tolist() == [0, 0, 0, 10, 10]
    assert cards(schedule) == [[0], [1], [1], [1], [0]]
    amount = replace(log, resources=("cores", "memory", "amount"))
    hosts = replace(hosts, resources=amount.resources)
    on_amounts = run(amount, "conservative(early_end=kept)", cluster=hosts, engine="reference")
    assert on_amounts.start_s.tolist() == [0, 0, 0, 10, 5]


@pytest.mark.parametrize("discipline", PLAIN_ONLY)
def test_what_the_plain_engine_alone_serves_keeps_to_cards(discipline):
    for seed in range(6):
        log, cluster, interval_s = random_log(seed)
        schedule = run(log, discipline, cluster=cluster, interval_s=interval_s)
        assert schedule.started.all()
        assert violations(log, cluster, schedule) == ()
    assert not is_compiled(log, cluster, FIRST_FIT, named(discipline))


def test_exact_estimates_keep_every_promise_of_conservative_backfilling():
    for seed in range(3):
        log, cluster, _ = random_log(seed)
        cluster = Cluster(cluster.resources, cluster.capacity)
        log = replace(log, estimate_s=None)
        arrivals = run(log, "conservative(early_end=kept)", cluster=cluster)
        assert violations(log, cluster, arrivals) == ()
        for job in range(log.jobs):  # a later job changes nothing for those in front
            before = run(log.take(slice(0, job + 1)), "conservative(early_end=kept)", cluster=cluster)
            assert before.start_s.tolist() == arrivals.start_s[: job + 1].tolist()


def test_whole_gpus_alone_are_an_amount():
    log = replace(SHARED, demand=np.ceil(SHARED.demand))
    assert run(log, "easy").cards is None
    assert violations(log, TWO_CARDS, run(log, "easy")) == ()


@pytest.mark.parametrize(
    ("cards", "rule"),
    [
        ([1, 1, 1, 3], "GPU 0 of host 0 is used 1.2 times at 0 s"),
        ([1, 2, 4, 3], "job 2 has GPU 2 of host 0, which has 2"),
        ([1, 2, 3, 3], "requests 0.8 GPUs and has 2"),
        (None, "does not say which GPU"),
    ],
)
def test_the_check_refuses_a_wrong_card(cards, rule):
    schedule = run(SHARED, "easy")
    wrong = replace(schedule, cards=None if cards is None else np.array(cards, np.int64))
    (broken, *_) = violations(SHARED, TWO_CARDS, wrong)
    assert rule in broken.replace("0.799999952316284", "0.8").replace("1.19999992847443", "1.2")


@pytest.mark.parametrize(
    ("gpus", "hosts", "rules", "discipline", "rule"),
    [
        ([0.5, 1.5], {"gpus": 2}, None, "easy", "a part of one GPU, or whole GPUs"),
        ([0.5, 1.0], {"gpus": 2.5}, None, "easy", "must have whole GPUs"),
        ([0.5, 1.0], {"gpus": 63}, None, "easy", "at most 62 GPUs"),
        ([0.5, 1.0], {"gpus": 2}, None, "twin", "a twin is not simulated"),
        ([0.5, 1.0], {"gpus": 2}, SiteRules(preemption=Preemption(by="qos")), "easy", "stopping jobs for others"),
        ([0.5, 1.0], {"gpus": 2}, SiteRules(calendar=(CalendarRow(5, 9, "down"),)), "easy", "a host that goes down"),
    ],
)
def test_what_is_not_served_is_refused_in_one_line(gpus, hosts, rules, discipline, rule):
    log = Workload.of(submit_s=[0, 0], runtime_s=[9, 9], cores=[1, 1], gpus=gpus)
    cluster = replace(Cluster.uniform(1, cores=8, **hosts), rules=rules)
    with pytest.raises(InputError, match=rule) as refused:
        run(log, discipline, cluster=cluster)
    assert "\n" not in str(refused.value)
