"""What `size` and `run` understand in common: sizers, machine types and billing units, from words."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loadmaster.sizing import HostType, Sizer

_UNITS = {"second": 1.0, "minute": 60.0, "hour": 3600.0}


def billing_unit(text: str) -> float:
    """Seconds of a charging unit: `second`, `minute`, `hour` or a duration."""
    from loadmaster.model.units import parse_seconds

    return _UNITS[text] if text in _UNITS else parse_seconds(text)


def chosen_types(prices: Path | None, billing: str | None) -> "tuple[HostType, ...]":
    """The machine types of a price table, or one at price 1 an hour; `billing` takes the place of their units."""
    import dataclasses

    from loadmaster.sizing import HostType
    from loadmaster.sizing.prices import read_prices

    types = read_prices(prices) if prices else (HostType(),)
    if billing is None:
        return types
    unit_s = billing_unit(billing)
    if prices is None:
        return (HostType(billing, unit_s=unit_s),)
    return tuple(dataclasses.replace(kind, unit_s=unit_s) for kind in types)


def chosen_type(prices: Path | None, billing: str | None, name: str | None = None) -> "HostType":
    """The one machine type of a price table, or that called `name`.

    Raises:
        InputError: there are several and none is named, or none has that name.
    """
    from loadmaster.model.errors import InputError

    types = chosen_types(prices, billing)
    known = ", ".join(kind.name for kind in types)
    if name is None:
        if len(types) > 1:
            raise InputError(f"{len(types)} machine types", "run rents machines of one type", fix=f"--type {known}")
        return types[0]
    found = [kind for kind in types if kind.name == name]
    if not found:
        raise InputError(name, "no such machine type", fix=f"known: {known}")
    return found[0]


def guessed(text: str | None) -> float | None:
    """Seconds of a task's guessed duration, None if there is no guess.

    Raises:
        InputError: not a duration above 0.
    """
    from loadmaster.model.errors import InputError
    from loadmaster.model.units import parse_seconds

    if text is None:
        return None
    seconds = parse_seconds(text)
    if seconds <= 0:
        raise InputError(text, "the guess must be a duration above 0 s", fix="write it like 30s or 5min")
    return seconds


def chosen_sizer(
    name: str, kind: "HostType", tasks: int, budget: float | None, deadline: str | None, confidence: float,
    guess: str | None, copies: bool = False,
) -> "Sizer":  # fmt: skip
    """The sizer a user names, for machines of one kind.

    Raises:
        InputError: no such sizer, or a wish that only the planner understands.
    """
    from loadmaster.model.errors import InputError
    from loadmaster.model.units import parse_seconds
    from loadmaster.sizing import FixedHosts, Planner, SilvaRule, all_at_once, user_guess

    guess_s = guessed(guess)
    deadline_s = parse_seconds(deadline) if deadline else None
    if name == "planner":
        return Planner(budget, deadline_s, confidence, guess_s=guess_s, replicate=copies)
    if budget is not None or deadline_s is not None:
        raise InputError(name, "only the planner keeps a budget or a deadline", fix="leave out --sizer")
    if copies:
        raise InputError(name, "only the planner starts copies of stragglers", fix="leave out --sizer")
    if guess_s is not None and name != "silva":
        raise InputError(name, "only the planner and silva can use a guess", fix="leave out --guess")
    if name == "silva":
        return user_guess(tasks, guess_s, kind.unit_s * kind.speed) if guess_s else SilvaRule()
    if name == "all-at-once":
        return all_at_once(tasks)
    if name.isdecimal() and int(name) > 0:
        return FixedHosts(int(name))
    raise InputError(name, "no such sizer", fix="planner, silva, all-at-once or a number of machines")
