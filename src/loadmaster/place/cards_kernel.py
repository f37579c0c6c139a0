"""Cards in the compiled engine: which GPUs of a host a task takes, and how many tasks they hold (rule Q22).

In a run on cards a host has two amounts behind its R resources: the largest part that is free on one of its cards, and
the number of its cards that are wholly free. A demand for a part of a card requests the first, a demand for whole cards
for the second. So one task fits on a host exactly if no amount is lacking, and the index of hosts, the blocks of hosts
and the cache of failures need not know cards. Only how many tasks a host holds is counted card by card.

The plain reference is `loadmaster.model.request`.
"""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.jit.kernels import inlined, inner


class EngineCards(NamedTuple):
    """The cards of H hosts, at most C each, in a run of T tasks of K distinct demands.

    Attributes:
        free: float64[H, C], what is free of each card; 0 where the host has fewer cards.
        then: float64[H, C], the same at the shadow time of the head, on hosts where `HeadPromise.then` holds.
        wanted: int64[K], cards that a task of each demand takes; share: float64[K], of each of them.
        undo: int64[U], cards of the tasks in `QueueState.undo_host`, as bits; held: int64[T], of those in
            `QueueState.held`; taken: int64[T], of each task of the log.
        left, left_then, cost: float64[C], room: float64[R + 2], scratch.
        resources: R, the amounts of a host without the two that cards add.
    """

    free: NDArray[np.float64]
    then: NDArray[np.float64]
    wanted: NDArray[np.int64]
    share: NDArray[np.float64]
    undo: NDArray[np.int64]
    held: NDArray[np.int64]
    taken: NDArray[np.int64]
    left: NDArray[np.float64]
    left_then: NDArray[np.float64]
    cost: NDArray[np.float64]
    room: NDArray[np.float64]
    resources: int


@inlined
def amounts_of(state):
    """How many amounts of a host change by the demand of a task: all but the two that cards add."""
    if state.cards is not None:
        return np.int64(state.cards.resources)
    return np.int64(state.free.shape[1])


@inner
def sum_up(cards, on_cards, room):
    """Write the two amounts that cards add into `room`, float64[R + 2], from what is free of each card, float64[C]."""
    largest, whole = 0.0, 0.0
    for card in range(on_cards.shape[0]):
        largest = max(largest, on_cards[card])
        if on_cards[card] >= 1.0:
            whole += 1.0
    room[cards.resources], room[cards.resources + 1] = largest, whole


@inner
def give_to(on_cards, bits, share):
    """Add `share` to what is free of each of the cards `bits`; a negative share takes."""
    card = 0
    while bits > 0:
        if bits & 1:
            on_cards[card] += share
        bits >>= 1
        card += 1


@inner
def tasks_on_host(cards, demand, room, on_cards, kind, most):
    """How many tasks of demand number `kind` fit in `room`, float64[R + 2], on a host with so much free of each card.

    At most `most`.
    """
    held = float(most)
    for r in range(cards.resources):
        if demand[r] > 0.0:
            held = min(held, np.floor(room[r] / demand[r]))
    wanted, share = cards.wanted[kind], cards.share[kind]
    if wanted > 0:
        parts = np.int64(0)
        for card in range(on_cards.shape[0]):
            if on_cards[card] >= share:
                parts += np.int64(np.floor(on_cards[card] / share))
        held = min(held, float(parts // wanted))
    return np.int64(max(held, 0.0))


@inner
def tightest(cards, on_cards, kind):
    """The cards, as bits, that a task of demand number `kind` takes; 0 if too few suffice.

    The cheapest by `cards.cost`, of these the ones with the least free amount, of equal ones the first.
    """
    share, bits = cards.share[kind], np.int64(0)
    for _ in range(cards.wanted[kind]):
        chosen = -1
        for card in range(on_cards.shape[0]):
            if on_cards[card] < share or (bits >> card) & 1:
                continue
            better = chosen < 0 or cards.cost[card] < cards.cost[chosen]
            if not better and cards.cost[card] == cards.cost[chosen]:
                better = on_cards[card] < on_cards[chosen]
            if better:
                chosen = card
        if chosen < 0:
            return np.int64(0)
        bits |= np.int64(1) << np.int64(chosen)
    return bits


@inner
def costs_nothing(cards):
    """No card costs the head anything."""
    for card in range(cards.cost.shape[0]):
        cards.cost[card] = 0.0


@inner
def note_costs(cards, then, head_kind, share):
    """Write how many tasks of the head each card holds less at the shadow time if a task takes `share` of it."""
    own = cards.share[head_kind]
    for card in range(cards.cost.shape[0]):
        cards.cost[card] = 0.0
        if cards.wanted[head_kind] > 0:
            cards.cost[card] = np.floor(then[card] / own) - np.floor((then[card] - share) / own)


@inner
def return_cards(cards, kind, host, first, end):
    """The tasks from `first` on and before `end` of `held`, all of one demand, give back their cards of a host."""
    for task in range(first, end):
        give_to(cards.free[host], cards.held[task], cards.share[kind])


@inner
def change_row(cards, row, demand, kind, bits, sign):
    """Add (`sign` 1.0) or take (-1.0) a task of demand number `kind` with these cards, as bits.

    `row` float64[R + 2 + C]: the amounts of a host, and behind them what is free of each card.
    """
    for r in range(cards.resources):
        row[r] += sign * demand[kind, r]
    if cards.wanted[kind] > 0:
        give_to_row(cards, row, bits, sign * cards.share[kind])


@inner
def give_to_row(cards, row, bits, share):
    """Add `share`, taken if it is negative, to each of the cards `bits` of such a row, and to what they add up to.

    The largest free part is looked for anew only if it was that of a card that has less now.
    """
    card, largest, falls = cards.resources + 2, row[cards.resources], False
    while bits > 0:
        if bits & 1:
            before, after = row[card], row[card] + share
            row[card] = after
            row[cards.resources + 1] += np.float64(after >= 1.0) - np.float64(before >= 1.0)
            falls |= before == largest and after < before
            row[cards.resources] = max(row[cards.resources], after)
        bits >>= 1
        card += 1
    if falls:
        sum_up_row(cards, row)


@inner
def sum_up_row(cards, row):
    """Write the two amounts that cards add into such a row, from what is free of each card."""
    sum_up(cards, row[cards.resources + 2 :], row)


@inner
def tasks_in_row(cards, row, demand, kind, most):
    """How many tasks of demand number `kind` fit in such a row; at most `most`."""
    return tasks_on_host(cards, demand[kind], row, row[cards.resources + 2 :], kind, most)


@inner
def tightest_in_row(cards, row, kind):
    """The cards, as bits, that a task of demand number `kind` takes in such a row."""
    return tightest(cards, row[cards.resources + 2 :], kind)


@inner
def tasks_on_empty(cards, capacity, demand, kind):
    """How many tasks of demand number `kind` a host holds when nothing runs there; infinite if they request nothing.

    `capacity` and `demand` float64[R + 2], of that host and of a task.
    """
    held = np.inf
    for r in range(cards.resources):
        if demand[r] > 0.0:
            held = min(held, np.floor(capacity[r] / demand[r]))
    if cards.wanted[kind] > 0:
        parts = np.floor(1.0 / cards.share[kind]) * capacity[cards.resources + 1]
        held = min(held, np.floor(parts / cards.wanted[kind]))
    return held
