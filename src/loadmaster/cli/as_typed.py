"""Values of the command line that need no conversion are taken as they are, without loading what converts.

Typer converts every value by an adapter of Pydantic, which takes longer to load than all else that a list of rules
needs. But a default is what it shall be, a word is a word, and a path is one as soon as it is called so.
"""

import inspect
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import typer

_DEFAULT = ("DEFAULT", "DEFAULT_MAP")


def taking_words_as_they_are(command: Any) -> None:
    """Let what is not given, and words and paths, past the conversion of a Typer command.

    Whatever else is typed, such as a number or a word that is not among those allowed, is converted or refused as ever.
    """
    taken = {} if command.callback is None else inspect.signature(command.callback).parameters
    kinds = {name: _kind(each.annotation) for name, each in taken.items()}
    for parameter in [*command.params, _help_of(command)]:
        if parameter is not None:
            parameter.process_value = _past(parameter, kinds.get(parameter.name))


def _help_of(command: Any) -> Any:
    """Its `--help`, which Click makes once, by the names that the command's settings say."""
    return command.get_help_option(typer.Context(command, **command.context_settings))


def _past(parameter: Any, kind: Any) -> Any:
    """`process_value` of a parameter of Click, which converts, asks for what is required, and calls back."""
    convert = parameter.process_value
    several = parameter.nargs != 1 or getattr(parameter, "multiple", False)

    def process_value(context: Any, value: Any) -> Any:
        source = context.get_parameter_source(parameter.name)
        given = source is not None and source.name not in _DEFAULT
        if given and not several and _is_word(value, kind):
            value = Path(value) if kind is Path else value
        elif given or parameter.required:
            return convert(context, value)
        elif several:
            value = value or ()
        return value if parameter.callback is None else parameter.callback(context, parameter, value)

    return process_value


def _is_word(value: Any, kind: Any) -> bool:
    return isinstance(value, str) and (kind in (str, Path) or (get_origin(kind) is Literal and value in get_args(kind)))


def _kind(annotation: Any) -> Any:
    """The one type of an annotation, without what describes it and without None."""
    if get_origin(annotation) is Annotated:
        return _kind(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        kinds = [each for each in get_args(annotation) if each is not NoneType]
        return _kind(kinds[0]) if len(kinds) == 1 else None
    return annotation
