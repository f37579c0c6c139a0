"""The fewest and the cheapest hosts: bounds and placements against trying every mapping."""

import numpy as np
import pytest

from loadmaster.model.errors import InputError
from loadmaster.packing import Instance, PackOptions, pack
from loadmaster.packing import cheapest_hosts as program
from loadmaster.packing.check import violations
from loadmaster.packing.column_generation import CheapestHosts, Columns, ShareOfHosts, relax
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.level import fits
from loadmaster.packing.mcb import mcb
from loadmaster.packing.pattern_problem import in_full
from loadmaster.packing.whole_patterns import choose, dive


def rigid_instance(seed, *, whole=True, alike=True, tasks=None, hosts=None):
    """Tasks of two rigid resources on hosts with prices; some instances have no placement."""
    rng = np.random.default_rng(seed)
    tasks, hosts = tasks or int(rng.integers(2, 8)), hosts or int(rng.integers(2, 5))
    demand = rng.integers(1, 11, (tasks, 2)).astype(float)
    capacity = rng.integers(10, 17, (1 if alike else hosts, 2)).astype(float).repeat(hosts if alike else 1, axis=0)
    if not whole:
        demand += rng.random(demand.shape)
    price = np.ones(hosts) if alike else rng.integers(1, 6, hosts).astype(float)
    return Instance(
        np.empty((tasks, 0)),
        demand,
        np.empty((hosts, 0)),
        capacity,
        fluid_names=(),
        rigid_names=("cores", "memory"),
        price=price,
    )


def least_cost(instance, price):
    """By trying every mapping; None if none fits."""
    every = np.array(np.meshgrid(*[range(instance.hosts)] * instance.tasks)).reshape(instance.tasks, -1).T
    return min((program.cost_of(price, mapping) for mapping in every if fits(instance, mapping)), default=None)


@pytest.mark.parametrize(("whole", "alike"), [(True, True), (False, True), (True, False), (False, False)])
def test_the_pattern_program_finds_what_trying_every_mapping_finds(whole, alike):
    placed = 0
    for seed in range(25):
        instance = rigid_instance(seed, whole=whole, alike=alike, tasks=2 + seed % 5)
        for minimise, price in (("hosts", np.ones(instance.hosts)), ("cost", instance.price)):
            best, packing = least_cost(instance, price), pack(instance, "exact", PackOptions(30, minimise=minimise))
            assert packing.proven
            assert packing.placed == (best is not None)
            if best is not None:
                placed += 1
                assert (packing.cost, packing.cost_bound) == pytest.approx((best, best))
                assert violations(instance, packing) == []
    assert placed > 20


def test_no_bound_is_above_the_best_mapping():
    raised = 0
    for seed in range(40):
        instance = rigid_instance(seed, whole=bool(seed % 3), alike=bool(seed % 2), tasks=6, hosts=4)
        best = least_cost(instance, instance.price)
        if best is None:
            continue
        problem = in_full(instance, instance.price)
        assert program.simple_bound(problem) <= best + 1e-9
        bound = relax(problem, Columns(len(problem.count)), CheapestHosts(problem), Deadline.after(60)).bound
        assert bound <= best + 1e-9
        raised += bound > max(problem.price.min(), program.simple_bound(problem)) + 1e-6
        share = relax(problem, Columns(len(problem.count)), ShareOfHosts(problem), Deadline.after(60)).bound
        assert share <= 1 + 1e-9
    assert raised > 3


def test_farleys_bound_holds_after_every_round():
    instance = rigid_instance(3, tasks=7, hosts=7)
    best = least_cost(rigid_instance(3, tasks=7, hosts=4), np.ones(4))
    problem, rounds = in_full(instance, np.ones(7)), []
    relax(
        problem,
        Columns(len(problem.count)),
        CheapestHosts(problem),
        Deadline.after(60),
        lambda value, bound: rounds.append((value, bound)) or False,
    )
    assert len(rounds) > 1
    assert all(bound <= best + 1e-9 for _, bound in rounds)
    assert rounds[-1][0] <= rounds[0][0]


