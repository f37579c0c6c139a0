"""Orders that are searched: weighted logarithms of what a job requests and has waited, and ageing (rule U5)."""

from collections.abc import Mapping
from typing import NamedTuple

from loadmaster.tuning.knobs import Knob, Value, Values, weight

_FORMULAS: Mapping[str, str] = {
    "length": "math.log2(max(job.expected_s, 1.0))",
    "width": "math.log2(max(job.cores, 1.0))",
    "memory": "math.log2(max(job.memory, 1.0))",
    "wait": "math.log2(1.0 + wait_s)",
    "stretch": "math.log2(1.0 + wait_s / max(job.expected_s, 1.0))",
}
AGEING, BACKLOG = "order.ageing-h", "order.backlog"
_AGES = "a wait so long counts 1, one twice as long 4, one ten times as long 100"
_WAITING = "ageing is longer by so much of the time that all that waits would take on CORES"
_LONGEST_H = 24 * 365
_ANYWAY_H = 2
"""Hours are searched to at least so many."""
_TIMES = 32
"""Hours are searched from this part of the longest wait that is allowed."""


class _Start(NamedTuple):
    """An order to begin with: weights, and how many times the ageing goes into the longest wait that is allowed."""

    length: float = 0.0
    width: float = 0.0
    stretch: float = 0.0
    backlog: float = 0.0
    times: int = 1


_BEGUN = (
    _Start(length=1.0, width=1.0, backlog=0.1, times=24), _Start(length=1.0, width=1.0, backlog=0.05, times=12),
    _Start(length=1.0, width=1.0, backlog=0.15, times=6), _Start(length=1.0, width=1.0, backlog=0.3, times=4),
    _Start(length=1.0, width=0.5, backlog=0.1, times=12), _Start(length=0.5, width=1.0, backlog=0.1, times=16),
    _Start(stretch=-1.0), _Start(length=0.5, width=0.5, stretch=-0.5, backlog=0.1, times=12),
)  # fmt: skip
"""Small in area first, as far as ever less ageing lets them: how much is right differs most from log to log. Then with
more weight on the runtime, on the cores; `lxf`; and between them."""


def order_knobs(longest_s: float, *, memory: bool) -> tuple[Knob, ...]:
    """What is searched of an order.

    Args:
        longest_s: the longest wait that is allowed: to wait longer for one's turn never helps.
        memory: jobs request memory.
    """
    most_h = float(min(max(int(longest_s / 3600.0), _ANYWAY_H), _LONGEST_H))
    weights = [weight("order.memory", "for each doubling of the memory of the whole job")] if memory else []
    return (
        weight("order.length", "for each doubling of the expected runtime", low=0.0),
        weight("order.width", "for each doubling of the cores of the whole job"),
        *weights,
        weight("order.wait", "for each doubling of the wait", low=-1.0, high=0.0),
        weight("order.stretch", "for each doubling of (wait + expected runtime) / expected runtime", -2.0, 0.0),
        weight(BACKLOG, _WAITING, low=0.0),
        Knob(AGEING, f"hours: {_AGES}", float(max(int(most_h / _TIMES), 1)), most_h),
    )


def first_orders(knobs: tuple[Knob, ...]) -> list[dict[str, Value]]:
    """Orders of the literature in these terms, to begin with; all with ageing, most with much of it."""
    most_h = int(next(knob.high for knob in knobs if knob.name == AGEING))
    zero: dict[str, Value] = {knob.name: 0.0 for knob in knobs if knob.off is not None}
    return [
        {
            **zero,
            "order.length": one.length,
            "order.width": one.width,
            "order.stretch": one.stretch,
            BACKLOG: one.backlog,
            AGEING: max(most_h // one.times, 1),
        }
        for one in _BEGUN
    ]


def order_text(knobs: tuple[Knob, ...], values: Values, cores: float) -> str:
    """The function `rank` with its constants, as a user would write it; terms of no weight are left out.

    Args:
        knobs: of the order.
        values: of a candidate; where it has no ageing, the backlog does nothing.
        cores: that the machines have, each times its speed.
    """
    used = [knob for knob in knobs if knob.term in _FORMULAS and values[knob.name] != knob.off]
    constants = [f"{knob.constant} = {values[knob.name]!r}  # {knob.meaning}" for knob in used]
    terms = [f"+ {knob.constant} * {_FORMULAS[knob.term]}" for knob in used]
    given, lines = "job, now", ["    wait_s = now - job.submit_s"]
    if AGEING in values:
        constants.append(f"AGEING_S = {values[AGEING]} * 3600.0  # {_AGES}")
        ageing = "AGEING_S"
        if values[BACKLOG]:
            constants += [f"BACKLOG = {values[BACKLOG]!r}  # {_WAITING}", f"CORES = {cores!r}"]
            given, ageing = "job, now, backlog", "ageing_s"
            lines.append("    ageing_s = AGEING_S + BACKLOG * backlog.core_s / CORES")
        terms.append(f"- (wait_s / {ageing}) ** 2")
    added = "\n        ".join(terms).removeprefix("+ ")
    lines += ["    return (", f"        {added}", "    )"] if terms else ["    return -wait_s"]
    head = [f"def rank({given}):", '    """Lower goes first."""']
    return "\n".join(["import math", "", *constants, "", "", *head, *lines, ""])
