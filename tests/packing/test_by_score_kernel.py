import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadmaster.packing.by_score import _place, by_score, empty_hosts
from loadmaster.packing.by_score_kernel import ScoreProblem
from loadmaster.packing.by_score_plain import place_by_score_plain
from loadmaster.packing.card_placement import requests_of
from loadmaster.packing.cards import cards_of
from loadmaster.packing.instance import TOLERANCE, Instance
from loadmaster.place import POLICIES, Policy


@st.composite
def problems(draw):
    """Tasks of few kinds, so that like ones follow each other, on few hosts; fluid demands may be overdrawn."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    hosts, tasks, dims = draw(st.integers(1, 6)), draw(st.integers(1, 25)), draw(st.integers(1, 3))
    kinds = rng.integers(0, 9, (draw(st.integers(1, 4)), dims)) / 8.0
    demand = kinds[rng.integers(0, len(kinds), tasks)]
    binding = demand * rng.choice([0.0, 0.5, 1.0], dims)
    capacity = rng.integers(1, 9, (hosts, dims)) / 4.0
    kinds = [[(("a",), 1), (("b",), int(rng.integers(0, 3)))] for _ in range(hosts)]
    asked = rng.choice([0, 0.25, 0.5, 0.6, 1, 2], 3)[rng.integers(0, 3, tasks)]
    cards = cards_of(asked, kinds, rng.choice(["", "b"], tasks).tolist()) if draw(st.booleans()) else None
    requests = requests_of(cards, tasks, hosts)
    free = np.where(requests.kind >= 0, 1.0, -1.0)
    return ScoreProblem(demand, binding, capacity, rng.permutation(tasks), TOLERANCE, requests), free


@pytest.mark.parametrize("policy", POLICIES.values(), ids=lambda policy: policy.name)
@settings(max_examples=25, deadline=None)
@given(problem=problems())
def test_the_kernel_places_every_task_where_the_plain_one_does(policy, problem):
    problem, free = problem
    ours, plain = empty_hosts(problem, free), empty_hosts(problem, free)
    assert _place(problem, policy, 5, ours) == place_by_score_plain(problem, policy, 5, plain)
    assert ours.host.tolist() == plain.host.tolist()
    assert ours.taken.tolist() == plain.taken.tolist()


def test_a_subclass_of_a_policy_is_asked_and_not_its_score():
    class LastFit(Policy):
        def rate(self, demand, free, capacity, context):
            return -float(context.host)

    instance = Instance.of(hosts=3, cpu=[0.5], memory=[0.5])
    first = POLICIES["first-fit"]
    assert by_score(instance, first).host.tolist() == [0]
    assert by_score(instance, LastFit("first-fit", first.score)).host.tolist() == [2]
