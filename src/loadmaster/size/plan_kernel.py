"""Compiled: what renting n more machines would cost and how long the bag would then take, and the n to choose."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,misc,untyped-decorator"

import math
from typing import NamedTuple

import numpy as np
from numba import njit

THRIFT, BUDGET, DEADLINE = range(3)
CHANCES = 7
"""Equally probable amounts of work that a plan is tried on; one more, the last level, is the stated confidence."""


class Fleet(NamedTuple):
    """Machines being paid for, float64[H] each.

    Attributes:
        age_s: seconds since renting.
        ready_s: seconds until it can work.
        speed: work seconds a second.
        unit_s: charging unit.
        least: units charged at least.
        price: money for a unit.
    """

    age_s: np.ndarray
    ready_s: np.ndarray
    speed: np.ndarray
    unit_s: np.ndarray
    least: np.ndarray
    price: np.ndarray


class Offer(NamedTuple):
    """A type that could be rented now, or how many of it at most."""

    speed: float
    boot_s: float
    unit_s: float
    least: float
    price: float
    most: int


class Aim(NamedTuple):
    """What a plan is for.

    Attributes:
        mode: THRIFT, BUDGET or DEADLINE.
        money: what may be spent in all (BUDGET).
        seconds: how long the bag may still take (DEADLINE).
        waste: part by which the expected cost may exceed the least possible (THRIFT).
        spent: money charged for machines already given back.
        skip: how many of the smallest probable amounts of work need not keep to the allowed waste.
    """

    mode: int
    money: float
    seconds: float
    waste: float
    spent: float
    skip: int


class Forecast(NamedTuple):
    """A plan's outcome: mean over the chances, and at the stated confidence; money from the start of the bag."""

    number: int
    cost: float
    span_s: float
    sure_cost: float
    sure_span_s: float
    kept: bool


@njit(cache=True, error_model="numpy")
def units(age_s, unit_s, least):
    """Units charged for a machine of that age; as `HostType.units`."""
    return max(least, math.ceil(age_s / unit_s - 1e-9))


@njit(cache=True, error_model="numpy")
def outcome(fleet, offer, number, work_s, end_s):
    """Cost and seconds until the work is done if `number` machines more are rented now.

    All work until the last task; `end_s` is what a machine wastes at its end, a part of a task. If the units paid
    for hold the work, no machine goes beyond them. Else the cheaper of two: all go on into further units, or
    further machines follow later, each for one unit.
    """
    pace = number * offer.speed
    debt = number * offer.speed * offer.boot_s
    room = number * max(0.0, offer.least * offer.unit_s - offer.boot_s - end_s) * offer.speed
    paid = number * offer.least * offer.price
    for h in range(len(fleet.age_s)):
        pace += fleet.speed[h]
        debt += fleet.speed[h] * fleet.ready_s[h]
        now_units = units(fleet.age_s[h], fleet.unit_s[h], fleet.least[h])
        left = now_units * fleet.unit_s[h] - fleet.age_s[h]
        room += max(0.0, left - fleet.ready_s[h] - end_s) * fleet.speed[h]
        paid += now_units * fleet.price[h]
    if pace <= 0.0:
        return math.inf, math.inf
    span = (work_s + debt) / pace
    if work_s <= room:
        return paid, span
    stay = number * units(span, offer.unit_s, offer.least) * offer.price
    for h in range(len(fleet.age_s)):
        stay += units(fleet.age_s[h] + span, fleet.unit_s[h], fleet.least[h]) * fleet.price[h]
    each = max(offer.unit_s * offer.least - offer.boot_s - end_s, 0.25 * offer.unit_s) * offer.speed
    later = paid + math.ceil((work_s - room) / each - 1e-9) * offer.least * offer.price
    return min(stay, later), span


@njit(cache=True, error_model="numpy")
def forecast(fleet, offer, aim, number, work_s, limit, end_s, tail_s):
    """The outcome of renting `number` machines over all amounts of work, money from the start of the bag.

    `kept`: at none of the amounts is more than `limit[q]` spent.
    """
    cost = 0.0
    span = 0.0
    kept = True
    for q in range(CHANCES):
        c, s = outcome(fleet, offer, number, work_s[q], end_s)
        cost += c + aim.spent
        span += s
        kept = kept and (q < aim.skip or c + aim.spent <= limit[q] + 1e-9)
    sure_cost, sure_span = outcome(fleet, offer, number, work_s[CHANCES], end_s)
    return Forecast(number, cost / CHANCES, span / CHANCES + end_s, sure_cost + aim.spent, sure_span + tail_s, kept)


@njit(cache=True, error_model="numpy")
def choose(fleet, offer, aim, work_s, cheapest, end_s, tail_s):
    """How many machines of `offer` to rent now; `kept` says whether the aim is reached.

    THRIFT: the most that at none of the probable amounts of work cost more than the least possible and the allowed
    waste; what is spent anyway is no waste.
    BUDGET: the most whose cost stays within the money at the stated confidence; as THRIFT where none does.
    DEADLINE: the cheapest that ends in time at the stated confidence, of equally cheap ones the most; as many as
    possible where none does.

    `cheapest[q]` is the least money for which the whole bag could have been done from its start.
    """
    fewest = 0 if len(fleet.age_s) > 0 else min(1, offer.most)
    limit = np.empty(CHANCES)
    for q in range(CHANCES):
        c, _ = outcome(fleet, offer, fewest, work_s[q], end_s)
        limit[q] = max((1.0 + aim.waste) * cheapest[q], c + aim.spent)
    sunk = aim.spent
    for h in range(len(fleet.age_s)):
        sunk += units(fleet.age_s[h], fleet.unit_s[h], fleet.least[h]) * fleet.price[h]
    best = forecast(fleet, offer, aim, fewest, work_s, limit, end_s, tail_s)
    thrifty = best
    found = False
    for number in range(fewest, offer.most + 1):
        plan = forecast(fleet, offer, aim, number, work_s, limit, end_s, tail_s)
        bound = sunk + number * offer.least * offer.price  # what is spent at least
        if plan.kept:
            thrifty = plan
        if aim.mode == THRIFT:
            if bound > limit[CHANCES - 1] + 1e-9:
                break
        elif aim.mode == BUDGET:
            if plan.sure_cost <= aim.money + 1e-9:
                best, found = plan, True
            if bound > max(aim.money, limit[CHANCES - 1]) + 1e-9:
                break
        else:
            if plan.sure_span_s <= aim.seconds and (not found or plan.cost <= best.cost + 1e-9):
                best, found = plan, True
            if found and bound > best.cost + 1e-9:
                break
    if aim.mode == THRIFT:
        return thrifty
    if found:
        return Forecast(best.number, best.cost, best.span_s, best.sure_cost, best.sure_span_s, True)
    if aim.mode == DEADLINE:
        thrifty = forecast(fleet, offer, aim, offer.most, work_s, limit, end_s, tail_s)
    return Forecast(
        thrifty.number, thrifty.cost, thrifty.span_s, thrifty.sure_cost, thrifty.sure_span_s, False
    )  # fmt: skip
