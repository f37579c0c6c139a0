"""The tree of errors a user may meet.

LoadmasterError
├── InputError        what the user gave breaks a rule; the command line ends with exit code 2
├── MissingExtra      an optional part is not installed; exit code 2 as well
└── OutOfRoom         an engine's arrays were laid out too short: a fault of this package; exit code 2 as well

Infeasible problems are results, never exceptions.
"""

from typing import Any

MOST = 300
"""Letters of a message: what is longer is not read, and a value may be a megabyte."""
_VALUE = 80
_WHERE = 120


class LoadmasterError(Exception):
    """Parent of every error raised on purpose by this package."""

    def __reduce__(self) -> tuple[Any, ...]:
        """As it is, whatever its constructor takes: a worker of a cluster sends it home."""
        return _rebuild, (type(self), str(self), {name: str(value) for name, value in vars(self).items()})


def _rebuild(kind: type[LoadmasterError], message: str, fields: dict[str, str]) -> LoadmasterError:
    error = kind.__new__(kind, message)
    error.args = (message,)
    vars(error).update(fields)
    return error


class InputError(LoadmasterError):
    """Bad input, described in one line: the place, the value, the rule that it breaks and the likely fix.

    Example:
        >>> str(InputError("0", "a host needs at least one core", fix="remove the line", where="hosts.csv:3"))
        "hosts.csv:3: '0': a host needs at least one core; remove the line"
    """

    def __init__(self, value: object, rule: str, *, fix: str = "", where: str = "") -> None:
        self.value = value
        self.rule = rule
        self.fix = fix
        self.where = where
        told = bool(where) and where != str(value)
        place = f"{where if len(where) <= _WHERE else '...' + where[3 - _WHERE :]}: " if told else ""
        super().__init__(one_line(f"{place}{cut(str(value), _VALUE)!r}: {rule}" + (f"; {fix}" if fix else "")))


class MissingExtra(LoadmasterError):
    """A feature needs a library of an optional extra."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs the extra {extra!r}; install it with: pip install 'loadmaster[{extra}]'")


class OutOfRoom(LoadmasterError):
    """An engine has stopped before it would have written behind one of its arrays."""

    def __init__(self) -> None:
        super().__init__(
            "the engine's arrays are too short for this log: it has stopped, and there is no result; "
            "this is an error in loadmaster: please report it, with the command and the log"
        )


def one_line(message: str, most: int = MOST) -> str:
    r"""`message` without line breaks and control characters, which could steer a terminal; cut off at `most` letters.

    Example:
        >>> one_line("no such\nfile \x1b[31m"), one_line("a" * 20, 10)
        ('no such file \\x1b[31m', 'aaaaaaa...')
    """
    text = " ".join(cut(message, 10 * most).splitlines())
    return cut("".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text), most)


def cut(text: str, most: int) -> str:
    """`text`, its end replaced by dots where it is longer than `most`."""
    return text if len(text) <= most else text[: most - 3] + "..."
