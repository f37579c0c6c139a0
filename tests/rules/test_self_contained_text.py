"""A rule given as an object is written down so that it stands alone."""

import functools
import linecache
import math
from dataclasses import dataclass
from math import floor as down

import numpy as np
import pytest
from numba import njit

from loadmaster.model import InputError
from loadmaster.rules.self_contained_text import NoText, text_alone

WEIGHT = 0.25
TABLE = np.array([[1.5, np.inf], [-2.0, 0.1]])
TEXTS = {"a": (1, 2.5), "b": (3, None)}
LARGE = object()


def half(value):
    return value * WEIGHT


@njit
def shifted(value):
    return 2.0 * value + TABLE[1, 1]


def rule(demand, free, capacity):
    return half(shifted(free[0])) + np.floor(free[1]) + down(demand[0]) + len(TEXTS) + math.pi


def recursive(demand, free, capacity):
    return 1.0 if free[0] < 1 else recursive(demand, free - 1, capacity)


def uses_what_cannot_be_written(demand, free, capacity):
    return 1.0 if LARGE is None else 2.0


LEFT = lambda demand, free: free - demand  # noqa: E731


def uses_a_lambda(demand, free, capacity):
    return LEFT(demand[0], free[0])


def made_with(weight, shape=(0.5, 2)):
    def weighted(demand, free, capacity):
        """Of a closure."""
        return weight * free[0] + shape[0]

    return weighted


@dataclass(frozen=True)
class Base:
    """What a rule inherits from."""

    depth: int = 3

    def limit(self):
        return self.depth * WEIGHT


@dataclass(frozen=True)
class Mine(Base):
    """A class with parameters."""

    slow: float | None = None

    def serve(self, this_pass):
        return half(self.limit()) + np.floor(1.7)


def run(thing):
    """What stands under its name once its text is run in an empty place."""
    space = {"__name__": "__main__"}
    exec(text_alone(thing), space)
    return space[thing.__name__]


def test_a_function_comes_with_all_that_it_uses():
    one, other, third = np.array([1.5, 2.0]), np.array([7.5, 3.9]), np.array([8.0, 8.0])
    assert run(rule)(one, other, third) == rule(one, other, third)
    assert run(recursive)(one, other, third) == 1.0


def test_a_function_of_a_closure_has_the_values_that_it_closed_over():
    free = np.array([2.0])
    assert run(made_with(3.0))(free, free, free) == 6.5
    assert text_alone(made_with(3.0)) != text_alone(made_with(4.0))
    assert text_alone(made_with(3.0)) == text_alone(made_with(3.0))


def test_a_class_comes_with_its_parents_and_its_decorators():
    assert run(Mine)(depth=8).serve(None) == Mine(depth=8).serve(None)


def test_a_text_says_nothing_that_the_rule_does_not_use():
    assert "TABLE" not in text_alone(half)
    assert text_alone(half).count("\n") == 4


def test_what_cannot_be_written_down_is_refused_by_its_name():
    with pytest.raises(InputError, match="'LARGE': uses_what_cannot_be_written uses this object"):
        text_alone(uses_what_cannot_be_written)


def test_a_lambda_has_no_name_and_an_object_is_no_rule():
    with pytest.raises(NoText, match="it is a lambda, which has no name; write it as def"):
        text_alone(lambda demand, free, capacity: free[0])
    with pytest.raises(NoText, match="uses_a_lambda uses the lambda LEFT; write it as def"):
        text_alone(uses_a_lambda)
    with pytest.raises(InputError, match="a rule is a name, a function or a class"):
        text_alone(3.5)


def test_what_was_typed_where_python_keeps_no_source_is_refused_in_one_line():
    space = {"__name__": "__main__"}
    exec(
        "def typed(demand, free, capacity):\n    return free[0]\nclass Typed:\n    def serve(self, this_pass): pass",
        space,
    )
    for name in ("typed", "Typed"):
        with pytest.raises(InputError, match=f"'{name}': its source cannot be read"):
            text_alone(space[name])


def test_a_function_around_another_is_not_taken_for_that():
    def rule(demand, free, capacity):
        return free[0]

    @functools.wraps(rule)
    def around(*arguments):
        return -rule(*arguments)

    with pytest.raises(InputError, match="'rule': a decorator put another function around it"):
        text_alone(around)


def test_a_source_that_was_edited_since_is_not_taken_for_the_function():
    name, space = "<cell 7>", {"__name__": "__main__"}
    before = "def edited(demand, free, capacity):\n    return free[0] + 1.0\n"
    exec(compile(before, name, "exec"), space)
    linecache.cache[name] = (len(before), None, before.splitlines(keepends=True), name)
    assert "+ 1.0" in text_alone(space["edited"])
    after = before.replace("+", "-")
    linecache.cache[name] = (len(after), None, after.splitlines(keepends=True), name)
    with pytest.raises(InputError, match="its source has changed since it was defined"):
        text_alone(space["edited"])
