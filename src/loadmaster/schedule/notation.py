"""How a discipline is written: `ORDER+BACKFILLING(parameter=value,...)`, in one grammar everywhere."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from loadmaster.backfilling import BACKFILLINGS, Backfilling
from loadmaster.model.errors import InputError
from loadmaster.order import ORDERS, ORDERS_WITH_MEMORY, AnyOrder, Order
from loadmaster.rules.find import NO_SOURCES, Reference, Sources
from loadmaster.rules.near import no_such, pick
from loadmaster.rules.sound import RANK, check_function, uses_parameter
from loadmaster.schedule.discipline import Discipline

USUAL_ORDER = "fcfs"
"""What stands before a backfilling that is named alone."""
USUAL_BACKFILLING: Mapping[str, str] = {"fcfs": "none", "fair-share": "netbatch"}
"""What stands behind an order that is named alone; behind any other, `easy`."""
SUMMARY = "an order and a backfilling, such as sjf+easy(heads=2)"


@dataclass(frozen=True)
class Part:
    """One side of the plus: a name and its parameters as they are written.

    Example:
        >>> Part.of("easy(heads=2)")
        Part(name='easy', given={'heads': '2'})
    """

    name: str
    given: Mapping[str, str]

    @classmethod
    def of(cls, text: str) -> "Part":
        """The part that `text` is.

        Raises:
            InputError: the parentheses or a parameter are not as the grammar says.
        """
        found = re.fullmatch(r"([^()]+)(?:\((.*)\))?", text.strip(), re.DOTALL)
        if found is None:
            raise InputError(text, "not as a discipline is written", fix=f"write {SUMMARY}")
        given = {}
        for pair in found[2].split(",") if found[2] else ():
            name, equals, value = pair.partition("=")
            if not equals or not name.strip() or not value.strip() or name.strip() in given:
                raise InputError(pair.strip() or text, "a parameter is written once, as name=value", where=text)
            given[name.strip()] = value.strip()
        return cls(found[1].strip(), given)


def split_specs(text: str) -> list[str]:
    """The disciplines of a list parted by commas that stand outside parentheses, each once, in order.

    Example:
        >>> split_specs("sjf+conservative(early_end=now), netbatch(reservations=2,lookahead=9),sjf+skip,sjf+skip")
        ['sjf+conservative(early_end=now)', 'netbatch(reservations=2,lookahead=9)', 'sjf+skip']
    """
    parts = re.split(r",(?![^()]*\))", text)
    return list(dict.fromkeys(part.strip() for part in parts if part.strip()))


def discipline_named(
    spec: str, sources: Sources = NO_SOURCES, elsewhere: Mapping[str, str] | None = None, **usual: Any
) -> Discipline:
    """The discipline that `spec` says.

    Args:
        spec: `ORDER+BACKFILLING`, or one of the two alone; each built-in or `file.py:name`, parameters in parentheses.
        sources: text of the user's files, where it is known already.
        elsewhere: what names of other kinds are, for the refusal.
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
        alone = _is_backfilling(part, sources)
        first, second = (USUAL_ORDER, first) if alone else (first, USUAL_BACKFILLING.get(part.name, "easy"))
    order = _order(Part.of(first), sources, elsewhere or {}, usual)
    return Discipline(order, _backfilling(Part.of(second), sources, elsewhere or {}, usual), spec)


def is_discipline(spec: str) -> bool:
    """Whether `spec` names orders and backfillings, and not something else; of files' names it cannot be known.

    Example:
        >>> is_discipline("my.py:rank+easy"), is_discipline("skip"), is_discipline("mix-fit+mosix")
        (True, True, False)
    """
    if spec.count("(") != spec.count(")"):
        return False
    names = [re.split(r"[()]", side)[0].strip() for side in _sides(spec) if side is not None]
    return any(name in _ORDER_NAMES or name in BACKFILLINGS for name in names)


