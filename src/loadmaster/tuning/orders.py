"""Orders that are searched: weighted logarithms of what a job asks and has waited, and a patience (rule U5)."""

from collections.abc import Mapping

from loadmaster.tuning.knobs import Knob, Value, Values, weight

_FORMULAS: Mapping[str, str] = {
    "length": "math.log2(max(job.expected_s, 1.0))",
    "width": "math.log2(max(job.cores, 1.0))",
    "memory": "math.log2(max(job.memory, 1.0))",
    "wait": "math.log2(1.0 + wait_s)",
    "stretch": "math.log2(1.0 + wait_s / max(job.expected_s, 1.0))",
    "age": "wait_s / 86400.0",
}
PATIENCE = "order.patience-h"
_LONGEST_H = 24 * 365
_ANYWAY_H = 2
"""Patience is searched from one hour to at least so many."""


def order_knobs(patience_s: float, *, memory: bool) -> tuple[Knob, ...]:
    """What is searched of an order.

    Args:
        patience_s: more patience than this never helps: the longest wait that is allowed.
        memory: jobs ask for memory.
    """
    most_h = float(min(max(int(patience_s / 3600.0), _ANYWAY_H), _LONGEST_H))
    asked = [weight("order.memory", "for each doubling of the memory of the whole job")] if memory else []
    return (
        weight("order.length", "for each doubling of the expected runtime"),
        weight("order.width", "for each doubling of the cores of the whole job"),
        *asked,
        weight("order.wait", "for each doubling of the wait", low=-1.0, high=0.0),
        weight("order.stretch", "for each doubling of (wait + expected runtime) / expected runtime", -2.0, 0.0),
        weight("order.age", "for each day of wait", low=-2.0, high=0.0),
        Knob(PATIENCE, "hours: who has waited longer goes before all others, first come, first served", 1.0, most_h),
    )


def first_orders(knobs: tuple[Knob, ...]) -> list[dict[str, Value]]:
    """Orders of the literature in these terms, to begin with: short, small in area, stretched, and between them."""
    most_h = int(next(knob.high for knob in knobs if knob.name == PATIENCE))
    begun = (
        {"length": 1.0}, {"length": 1.0, "width": 1.0}, {"stretch": -1.0}, {"length": 0.5, "wait": -0.5},
        {"length": 0.5, "width": 0.5, "stretch": -0.5},
    )  # fmt: skip
    zero: dict[str, Value] = {knob.name: 0.0 for knob in knobs if knob.off is not None}
    halves = (max(most_h // 2, 1), max(most_h // 2, 1), most_h, most_h, max(most_h // 2, 1))
    return [
        {**zero, **{f"order.{term}": value for term, value in terms.items()}, PATIENCE: patience}
        for terms, patience in zip(begun, halves, strict=True)
    ]


def order_text(knobs: tuple[Knob, ...], values: Values) -> str:
    """The function `rank` with its constants, as a user would write it; terms of no weight are left out."""
    used = [knob for knob in knobs if knob.term in _FORMULAS and values[knob.name] != knob.off]
    constants = [f"{knob.constant} = {values[knob.name]!r}  # {knob.meaning}" for knob in used]
    patient = values.get(PATIENCE) is not None
    if patient:
        meaning = "who has waited longer goes before all others, first come, first served"
        constants.append(f"PATIENCE_S = {values[PATIENCE]} * 3600.0  # {meaning}")
    lines = ["def rank(job, now):", '    """Lower goes first."""', "    wait_s = now - job.submit_s"]
    if patient:
        lines += ["    if wait_s > PATIENCE_S:", "        return -1e9 - wait_s"]
    terms = [f"{knob.constant} * {_FORMULAS[knob.term]}" for knob in used]
    body = ["    return ("] + [f"        {'+ ' * (at > 0)}{term}" for at, term in enumerate(terms)] + ["    )"]
    lines += body if terms else ["    return -wait_s"]
    return "\n".join(["import math", "", *constants, "", "", *lines, ""])
