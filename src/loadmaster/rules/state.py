"""Refuses rules that keep state: a rule that is run from its text would lose it between its calls.

It is compiled, run by several workers at once, or on another machine, and a kept result is never run again.
"""

import ast
import dis
import inspect
from collections.abc import Iterator
from types import FunctionType
from typing import Any

from loadmaster.model.errors import InputError
from loadmaster.rules.texts import recall, syntax_tree

_MAKING = ("__init__", "__new__", "__post_init__")
"""Methods that make the object."""
_CHANGING = frozenset({
    "add", "append", "appendleft", "clear", "discard", "extend", "extendleft", "fill", "insert", "pop", "popitem",
    "popleft", "put", "remove", "reverse", "setdefault", "sort", "update",
})  # fmt: skip
"""Methods that change the object whose they are."""


def refuse_state(thing: FunctionType | type[Any], path: str) -> None:
    """Refuse a function, or a class with a method, that writes to what outlives its call: of its file, or of itself.

    Raises:
        InputError: it does; names what it writes to.
    """
    written = state_written(thing)
    if written is not None:
        function, name = written
        rule = f"{function} writes to {name}, which would be lost: a rule keeps nothing between its calls"
        fix = "work it out from what the rule is given"
        if isinstance(thing, type):
            fix += f", or give compare or simulate an object in Python: {thing.__name__}()"
        raise InputError(thing.__name__, rule, fix=fix, where=path)


def state_written(thing: FunctionType | type[Any]) -> tuple[str, str] | None:
    """The first function of `thing` that writes to what outlives its call, and what it writes to; None if none does."""
    functions = (
        [thing]
        if inspect.isfunction(thing)
        else [each for name, each in vars(thing).items() if inspect.isfunction(each) and name not in _MAKING]
    )
    for function in functions:
        for part in reached(function):
            name = next(_written(part, of_itself=isinstance(thing, type) and part is function), None)
            if name is not None:
                return part.__name__, name
    return None


def reached(function: FunctionType) -> Iterator[FunctionType]:
    """`function` and the functions of its own file that it names, and those that they name."""
    seen: set[FunctionType] = set()
    todo = [function]
    while todo:
        part = todo.pop()
        if part in seen:
            continue
        seen.add(part)
        yield part
        named = (getattr(value, "py_func", value) for value in _outside(part).values())
        todo += [value for value in named if inspect.isfunction(value) and value.__module__ == function.__module__]


def _outside(function: FunctionType) -> dict[str, Any]:
    """What the names in the code of `function` stand for, of its file and of the function around it."""
    outside = inspect.getclosurevars(function)
    return {**outside.globals, **outside.nonlocals}


def _written(function: FunctionType, *, of_itself: bool) -> Iterator[str]:
    """Globals that the code of `function` binds anew or changes, by the look of it; and fields of its object."""
    own = function.__code__.co_varnames[:1] if of_itself else ()
    for each in dis.get_instructions(function):
        of_around = each.opname == "STORE_DEREF" and each.argval in function.__code__.co_freevars
        if each.opname in ("STORE_GLOBAL", "DELETE_GLOBAL") or of_around:
            yield str(each.argval)
    recall(function.__module__)
    try:
        lines = inspect.getsource(function)
        tree = syntax_tree(lines if not lines[:1].isspace() else f"if True:\n{lines}")
    except (OSError, SyntaxError):
        return
    outside = {**function.__globals__, **inspect.getclosurevars(function).nonlocals}
    for node in ast.walk(tree):
        changed = None
        if isinstance(node, ast.Attribute | ast.Subscript) and (
            not isinstance(node.ctx, ast.Load) or getattr(node, "attr", "") in _CHANGING  # called here or later
        ):
            changed = node.value
        while isinstance(changed, ast.Attribute | ast.Subscript):
            changed = changed.value
        if isinstance(changed, ast.Name) and changed.id in own:
            is_field = isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
            yield ast.unparse(node if is_field else getattr(node, "value", node))
        if isinstance(changed, ast.Name) and changed.id not in function.__code__.co_varnames:
            value = outside.get(changed.id)
            if value is not None and not inspect.ismodule(value):
                yield changed.id
