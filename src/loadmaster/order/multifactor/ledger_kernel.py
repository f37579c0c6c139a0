"""The ledger compiled, from the plain functions where these call no others (rule O11)."""
# mypy: disable-error-code="no-untyped-def"

from loadmaster.jit.kernels import inner
from loadmaster.order.multifactor import decay
from loadmaster.order.multifactor import ledger as plain
from loadmaster.order.multifactor.ledger import LEAST

kept_after, faded = inner(decay.kept_after), inner(decay.faded)
lasting, lasting_at = inner(decay.lasting), inner(decay.lasting_at)
start_charging = inner(plain.start_charging)


@inner
def discounted(ran_s, half_life_s):
    """As `decay.discounted`."""
    return ran_s * kept_after(ran_s, half_life_s)


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
