"""Which meta-rules the compiled engines know, and what they know of them."""

from collections.abc import Callable
from typing import Any, NamedTuple

from loadmaster.schedule import AnyPolicy, MaxJobs, is_meta

JOBS, CORES, WEIGHTED = range(3)
TARGETS = {"jobs": JOBS, "cores": CORES, "weighted": WEIGHTED}


class Known(NamedTuple):
    """What compiled engines know of a meta-rule: they follow the first member of the highest value.

    Attributes:
        target: what makes the value, one of `TARGETS`.
        pruned: trying stops at the first member that starts the whole queue.
    """

    target: int = JOBS
    pruned: bool = False


_KNOWN: dict[type, Callable[[Any], Known]] = {
    MaxJobs: lambda rule: Known(TARGETS[rule.target], not rule.log_ties),
}
"""The meta-rules that are compiled, by their exact type: a subclass chooses for itself, in the plain engine."""


def known_of(policy: AnyPolicy) -> Known | None:
    """What compiled engines know of `policy`; None of a meta-rule that they do not know."""
    if not is_meta(policy):
        return Known()
    make = _KNOWN.get(type(policy))
    return None if make is None else make(policy)