def parameters_of(spec: str, elsewhere: Mapping[str, str] | None = None) -> set[str]:
    """The names of the parameters that the parts of `spec` have; `elsewhere` as for `discipline_named`.

    Example:
        >>> sorted(parameters_of("fair-share+netbatch"))
        ['lookahead', 'reservations', 'shares']
    """
    discipline = discipline_named(spec, elsewhere=elsewhere)
    parts: tuple[Any, ...] = (discipline.order, discipline.backfilling)
    made = [part for part in parts if is_dataclass(part) and not isinstance(part, Order)]
    return {field.name for part in made for field in fields(part)} - {"name"}


def files_of(spec: str) -> list[str]:
    """Those sides of `spec` that name something in a file of the user's, without their parameters."""
    names = [Part.of(side).name for side in _sides(spec) if side is not None]
    return [name for name in names if Reference.of(name) is not None]


def _sides(spec: str) -> tuple[str, str | None]:
    """Left and right of the plus that stands outside parentheses and is no part of a path."""
    for at in [found.start() for found in re.finditer(r"\+(?![^()]*\))", spec)][::-1]:
        left, right = spec[:at].strip(), spec[at + 1 :].strip()
        if not left or not right:
            raise InputError(spec, "not as a discipline is written", fix=f"write {SUMMARY}")
        if ":" not in right or _is_whole(left.partition("(")[0]):
            return left, right
    return spec, None


def _is_whole(name: str) -> bool:
    """Whether it names an order, and is not the first part of a path with a plus in it."""
    return name in _ORDER_NAMES or (":" in name and name.rpartition(":")[2].isidentifier())


def _is_backfilling(part: Part, sources: Sources) -> bool:
    reference = Reference.of(part.name)
    if reference is None:
        return part.name in BACKFILLINGS
    return isinstance(reference.thing(sources.get(reference.path)), type)


def _order(part: Part, sources: Sources, elsewhere: Mapping[str, str], usual: Mapping[str, Any]) -> AnyOrder:
    reference = Reference.of(part.name)
    if reference is not None:
        thing = reference.thing(sources.get(reference.path))
        if isinstance(thing, type):
            return _made(thing, part, usual, "order", "begin")  # type: ignore[no-any-return]
        _refuse_parameters(part)
        check_function(thing, reference, RANK)
        return Order(part.name, thing, moves=uses_parameter(thing, 1))
    if part.name in ORDERS:
        return _in_form(ORDERS[part.name], part)
    if part.name not in ORDERS_WITH_MEMORY:
        raise _no_order(part.name, elsewhere)
    return _made(ORDERS_WITH_MEMORY[part.name][0], part, usual, "order", "begin")  # type: ignore[no-any-return]


def _no_order(name: str, elsewhere: Mapping[str, str]) -> InputError:
    orders = (*ORDERS, *ORDERS_WITH_MEMORY)
    if name in BACKFILLINGS:
        return InputError(name, "this is a backfilling, which stands behind the order", fix=f"write sjf+{name}")
    see = f"orders: {', '.join(orders)}; backfillings: {', '.join(BACKFILLINGS)}"
    return no_such(name, (*orders, *BACKFILLINGS), what="discipline", see=see, elsewhere=elsewhere)


def _backfilling(part: Part, sources: Sources, elsewhere: Mapping[str, str], usual: Mapping[str, Any]) -> Backfilling:
    reference = Reference.of(part.name)
    if reference is not None:
        thing = reference.thing(sources.get(reference.path))
        if not isinstance(thing, type):
            raise InputError(part.name, "a backfilling is a class with a method serve(self, board)")
        return _made(thing, part, usual, "backfilling", "serve")  # type: ignore[no-any-return]
    kind, *_ = pick(part.name, BACKFILLINGS, what="backfilling", see=f"one of {', '.join(BACKFILLINGS)}",
                    elsewhere=dict(elsewhere))  # fmt: skip
    return _made(kind, part, usual, "backfilling", "serve")  # type: ignore[no-any-return]


def _in_form(order: Order, part: Part) -> Order:
    if not order.forms or not part.given:
        _refuse_parameters(part)
        return order
    for name in part.given.keys() - {"form"}:
        raise InputError(name, f"{part.name} has no such parameter", fix="it has form")
    return order.in_form(part.given["form"])


