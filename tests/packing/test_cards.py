"""Single cards: requests, every packer's placements before the judge, the kernels beside plain Python, the bound."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from cards_plain import PlainSearch, copy_of, place_left_over_plain, settle_plain
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.model import InputError
from loadmaster.packing import PACKERS, Instance, PackOptions, pack
from loadmaster.packing import place_more as search
from loadmaster.packing.card_placement import card_relaxation, on_cards, open_tasks, requests_of
from loadmaster.packing.cards import cards_of
from loadmaster.packing.cards_kernel import place_left_over, settle_on_cards
from loadmaster.packing.check import violations
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.incumbent import Incumbent
from loadmaster.packing.instance import TOLERANCE
from loadmaster.packing.most_placed import most_placed
from loadmaster.packing.place_more import MorePlaced, host_lists, repacking, search_more
from loadmaster.packing.place_more_kernel import place_more
from loadmaster.packing.solve import pack_what_fits


def instance_of(asked, hosts, requests=None, memory=None, cores=None):
    """Tasks that request GPUs on hosts with kinds of cards; 64 GiB and 16 cores a host."""
    count = [sum(number for _, number in host) for host in hosts]
    tasks = len(asked)
    memory = np.ones(tasks) if memory is None else np.array(memory, float)
    cores = np.ones(tasks) if cores is None else np.array(cores, float)
    return Instance(
        cores[:, None],
        np.column_stack((memory, asked)),
        np.full((len(hosts), 1), 16.0),
        np.column_stack((np.full(len(hosts), 64.0), count)),
        fluid_names=("cores",),
        rigid_names=("memory", "gpus"),
        cards=cards_of(np.array(asked, float), hosts, requests),
    )


A, B = ("a",), ("b",)


@st.composite
def instances(draw, most=14):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    tasks, hosts = draw(st.integers(1, most)), draw(st.integers(1, 4))
    asked = rng.choice([0, 0.125, 0.25, 0.5, 0.625, 0.75, 1, 2, 3], tasks)
    kinds = [[(A, int(rng.integers(0, 3))), (B, int(rng.integers(0, 3)))] for _ in range(hosts)]
    requests = rng.choice(["", "a", "b", "a|b"], tasks).tolist()
    return instance_of(asked, kinds, requests, rng.integers(0, 30, tasks), rng.integers(0, 9, tasks))


def test_a_request_of_several_cards_and_a_part_is_refused_with_the_name_of_the_task():
    with pytest.raises(InputError, match="task x must request part of one GPU, or whole ones"):
        cards_of(np.array([1.5]), [[(A, 2)]], names=["x"])


def test_parts_of_two_cards_are_never_added_up():
    packing = pack(instance_of([0.75, 0.75, 0.5], [[(A, 2)]]), "mcb8")
    assert not packing.placed
    assert (packing.host >= 0).sum() == 2


def test_a_host_on_which_tasks_lack_cores_is_passed_over_also_where_no_task_had_a_host_before():
    instance = instance_of([0.5, 0.5], [[(A, 4)], [(A, 4)]], cores=[12, 12])
    assert sorted(on_cards(instance, None).host.tolist()) == [0, 1]


def test_a_task_takes_no_card_of_another_kind():
    instance = instance_of([1, 1, 0.5], [[(A, 1)], [(B, 1)]], ["b", "", "b"])
    packing = pack(instance, "first-fit")
    assert packing.host.tolist() == [1, 0, -1]
    assert violations(instance, packing) == []
    packing.host.flags.writeable = True
    packing.host[:2] = [0, 1]
    assert any("of a kind that it does not accept" in line for line in violations(instance, packing))


def test_the_judge_refuses_a_placement_that_names_no_cards():
    instance = instance_of([1], [[(A, 1)]])
    assert violations(instance, replace(pack(instance, "sg"), cards=None)) == [
        "tasks are bound to single GPUs, and none is named"
    ]


@pytest.mark.parametrize("method", [*(m for m in PACKERS if m != "highs-paper"), "first-fit", "round-robin"])
@settings(max_examples=12, deadline=None)
@given(instance=instances(8))
def test_every_packer_places_on_single_cards(method, instance):
    packing = pack(instance, method, PackOptions(time_limit_s=0.05))
    assert violations(instance, packing) == []
    assert packing.placed or (packing.host >= 0).sum() <= most_placed(instance)


@pytest.mark.parametrize("minimise", ["hosts", "cost"])
@pytest.mark.parametrize("method", ["exact", "mcb8", "first-fit"])
@settings(max_examples=10, deadline=None)
@given(instance=instances(8))
def test_fewest_hosts_are_counted_with_their_cards(method, minimise, instance):
    priced = replace(instance, price=np.arange(1.0, instance.hosts + 1))
    packing = pack(priced, method, PackOptions(time_limit_s=0.05, minimise=minimise))
    assert violations(priced, packing) == []
    assert not packing.placed or packing.cost >= packing.cost_bound


@settings(max_examples=150, deadline=None)
@given(instance=instances(), seed=st.integers(0, 2**32 - 1))
def test_the_kernels_settle_and_place_tasks_as_plain_python_does(instance, seed):
    rng = np.random.default_rng(seed)
    start = np.full(instance.tasks, -1, np.int32)
    for task in range(instance.tasks):  # without regard to cards
        host = int(rng.integers(0, instance.hosts))
        trial = np.where(np.arange(instance.tasks) == task, host, start)
        used = np.bincount(trial[trial >= 0], instance.rigid[trial >= 0, 0], instance.hosts)
        start = trial.astype(np.int32) if (used <= 64).all() and rng.random() < 0.7 else start
    requests, order = requests_of(instance.cards, instance.tasks, instance.hosts), rng.permutation(instance.tasks)
    ours = open_tasks(instance, start)
    plain = copy_of(ours)
    assert settle_on_cards(requests, ours, order) == settle_plain(requests, plain, order)
    assert place_left_over(requests, ours, order, TOLERANCE) == place_left_over_plain(requests, plain, order)
    assert ours.host.tolist() == plain.host.tolist()
    assert ours.taken.tolist() == plain.taken.tolist()


@settings(max_examples=80, deadline=None)
@given(instance=instances(), seed=st.integers(0, 2**32 - 1))
def test_the_search_for_more_places_makes_the_steps_of_plain_python(instance, seed):
    requests = requests_of(instance.cards, instance.tasks, instance.hosts)
    start = on_cards(instance, None)
    ours = open_tasks(instance, start.host, start.taken)
    plain = copy_of(ours)
    lists = host_lists(instance, start.host, np.array([seed], np.uint64))
    search = PlainSearch(requests, plain, lists._replace(random=np.array([seed], np.uint64)))
    expected = search.steps(40)
    assert place_more(requests, ours, lists, repacking(ours), 40, TOLERANCE) == expected
    assert ours.host.tolist() == plain.host.tolist()
    assert ours.taken.tolist() == plain.taken.tolist()


def _started(instance):
    start = on_cards(instance, None)
    return MorePlaced(start.host, start.taken, False)


def placeable(instance):
    """The most tasks that can be placed, by trying all; cards by trying all as well."""
    best = 0
    for where in product(range(-1, instance.hosts), repeat=instance.tasks):
        number = sum(h >= 0 for h in where)
        if number > best and all(_holds(instance, h, [t for t, at in enumerate(where) if at == h]) for h in set(where)):
            best = number
    return best


def _holds(instance, host, tasks):
    if host < 0:
        return True
    if instance.rigid[tasks, 0].sum() > 64 or instance.rigid[tasks, 1].sum() > instance.rigid_capacity[host, 1]:
        return False
    return _on_cards(instance.cards, instance.cards.kind[host].tolist(), tasks, [1.0] * instance.cards.kind.shape[1])


def _on_cards(cards, kinds, tasks, free):
    if not tasks:
        return True
    task, wanted = tasks[0], int(cards.wanted[tasks[0]])
    able = [
        c
        for c, kind in enumerate(kinds)
        if kind >= 0 and free[c] >= cards.share[task] and cards.accepted[cards.accepts[task], kind]
    ]
    for chosen in product(able, repeat=wanted):
        if len(set(chosen)) == wanted and list(chosen) == sorted(chosen):
            left = [f - cards.share[task] * (c in chosen) for c, f in enumerate(free)]
            if _on_cards(cards, kinds, tasks[1:], left):
                return True
    return False


@settings(max_examples=40, deadline=None)
@given(instance=instances(5).filter(lambda each: each.hosts <= 3))
def test_no_placement_has_more_tasks_than_the_bound(instance):
    best = placeable(instance)
    assert most_placed(instance) >= best
    found = search_more(instance, _started(instance), Deadline.after(0.05), best)
    assert found.placed <= best


def test_the_search_places_what_best_fit_leaves_over():
    instance = instance_of([1, 0, 0, 2], [[(A, 2)], [(A, 1)]], memory=[10, 40, 40, 40])
    start = np.array([0, 0, 1, -1], np.int32)  # the task of two cards needs the first host
    taken = np.zeros((4, 2), bool)
    taken[0, 0] = True
    found = search_more(instance, MorePlaced(start, taken, False), Deadline.after(10.0), 3)
    assert found.placed >= 3


def test_a_search_of_which_the_time_is_up_at_once_keeps_what_it_began_with():
    instance = instance_of([1, 1, 1], [[(A, 2)]])
    start = _started(instance)
    found = search_more(instance, start, Deadline.after(0.0), 3)
    assert found.host.tolist() == start.host.tolist()


def test_ctrl_c_gives_the_placement_that_the_search_has(monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(search, "place_more", stopped)
    loose = instance_of([0.4, 0.4, 0.4, 0.4, 0.4], [[(A, 2)]])
    packing = pack_what_fits(loose, "local-search", PackOptions(time_limit_s=5.0))
    assert packing.interrupted
    assert (packing.host >= 0).sum() == 4
    assert violations(loose, packing) == []


def test_a_search_reports_the_tasks_placed_and_their_bound():
    told = []
    loose = instance_of([0.4, 0.4, 0.4, 0.4, 0.4], [[(A, 2)]])
    pack_what_fits(loose, "local-search", PackOptions(time_limit_s=0.2, report=told.append))
    assert told[-1] == Incumbent("tasks placed", 4, 5)
    assert told[-1].gap == 0.2


def test_demands_for_a_kind_are_an_amount_of_the_relaxation():
    instance = instance_of([1, 0.5, 1], [[(A, 2), (B, 1)], [(B, 2)]], ["a", "b", ""])
    relaxed = card_relaxation(instance)
    assert relaxed.rigid_names == ("memory", "gpus", "gpus of a", "gpus of b")
    assert relaxed.rigid[:, 2:].tolist() == [[1, 0], [0, 0.5], [0, 0]]
    assert relaxed.rigid_capacity[:, 2:].tolist() == [[2, 1], [0, 2]]
