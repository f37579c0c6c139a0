"""What renting n more machines would bring, and the n to choose, in plain Python: the specification of `plan_kernel`.

Every number of machines is tried; nothing is left out because it looks vain.
"""

import math
from collections.abc import Iterator

from loadmaster.model.arrays import Floats
from loadmaster.sizing.plan_kernel import BUDGET, CHANCES, DEADLINE, THRIFT, Aim, Fleet, Offer, RentForecast


def units(age_s: float, unit_s: float, least: float) -> float:
    """Units charged for a machine of that age; as `HostType.units`."""
    return max(least, float(math.ceil(age_s / unit_s - 1e-9)))


def outcome(fleet: Fleet, offer: Offer, number: int, work_s: float, end_s: float) -> tuple[float, float]:
    """Money for the machines at hand and `number` more, and seconds until the work is done."""
    speeds = [number * offer.speed, *fleet.speed]
    if sum(speeds) <= 0:
        return math.inf, math.inf
    late_s = [number * offer.speed * offer.boot_s, *(s * r for s, r in zip(fleet.speed, fleet.ready_s, strict=True))]
    span_s = (work_s + _total(late_s)) / _total(speeds)
    now, then = [number * offer.least * offer.price], [number * units(span_s, offer.unit_s, offer.least) * offer.price]
    room = [number * max(0.0, offer.least * offer.unit_s - offer.boot_s - end_s) * offer.speed]
    for age_s, ready_s, speed, unit_s, least, price in zip(*fleet, strict=True):
        paid = units(age_s, unit_s, least)
        now.append(paid * price)
        then.append(units(age_s + span_s, unit_s, least) * price)
        room.append(max(0.0, paid * unit_s - age_s - ready_s - end_s) * speed)
    if work_s <= _total(room):
        return _total(now), span_s
    each = max(offer.unit_s * offer.least - offer.boot_s - end_s, 0.25 * offer.unit_s) * offer.speed
    later = _total(now) + math.ceil((work_s - _total(room)) / each - 1e-9) * offer.least * offer.price
    return min(_total(then), later), span_s


def choose(
    fleet: Fleet, offer: Offer, aim: Aim, work_s: Floats, cheapest: Floats, end_s: Floats, tail_s: float
) -> tuple[RentForecast, bool]:
    """How many machines of `offer` to rent now, and whether the aim is reached; see the kernel."""
    fewest = 0 if len(fleet.age_s) > 0 else min(1, offer.most)
    anyway = [outcome(fleet, offer, fewest, work_s[q], end_s[q])[0] + aim.spent for q in range(CHANCES)]
    plans = [
        _forecast(fleet, offer, aim, number, work_s, cheapest, anyway, end_s, tail_s)
        for number in range(fewest, max(fewest, offer.most) + 1)
    ]
    if aim.mode == BUDGET and (within := [p for p in plans if p.sure_cost <= aim.money + 1e-9]):
        return within[-1], True
    if aim.mode == DEADLINE:
        best = None
        for plan in (p for p in plans if p.sure_span_s <= aim.seconds):
            best = plan if best is None or plan.cost <= best.cost + 1e-9 else best
        return (best, True) if best else (plans[-1], False)
    thrifty = plans[0]
    for plan in _affordable(fleet, offer, aim, plans):
        thrifty = plan if plan.waste <= aim.waste + 1e-9 else thrifty
    return thrifty, aim.mode == THRIFT


def _affordable(fleet: Fleet, offer: Offer, aim: Aim, plans: list[RentForecast]) -> Iterator[RentForecast]:
    """Under THRIFT, plans that by themselves do not use up more than the money; all of them else."""
    for plan in plans:
        spent = aim.spent + plan.number * offer.least * offer.price
        for age_s, unit_s, least, price in zip(fleet.age_s, fleet.unit_s, fleet.least, fleet.price, strict=True):
            spent += units(age_s, unit_s, least) * price
        if plan is plans[0] or aim.mode != THRIFT or spent <= aim.money + 1e-6:
            yield plan


def _forecast(
    fleet: Fleet,
    offer: Offer,
    aim: Aim,
    number: int,
    work_s: Floats,
    cheapest: Floats,
    anyway: list[float],
    end_s: Floats,
    tail_s: float,
) -> RentForecast:
    made = [outcome(fleet, offer, number, work, end) for work, end in zip(work_s, end_s, strict=True)]
    cost = [money + aim.spent for money, _ in made]
    waste = [cost[q] / cheapest[q] - 1 if cost[q] > max(cheapest[q], anyway[q]) + 1e-9 else 0.0 for q in range(CHANCES)]
    span = [made[q][1] + end_s[q] for q in range(CHANCES)]
    return RentForecast(
        number,
        _total(cost[:CHANCES]) / CHANCES,
        _total(span) / CHANCES,
        cost[CHANCES],
        made[CHANCES][1] + tail_s,
        _total(waste) / CHANCES,
    )


def _total(values: list[float]) -> float:
    """The sum from first to last, rounded after each as a loop does."""
    total = 0.0
    for value in values:
        total += value
    return float(total)
