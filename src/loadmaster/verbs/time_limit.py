"""The option `--time-limit`: how long may be searched, and how a search says that it ended early."""

import math
from dataclasses import dataclass
from typing import Annotated

from loadmaster.verbs.option import Option, Options

TIME_LIMIT = Option("Time limit of the search: seconds, or a duration such as 5min.", typed=str)


@dataclass(frozen=True, kw_only=True)
class SearchLimitOptions(Options):
    """The limit of a search that ends by itself."""

    time_limit: Annotated[
        float | None,
        Option("Time limit of the search, such as 5min; without it, it ends by itself.", typed=str | None),
    ] = None

    def __post_init__(self) -> None:
        """See that the time limit is one, and make it seconds: it may be text, such as 5min."""
        super().__post_init__()
        if self.time_limit is not None:
            object.__setattr__(self, "time_limit", limit_s(self.time_limit))

    @property
    def search_s(self) -> float:
        """Seconds of the search; infinite without a limit."""
        return math.inf if self.time_limit is None else self.time_limit


def ended_in_words(limit: float | None, interrupted: bool) -> str:
    """What ended a search early, behind "the search ended".

    Args:
        limit: seconds; None for none.
        interrupted: the user pressed Ctrl-C.
    """
    return "by Ctrl-C" if interrupted else f"at its limit of {limit:g} s"


def limit_s(limit: str | float) -> float:
    """Seconds of a time limit.

    Raises:
        InputError: not a duration above 0.
    """
    from loadmaster.model.errors import InputError
    from loadmaster.model.units import parse_seconds

    try:
        seconds = parse_seconds(limit) if isinstance(limit, str) else limit
    except InputError as error:
        raise InputError(limit, "the time limit is not a duration", fix=error.fix) from None
    if not 0 < seconds < math.inf:
        raise InputError(limit, "the time limit must be above 0 s", fix="write it like 30, 30s or 5min")
    return seconds
