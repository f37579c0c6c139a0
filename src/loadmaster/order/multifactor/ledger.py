"""The use of each user, which decays with time: charged at ticks for running jobs, and at ends (rule O11)."""

from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Floats, Ints, Longs
from loadmaster.order.multifactor.decay import discounted, faded, kept_after, lasting, lasting_at

LEAST = 1e-9
"""Less usage than this, in charges x seconds, is none: it only fades, and would do so at every tick for decades."""


class UsageLedger(NamedTuple):
    """The usage of N nodes of the tree, and what runs of J jobs; written to by the functions here alone.

    Attributes:
        usage: float64[N], of users as of the last tick, in charges x seconds; 0 of accounts.
        rate: float64[N], the charges a second of what has run since before the last tick; running: int64[N], how many.
        leaf: int32[J], the node that pays for each job; charge: float64[J], for a second of it.
        start_s: float64[J].
        fresh: int32[J], the jobs started since the last tick, of which there are numbers[0]; where: int32[J], the
            place of each in it, -1 of others.
        numbers: int64[1].
        times: float64[2], the last tick, and when usage is forgotten next.
        rule: float64[3], the half life (0: nothing fades), the seconds between resets (infinite: none), and 1 for
            the exact integral in the place of Slurm's sum.
    """

    usage: Floats
    rate: Floats
    running: Longs
    leaf: Ints
    charge: Floats
    start_s: Floats
    fresh: Ints
    where: Ints
    numbers: Longs
    times: Floats
    rule: Floats


def new_ledger(nodes: int, leaf: Ints, charge: Floats, half_life_s: float, reset_s: float, exact: bool) -> UsageLedger:
    """A ledger of nothing, at time 0."""
    jobs = len(leaf)
    return UsageLedger(
        np.zeros(nodes),
        np.zeros(nodes),
        np.zeros(nodes, np.int64),
        leaf,
        charge,
        np.zeros(jobs),
        np.zeros(jobs, np.int32),
        np.full(jobs, -1, np.int32),
        np.zeros(1, np.int64),
        np.array([0.0, reset_s]),
        np.array([half_life_s, reset_s, 1.0 if exact else 0.0]),
    )


def carry_over(before: UsageLedger, after: UsageLedger, nodes: tuple[Ints, Ints], jobs: tuple[Longs, Longs]) -> None:
    """Let a ledger that is new go on from another.

    Args:
        before: the other.
        after: the new one.
        nodes: numbers there and in `before` of every node that has used anything.
        jobs: numbers there and in `before` of jobs, among them all that run.
    """
    for column in ("usage", "rate", "running"):
        getattr(after, column)[nodes[0]] = getattr(before, column)[nodes[1]]
    after.start_s[jobs[0]] = before.start_s[jobs[1]]
    number = dict(zip(jobs[1].tolist(), jobs[0].tolist(), strict=True))
    for place, job in enumerate(before.fresh[: before.numbers[0]].tolist()):
        after.fresh[place], after.where[number[job]] = number[job], place
    after.numbers[0] = before.numbers[0]
    after.times[:] = before.times


def start_charging(ledger: UsageLedger, job: int, now_s: float) -> None:
    """Job number `job` has started."""
    place = ledger.numbers[0]
    ledger.start_s[job], ledger.where[job] = now_s, place
    ledger.fresh[place] = job
    ledger.numbers[0] = place + 1


def stop_charging(ledger: UsageLedger, job: int, now_s: float) -> None:
    """It has ended: the rest of what it owes is added at once, and fades from the next tick on."""
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
    ledger.fresh[place], ledger.where[moved] = moved, place
    ledger.where[job] = -1
    ledger.numbers[0] = last


def tick_ledger(ledger: UsageLedger, now_s: float) -> None:
    """Forget if it is time to, let usage fade, and charge what runs."""
    usage, rate, half_life_s = ledger.usage, ledger.rate, ledger.rule[0]
    exact = ledger.rule[2] != 0.0
    if now_s >= ledger.times[1]:
        usage[:] = 0.0
        while ledger.times[1] <= now_s:
            ledger.times[1] += ledger.rule[1]
    since_s = now_s - ledger.times[0]
    keep = faded(since_s, half_life_s) if exact else kept_after(since_s, half_life_s)
    more = lasting(since_s, half_life_s) if exact else discounted(since_s, half_life_s)
    for node in range(usage.shape[0]):
        used = usage[node] * keep + rate[node] * more
        usage[node] = used if used >= LEAST else 0.0
    for place in range(ledger.numbers[0]):
        job = ledger.fresh[place]
        leaf, ran_s = ledger.leaf[job], now_s - ledger.start_s[job]
        usage[leaf] += ledger.charge[job] * (lasting(ran_s, half_life_s) if exact else discounted(ran_s, half_life_s))
        rate[leaf] += ledger.charge[job]
        ledger.running[leaf] += 1
        ledger.where[job] = -1
    ledger.numbers[0] = 0
    ledger.times[0] = now_s


def is_at_rest(ledger: UsageLedger) -> bool:
    """Nothing runs and nothing is left to fade: a tick is as good as many."""
    return not (ledger.numbers[0] or ledger.running.any() or (ledger.rule[0] > 0.0 and ledger.usage.any()))


def with_accounts(usage: Floats, parent: Ints, total: Floats) -> None:
    """Write to `total` float64[N] the usage of every node with that of all below it."""
    total[:] = usage
    for node in range(total.shape[0] - 1, 0, -1):
        total[parent[node]] += total[node]
