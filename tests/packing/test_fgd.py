"""FGD: the worked example of rule K18, the kernel beside the plain one, and what it refuses."""

from dataclasses import replace

import numpy as np
import pytest
from fgd_plain import fragments_plain, place_on_cards_plain
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.model import InputError
from loadmaster.model.arrays import frozen_bools, frozen_ints
from loadmaster.packing import Instance, pack
from loadmaster.packing.admit import admit
from loadmaster.packing.cards import cards_of
from loadmaster.packing.check import violations
from loadmaster.packing.fgd import card_problem, start
from loadmaster.packing.fgd_kernel import CardProblem, fragments, place_on_cards, rate
from loadmaster.packing.summary import summary, task_rows

TARGET = [(4000, 1, 0.5, 4), (8000, 1, 1.0, 3), (16000, 2, 1.0, 2), (4000, 0, 0.0, 1)]  # in tenths of the workload
FREE_CORES = [32000.0, 12000.0, 64000.0]
FREE_CARDS = np.array([[1, 1, -1, -1], [0.6, 0.3, -1, -1], [1, 0.5, 0.5, 0]])
PART_OF_ONE, ONE_WHOLE = 0, 1


def example(*kinds):
    cores, count, share, weight = (np.array(column) for column in zip(*TARGET, strict=True))
    kind = np.array(kinds, np.int32)
    cores = cores.astype(float)
    card_kind = np.where(FREE_CARDS >= 0, 0, -1)
    return CardProblem(
        kind,
        cores,
        count,
        share,
        np.zeros(len(TARGET), np.int64),
        weight.astype(float),
        cores[kind][:, None],
        np.array(FREE_CORES)[:, None],
        FREE_CARDS,
        frozen_ints(card_kind),
        frozen_bools(np.ones((1, 1))),
    )


def milli(amount):
    return amount / 10 * 1000


def growth(kind):
    problem = example(kind)
    hosts = zip(FREE_CORES, FREE_CARDS, strict=True)
    rated = [rate(problem, h, kind, cores, cards, cards.copy()) for h, (cores, cards) in enumerate(hosts)]
    return [(round(milli(grown), 6), card) for grown, card in rated]


def compiled(problem, host, taken):
    return place_on_cards(problem, start(problem), host, taken)


def test_fragments_of_the_three_hosts_are_as_worked_out_by_hand():
    hosts = list(zip(FREE_CORES, FREE_CARDS, strict=True))
    assert [milli(fragments(example(), h, *host)) for h, host in enumerate(hosts)] == pytest.approx([200, 660, 900])
    plain = [fragments_plain(example(), h, cores, cards.tolist()) for h, (cores, cards) in enumerate(hosts)]
    assert [milli(part) for part in plain] == pytest.approx([200, 660, 900])


def test_a_task_that_shares_takes_the_card_whose_rest_is_the_least_fragment():
    assert growth(PART_OF_ONE) == [(400, 0), (-260, 0), (-300, 1)]


def test_a_whole_card_goes_where_fragmentation_shrinks():
    assert growth(ONE_WHOLE) == [(100, 0), (np.inf, -1), (-300, 0)]


@pytest.mark.parametrize("place", [compiled, place_on_cards_plain])
@pytest.mark.parametrize(("kind", "card"), [(PART_OF_ONE, 1), (ONE_WHOLE, 0)])
def test_the_third_host_gets_either_task_and_the_card_is_named(kind, card, place):
    host, taken = np.full(1, -1, np.int32), np.zeros((1, 4), bool)
    assert place(example(kind), host, taken) == 1
    assert host.tolist() == [2]
    assert np.flatnonzero(taken[0]).tolist() == [card]


