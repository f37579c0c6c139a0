"""Compiled: what renting n more machines would cost and how long the bag would then take, and the n to choose."""
# mypy: disable-error-code="no-untyped-def"

import math
from typing import NamedTuple

import numpy as np

from loadmaster.jit.kernels import allocating, cached_njit

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
        money: what may be spent in all (THRIFT, BUDGET).
        seconds: how long the bag may still take (DEADLINE).
        waste: part of the least possible cost that may be wasted, mean over the chances (THRIFT).
        spent: money charged for machines already given back.
    """

    mode: int
    money: float
    seconds: float
    waste: float
    spent: float


class RentForecast(NamedTuple):
    """What comes of renting `number` machines; money from the start of the bag.

    Attributes:
        number: machines to rent now.
        cost: mean over the chances.
        span_s: likewise, from now.
        sure_cost: at the stated confidence.
        sure_span_s: likewise, from now.
        waste: mean part of the least possible cost that is spent above it, where fewer machines would spend less.
    """

    number: int
    cost: float
    span_s: float
    sure_cost: float
    sure_span_s: float
    waste: float


@allocating
def units(age_s, unit_s, least):
    """Units charged for a machine of that age; as `HostType.units`."""
    return max(least, math.ceil(age_s / unit_s - 1e-9))


@cached_njit(error_model="numpy", nogil=True)
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


@allocating
def wasted(cost, cheapest, anyway):
    """The part of `cheapest` that `cost` lies above it; none if `anyway` as much is spent."""
    return cost / cheapest - 1.0 if cost > max(cheapest, anyway) + 1e-9 else 0.0


class WorkChances(NamedTuple):
    """How much work there may be, and what each amount entails.

    Attributes:
        work_s: float64[CHANCES + 1], the amounts.
        cheapest: the least money for which the whole bag could have been done from its start.
        anyway: the money that is spent with as few new machines as possible.
        end_s: what a machine wastes at its end.
        tail_s: how long the last task may run on.
    """

    work_s: np.ndarray
    cheapest: np.ndarray
    anyway: np.ndarray
    end_s: np.ndarray
    tail_s: float


@allocating
def forecast(fleet, offer, aim, number, chances):
    """The outcome of renting `number` machines over all amounts of work."""
    cost = 0.0
    span = 0.0
    waste = 0.0
    for q in range(CHANCES):
        c, s = outcome(fleet, offer, number, chances.work_s[q], chances.end_s[q])
        cost += c + aim.spent
        span += s + chances.end_s[q]
        waste += wasted(c + aim.spent, chances.cheapest[q], chances.anyway[q])
    sure_cost, sure_span = outcome(fleet, offer, number, chances.work_s[CHANCES], chances.end_s[CHANCES])
    return RentForecast(
        number, cost / CHANCES, span / CHANCES, sure_cost + aim.spent, sure_span + chances.tail_s, waste / CHANCES
    )


@cached_njit(error_model="numpy", nogil=True)
def choose(fleet, offer, aim, work_s, cheapest, end_s, tail_s):
    """How many machines of `offer` to rent now, and whether the aim is reached.

    THRIFT: the most that waste no more than allowed and do not by themselves use up more than the money; what is
    spent anyway is no waste.
    BUDGET: the most whose cost stays within the money at the stated confidence; where none does, as THRIFT without
    regard to the money.
    DEADLINE: the cheapest that ends in time at the stated confidence, of equally cheap ones the most; as many as
    possible where none does.

    At each amount of work, `cheapest` is the least money for which the whole bag could have been done from its start,
    and `end_s` what a machine wastes at its end.
    """
    fewest = 0 if len(fleet.age_s) > 0 else min(1, offer.most)
    anyway = np.empty(CHANCES)
    for q in range(CHANCES):
        anyway[q] = outcome(fleet, offer, fewest, work_s[q], end_s[q])[0] + aim.spent
    chances = WorkChances(work_s, cheapest, anyway, end_s, tail_s)
    thrifty = best = forecast(fleet, offer, aim, fewest, chances)
    found = False
    plan = thrifty
    for number in range(fewest, offer.most + 1):
        if number > fewest:
            if _costs_exceed_aim(fleet, offer, aim, number, cheapest, anyway, best.cost if found else math.inf):
                break
            plan = forecast(fleet, offer, aim, number, chances)
        if plan.waste <= aim.waste + 1e-9:
            thrifty = plan
        within = aim.mode == BUDGET and plan.sure_cost <= aim.money + 1e-9
        in_time = aim.mode == DEADLINE and plan.sure_span_s <= aim.seconds
        if within or (in_time and (not found or plan.cost <= best.cost + 1e-9)):
            best, found = plan, True
    if found:
        return best, True
    if aim.mode == DEADLINE:
        return forecast(fleet, offer, aim, offer.most, chances), False
    return thrifty, aim.mode == THRIFT


@allocating
def _costs_exceed_aim(fleet, offer, aim, number, cheapest, anyway, best_cost):
    """What is spent in any case with `number` machines, or more, is too much for the aim."""
    spent = aim.spent + number * offer.least * offer.price
    for h in range(len(fleet.age_s)):
        spent += units(fleet.age_s[h], fleet.unit_s[h], fleet.least[h]) * fleet.price[h]
    if aim.mode == DEADLINE:
        return spent > best_cost + 1e-6
    waste = 0.0
    for q in range(CHANCES):
        waste += wasted(spent, cheapest[q], anyway[q])
    wasteful = waste / CHANCES > aim.waste + 1e-6
    dear = spent > aim.money + 1e-6
    return wasteful or dear if aim.mode == THRIFT else wasteful and dear
