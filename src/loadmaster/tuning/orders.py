"""Orders that are searched: weighted logarithms of what a job asks and has waited, ageing and a patience (rule U5)."""

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
AGEING, PATIENCE = "order.ageing-h", "order.patience-h"
HOURS = (AGEING, PATIENCE)
"""Terms whose number is a time in hours; a candidate from which one is taken out has no such entry."""
_AGES = "a wait so long counts 1, one twice as long 4, one ten times as long 100"
_STOPS = "who has waited longer goes before all others, first come, first served"
_LONGEST_H = 24 * 365
_ANYWAY_H = 2
"""Hours are searched to at least so many."""
_TIMES: Mapping[str, int] = {AGEING: 16, PATIENCE: 4}
"""Hours are searched from this part of the longest wait that is allowed; fewer are nearly first come, first served."""


class _Begun(NamedTuple):
    """An order to begin with: weights, and how many times the ageing goes into the longest wait that is allowed."""

    length: float = 0.0
    width: float = 0.0
    stretch: float = 0.0
    times: int = 1


_BEGUN = (
    _Begun(length=1.0, width=1.0, times=6), _Begun(length=1.0, width=1.0, times=4),
    _Begun(length=1.0, width=1.0, times=3), _Begun(length=1.0, width=1.0, times=2),
    _Begun(length=1.0, width=0.5, times=6), _Begun(length=0.5, width=1.0, times=8),
    _Begun(stretch=-1.0), _Begun(length=0.5, width=0.5, stretch=-0.5, times=8),
)  # fmt: skip
"""Small in area first, as far as ever less ageing lets them: how much is right differs most from log to log. Then with
more weight on the runtime, on the cores; `lxf`; and between them."""


def order_knobs(longest_s: float, *, memory: bool) -> tuple[Knob, ...]:
    """What is searched of an order.

    Args:
        longest_s: the longest wait that is allowed: to wait longer for one's turn never helps.
        memory: jobs ask for memory.
    """
    most_h = float(min(max(int(longest_s / 3600.0), _ANYWAY_H), _LONGEST_H))
    age, stop = (
        Knob(name, f"hours: {meaning}", float(max(int(most_h / _TIMES[name]), 1)), most_h)
        for name, meaning in ((AGEING, _AGES), (PATIENCE, _STOPS))
    )
    asked = [weight("order.memory", "for each doubling of the memory of the whole job")] if memory else []
    return (
        weight("order.length", "for each doubling of the expected runtime", low=0.0),
        weight("order.width", "for each doubling of the cores of the whole job"),
        *asked,
        weight("order.wait", "for each doubling of the wait", low=-1.0, high=0.0),
        weight("order.stretch", "for each doubling of (wait + expected runtime) / expected runtime", -2.0, 0.0),
        age,
        stop,
    )


def first_orders(knobs: tuple[Knob, ...]) -> list[dict[str, Value]]:
    """Orders of the literature in these terms, to begin with; all with ageing, most with much of it."""
    most_h = int(next(knob.high for knob in knobs if knob.name == PATIENCE))
    zero: dict[str, Value] = {knob.name: 0.0 for knob in knobs if knob.off is not None}
    return [
        {**zero, "order.length": one.length, "order.width": one.width, "order.stretch": one.stretch,
         AGEING: max(most_h // one.times, 1), PATIENCE: most_h}
        for one in _BEGUN
    ]  # fmt: skip


def order_text(knobs: tuple[Knob, ...], values: Values) -> str:
    """The function `rank` with its constants, as a user would write it; terms of no weight are left out."""
    used = [knob for knob in knobs if knob.term in _FORMULAS and values[knob.name] != knob.off]
    constants = [f"{knob.constant} = {values[knob.name]!r}  # {knob.meaning}" for knob in used]
    terms = [f"+ {knob.constant} * {_FORMULAS[knob.term]}" for knob in used]
    if AGEING in values:
        constants.append(f"AGEING_S = {values[AGEING]} * 3600.0  # {_AGES}")
        terms.append("- (wait_s / AGEING_S) ** 2")
    lines = ["def rank(job, now):", '    """Lower goes first."""', "    wait_s = now - job.submit_s"]
    if PATIENCE in values:
        constants.append(f"PATIENCE_S = {values[PATIENCE]} * 3600.0  # {_STOPS}")
        lines += ["    if wait_s > PATIENCE_S:", "        return -1e9 - wait_s"]
    added = "\n        ".join(terms).removeprefix("+ ")
    lines += ["    return (", f"        {added}", "    )"] if terms else ["    return -wait_s"]
    return "\n".join(["import math", "", *constants, "", "", *lines, ""])
