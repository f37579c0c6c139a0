"""The notation of a discipline: `ORDER+BACKFILLING(parameter=value,...)`, one grammar everywhere."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from inspect import isfunction
from itertools import accumulate
from typing import Any

from loadmaster.backfilling import BACKFILLINGS, Backfilling, Easy
from loadmaster.model.errors import InputError
from loadmaster.order import ORDERS, ORDERS_WITH_MEMORY, AnyOrder, Order
from loadmaster.order.order_in_process import order_in_process
from loadmaster.rules.find import NO_SOURCES, Reference, Sources
from loadmaster.rules.function_checks import RANK, check_function, uses_parameter
from loadmaster.rules.near import no_such, pick
from loadmaster.rules.parameters import instance_of, refuse_parameters, values_of
from loadmaster.rules.part import Part, parted
from loadmaster.scheduling.discipline import Discipline
from loadmaster.scheduling.twin import EVERY_S, HANDICAP, USUAL_MEMBERS, ByColumns, Twin

USUAL_ORDER = "fcfs"
"""The order of a backfilling that is named alone."""
USUAL_BACKFILLING: Mapping[str, str] = {"fcfs": "none", "fair-share": "netbatch"}
"""The backfilling of an order that is named alone; of any other order, `easy`."""
SUMMARY = "an order and a backfilling, such as sjf+easy(heads=2)"

WHOLE: Mapping[str, tuple[str, str]] = {
    "twin": ("simulates the queue onward under each of its members every ten minutes, and follows the best", ""),
}
"""Disciplines that are not an order with a backfilling, by name: summary, source."""


@dataclass(frozen=True)
class TwinParameters:
    """The parameters of `twin`.

    Attributes:
        members: disciplines, separated by semicolons where they are written.
        every_s: seconds from look to look.
        handicap: a wait counts longer by this part under a member whose order does not look at runtimes.
    """

    members: tuple[str, ...] = USUAL_MEMBERS
    every_s: float = EVERY_S
    handicap: float = HANDICAP


def discipline_named(
    spec: str, sources: Sources = NO_SOURCES, elsewhere: Mapping[str, str] | None = None, **usual: Any
) -> Discipline:
    """The discipline that `spec` names.

    Args:
        spec: `ORDER+BACKFILLING`, or one of the two alone; each built-in or `file.py:name`, parameters in parentheses.
        sources: text of the user's files, where it is known already.
        elsewhere: the kinds of other names, for the error message.
        usual: parameters for those parts that have them and do not say otherwise.

    Raises:
        InputError: no such order, backfilling or parameter.

    Example:
        >>> discipline_named("easy(heads=2)").backfilling.heads
        2
    """
    first, second = _sides(spec)
    if second is None:
        part = Part.of(first)
        if part.name in WHOLE:
            return _twin(part, spec, sources, elsewhere, usual)
        alone = _is_backfilling(part, sources)
        first, second = (USUAL_ORDER, first) if alone else (first, USUAL_BACKFILLING.get(part.name, "easy"))
    known = {} if elsewhere is None else elsewhere
    order = _order(Part.of(first), sources, known, usual)
    return Discipline(order, _backfilling(Part.of(second), sources, known, usual), spec)


def order_and_backfilling(spec: str) -> tuple[str, str]:
    """The two sides of a discipline, both written out even if `spec` names only one.

    Raises:
        InputError: it is not an order with a backfilling.

    Example:
        >>> order_and_backfilling("easy(heads=2)"), order_and_backfilling("sjf")
        (('fcfs', 'easy(heads=2)'), ('sjf', 'easy'))
    """
    first, second = _sides(spec)
    if second is not None:
        return first, second
    if is_whole(spec):
        raise InputError(spec, "this is not an order with a backfilling", fix=f"write {SUMMARY}")
    part = Part.of(first)
    if _is_backfilling(part, NO_SOURCES):
        return USUAL_ORDER, first
    return first, USUAL_BACKFILLING.get(part.name, "easy")


def is_discipline(spec: str) -> bool:
    """Whether `spec` names built-in orders or backfillings; for names in files alone see `is_own_discipline`.

    Example:
        >>> is_discipline("my.py:rank+easy"), is_discipline("skip"), is_discipline("mix-fit+mosix")
        (True, True, False)
    """
    if spec.count("(") != spec.count(")"):
        return False
    names = [re.split(r"[()]", side)[0].strip() for side in _sides(spec) if side is not None]
    return any(name in _ORDER_NAMES or name in BACKFILLINGS or name in WHOLE for name in names)


def is_own_discipline(spec: str, sources: Sources = NO_SOURCES) -> bool:
    """Whether the contents of a user's file make it a discipline: a backfilling, also behind an order, or an order.

    Args:
        spec: as `discipline_named` takes it, in which no side is built in.
        sources: text of the user's files, where it is known already.

    Raises:
        InputError: there is no such file, or no such thing in it.
    """
    first, second = _sides(spec)
    reference = Reference.of(Part.of(first if second is None else second).name)
    if reference is None:
        return False
    thing = reference.thing(sources.get(reference.path))
    if not isfunction(thing):
        ranks = any(hasattr(thing, each) for each in ("begin", "rank", "rank_all"))
        return hasattr(thing, "serve") or (second is None and ranks)
    return second is None and RANK.has(thing)


def is_whole(spec: str) -> bool:
    """Whether `spec` names a discipline that is not an order with a backfilling.

    Example:
        >>> is_whole("twin(every_s=600)"), is_whole("twin.py:rank+easy")
        (True, False)
    """
    return spec.partition("(")[0].strip() in WHOLE


def parameters_of(spec: str, elsewhere: Mapping[str, str] | None = None, sources: Sources = NO_SOURCES) -> set[str]:
    """The names of the parameters that the parts of `spec` have; `elsewhere` and `sources` as for `discipline_named`.

    Example:
        >>> sorted(parameters_of("fair-share+netbatch"))
        ['lookahead', 'reservations', 'shares']
    """
    discipline = discipline_named(spec, sources, elsewhere)
    if isinstance(discipline, Twin):
        return set()
    parts: tuple[Any, ...] = (discipline.order, discipline.backfilling)
    made = [part for part in parts if is_dataclass(part) and not isinstance(part, Order)]
    return {field.name for part in made for field in fields(part)} - {"name"}


def files_of(spec: str) -> list[str]:
    """The sides of `spec` that name something in a user's file, without their parameters."""
    parts = [Part.of(side) for side in _sides(spec) if side is not None]
    if parts[0].name in WHOLE:
        members = values_of(TwinParameters, parts[0]).get("members", ())
        return [name for member in members for name in files_of(member)]
    return [part.name for part in parts if Reference.of(part.name) is not None]


