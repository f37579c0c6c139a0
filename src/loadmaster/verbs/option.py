"""Options of a verb as one frozen dataclass: names, types, defaults and help, once for Python and command line."""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ForwardRef, Literal, ParamSpec, Self, TypeVar, get_args, get_origin

P = ParamSpec("P")
O = TypeVar("O", bound="Options")  # noqa: E741
R = TypeVar("R")


@dataclass(frozen=True)
class Option:
    """What is said of an option beside its type and its default; it stands in `Annotated`.

    Attributes:
        help: one sentence.
        metavar: what stands for its value in `--help`.
        panel: the heading below which `--help` lists it.
        flags: as it is written on the command line, where that is not its name with dashes.
        typed: its type on the command line, where Python takes more than can be typed.
        least: the least number.
        most: the largest number.
        below: whole numbers end before this.
        argument: it has no flag but a place.
        reads: it names a file that is read, which may be a pipe.
        in_file: it may stand in a file of options as well.
        rule: it names rules, which may be Python of the user's own.
    """

    help: str
    metavar: str | None = None
    panel: str | None = None
    flags: tuple[str, ...] = ()
    typed: Any = None
    least: float | None = None
    most: float | None = None
    below: int | None = None
    argument: bool = False
    reads: bool = False
    in_file: bool = True
    rule: bool = False


@dataclass(frozen=True)
class Options:
    """Parent of all options of verbs; every field of a child is `Annotated` with an `Option`.

    Attributes:
        given: names of the options that were given, defaults or not, in order: each of them must have an effect.

    Raises:
        InputError: a value is none of the words that its option takes, or too small or large.
    """

    given: tuple[str, ...] = dataclasses.field(init=False, repr=False, compare=False)

    def __new__(cls, *args: Any, **values: Any) -> "Options":
        """Remember which were given."""
        options = super().__new__(cls)
        names = [field.name for field in dataclasses.fields(cls) if field.init and not field.kw_only]
        object.__setattr__(options, "given", (*names[: len(args)], *values))
        return options

    @classmethod
    def of(cls, given: Mapping[str, Any], usual: Mapping[str, Any]) -> Self:
        """The options of what was `given`, with the caller's own defaults."""
        options = cls(**given, **{name: value for name, value in usual.items() if name not in given})
        names = tuple(name for name in options.given if name in given or name not in usual)
        object.__setattr__(options, "given", names)
        return options

    def __post_init__(self) -> None:
        """See that every value is one that its option takes; what comes through a pipe is from now on in a file."""
        from loadmaster.verbs.pipe_input import pipe_as_file

        for name, (kind, option) in described(type(self)).items():
            if option.reads:
                object.__setattr__(self, name, pipe_as_file(getattr(self, name)))
            check(getattr(self, name), kind, option, self.flag(name))

    def call(self, verb: str) -> str:
        """How one writes this in Python: every option that was given and says something; others by their kind."""
        from loadmaster.verbs.pipe_input import as_named

        names = [field.name for field in dataclasses.fields(self) if field.init and not field.kw_only]
        usual = {field.name: repr(field.default) for field in dataclasses.fields(self)}
        shown = {name: _shown(getattr(self, name)) for name in self.given}
        shown = {name: text for name, text in shown.items() if text != usual[name]}
        first = [shown.pop(name) for name in names[:1] if name in shown]
        words = ", ".join([*first, *(f"{name}={text}" for name, text in shown.items())])
        return as_named(f"loadmaster.{verb}({words})")

    @classmethod
    def flag(cls, name: str) -> str:
        """How the option `name` is written on the command line; an argument has no name to write but its own."""
        option = described(cls)[name][1]
        if option.argument:
            return name.upper()
        return max(option.flags, key=len) if option.flags else f"--{name.replace('_', '-')}"


def described(kind: type[Options]) -> dict[str, tuple[Any, Option]]:
    """Type and description of every option of `kind` by its name, those of its own before those it shares.

    Types that only Python's own checkers know stay text.
    """
    parents = reversed(kind.__mro__)
    hints = {name: hint for each in parents for name, hint in vars(each).get("__annotations__", {}).items()}
    names = [field.name for field in dataclasses.fields(kind) if field.init]
    own = [name for name in names if name in vars(kind).get("__annotations__", {})]
    ordered = dict.fromkeys([*own, *names])
    return {name: (_plain(get_args(hints[name])[0]), get_args(hints[name])[1]) for name in ordered}


def _plain(hint: Any) -> Any:
    return hint.__forward_arg__ if isinstance(hint, ForwardRef) else hint


def called_with(kind: Callable[P, O], work: Callable[[O], R]) -> Callable[P, R]:
    """`work` as a function that takes the options of `kind` one by one, in Python's own way.

    Its signature and the list of its arguments are read off the dataclass.

    Args:
        kind: the options, a dataclass.
        work: what the verb does with them.
    """
    import inspect

    options: Any = kind

    def verb(*args: P.args, **values: P.kwargs) -> R:
        return work(kind(*args, **values))

    parameters, types = inspect.signature(kind).parameters, described(options)
    ordered = sorted(parameters, key=lambda name: (parameters[name].kind, list(types).index(name)))
    returns = inspect.signature(work).return_annotation
    wrapped: Any = verb
    wrapped.__signature__ = inspect.Signature(
        [parameters[name].replace(annotation=types[name][0]) for name in ordered], return_annotation=returns
    )
    wrapped.__name__ = wrapped.__qualname__ = work.__name__.removesuffix("_with")
    wrapped.__module__ = work.__module__
    wrapped.__doc__ = _documented(work.__doc__ or "", options)
    return verb


def _documented(text: str, kind: type[Options]) -> str:
    """The docstring `text`, its section on arguments replaced by a line for each option."""
    import inspect

    lines = [f"    {name}: {option.help}" for name, (_, option) in described(kind).items()]
    first, *sections = [part for part in inspect.cleandoc(text).split("\n\n") if not part.startswith("Args:")]
    return "\n\n".join([first, "\n".join(["Args:", *lines]), *sections]) + "\n"


def _shown(value: Any) -> str:
    from pathlib import Path

    if isinstance(value, list | tuple):
        inside = ", ".join(map(_shown, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside})"
    if isinstance(value, Path):
        return repr(str(value))
    plain = value is None or isinstance(value, str | int | float | dict)
    return repr(value) if plain else str(getattr(value, "__name__", f"<{type(value).__name__}>"))


def check(value: Any, kind: Any, option: Option, flag: str) -> None:
    """See that `value` is a word or a number that the option `flag` takes.

    Raises:
        InputError: it is none.
    """
    words = get_args(kind) if get_origin(kind) is Literal else ()
    number = isinstance(value, int | float) and not isinstance(value, bool)
    rule = ""
    if words and value not in words:
        rule = ", ".join(map(str, words))
    elif number and option.least is not None and not value >= option.least:
        rule = f"a {'whole ' if isinstance(option.least, int) else ''}number of at least {option.least}"
    elif number and option.most is not None and not value <= option.most:
        rule = f"a number of at most {option.most}"
    elif number and option.below is not None and value >= option.below:
        rule = f"a whole number below {option.below}"
    if rule:
        from loadmaster.model.errors import InputError

        raise InputError(value, f"{flag} takes {rule}")
