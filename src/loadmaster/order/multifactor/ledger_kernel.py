"""The ledger compiled; `ledger.py` and `decay.py` say what must come out (rule O11)."""
# mypy: disable-error-code="no-untyped-def"

import math

from loadmaster.jit.kernels import inner
from loadmaster.order.multifactor.ledger import LEAST

LN2 = math.log(2.0)


@inner
def kept_after(for_s, half_life_s):
    """As `decay.kept_after`."""
    if half_life_s <= 0.0:
        return 1.0
    return max(1.0 - 0.693 / half_life_s, 0.0) ** for_s


@inner
def discounted(ran_s, half_life_s):
    """As `decay.discounted`."""
    return ran_s * kept_after(ran_s, half_life_s)


@inner
def faded(for_s, half_life_s):
    """As `decay.faded`."""
    return 1.0 if half_life_s <= 0.0 else math.exp(-LN2 * for_s / half_life_s)


@inner
def lasting(ran_s, half_life_s):
    """As `decay.lasting`."""
    if half_life_s <= 0.0:
        return ran_s
    return half_life_s / LN2 * -math.expm1(-LN2 * ran_s / half_life_s)


@inner
def lasting_at(from_s, to_s, half_life_s):
    """As `decay.lasting_at`."""
    if half_life_s <= 0.0:
        return to_s - from_s
    scale = half_life_s / LN2 * math.exp(LN2 * from_s / half_life_s)
    return scale * math.expm1(LN2 * (to_s - from_s) / half_life_s)


@inner
def start_charging(ledger, job, now_s):
    """As `ledger.start_charging`."""
    place = ledger.numbers[0]
    ledger.start_s[job] = now_s
    ledger.where[job] = place
    ledger.fresh[place] = job
    ledger.numbers[0] = place + 1


@inner
def stop_charging(ledger, job, now_s):
    """As `ledger.stop_charging`."""
    leaf, charge, place = ledger.leaf[job], ledger.charge[job], ledger.where[job]
    last_s, half_life_s = ledger.times[0], ledger.rule[0]
    since_s = last_s if place < 0 else ledger.start_s[job]
    if ledger.rule[2] != 0.0:
        ledger.usage[leaf] += charge * lasting_at(since_s - last_s, now_s - last_s, half_life_s)
    else:
        ledger.usage[leaf] += charge * discounted(now_s - since_s, half_life_s)
    if place < 0:
        ledger.running[leaf] -= 1
        ledger.rate[leaf] = ledger.rate[leaf] - charge if ledger.running[leaf] > 0 else 0.0
        return
    last = ledger.numbers[0] - 1
    moved = ledger.fresh[last]
    ledger.fresh[place] = moved
    ledger.where[moved] = place
    ledger.where[job] = -1
    ledger.numbers[0] = last


@inner
def tick_ledger(ledger, now_s):
    """As `ledger.tick_ledger`."""
    half_life_s, exact = ledger.rule[0], ledger.rule[2] != 0.0
    if now_s >= ledger.times[1]:
        ledger.usage[:] = 0.0
        while ledger.times[1] <= now_s:
            ledger.times[1] += ledger.rule[1]
    since_s = now_s - ledger.times[0]
    keep = faded(since_s, half_life_s) if exact else kept_after(since_s, half_life_s)
    more = lasting(since_s, half_life_s) if exact else discounted(since_s, half_life_s)
    for node in range(ledger.usage.shape[0]):
        used = ledger.usage[node] * keep + ledger.rate[node] * more
        ledger.usage[node] = used if used >= LEAST else 0.0
    for place in range(ledger.numbers[0]):
        job = ledger.fresh[place]
        leaf, ran_s = ledger.leaf[job], now_s - ledger.start_s[job]
        counts = lasting(ran_s, half_life_s) if exact else discounted(ran_s, half_life_s)
        ledger.usage[leaf] += ledger.charge[job] * counts
        ledger.rate[leaf] += ledger.charge[job]
        ledger.running[leaf] += 1
        ledger.where[job] = -1
    ledger.numbers[0] = 0
    ledger.times[0] = now_s


@inner
def is_at_rest(ledger):
    """As `ledger.is_at_rest`."""
    if ledger.numbers[0] > 0:
        return False
    for node in range(ledger.usage.shape[0]):
        if ledger.running[node] > 0 or (ledger.rule[0] > 0.0 and ledger.usage[node] > 0.0):
            return False
    return True
