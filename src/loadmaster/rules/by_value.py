"""Functions and classes that are given in Python: each bears a name such as `@my_rule`, and is known by its text.

So a rule defined in a notebook is treated as one of a file: it is run from its text, judged, compiled,
kept and recorded alike, and workers of a cluster get it as text.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import isfunction
from itertools import count
from threading import Lock
from typing import Any

from loadmaster.model.errors import InputError
from loadmaster.rules.in_process import OBJECT, RuleInProcess, keep_in_process, rule_in_process
from loadmaster.rules.self_contained_text import NoText, text_alone
from loadmaster.rules.state import state_written

MARK = "@"
"""What the name of a rule given in Python begins with."""

_texts: dict[str, str] = {}
_held: Counter[str] = Counter()
_lock = Lock()


def is_given(path: str) -> bool:
    """Whether `path` is the name of a rule given in Python, and no file's.

    Example:
        >>> is_given("@my_rule"), is_given("@my_rule.2"), is_given("@home/rule.py")
        (True, True, False)
    """
    name, dot, number = path.removeprefix(MARK).partition(".")
    return path.startswith(MARK) and name.isidentifier() and (number.isdecimal() if dot else True)


def name_in(path: str) -> str:
    """The name that the rule bears in its text.

    Example:
        >>> name_in("@my_rule.2")
        'my_rule'
    """
    return path.removeprefix(MARK).partition(".")[0]


def text_given(path: str) -> str:
    """The text of the rule last given under that name.

    Raises:
        InputError: there is none.
    """
    if path not in _texts:
        if rule_in_process(path) is not None:
            raise InputError(path, "no text stands for this rule: it is called in this process")
        rule = "no function of that name was given in Python"
        raise InputError(path, rule, fix="on the command line name file.py:function")
    return _texts[path]


@contextmanager
def naming(*, in_process: bool = False) -> Iterator[Callable[[Any], str]]:
    """A function that names rules, for as long as what uses the names is at work.

    A rule that is given anew under its old name takes its place; where both are at work at the same time, or two
    rules of one name are compared, the second is `@my_rule.2`. What is a name already stays one.

    Args:
        in_process: a rule that no text stands for, or that keeps state, is called as it is; else it is refused.
    """
    mine: list[str] = []

    def name(thing: Any) -> str:
        if isinstance(thing, str):
            return thing
        rule, text = _rule_and_text(thing) if in_process else (None, text_alone(thing))
        called = getattr(thing, "__name__", type(thing).__name__).strip("<>")  # <lambda> is @lambda
        with _lock:
            for number in count(1):
                path = f"{MARK}{called}" + (f".{number}" if number > 1 else "")
                if not _held[path] or _is_same(path, thing, rule, text):
                    break
            keep_in_process(path, rule)
            if rule is None:
                _texts[path] = text
            else:
                _texts.pop(path, None)
            _held[path] += 1
        mine.append(path)
        return path

    try:
        yield name
    finally:
        with _lock:
            _held.subtract(mine)


def _rule_and_text(thing: Any) -> tuple[RuleInProcess | None, str]:
    """The rule that is called as it is, or None and the text that stands for it."""
    plain = getattr(thing, "py_func", thing)
    if not (isfunction(plain) or isinstance(plain, type)):
        return RuleInProcess(thing, OBJECT), ""
    try:
        text = text_alone(thing)
    except NoText as error:
        if isinstance(plain, type):
            raise
        return RuleInProcess(plain, f"{error.rule}; to have it compiled, {error.fix}"), ""
    written = state_written(plain)
    if written is None or isinstance(plain, type):
        return None, text
    return RuleInProcess(plain, f"{written[0]} writes to {written[1]}"), ""


def _is_same(path: str, thing: Any, rule: RuleInProcess | None, text: str) -> bool:
    """Whether `path` stands for this very rule."""
    held = rule_in_process(path)
    if rule is None or held is None:
        return rule is None and held is None and _texts[path] == text
    return held.thing is rule.thing
