"""Policies by their names on the command line, with parameters behind them."""

import numpy as np
import pytest

from loadmaster.model import InputError
from loadmaster.place import FACTORIES, POLICIES
from loadmaster.place.balanced_allocation import balanced_allocation
from loadmaster.place.borg_like import borg_like
from loadmaster.place.least_allocated import least_allocated
from loadmaster.place.load import policy_named
from loadmaster.place.policy import Context
from loadmaster.place.requested_to_capacity_ratio import requested_to_capacity_ratio

CAPACITY = np.array([16.0, 64.0])
FREE = np.array([10.0, 20.0])
TASK = np.array([2.0, 9.0])
AT = Context(host=0, hosts=4, last_host=-1, task=0, seed=0)


def rated(policy, contextual):
    return policy(TASK, FREE, CAPACITY, AT) if contextual else policy(TASK, FREE, CAPACITY)


@pytest.mark.parametrize(
    ("spec", "score"),
    [
        ("borg-like(w=0.25)", borg_like(0.25)),
        (
            "balanced-allocation(balance=gain,integer_scores=no)",
            balanced_allocation(balance="gain", integer_scores=False),
        ),
        ("least-allocated(weights=2:1)", least_allocated((2.0, 1.0))),
        (
            "requested-to-capacity-ratio(shape=0:0;60:3;100:10)",
            requested_to_capacity_ratio(((0, 0), (60, 3), (100, 10))),
        ),
    ],
)
def test_parameters_behind_a_name_are_those_of_what_makes_the_policy(spec, score):
    policy = policy_named(spec)
    usual = POLICIES[spec.partition("(")[0]]
    assert (policy.name, policy.contextual, policy.varies) == (spec, usual.contextual, usual.varies)
    assert policy.summary == f"{usual.summary}, but {spec.partition('(')[2][:-1].replace(',', ', ')}"
    assert rated(policy.score, policy.contextual) == rated(score, policy.contextual)
    assert rated(policy.score, policy.contextual) != rated(usual.score, policy.contextual)


@pytest.mark.parametrize("name", sorted(FACTORIES))
def test_without_parameters_in_its_parentheses_a_policy_is_the_listed_one(name):
    listed = POLICIES[name]
    assert rated(policy_named(f"{name}()").score, listed.contextual) == rated(listed.score, listed.contextual)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("borg-like(w=2)", "must lie in [0, 1]"), ("borg-like(weight=1)", "it has w"),
        ("borg-like(w=much)", "a number from zero up"), ("borg-like(w=1", "not as a rule is written"),
        ("mix-fit(x=1)", "mix-fit has no parameters"), ("balanced-allocation(balance=gian)", "take level or gain"),
        ("requested-to-capacity-ratio(shape=0:0;x:3)", "pairs of whole numbers"), ("borg-lik(w=1)", "borg-like"),
    ],
)  # fmt: skip
def test_parameters_that_are_none_are_refused_in_one_line(spec, says):
    with pytest.raises(InputError) as refusal:
        policy_named(spec)
    assert says in str(refusal.value)
    assert "\n" not in str(refusal.value)