def _twin(
    part: Part, spec: str, sources: Sources, elsewhere: Mapping[str, str] | None, usual: Mapping[str, Any]
) -> Twin:
    """The twin that `part` names.

    Raises:
        InputError: a member is none that it can try, or names nothing.
    """
    says = TwinParameters(**values_of(TwinParameters, part))
    members = tuple(discipline_named(member, sources, elsewhere, **usual) for member in says.members)
    return Twin(ByColumns(), Easy(), spec, members=members, every_s=says.every_s, handicap=says.handicap)


def _sides(spec: str) -> tuple[str, str | None]:
    """Left and right of the plus that stands outside parentheses and is not part of a path."""
    ends = accumulate(len(part) + 1 for part in parted(spec, "+"))
    for at in [end - 1 for end in ends if end <= len(spec)][::-1]:
        left, right = spec[:at].strip(), spec[at + 1 :].strip()
        if not left or not right:
            raise InputError(spec, "not as a discipline is written", fix=f"write {SUMMARY}")
        if ":" not in right or _is_whole(left.partition("(")[0]):
            return left, right
    return spec, None


def _is_whole(name: str) -> bool:
    """Whether the name is an order, and not the first part of a path with a plus in it."""
    return name in _ORDER_NAMES or (":" in name and name.rpartition(":")[2].isidentifier())


def _is_backfilling(part: Part, sources: Sources) -> bool:
    reference = Reference.of(part.name)
    if reference is None:
        return part.name in BACKFILLINGS
    thing = reference.thing(sources.get(reference.path))
    return isinstance(thing, type) or (reference.is_in_process and hasattr(thing, "serve"))


def _order(part: Part, sources: Sources, elsewhere: Mapping[str, str], usual: Mapping[str, Any]) -> AnyOrder:
    reference = Reference.of(part.name)
    if reference is not None:
        thing = reference.thing(sources.get(reference.path))
        if isinstance(thing, type):
            return instance_of(thing, part, usual, "order", "begin")  # type: ignore[no-any-return]
        refuse_parameters(part)
        if reference.is_in_process:
            return order_in_process(part.name, thing)
        given = check_function(thing, reference, RANK)
        return Order(part.name, thing, moves=any(uses_parameter(thing, number) for number in range(1, given)))
    if part.name in ORDERS:
        return _in_form(ORDERS[part.name], part)
    if part.name not in ORDERS_WITH_MEMORY:
        raise _no_order(part.name, elsewhere)
    return instance_of(ORDERS_WITH_MEMORY[part.name][0], part, usual, "order", "begin")  # type: ignore[no-any-return]


def _no_order(name: str, elsewhere: Mapping[str, str]) -> InputError:
    orders = (*ORDERS, *ORDERS_WITH_MEMORY)
    if "+" in name:
        return InputError(name, "more than one order and one backfilling", fix=f"write {SUMMARY}")
    if name in BACKFILLINGS:
        return InputError(name, "this is a backfilling, which stands behind the order", fix=f"write sjf+{name}")
    see = f"orders: {', '.join(orders)}; backfillings: {', '.join(BACKFILLINGS)}; {', '.join(WHOLE)}"
    return no_such(name, (*orders, *BACKFILLINGS, *WHOLE), what="discipline", see=see, elsewhere=elsewhere)


def _backfilling(part: Part, sources: Sources, elsewhere: Mapping[str, str], usual: Mapping[str, Any]) -> Backfilling:
    reference = Reference.of(part.name)
    if reference is not None:
        thing = reference.thing(sources.get(reference.path))
        if reference.is_in_process and hasattr(thing, "serve"):
            return thing  # type: ignore[no-any-return]
        if not isinstance(thing, type):
            raise InputError(part.name, "a backfilling is a class with a method serve(self, this_pass)")
        return instance_of(thing, part, usual, "backfilling", "serve")  # type: ignore[no-any-return]
    kind, *_ = pick(
        part.name, BACKFILLINGS, what="backfilling", see=f"one of {', '.join(BACKFILLINGS)}", elsewhere=elsewhere
    )
    return instance_of(kind, part, usual, "backfilling", "serve")  # type: ignore[no-any-return]


def _in_form(order: Order, part: Part) -> Order:
    if not order.forms or not part.given:
        refuse_parameters(part)
        return order
    for name in part.given.keys() - {"form"}:
        raise InputError(name, f"{part.name} has no such parameter", fix="it has form")
    return order.in_form(part.given["form"])


_ORDER_NAMES = frozenset((*ORDERS, *ORDERS_WITH_MEMORY))
