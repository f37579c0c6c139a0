"""The group of verbs. It loads the file of a verb when that verb is called, and no file to list the verbs."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any, cast

import typer
from typer.core import TyperCommand, TyperGroup

from loadmaster.cli.examples import shown_below
from loadmaster.cli.option_mistakes import refusing_options_as_values, refusing_two_values
from loadmaster.cli.raw_values import taking_words_as_they_are

HELP = {"help_option_names": ["-h", "--help"]}


def group_of(verbs: dict[str, str]) -> type[TyperGroup]:
    """A class of group for `typer.Typer(cls=...)`.

    Args:
        verbs: name -> the first line of its help. Each is what `loadmaster.cli.NAME` calls so: a function, or a
            `typer.Typer` of its own.
    """

    class Verbs(TyperGroup):
        def __init__(self, **given: Any) -> None:
            super().__init__(**given)
            self.commands = cast(Any, _LazyCommands(verbs))

        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            taking_words_as_they_are(self)  # here, since Typer adds those of completion to a finished group
            return super().parse_args(ctx, args)

        def list_commands(self, ctx: Any) -> list[str]:
            return list(verbs)

        def format_help(self, ctx: Any, formatter: Any) -> None:
            self._listing().format_help(ctx, formatter)

        def shell_complete(self, ctx: Any, incomplete: str) -> Any:
            ctx.command = self._listing()
            return ctx.command.shell_complete(ctx, incomplete)

        def _listing(self) -> Any:
            """The same, of verbs that have a name and a line of help and can do nothing."""
            lines: dict[str, Any] = {name: TyperCommand(name, help=line) for name, line in verbs.items()}
            listing = TyperGroup(
                name=self.name,
                help=self.help,
                params=self.params,
                commands=lines,
                rich_markup_mode=self.rich_markup_mode,
                subcommand_metavar=self.subcommand_metavar,
                epilog=self.epilog,
            )
            return _switches_shown(listing)

    return Verbs


class _LazyCommands(Mapping[str, Any]):
    """name -> command, made when it is looked up."""

    def __init__(self, verbs: dict[str, str]) -> None:
        self._verbs = verbs

    def __getitem__(self, name: str) -> Any:
        if name not in self._verbs:
            raise KeyError(name)
        return _command(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._verbs)

    def __len__(self) -> int:
        return len(self._verbs)


@cache
def _command(name: str) -> Any:
    verb = getattr(import_module(f"loadmaster.cli.{name}"), name)
    alone = typer.Typer()
    if isinstance(verb, typer.Typer):
        alone.add_typer(verb, name=name, epilog=shown_below(name))
    else:
        alone.command(name, epilog=shown_below(name))(verb)
    return _with_short_help(typer.main.get_group(alone).commands[name])


def _with_short_help(command: Any) -> Any:
    """The command, and those within it, with `-h` beside `--help`, which Typer does not hand down; words as typed."""
    command.context_settings = {**command.context_settings, **HELP}
    taking_words_as_they_are(command)
    refusing_two_values(command)
    refusing_options_as_values(command)
    _arguments_named(command)
    for each in getattr(command, "commands", {}).values():
        _with_short_help(each)
    return _switches_shown(command)


def _switches_shown(command: Any) -> Any:
    """The command, whose help names no value where an option takes none."""
    for option in command.params:
        _without_a_value(option)
    get_help = command.get_help_option
    command.get_help_option = lambda ctx: _without_a_value(get_help(ctx))
    return command


def _arguments_named(command: Any) -> None:
    """Let the usage line show arguments as all tools do: `BAG`, `[TRACE]`, `[DIR]...`."""
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            name = parameter.metavar or parameter.name.upper()
            name = name if parameter.required else f"[{name}]"
            pieces = [name if parameter.nargs == 1 else f"{name}..."]
            parameter.get_usage_pieces = lambda context, pieces=pieces: pieces


def _without_a_value(option: Any) -> Any:
    if getattr(option, "is_flag", False):
        option.metavar = ""
    return option
