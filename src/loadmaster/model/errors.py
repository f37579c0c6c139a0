"""The tree of errors a user may meet.

LoadmasterError
├── InputError        what the user gave breaks a rule; the command line ends with exit code 2
└── MissingExtra      an optional part is not installed; exit code 2 as well

Infeasible problems are results, never exceptions.
"""


class LoadmasterError(Exception):
    """Parent of every error raised on purpose by this package."""


class InputError(LoadmasterError):
    """Bad input, told in one line: where, the value, the rule it breaks and the likely fix.

    Example:
        >>> str(InputError("0", "a host needs at least one core", fix="remove the line", where="hosts.csv:3"))
        "hosts.csv:3: '0': a host needs at least one core; remove the line"
    """

    def __init__(self, value: object, rule: str, *, fix: str = "", where: str = "") -> None:
        self.value = value
        self.rule = rule
        self.fix = fix
        self.where = where
        place = f"{where}: " if where else ""
        shown = str(value)
        shown = shown if len(shown) <= 80 else shown[:77] + "..."
        message = f"{place}{shown!r}: {rule}" + (f"; {fix}" if fix else "")
        super().__init__(" ".join(message.splitlines()))


class MissingExtra(LoadmasterError):
    """A feature needs a library of an optional extra."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs the extra {extra!r}; install it with: pip install 'loadmaster[{extra}]'")
