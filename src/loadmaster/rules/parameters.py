"""Objects of classes, built in or the user's, with the parameters that stand behind their name."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import FunctionType, NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from loadmaster.model.errors import InputError, one_line
from loadmaster.rules.part import Part, parted


def instance_of(kind: type[Any], part: Part, usual: Mapping[str, Any], what: str, method: str) -> Any:
    """An instance of `kind` with the parameters of `part`, read by the types of its fields.

    Args:
        kind: built in or the user's.
        part: its name and parameters.
        usual: parameters for those fields that it has and `part` says nothing of.
        what: the kind of thing it is, in words.
        method: what makes it one; several, of which it needs one, are parted by ` or `.

    Raises:
        InputError: it has no such method or parameter, or fails.
    """
    if not any(callable(getattr(kind, each, None)) for each in method.split(" or ")):
        raise InputError(
            part.name, f"this {what} has no method {method}", fix="the guides on rules of your own have one"
        )
    values = values_of(kind, part, usual)
    try:
        return kind(**values)
    except InputError:
        raise
    except Exception as error:  # a user's class may fail in any way
        why = one_line(f"{type(error).__name__}: {error}", 120)
        raise InputError(part.name, f"this {what} fails: {why}") from error


def values_of(kind: type[Any], part: Part, usual: Mapping[str, Any] = {}) -> dict[str, Any]:
    """What `part` says of the fields of the dataclass `kind`, by name, and before it what is `usual` for them.

    Raises:
        InputError: it has no such parameter, or not such a value.
    """
    hints = get_type_hints(kind) if is_dataclass(kind) else {}
    names = [field.name for field in fields(kind) if field.init and field.name != "name"] if is_dataclass(kind) else []
    values = {name: value for name, value in usual.items() if name in names}
    return values | _read(part, {name: hints[name] for name in names})


def arguments_of(function: FunctionType, part: Part, taken: tuple[str, ...]) -> dict[str, Any]:
    """What `part` says of the parameters of `function` beside those `taken`; a type is that of its default.

    Raises:
        InputError: it has no such parameter, or not such a value.

    Example:
        >>> def bursts(seed, jobs=100, load: float = 1): ...
        >>> arguments_of(bursts, Part.of("mine.py:bursts(load=2,jobs=7)"), ("seed",))
        {'load': 2.0, 'jobs': 7}
    """
    hints = get_type_hints(function)
    known = {name: each for name, each in inspect.signature(function).parameters.items() if name not in taken}
    types = {
        name: hints.get(name, str if each.default is each.empty else type(each.default)) for name, each in known.items()
    }
    return _read(part, types)


def refuse_parameters(part: Part) -> None:
    """Refuse parameters of what has none.

    Raises:
        InputError: `part` has some.
    """
    if part.given:
        raise InputError(next(iter(part.given)), f"{part.name} has no parameters")


def _read(part: Part, types: Mapping[str, Any]) -> dict[str, Any]:
    values = {}
    for name, text in part.given.items():
        if name not in types:
            known = f"it has {', '.join(types)}" if types else "it has none"
            raise InputError(name, f"{part.name} has no such parameter", fix=known)
        values[name] = _value(text, types[name], f"{part.name}({name}=...)")
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
        yield "all or none, for no such number", _word(("all", "none"), {"all": None, "none": None})
    elif hint is bool:
        yield "yes or no", _word(("yes", "no"), {"yes": True, "no": False})
    elif hint is int:
        yield "a whole number from zero up", _whole
    elif hint is float:
        yield "a number from zero up", _number
    elif get_origin(hint) is Literal:
        words = get_args(hint)
        yield ", ".join(words), _word(words, {word: word for word in words})
    elif get_origin(hint) in (tuple, Sequence):
        yield _several(get_args(hint)[0])
    else:
        yield "text", str


def _several(hint: Any) -> tuple[str, Callable[[str], Any]]:
    """Of a tuple of numbers, of words of a list, or of pairs of a name and a number."""
    if hint == tuple[int, int]:
        return "pairs of whole numbers such as 0:0;100:10", lambda text: tuple(map(_point, text.split(";")))
    if get_origin(hint) is tuple:
        return "names and numbers such as cores:300;gpus:50", lambda text: tuple(map(_pair, text.split(";")))
    if hint is str:
        return "names separated by semicolons", lambda text: tuple(part.strip() for part in parted(text, ";"))
    rule, read = next(_readers(hint))
    many = "numbers" if hint is float else f"some of {rule}"
    return f"{many} separated by colons", lambda text: tuple(read(part) for part in text.split(":"))


def _pair(text: str) -> tuple[str, float]:
    name, _, number = text.partition(":")
    return name.strip(), _number(number)


def _point(text: str) -> tuple[int, int]:
    first, _, second = text.partition(":")
    return _whole(first.strip()), _whole(second.strip())


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
