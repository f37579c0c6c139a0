"""Refuses options of the command line that would change nothing."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from loadmaster.cli.signature import typed
from loadmaster.verbs import unused_options

if TYPE_CHECKING:
    import typer

READING = (
    "format", "trace_format", "swf_memory", "memory_unit", "columns", "strict", "swf_partition",
    "swf_feedback", "cluster", "ignore",
)  # fmt: skip
"""Parameters that say how a log is read."""


@dataclass(frozen=True)
class TypedOptions:
    """What was typed, as `loadmaster.verbs.unused_options` takes it."""

    context: "typer.Context"

    @property
    def given(self) -> list[str]:
        """The names of the parameters that were typed."""
        return typed(self.context)

    def flag(self, name: str) -> str:
        """How parameter `name` is written; arguments have no name to write but their own."""
        parameter = next(parameter for parameter in self.context.command.params if parameter.name == name)
        return max(parameter.opts, key=len) if parameter.param_type_name == "option" else name.upper()


def refuse_unused(context: "typer.Context", names: Iterable[str], why: str, fix: str = "leave it out") -> None:
    """As `loadmaster.verbs.unused_options.refuse_unused`, of what was typed.

    Raises:
        InputError: one was typed.
    """
    unused_options.refuse_unused(TypedOptions(context), names, why, fix)


def refuse_all_but(context: "typer.Context", names: Iterable[str], why: str) -> None:
    """Refuse every parameter that the user typed beside `names`.

    Raises:
        InputError: one was typed.
    """
    unused_options.refuse_all_but(TypedOptions(context), names, why)


def refuse_reading(context: "typer.Context", trace: object) -> None:
    """Without a log, refuse what says how one is read.

    Raises:
        InputError: such an option was typed.
    """
    if trace is None:
        refuse_unused(context, READING, "without a log the demo is used, which is not read from a file")


def refuse_unneeded(context: "typer.Context", needs: unused_options.Needs) -> None:
    """Refuse typed options that nothing looks at.

    Raises:
        InputError: there is one.
    """
    unused_options.refuse_unneeded(TypedOptions(context), needs)


def option(context: "typer.Context", name: str) -> str:
    """How parameter `name` is written on the command line."""
    return TypedOptions(context).flag(name)
