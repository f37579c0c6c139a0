"""The options that `size` and `run` have in common: sizers, machine types and billing units, from words."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loadmaster.sizing import HostType, Sizer

_UNITS = {"second": 1.0, "minute": 60.0, "hour": 3600.0}


def billing_unit(text: str) -> float:
    """Seconds of a charging unit: `second`, `minute`, `hour` or a duration."""
    from loadmaster.model.units import parse_seconds

    return _UNITS[text] if text in _UNITS else parse_seconds(text)


def chosen_types(prices: "str | Path | None", billing: str | None) -> "tuple[HostType, ...]":
    """The machine types of a price table, or one at price 1 an hour; `billing` takes the place of their units."""
    import dataclasses

    from loadmaster.sizing import HostType
    from loadmaster.sizing.prices import read_prices

    types = read_prices(Path(prices)) if prices else (HostType(),)
    if billing is None:
        return types
    unit_s = billing_unit(billing)
    if prices is None:
        return (HostType(billing, unit_s=unit_s),)
    return tuple(dataclasses.replace(kind, unit_s=unit_s) for kind in types)


def unit_of_cost(prices: "str | Path | None", currency: str) -> str:
    """What a cost is counted in: machine hours without a price table, else its money; empty if it is not named."""
    return currency if prices else "machine hours"


def with_unit(amount: float, unit: str) -> str:
    """A cost in words.

    Example:
        >>> with_unit(1.0, "machine hours"), with_unit(2.5, "EUR"), with_unit(2.5, "")
        ('1 machine hour', '2.5 EUR', '2.5')
    """
    shown = f"{amount:.4g}"
    return f"{shown} {'machine hour' if shown == '1' and unit == 'machine hours' else unit}".rstrip()


def chosen_type(prices: "str | Path | None", billing: str | None, name: str | None = None) -> "HostType":
    """The one machine type of a price table, or that called `name`.

    Raises:
        InputError: there are several and none is named, or none has that name.
    """
    from loadmaster.model.errors import InputError

    types = chosen_types(prices, billing)
    names = ", ".join(kind.name for kind in types)
    if name is None:
        if len(types) > 1:
            raise InputError(f"{len(types)} machine types", "run rents machines of one type", fix=f"--type {names}")
        return types[0]
    matching = [kind for kind in types if kind.name == name]
    if not matching:
        raise InputError(name, "no such machine type", fix=f"known: {names}")
    return matching[0]


def guessed(text: str | float | None) -> float | None:
    """Seconds of a task's guessed duration, None if there is no guess.

    Raises:
        InputError: not a duration above 0.
    """
    from loadmaster.model.errors import InputError
    from loadmaster.model.units import parse_seconds

    if text is None:
        return None
    seconds = parse_seconds(str(text))
    if seconds <= 0:
        raise InputError(text, "the guess must be a duration above 0 s", fix="write it like 30s or 5min")
    return seconds


def chosen_sizer(
    given: "str | int | Sizer | type[Sizer]",
    kind: "HostType",
    tasks: int,
    budget: float | None,
    deadline: str | float | None,
    confidence: float,
    guess: str | float | None,
    copies: bool = False,
) -> "Sizer":
    """The sizer a user names, or one of the user's own, for machines of one kind.

    Raises:
        InputError: no such sizer, or a wish that only the planner understands.
    """
    from loadmaster.model.errors import InputError
    from loadmaster.model.units import parse_seconds
    from loadmaster.rules.part import part_of
    from loadmaster.sizing.load import BagKnowledge, sizer_named
    from loadmaster.sizing.own import checked_sizer

    guess_s = guessed(guess)
    deadline_s = parse_seconds(str(deadline)) if deadline is not None else None
    spec = str(given) if isinstance(given, str | int) else getattr(given, "name", type(given).__name__)
    name = part_of(spec).name if isinstance(given, str | int) else ""
    usual: dict[str, Any] = {"guess_s": guess_s}
    if name == "planner":
        usual |= {"budget": budget, "deadline_s": deadline_s, "confidence": confidence, "replicate": copies}
    elif budget is not None or deadline_s is not None:
        raise InputError(spec, "only the planner keeps a budget or a deadline", fix="leave out --sizer")
    elif copies:
        raise InputError(spec, "only the planner starts copies of stragglers", fix="leave out --sizer")
    elif guess_s is not None and name not in ("silva", "user-guess"):
        raise InputError(spec, "only planner, silva and user-guess can use a guess", fix="leave out --guess")
    if not isinstance(given, str | int):
        return checked_sizer(given)
    knowledge = BagKnowledge(tasks, kind.unit_s * kind.speed, {k: v for k, v in usual.items() if v is not None})
    return sizer_named("user-guess" if spec == "silva" and guess_s is not None else spec, knowledge)
