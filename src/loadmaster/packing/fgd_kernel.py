# mypy: disable-error-code="no-untyped-def"
"""FGD compiled: tasks one after another, to the host and card whose fragmentation grows least (rule K18)."""

from typing import NamedTuple

import numpy as np

from loadmaster.jit.kernels import cached_njit, inner
from loadmaster.model.arrays import Bools, Floats, Ints, Longs


class CardProblem(NamedTuple):
    """Tasks of M kinds, and hosts with cards.

    Attributes:
        kind: int32[T], the kind of every task.
        cores: float64[M], what a task of the kind requests.
        wanted: int64[M], cards that it needs; 0 for none.
        share: float64[M], of each of them, in (0, 1].
        accepts: int64[M], the row of `accepted` that holds for the kind of task.
        weight: float64[M], how much of the target workload the kind makes up; any scale.
        demand: float64[T, R], cores first, then all else that must fit in full.
        capacity: float64[H, R].
        cards: float64[H, K], what is free of each card; negative where the host has no such card.
        card_kind: int32[H, K], the kind of each card; -1 where the host has no such card.
        accepted: bool[S, N], the kinds of cards that each of S requests accepts.
    """

    kind: Ints
    cores: Floats
    wanted: Longs
    share: Floats
    accepts: Longs
    weight: Floats
    demand: Floats
    capacity: Floats
    cards: Floats
    card_kind: Ints
    accepted: Bools


class CardState(NamedTuple):
    """What changes while tasks are placed; all is written in place.

    Attributes:
        free: float64[H, R].
        cards: float64[H, K].
        changes: int32[H], how often a host has been changed.
        seen: int32[M, H], `changes` when the host was last rated for the kind, -1 before that.
        growth: float64[M, H], what the host was rated then; infinite where the cards do not suffice.
        card: int32[M, H], the card chosen then; -1 where none is shared.
    """

    free: Floats
    cards: Floats
    changes: Ints
    seen: Ints
    growth: Floats
    card: Ints


@cached_njit(nogil=True, error_model="numpy")
def fragments(problem, host, cores, cards):
    """What the target workload cannot use of a host's cards, times the sum of the weights (section 4 of the paper).

    Args:
        problem: for its kinds.
        host: the number of the host.
        cores: free on the host.
        cards: float64[K], free of each card.
    """
    total = 0.0
    for m in range(problem.weight.shape[0]):
        fitting = 0
        whole, small = 0.0, 0.0
        for k in range(cards.shape[0]):
            if cards[k] >= 0.0:
                whole += cards[k]
                if usable(problem, host, m, k, cards):
                    fitting += 1
                else:
                    small += cards[k]
        suffices = 0 < problem.wanted[m] <= fitting and cores >= problem.cores[m]
        total += problem.weight[m] * (small if suffices else whole)
    return total


@inner
def usable(problem, host, kind, card, cards):
    """The card is of a kind that a task of the kind accepts, and has its share free."""
    if cards[card] < problem.share[kind] or problem.card_kind[host, card] < 0:
        return False
    return problem.accepted[problem.accepts[kind], problem.card_kind[host, card]]


@cached_njit(nogil=True, error_model="numpy")
def take(problem, host, kind, card, cards):
    """Take from `cards`, in place, what a task of the kind needs: of the shared `card`, or the first that suffice."""
    if card >= 0:
        cards[card] -= problem.share[kind]
        return
    left = problem.wanted[kind]
    for k in range(cards.shape[0]):
        if left > 0 and usable(problem, host, kind, k, cards):
            cards[k] -= problem.share[kind]
            left -= 1


@cached_njit(nogil=True, error_model="numpy")
def rate(problem, host, kind, cores, cards, scratch):
    """(growth of `fragments`, card): the least over the cards that a task of the kind may share, ties to the first.

    Infinite where the cards do not suffice; the card is -1 for a task that needs none, or several.
    """
    wanted, share = problem.wanted[kind], problem.share[kind]
    fitting = 0
    for k in range(cards.shape[0]):
        if usable(problem, host, kind, k, cards):
            fitting += 1
    if wanted > 0 and fitting < wanted:
        return np.inf, -1
    before, after = fragments(problem, host, cores, cards), cores - problem.cores[kind]
    if wanted != 1:
        scratch[:] = cards
        take(problem, host, kind, -1, scratch)
        return fragments(problem, host, after, scratch) - before, -1
    best, chosen = np.inf, -1
    for k in range(cards.shape[0]):
        twin = False
        for other in range(k):
            twin |= cards[other] == cards[k] and problem.card_kind[host, other] == problem.card_kind[host, k]
        if twin or not usable(problem, host, kind, k, cards):
            continue
        scratch[:] = cards
        scratch[k] -= share
        growth = fragments(problem, host, after, scratch) - before
        if growth < best:
            best, chosen = growth, k
    return best, chosen


@cached_njit(nogil=True, error_model="numpy")
def place_on_cards(problem, state, host, taken):
    """Place the tasks in the order given, and go on after one that fits nowhere; returns how many found a host.

    A host is rated for a kind only if it has changed since that was done last. A task that asks at least what the last
    one of its kind without a host asked is not tried: hosts only fill up.

    Args:
        problem: tasks and hosts.
        state: as at the start; changed in place.
        host: int32[T], -1 for each; written.
        taken: bool[T, K], the cards of every task, written.
    """
    scratch = np.empty(problem.cards.shape[1])
    left_over = np.full(problem.weight.shape[0], -1)
    placed = 0
    for task in range(problem.kind.shape[0]):
        kind = problem.kind[task]
        if left_over[kind] >= 0 and _asks_as_much(problem.demand, task, left_over[kind]):
            continue
        chosen, least = -1, np.inf
        for h in range(state.free.shape[0]):
            if not _fits(state.free, problem.demand, h, task):
                continue
            if state.seen[kind, h] != state.changes[h]:
                growth, card = rate(problem, h, kind, state.free[h, 0], state.cards[h], scratch)
                state.growth[kind, h], state.card[kind, h] = growth, card
                state.seen[kind, h] = state.changes[h]
            if state.growth[kind, h] < least:
                chosen, least = h, state.growth[kind, h]
        if chosen < 0:
            left_over[kind] = task
            continue
        scratch[:] = state.cards[chosen]
        take(problem, chosen, kind, state.card[kind, chosen], state.cards[chosen])
        for k in range(scratch.shape[0]):
            taken[task, k] = state.cards[chosen, k] < scratch[k]
        for r in range(problem.demand.shape[1]):
            state.free[chosen, r] -= problem.demand[task, r]
        state.changes[chosen] += 1
        host[task] = chosen
        placed += 1
    return placed


@inner
def _asks_as_much(demand, task, other):
    for r in range(demand.shape[1]):  # noqa: SIM110, a kernel
        if demand[task, r] < demand[other, r]:
            return False
    return True


@inner
def _fits(free, demand, host, task):
    fits = True
    for r in range(demand.shape[1]):
        fits &= demand[task, r] <= free[host, r]
    return fits
