"""Functions and classes that are given in Python: each bears a name such as `@my_rule`, and is known by its text.

So a rule defined in a notebook comes in by the same door as one of a file: it is run from its text, judged, compiled,
kept and recorded alike, and workers of a cluster get it as text.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from threading import Lock
from typing import Any

from loadmaster.model.errors import InputError
from loadmaster.rules.standing_alone import text_alone

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
        rule = "no function of that name was given in Python"
        raise InputError(path, rule, fix="on the command line name file.py:function")
    return _texts[path]


@contextmanager
def naming() -> Iterator[Callable[[Any], str]]:
    """A function that names rules, for as long as what uses the names is at work.

    A rule that is given anew under its old name takes its place; where both are at work at the same time, or two
    rules of one name are compared, the second is `@my_rule.2`. What is a name already stays one.
    """
    mine: list[str] = []

    def name(thing: Any) -> str:
        if isinstance(thing, str):
            return thing
        text = text_alone(thing)
        with _lock:
            for number in count(1):
                path = f"{MARK}{thing.__name__}" + (f".{number}" if number > 1 else "")
                if not _held[path] or _texts[path] == text:
                    break
            _texts[path] = text
            _held[path] += 1
        mine.append(path)
        return path

    try:
        yield name
    finally:
        with _lock:
            _held.subtract(mine)
