"""A user's own function compiled: with its helpers, with every index checked, and with nothing that it could change."""

from types import ModuleType

import numpy as np
import pytest
from numba import njit

from loadmaster.compiled_rules.policies import is_built_in, rater, refusing, scorer
from loadmaster.model import InputError
from loadmaster.model.errors import OutOfRoom
from loadmaster.place import POLICIES, Context, Policy

DEMAND, FREE, CAPACITY = np.array([1.0, 2.0]), np.array([3.0, 5.0]), np.array([4.0, 8.0])


def double(amount):
    return 2.0 * amount


@njit
def peek(amounts, index):
    return amounts[index]


def factorial(n):
    return 1.0 if n < 1.0 else n * factorial(n - 1.0)


def with_helpers(demand, free, capacity):
    return double(free[0]) + peek(free, 1) + factorial(demand[1])


def far_in_a_helper(demand, free, capacity):
    return peek(free, int(capacity[0]))


def far_by_the_data(demand, free, capacity):
    return free[int(capacity[0])]


def raising(demand, free, capacity):
    if free[0] > demand[0]:
        raise ValueError("too much")
    return 0.0


def contextual(demand, free, capacity, context):
    return free[0] + 10.0 * context.host + 100.0 * context.task


def made(weight):
    def rule(demand, free, capacity):
        return double(free[0]) * weight

    return rule


def rates(score, only_fitting=True, **kind):
    """What the rater writes for two hosts, the second without room."""
    out, free = np.zeros(2), np.stack((FREE, DEMAND - 1.0))
    rate = rater(Policy("mine", score, **kind), only_fitting)
    rate(DEMAND, free, np.stack((CAPACITY, CAPACITY)), np.arange(2, dtype=np.int32), 2, -1, 3, 0, out, 0)
    return out.tolist()


def test_functions_of_the_users_own_are_compiled_with_the_one_that_calls_them():
    assert rates(with_helpers) == [with_helpers(DEMAND, FREE, CAPACITY), np.inf]
    assert scorer(Policy("mine", with_helpers))(DEMAND, FREE, CAPACITY) == with_helpers(DEMAND, FREE, CAPACITY)


def test_a_factory_may_hold_parameters_and_helpers():
    assert rates(made(0.25))[0] == 1.5
    assert rates(made(0.5))[0] == 3.0


def test_a_rater_of_any_host_rates_those_without_room_too():
    assert rates(contextual, contextual=True) == [303.0, np.inf]
    assert rates(contextual, only_fitting=False, contextual=True) == [303.0, 310.0]


@pytest.mark.parametrize("score", [far_in_a_helper, far_by_the_data, njit(far_by_the_data)])
def test_an_index_beyond_the_resources_is_an_error_however_it_is_reached(score):
    with pytest.raises(IndexError):
        rates(score)
    mine = Policy("mine", score)
    with pytest.raises(InputError, match="'mine': this policy fails: IndexError"), refusing(POLICIES["mix-fit"], mine):
        scorer(mine)(DEMAND, FREE, CAPACITY)


def test_functions_of_a_module_are_compiled_as_helpers_are(monkeypatch):
    module = ModuleType("numpy_like_name_of_my_own")
    for helper in (double, peek):
        monkeypatch.setattr(module, helper.__name__, helper, raising=False)
    names = {"own": module}
    exec("def good(demand, free, capacity):\n    return own.double(own.peek(free, 1))\n", names)
    exec("def far(demand, free, capacity):\n    return own.peek(free, int(capacity[0]))\n", names)
    assert rates(names["good"])[0] == 10.0
    with pytest.raises(IndexError):
        rates(names["far"])


@pytest.mark.parametrize("line", ["return free.flat[7]", "free.flat[0] = 9.0\n    return 0.0"])
def test_an_access_that_nobody_checks_is_refused(line):
    names = {}
    exec(f"def rule(demand, free, capacity):\n    {line}\n", names)
    with pytest.raises(InputError, match=r"indices of \.flat are not checked"):
        rater(Policy("mine", names["rule"]))


def test_an_error_of_its_own_ends_in_one_line():
    mine = Policy("mine", raising)
    with pytest.raises(InputError, match="'mine': this policy fails: ValueError: too much"), refusing(mine):
        rates(raising)


@pytest.mark.parametrize("error", [IndexError("index is out of bounds"), OutOfRoom()])
def test_an_error_under_built_in_policies_is_a_fault_of_ours_and_passes_as_it_is(error):
    with pytest.raises(type(error)), refusing(POLICIES["first-fit"], POLICIES["mix-fit"]):
        raise error


def test_a_policy_of_ones_own_is_not_blamed_for_what_is_said_to_be_our_fault():
    with pytest.raises(OutOfRoom), refusing(Policy("mine", double)):
        raise OutOfRoom


@pytest.mark.parametrize(
    "line", ["demand[0] = 0.0", "free[:] = 0.0", "capacity.sort()", "free.fill(0.0)", "free -= demand"]
)
def test_what_changes_an_argument_is_not_compiled(line):
    names = {}
    exec(f"def rule(demand, free, capacity):\n    {line}\n    return 0.0\n", names)
    with pytest.raises(InputError, match="change"):
        rater(Policy("mine", names["rule"]))


def test_only_the_listed_policy_itself_is_taken_for_built_in():
    mix_fit = POLICIES["mix-fit"]
    assert is_built_in(mix_fit)
    assert not is_built_in(Policy("mix-fit", mix_fit.score))


def test_a_score_of_a_context_is_compiled_for_one_host():
    context = Context(2, 5, -1, 3, 0)
    assert scorer(Policy("mine", contextual, contextual=True))(DEMAND, FREE, CAPACITY, context) == 323.0
