"""Looks a name up in a table; for an unknown name the error shows the likely name, or where it belongs."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import TypeVar

from loadmaster.model.errors import InputError

T = TypeVar("T")

LIST = "see `loadmaster policies`"
"""Where all names that the command line takes are listed."""


def pick(name: str, table: Mapping[str, T], *, what: str, see: str = LIST, elsewhere: Mapping[str, str] = {}) -> T:
    """`table[name]`.

    Args:
        name: as the user wrote it.
        table: everything that may stand here.
        what: the kind of thing that it holds, in the singular.
        see: the advice where no name is near.
        elsewhere: for names of other kinds what they are and where they are taken, in words.

    Raises:
        InputError: there is no such name.

    Example:
        >>> pick("mix-fat", {"mix-fit": 1}, what="placement policy")
        Traceback (most recent call last):
        loadmaster.model.errors.InputError: 'mix-fat': no such placement policy; did you mean mix-fit?
    """
    if name in table:
        return table[name]
    raise no_such(name, table, what=what, see=see, elsewhere=elsewhere)


def no_such(
    name: str, known: Iterable[str], *, what: str, see: str = LIST, elsewhere: Mapping[str, str] = {}
) -> InputError:
    """The refusal of a name that is not among `known`; see `pick`."""
    if name in elsewhere:
        return InputError(name, f"no {what}", fix=elsewhere[name])
    near = near_to(name, known)
    return InputError(name, f"no such {what}", fix=f"did you mean {near}?" if near else see)


def near_to(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """The one of `known` that `name` probably is a slip of, of its capitals at last; None if none is near enough.

    Example:
        >>> near_to("EASY", ["easy", "skip"]), near_to("esay", ["easy", "skip"]), near_to("x", ["easy"])
        ('easy', 'easy', None)
    """
    names = list(known)
    lower = {each.lower(): each for each in reversed(names)}
    found = get_close_matches(name, names, n=1, cutoff=cutoff) or get_close_matches(name.lower(), lower, 1, cutoff)
    return lower.get(found[0], found[0]) if found else None