@st.composite
def instances(draw):
    """Few kinds of tasks with parts of a GPU, whole ones or none, on hosts with up to four."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    tasks, hosts = draw(st.integers(1, 25)), draw(st.integers(1, 6))
    kinds = np.column_stack(
        (
            rng.integers(0, 5, 4),
            rng.integers(0, 3, 4),
            rng.choice([0, 0.1, 0.25, 0.5, 0.6, 1, 2, 3], 4),
        )
    )
    asked = kinds[rng.integers(0, 4, tasks)].astype(float)
    has = np.column_stack((rng.integers(1, 17, hosts), rng.integers(1, 9, hosts), rng.integers(0, 5, hosts)))
    has = has.astype(float)
    names = [("a",), ("b",), ("a", "b")]
    kinds = [[(names[k], 1) for k in rng.integers(0, 3, int(count))] for count in has[:, 2]]
    requests = rng.choice(["", "a", "b", "a&b"], tasks, p=[0.7, 0.1, 0.1, 0.1]).tolist()
    return Instance(
        asked[:, :1],
        asked[:, 1:],
        has[:, :1],
        has[:, 1:],
        fluid_names=("cores",),
        rigid_names=("memory", "gpus"),
        cards=cards_of(asked[:, 2], kinds, requests),
    )


@settings(max_examples=150, deadline=None)
@given(instance=instances())
def test_the_kernel_places_every_task_on_the_cards_of_the_plain_one(instance):
    problem = card_problem(instance)
    host, plain_host = np.full((2, instance.tasks), -1, np.int32)
    taken, plain_taken = np.zeros((2, instance.tasks, problem.cards.shape[1]), bool)
    assert compiled(problem, host, taken) == place_on_cards_plain(problem, plain_host, plain_taken)
    assert host.tolist() == plain_host.tolist()
    assert taken.tolist() == plain_taken.tolist()


@settings(max_examples=60, deadline=None)
@given(instance=instances())
def test_a_placement_gives_everything_in_full_and_no_card_twice(instance):
    packing = pack(instance, "fgd")
    assert violations(instance, packing) == []
    assert packing.status == ("ok" if packing.placed else "infeasible")
    assert not packing.placed or packing.min_yield == 1.0


def on_cards(gpus, has=(2.0, 2.0)):
    wanted, cards = np.array(gpus, float)[:, None], np.array(has, float)[:, None]
    one, eight = np.ones_like(wanted), np.full_like(cards, 8.0)
    return Instance(one, wanted, eight, cards, fluid_names=("cores",), rigid_names=("gpus",))


def test_hosts_without_cores_take_only_tasks_that_ask_for_none():
    apart = Instance(
        [[1.0], [0.0]], [[0.5], [0.5]], [[0.0], [1.0]], [[1.0], [1.0]], fluid_names=("cores",), rigid_names=("gpus",)
    )
    assert pack(apart, "fgd").host.tolist() == [1, 0]


def test_parts_of_two_gpus_do_not_add_up():
    apart = on_cards([0.6, 0.6, 0.6], has=(2.0,))
    assert pack(apart, "mcb8").placed
    refused = pack(apart, "fgd")
    assert (refused.status, refused.proven) == ("infeasible", True)
    assert refused.reason == "all tasks together request 1.5 times the whole cards of all hosts"
    refused = pack(on_cards([0.4, 0.4, 0.4, 0.4, 0.4], has=(2.0,)), "fgd")
    assert "no host has room on its GPUs for 0.4, and all else, for task 4 after 4 others" in refused.reason


def test_what_is_placed_is_counted_card_by_card_and_two_parts_of_over_half_a_card_never_share_one():
    apart, everyone = on_cards([0.6, 0.6, 0.6], has=(2.0,)), np.ones(3, bool)
    facts = summary(apart, pack(apart, "fgd"), apart, everyone)
    assert (facts["placed_tasks"], facts["proven"]) == (2, True)
    assert facts["left_over"] == [{"task": "2", "demand": {"cores": 1.0, "gpus": 0.6}}]
    more = on_cards([0.6, 0.6, 0.6, 0.6], has=(2.0,))
    facts = summary(more, pack(more, "fgd"), more, np.ones(4, bool))
    assert (facts["placed_tasks"], facts["proven"]) == (2, True)


def test_a_task_that_fits_nowhere_does_not_stop_those_behind_it():
    packing = pack(on_cards([1, 2, 0.5, 1, 2, 0.5], has=(2.0, 1.0)), "fgd")
    assert packing.host.tolist() == [1, 0, -1, -1, -1, -1]
    packing = pack(on_cards([1, 0.5, 2, 0.5, 0.25], has=(2.0, 0.0)), "fgd")
    assert packing.left_over.tolist() == [2, 4]


def test_admission_lets_in_what_finds_its_cards():
    admission = admit(on_cards([0.6, 0.6, 0.6, 0.4], has=(2.0,)), 1.0, "fgd")
    assert admission.admitted.sum() == 3
    assert violations(admission.instance, admission.packing) == []
    assert admission.packing.cards.sum(axis=1).tolist() == [1, 1, 1]


def test_a_job_of_which_a_task_finds_no_card_is_not_let_in():
    one_job = replace(on_cards([0.6, 0.6, 0.6], has=(2.0,)), job=np.zeros(3, np.int32))
    admission = admit(one_job, 1.0, "fgd")
    facts = summary(admission.instance, admission.packing, one_job, admission.admitted)
    assert (facts["status"], facts["placed_tasks"], facts["refused"]) == ("infeasible", 0, ["0"])


def test_rows_name_the_cards_and_other_methods_name_none():
    instance = on_cards([0.5, 2.0, 0.0, 0.5])
    rows = task_rows(instance, pack(instance, "fgd"), np.ones(4, bool))
    assert [row["cards"] for row in rows] == [[0], [0, 1], [], [0]]
    assert all("cards" not in row for row in task_rows(instance, pack(instance, "gr"), np.ones(4, bool)))


def test_what_is_left_is_told_with_its_fragments():
    packing = pack(on_cards([0.75, 0.75], has=(2.0,)), "fgd")
    assert packing.notes == ("GPUs left free: 0.50, of which 0.50 are fragments that tasks such as these cannot use",)


def test_a_card_that_is_taken_twice_or_is_not_there_is_found_by_the_check():
    instance = on_cards([0.75, 0.75], has=(2.0, 1.0))
    packing = pack(instance, "fgd")
    packing.cards[:] = [[True, False], [True, False]]
    packing.host.flags.writeable = True
    packing.host[:] = 0
    assert any("GPU 0 of host 0 is used 1.5 times" in said for said in violations(instance, packing))
    packing.host[1] = 1
    packing.cards[1] = [False, True]
    assert any("takes GPU 1 of host 1, which has 1" in said for said in violations(instance, packing))
    packing.cards[1] = True
    assert any("requests 0.75 GPUs and takes 2" in said for said in violations(instance, packing))


@pytest.mark.parametrize(
    ("instance", "said"),
    [
        (on_cards([1.5]), "part of one GPU, or whole ones"),
        (on_cards([1.0], has=(1.5,)), "must have whole GPUs"),
        (Instance.of(2, cpu=[0.1], memory=[0.1]), "the hosts have none"),
        (
            Instance([[1.0]], [[1.0]], [[2.0]], [[2.0]], fluid_names=("gpus",), rigid_names=("memory",)),
            "leave it out of --fluid",
        ),
    ],
)
def test_what_has_no_cards_is_refused_in_one_line(instance, said):
    with pytest.raises(InputError, match=said):
        pack(instance, "fgd")
