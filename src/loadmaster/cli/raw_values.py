"""Takes values of the command line that need no conversion as they are, without loading Typer's converters.

Typer converts every value by an adapter of Pydantic, which takes longer to load than all else that a list of rules
needs. But a default is what it shall be, a word is a word, a path is one as soon as it is called so, and a number in
plain digits needs no other reader than Python.
"""

import inspect
import re
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import typer

_DEFAULT = ("DEFAULT", "DEFAULT_MAP")
_DIGITS = {int: re.compile(r"-?[0-9]{1,18}"), float: re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,18})?")}
"""Numbers in their usual form; Typer reads other forms, or refuses them."""


class _Kind(NamedTuple):
    """What a parameter takes: its one type, and the bounds of a number."""

    type: Any
    least: float = float("-inf")
    most: float = float("inf")


def taking_words_as_they_are(command: Any) -> None:
    """Let what is not given, and words, paths, switches and plain numbers, past the conversion of a Typer command.

    Whatever else is typed, such as a number out of its bounds or a word that is not among those allowed, is converted
    or refused as ever.
    """
    taken = {} if command.callback is None else inspect.signature(command.callback).parameters
    kinds = {name: _kind(each.annotation) for name, each in taken.items()}
    for parameter in [*command.params, _help_of(command)]:
        if parameter is not None:
            parameter.process_value = _past(parameter, kinds.get(parameter.name))


def _help_of(command: Any) -> Any:
    """Its `--help`, which Click makes once, by the names that the command's settings say."""
    return command.get_help_option(typer.Context(command, **command.context_settings))


def _past(parameter: Any, kind: _Kind | None) -> Any:
    """`process_value` of a parameter of Click, which converts, requests what is required, and calls back."""
    convert = parameter.process_value
    several = parameter.nargs != 1 or getattr(parameter, "multiple", False)
    each = _kind(get_args(kind.type)[0]) if kind is not None and get_origin(kind.type) is list else None

    def process_value(context: Any, value: Any) -> Any:
        source = context.get_parameter_source(parameter.name)
        given = source is not None and source.name not in _DEFAULT
        if given and not several and kind is not None and _is_plain(value, kind):
            value = _value(value, kind)
        elif given and several and each is not None and all(_is_plain(one, each) for one in value):
            value = [_value(one, each) for one in value]
        elif given or parameter.required:
            return convert(context, value)
        elif several:
            value = value or ()
        return value if parameter.callback is None else parameter.callback(context, parameter, value)

    return process_value


def _value(value: Any, kind: _Kind) -> Any:
    return kind.type(value) if kind.type in (Path, *_DIGITS) else value


def _is_plain(value: Any, kind: _Kind) -> bool:
    if not isinstance(value, str):
        return type(value) is bool and kind.type is bool
    if kind.type in _DIGITS:
        return bool(_DIGITS[kind.type].fullmatch(value)) and kind.least <= float(value) <= kind.most
    return kind.type in (str, Path) or (get_origin(kind.type) is Literal and value in get_args(kind.type))


def _kind(annotation: Any) -> _Kind | None:
    """What an annotation takes, without None; nothing where it is of several types."""
    if get_origin(annotation) is Annotated:
        inner, *about = get_args(annotation)
        kind = _kind(inner)
        bounds = {
            name: getattr(each, of)
            for each in about
            for name, of in (("least", "min"), ("most", "max"))
            if getattr(each, of, None) is not None
        }
        return kind and kind._replace(**bounds)
    if get_origin(annotation) in (Union, UnionType):
        kinds = [each for each in get_args(annotation) if each is not NoneType]
        return _kind(kinds[0]) if len(kinds) == 1 else None
    return _Kind(annotation)