def test_a_dive_and_a_choice_among_patterns_hold_every_task():
    for seed in range(10):
        instance = rigid_instance(seed, tasks=12, hosts=12)
        problem, columns = in_full(instance, np.ones(12)), Columns(len(instance.rigid))
        problem_columns = Columns(len(problem.count))
        for chosen in (
            dive(problem, problem_columns, Deadline.after(60), 12.0),
            choose(problem, list(zip(problem_columns.kind, problem_columns.patterns, strict=True)), 0, 12, 60).patterns,
        ):
            assert all(problem.fits(pattern) for pattern in chosen)
            assert fits(instance, problem.placed(chosen))
        assert not columns.patterns


def test_every_packer_minimises_hosts_and_says_a_bound():
    instance = rigid_instance(5, tasks=14, hosts=14)
    best = pack(instance, "exact")
    for method in ("mcb8", "sg", "mix-fit", "local-search"):
        packing = pack(instance, method)
        assert packing.minimise == "hosts"
        assert best.cost <= packing.cost < 14
        assert 0 < packing.cost_bound <= best.cost
        assert violations(instance, packing) == []


def test_where_cpu_is_fluid_the_level_is_raised_unless_hosts_are_asked_for():
    instance = Instance.of(6, cpu=[0.3] * 6, memory=[0.2] * 6)
    assert pack(instance, "exact").minimise == "level"
    packing = pack(instance, "exact", PackOptions(minimise="hosts"))
    assert (packing.cost, packing.level, packing.proven) == (2, 1.0, True)


def test_a_guarantee_is_what_a_task_gets_where_hosts_are_minimised():
    instance = Instance.of(6, cpu=[0.6] * 6, memory=[0.1] * 6, guarantee=[0.5] * 6)
    packing = pack(instance, "exact", PackOptions(minimise="hosts"))
    assert packing.cost == 2
    assert packing.min_yield >= 0.5
    assert violations(instance, packing) == []


def test_prices_decide_which_hosts():
    capacity = np.array([[8.0, 8.0]] * 4 + [[20.0, 20.0]])
    instance = Instance(
        np.empty((4, 0)),
        np.full((4, 2), 5.0),
        np.empty((5, 0)),
        capacity,
        fluid_names=(),
        rigid_names=("cores", "memory"),
        price=np.array([1.0, 1.0, 1.0, 1.0, 4.5]),
    )
    assert pack(instance, "exact", PackOptions(minimise="hosts")).host.tolist() == [4, 4, 4, 4]
    cheapest = pack(instance, "exact", PackOptions(minimise="cost"))
    assert (sorted(cheapest.host.tolist()), cheapest.cost) == ([0, 1, 2, 3], 4.0)


def test_prices_that_are_not_known_are_asked_for():
    with pytest.raises(InputError, match="hosts have no prices"):
        pack(Instance.of(2, [0.1], [0.1]), "exact", PackOptions(minimise="cost"))


def test_triples_that_fill_every_host_are_found():
    rng = np.random.default_rng(2)
    pairs = rng.integers(25, 51, (17, 2, 2))
    demand = np.concatenate((pairs.reshape(-1, 2), 100 - pairs.sum(axis=1))).astype(float)
    instance = Instance(
        np.empty((51, 0)),
        demand,
        np.empty((51, 0)),
        np.full((51, 2), 100.0),
        fluid_names=(),
        rigid_names=("cores", "memory"),
    )
    packing = pack(instance, "exact", PackOptions(60))
    assert (packing.cost, packing.proven) == (17, True)
    assert pack(instance, "mcb8").cost > 17


def test_ctrl_c_gives_the_best_placement_so_far(monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(program, "_by_patterns", stopped)
    packing = pack(rigid_instance(5, tasks=30, hosts=30), "exact")
    assert packing.placed
    assert packing.interrupted
    assert "Ctrl-C" in packing.notes[0]


def test_fewer_hosts_are_tried_until_the_packer_fails():
    instance, tried = rigid_instance(8, tasks=10, hosts=10), []

    def solve(part):
        tried.append(part.hosts)
        return mcb(part)

    found = program.on_fewer_hosts(instance, np.ones(10), solve)
    assert tried[0] == 10
    assert len(tried) <= 5
    assert fits(instance, found.host)
