import random

import numpy as np
import pytest

from loadmaster.model import InputError
from loadmaster.rules.function_checks import RANK, check_function, draws_at_random, uses_parameter


def plain(demand, free, capacity):
    return free[0]


def contextual(demand, free, capacity, context):
    return free[0]


async def coroutine(demand, free, capacity):
    return free[0]


def generator(demand, free, capacity):
    yield free[0]


async def both(demand, free, capacity):
    yield free[0]


def one(demand):
    return 0.0


def any_number(*amounts):
    return 0.0


def three_and_more(demand, free, *rest):
    return 0.0


def weighted(demand, free, capacity, weight=0.5):
    return weight


def named_only(demand, free, *, capacity):
    return 0.0


def test_three_parameters_and_four_are_told_apart():
    assert (check_function(plain, "plain"), check_function(contextual, "contextual")) == (3, 4)


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (coroutine, "async def"),
        (both, "async def"),
        (generator, "a generator"),
        (one, "this takes 1"),
        (any_number, "this takes 1"),
        (three_and_more, "rest is no plain parameter"),
        (named_only, "capacity is no plain parameter"),
        (weighted, "weight has a default"),
    ],
)
def test_a_function_that_cannot_be_a_policy_is_refused_by_its_look(function, says):
    with pytest.raises(InputError, match=says):
        check_function(function, "mine")


draw = random.random
generated = np.random.default_rng(1)


def by_module(demand, free, capacity):
    return random.random()


def by_function(demand, free, capacity):
    return draw()


def by_numpy(demand, free, capacity):
    return np.random.rand()  # noqa: NPY002


def by_generator(demand, free, capacity):
    return generated.random()


def by_helper(demand, free, capacity):
    return by_numpy(demand, free, capacity)


def in_a_function_within(demand, free, capacity):
    def inner():
        return random.random()

    return inner()


def by_closure():
    own = random.Random(3)

    def rule(demand, free, capacity):
        return own.random()

    return rule


def seeded(demand, free, capacity, context):
    np.random.seed(context.task)  # noqa: NPY002
    return np.random.rand()  # noqa: NPY002


def measured(demand, free, capacity):
    return np.sqrt(free[0]) + plain(demand, free, capacity)


@pytest.mark.parametrize(
    "function", [by_module, by_function, by_numpy, by_generator, by_helper, in_a_function_within, by_closure()]
)
def test_draws_that_nobody_seeds_are_seen_however_they_are_reached(function):
    assert draws_at_random(function)


@pytest.mark.parametrize("function", [plain, seeded, measured])
def test_what_does_not_draw_or_seeds_is_not_suspected(function):
    assert not draws_at_random(function)


def by_now(job, now):
    return now - job.submit_s


def by_now_within(job, now):
    return max(now - start for start in (job.submit_s,))


def never_now(job, now):
    return job.nice


@pytest.mark.parametrize(("function", "uses"), [(by_now, True), (by_now_within, True), (never_now, False)])
def test_whether_a_parameter_is_looked_at_is_seen_in_the_code(function, uses):
    assert uses_parameter(function, 1) is uses


def beside_others(job, now, backlog):
    return backlog.core_s


def test_an_order_has_two_parameters_and_a_third_that_is_called_backlog():
    assert (check_function(by_now, "mine", RANK), check_function(beside_others, "mine", RANK)) == (2, 3)
    with pytest.raises(InputError, match=r"an order is called backlog; write it as rank\(job, now, backlog\)"):
        check_function(plain, "mine", RANK)
    with pytest.raises(InputError, match=r"takes 2 or 3 parameters, this takes 1; write it as rank\(job, now\)"):
        check_function(one, "mine", RANK)