def _refuse_parameters(part: Part) -> None:
    if part.given:
        raise InputError(next(iter(part.given)), f"{part.name} has no parameters")


def _made(kind: type[Any], part: Part, usual: Mapping[str, Any], what: str, method: str) -> Any:
    """An instance of `kind` with the parameters of `part`, read by the types of its fields."""
    if not callable(getattr(kind, method, None)):
        raise InputError(part.name, f"this {what} has no method {method}", fix="see the guide on extending")
    values = values_of(kind, part, usual)
    try:
        return kind(**values)
    except InputError:
        raise
    except Exception as error:  # a user's class may fail in any way
        raise InputError(part.name, f"this {what} fails: {type(error).__name__}: {str(error)[:120]}") from error


def values_of(kind: type[Any], part: Part, usual: Mapping[str, Any] = {}) -> dict[str, Any]:
    """What `part` says of the fields of the dataclass `kind`, by name, and before it what is `usual` for them.

    Raises:
        InputError: it has no such parameter, or not such a value.
    """
    hints = get_type_hints(kind) if is_dataclass(kind) else {}
    names = [field.name for field in fields(kind) if field.init and field.name != "name"] if is_dataclass(kind) else []
    values = {name: value for name, value in usual.items() if name in names}
    for name, text in part.given.items():
        if name not in names:
            known = f"it has {', '.join(names)}" if names else "it has none"
            raise InputError(name, f"{part.name} has no such parameter", fix=known)
        values[name] = _value(text, hints[name], f"{part.name}({name}=...)")
    return values


def _value(text: str, hint: Any, where: str) -> Any:
    """`text` as a value of the type `hint`: a number, a word of a list, a flag, numbers parted by colons, none."""
    reads = list(_readers(hint))
    for _, read in reads:
        try:
            return read(text)
        except ValueError:
            continue
    raise InputError(text, f"this parameter takes {' or '.join(rule for rule, _ in reads)}", where=where)


def _readers(hint: Any) -> Iterator[tuple[str, Callable[[str], Any]]]:
    if isinstance(hint, UnionType) or get_origin(hint) is Union:
        for each in get_args(hint):
            yield from _readers(each)
    elif hint is NoneType:
        yield "all", _word(("all", "none"), {"all": None, "none": None})
    elif hint is bool:
        yield "yes or no", _word(("yes", "no"), {"yes": True, "no": False})
    elif hint is int:
        yield "a whole number from zero up", _whole
    elif hint is float:
        yield "a number from zero up", _number
    elif get_origin(hint) is Literal:
        words = get_args(hint)
        yield ", ".join(words), _word(words, {word: word for word in words})
    elif get_origin(hint) is tuple:
        yield _several(get_args(hint)[0])
    else:
        yield "text", str


def _several(hint: Any) -> tuple[str, Callable[[str], Any]]:
    """Of a tuple of numbers, of words of a list, or of pairs of a name and a number."""
    if get_origin(hint) is tuple:
        return "names and numbers such as cores:300;gpus:50", lambda text: tuple(map(_pair, text.split(";")))
    rule, read = next(_readers(hint))
    many = "numbers" if hint is float else f"some of {rule}"
    return f"{many} parted by colons", lambda text: tuple(read(part) for part in text.split(":"))


def _pair(text: str) -> tuple[str, float]:
    name, _, number = text.partition(":")
    return name.strip(), _number(number)


def _word(words: tuple[str, ...], values: Mapping[str, Any]) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        if text not in words:
            raise ValueError(text)
        return values[text]

    return read


def _whole(text: str) -> int:
    if not text.isdecimal() or len(text) > 15:
        raise ValueError(text)
    return int(text)


def _number(text: str) -> float:
    number = float(text)
    if not number >= 0 or number == float("inf"):
        raise ValueError(text)
    return number


_ORDER_NAMES = frozenset((*ORDERS, *ORDERS_WITH_MEMORY))
