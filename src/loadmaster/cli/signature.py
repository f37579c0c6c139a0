"""A verb's parameters on the command line, read off the dataclass of its options."""

import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import wraps
from typing import Annotated, Any, TypeVar

import typer

from loadmaster.verbs.option import Option, Options, described

O = TypeVar("O", bound=Options)  # noqa: E741


def taking(kind: type[O], **usual: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make a command of a function whose first parameter is `options`: Typer sees a parameter for each option instead.

    The function gets an object of `kind` made of what was typed, and its other parameters by name.

    Args:
        kind: the options.
        usual: defaults that are the command line's own.
    """

    def of(function: Callable[..., None]) -> Callable[..., None]:
        own = list(inspect.signature(function).parameters.values())[1:]

        @wraps(function)
        def command(typed_here: typer.Context, **values: Any) -> None:
            beside = {each.name: values[each.name] for each in own}
            names = [name for name in typed(typed_here) if name not in beside]
            with _only_documents() if beside.get("as_json") else nullcontext():
                function(kind.of({name: values[name] for name in names}, usual), **beside)

        context = inspect.Parameter("typed_here", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
        wrapped: Any = command
        wrapped.__signature__ = inspect.Signature([context, *_parameters(kind, usual), *_keywords(own)])
        wrapped.__annotations__ = {each.name: each.annotation for each in wrapped.__signature__.parameters.values()}
        return command

    return of


def _only_documents() -> AbstractContextManager[None]:
    from loadmaster.report.document import only_documents

    return only_documents()


def typed(context: typer.Context) -> list[str]:
    """The names of the parameters that stand on the command line, in the verb's order."""
    names = (parameter.name for parameter in context.command.params if parameter.name is not None)
    return [name for name in names if _source(context, name) == "COMMANDLINE"]


def _source(context: typer.Context, name: str) -> str:
    source = context.get_parameter_source(name)
    return "" if source is None else source.name


def _parameters(kind: type[Options], usual: dict[str, Any]) -> list[inspect.Parameter]:
    defaults = {name: each.default for name, each in inspect.signature(kind).parameters.items()} | usual
    return [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=defaults[name],
            annotation=Annotated[python if option.typed is None else option.typed, _typer(kind, name, option)],
        )
        for name, (python, option) in described(kind).items()
    ]


def _keywords(own: list[inspect.Parameter]) -> list[inspect.Parameter]:
    return [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in own]


def _typer(kind: type[Options], name: str, option: Option) -> Any:
    if option.argument:
        return typer.Argument(metavar=option.metavar or name.upper(), help=option.help)
    flags = option.flags or (kind.flag(name),)
    return typer.Option(
        *flags,
        metavar=option.metavar,
        help=option.help,
        rich_help_panel=option.panel,
        min=option.least,
        max=option.most,
        callback=None if option.below is None else _below(option.below),
    )


def _below(end: int) -> Callable[[int], int]:
    def check(number: int) -> int:
        if number >= end:
            raise typer.BadParameter(f"{number} is not below 2^{end.bit_length() - 1}")
        return number

    return check
