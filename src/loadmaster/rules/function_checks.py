"""Checks of a user's function without calling it: its parameters, its kind, whether it draws at random."""

import dis
import inspect
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from loadmaster.model.errors import InputError
from loadmaster.rules.find import Reference
from loadmaster.rules.state import reached


class FunctionShape(NamedTuple):
    """How a kind of function is written.

    Attributes:
        kind: what it is, with its article.
        text: how its first line may look.
        takes: how many parameters it may have.
        instead: what to do in place of a default, which is never set.
        last: the name that the last parameter bears where it has the most; empty for any.
    """

    kind: str
    text: str
    takes: tuple[int, ...]
    instead: str = "make it a constant of the file"
    last: str = ""

    def has(self, function: FunctionType) -> bool:
        """Whether the parameters of `function` are so many, and named as this shape names them."""
        names = [*inspect.signature(function).parameters]
        return len(names) in self.takes and (len(names) < max(self.takes) or self.last in ("", names[-1]))

    def call_of(self, name: str, method: str, thing: Any, together: str) -> tuple[Callable[..., Any], int]:
        """What is called of an object of this process, and how many parameters it takes.

        Args:
            name: the rule's.
            method: the method that is called; an object without it is called itself.
            thing: the object, or a function.
            together: how its other method is written, which answers for all at once.

        Raises:
            InputError: there is nothing to call, or its parameters are not those of this shape.
        """
        call = getattr(thing, method, thing)
        if not callable(call):
            rule = f"this {type(thing).__name__} is not {self.kind}"
            raise InputError(name, rule, fix=f"give it a method {self.text} or {together}")
        takes = len(inspect.signature(call).parameters)
        if takes not in self.takes:
            raise InputError(name, self.wrong_number(takes), fix=f"write it as {self.text}")
        return call, takes

    def wrong_number(self, takes: int) -> str:
        """The rule that a function with so many parameters breaks."""
        return f"{self.kind} takes {' or '.join(map(str, self.takes))} parameters, this takes {takes}"


SCORE = FunctionShape(
    "a policy",
    "score(demand, free, capacity)",
    (3, 4),
    "make it a constant of the file; a fourth parameter is the context",
)
"""A placement policy; its fourth parameter is the context."""
RANK = FunctionShape(
    "an order", "rank(job, now)", (2, 3), "make it a constant of the file; a third parameter is the backlog", "backlog"
)
"""An order without a memory; its third parameter is what waits, and is called so: others with three are policies."""


def check_function(function: FunctionType, named: Reference | str, shape: FunctionShape = SCORE) -> int:
    """How many parameters `function` takes, if it can be of this `shape` by the look of it.

    Raises:
        InputError: it is a coroutine or a generator, or its parameters are not so many plain ones.
    """
    name, where = (named.name, named.path) if isinstance(named, Reference) else (named, "")
    for test, kind in (
        (inspect.iscoroutinefunction, "async def: its call gives no number"),
        (inspect.isasyncgenfunction, "async def: its call gives no number"),
        (inspect.isgeneratorfunction, "a generator (it has a yield): its call gives no number"),
    ):
        if test(function):
            raise InputError(name, f"this function is {kind}", where=where, fix=f"write a plain def {shape.text}")
    parameters = inspect.signature(function).parameters.values()
    if len(parameters) not in shape.takes:
        rule = shape.wrong_number(len(parameters))
        raise InputError(name, rule, where=where, fix=f"write it as {shape.text}")
    if not shape.has(function):
        rule = f"the third parameter of {shape.kind} is called {shape.last}"
        raise InputError(name, rule, where=where, fix=f"write it as {shape.text[:-1]}, {shape.last})")
    for parameter in parameters:
        if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            raise InputError(name, f"{parameter} is no plain parameter", where=where, fix=f"write it as {shape.text}")
        if parameter.default is not parameter.empty:
            rule = f"the parameter {parameter.name} has a default, which is never set"
            raise InputError(name, rule, where=where, fix=shape.instead)
    return len(parameters)


def draws_at_random(function: FunctionType) -> bool:
    """Whether `function`, or one of its own that it calls, draws from a generator without a seed.

    It looks at the names in the code and what they stand for: `random` and `numpy.random`, whole or by function. Code
    that names a `seed` is taken to seed.
    """
    parts = list(reached(function))
    seeds = any("seed" in names_in(part) for part in parts)
    return not seeds and any(_is_random(value) for part in parts for value in _named_values(part))


def uses_parameter(function: FunctionType, number: int) -> bool:
    """Whether the code of `function` ever looks at its parameter `number`, from 0; a function within it counts."""
    code = function.__code__
    name = code.co_varnames[number]
    read = [each.argval for each in dis.get_instructions(code) if each.opname.startswith("LOAD_FAST")]
    return name in code.co_cellvars or any(name in (value if isinstance(value, tuple) else (value,)) for value in read)


def names_in(function: FunctionType) -> set[str]:
    """The names that the code of `function` uses, of globals and of attributes, in functions within it too."""
    return {name for code in _codes(function.__code__) for name in code.co_names}


def _named_values(function: FunctionType) -> Iterator[Any]:
    """What the names in the code of `function` stand for, also one step into modules: `np.random`."""
    names = names_in(function)
    inner = [cell.cell_contents for cell in function.__closure__ or ()]
    for value in (*inner, *(function.__globals__[name] for name in names if name in function.__globals__)):
        yield value
        if isinstance(value, ModuleType):
            yield from (vars(value)[name] for name in names if name in vars(value))


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _is_random(value: Any) -> bool:
    """A module of random draws, or a function or a generator of one."""
    if isinstance(value, ModuleType):
        return value.__name__ in _RANDOM
    owner = type(value) if getattr(value, "__self__", None) is None else type(value.__self__)
    return owner.__module__ in (*_RANDOM, "_random", "numpy.random.mtrand", "numpy.random._generator")


_RANDOM = ("random", "numpy.random")
