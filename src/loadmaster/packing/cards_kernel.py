# mypy: disable-error-code="no-untyped-def"
"""Cards compiled: whether a host's cards suffice for a task, which ones it takes, and placing tasks that are left over.

tests/packing/cards_plain.py is the plain reference (rule K22).
"""

from typing import NamedTuple

import numpy as np

from loadmaster.jit.kernels import cached_njit, inner
from loadmaster.model.arrays import Bools, Floats, Ints, Longs


class CardRequests(NamedTuple):
    """What T tasks request of the cards of H hosts; see `loadmaster.packing.cards.Cards`.

    Attributes:
        wanted: int64[T]
        share: float64[T]
        accepts: int64[T]
        accepted: bool[S, K]
        kind: int32[H, C]
    """

    wanted: Longs
    share: Floats
    accepts: Longs
    accepted: Bools
    kind: Ints


class OpenTasks(NamedTuple):
    """Tasks of which some have no host yet, and what is free.

    Attributes:
        hard: float64[T, D], what each task must get in full.
        need: float64[T, F], its fluid demands, in parts of the largest host.
        free: float64[H, D], what is left for `hard`; changed in place.
        load: float64[H, F], the fluid demands of the tasks on each host; changed in place.
        room: float64[H, F], fluid capacity.
        hard_room: float64[H, D], what an empty host has for `hard`.
        cards: float64[H, C], what is free of each card; changed in place.
        host: int32[T], -1 for a task without a host; changed in place.
        taken: bool[T, C], the cards of its host that each task takes; changed in place.
    """

    hard: Floats
    need: Floats
    free: Floats
    load: Floats
    room: Floats
    hard_room: Floats
    cards: Floats
    host: Ints
    taken: Bools


@inner
def fits_on_cards(requests, cards, host, task):
    """The free cards of the host suffice for the task."""
    wanted = requests.wanted[task]
    if wanted == 0:
        return True
    row, share = requests.accepts[task], requests.share[task]
    fitting = 0
    for c in range(cards.shape[1]):
        kind = requests.kind[host, c]
        if kind >= 0 and cards[host, c] >= share and requests.accepted[row, kind]:
            fitting += 1
            if fitting == wanted:
                return True
    return False


@inner
def take_cards(requests, cards, host, task, taken):
    """Take what the task requests from `cards`, and mark it in `taken` bool[T, C]; both are changed in place.

    A part goes to the card with the least free amount that suffices, whole cards are the first that are free.
    """
    row, share = requests.accepts[task], requests.share[task]
    for _ in range(requests.wanted[task]):
        chosen = -1
        for c in range(cards.shape[1]):
            kind = requests.kind[host, c]
            if kind < 0 or cards[host, c] < share or not requests.accepted[row, kind] or taken[task, c]:
                continue
            if chosen < 0 or cards[host, c] < cards[host, chosen]:
                chosen = c
        taken[task, chosen] = True
        cards[host, chosen] -= share


@inner
def same_request(requests, task, other):
    """Both tasks request the same of the cards."""
    return (
        requests.wanted[task] == requests.wanted[other]
        and requests.share[task] == requests.share[other]
        and requests.accepts[task] == requests.accepts[other]
    )


@cached_njit(nogil=True, error_model="numpy")
def settle_on_cards(requests, tasks, order):
    """Give the tasks their cards where they are; a task whose host has no card left for it loses its host.

    Args:
        requests: `CardRequests`.
        tasks: `OpenTasks`, with all cards free, and what the tasks request taken already.
        order: int64[N], the tasks in the order in which they get cards.
    """
    lost = 0
    for task in order:
        host = tasks.host[task]
        if host < 0:
            continue
        if fits_on_cards(requests, tasks.cards, host, task):
            take_cards(requests, tasks.cards, host, task, tasks.taken)
            continue
        for d in range(tasks.hard.shape[1]):
            tasks.free[host, d] += tasks.hard[task, d]
        for f in range(tasks.need.shape[1]):
            tasks.load[host, f] -= tasks.need[task, f]
        tasks.host[task] = -1
        lost += 1
    return lost


@cached_njit(nogil=True, error_model="numpy")
def place_left_over(requests, tasks, order, tolerance):
    """Place tasks without a host, one after another, and go on after one that fits nowhere; returns how many it placed.

    Each goes to the host that has the least left over in all that must fit in full, of those where the fluid demands
    exceed the host the least; ties go to the first host.

    Args:
        requests: `CardRequests`.
        tasks: `OpenTasks`.
        order: int64[N], the tasks in the order in which they are tried.
        tolerance: what `tasks.free` may be overdrawn by.
    """
    placed, before, lost = 0, -1, False
    left = np.zeros(tasks.free.shape[0])
    for h in range(tasks.free.shape[0]):
        for d in range(tasks.free.shape[1]):
            left[h] += tasks.free[h, d]
    for task in order:
        if tasks.host[task] >= 0:
            continue
        if lost and _asks_as_much(requests, tasks.hard, task, before):
            continue
        chosen = _tightest(requests, tasks, task, left, tolerance)
        lost, before = chosen < 0, task
        if chosen < 0:
            continue
        take_cards(requests, tasks.cards, chosen, task, tasks.taken)
        for d in range(tasks.hard.shape[1]):
            tasks.free[chosen, d] -= tasks.hard[task, d]
            left[chosen] -= tasks.hard[task, d]
        for f in range(tasks.need.shape[1]):
            tasks.load[chosen, f] += tasks.need[task, f]
        tasks.host[task] = chosen
        placed += 1
    return placed


@inner
def _tightest(requests, tasks, task, left, tolerance):
    chosen, over, rest = -1, np.inf, np.inf
    for h in range(tasks.free.shape[0]):
        if not has_room(tasks, h, task, tolerance) or not fits_on_cards(requests, tasks.cards, h, task):
            continue
        excess = 0.0
        for f in range(tasks.need.shape[1]):
            asked = tasks.load[h, f] + tasks.need[task, f]
            if asked > tasks.room[h, f] + tolerance:
                excess = max(excess, asked / max(tasks.room[h, f], tolerance))
        if excess < over or (excess == over and left[h] < rest):
            chosen, over, rest = h, excess, left[h]
    return chosen


@inner
def has_room(tasks, host, task, tolerance):
    """The host has free what must fit in full; cards are not looked at."""
    return covers(tasks.free[host], tasks.hard[task], tolerance)


@inner
def covers(free, hard, tolerance):
    """What is `free`, float64[D], covers what must fit in full, float64[D]."""
    for d in range(hard.shape[0]):  # noqa: SIM110, a kernel
        if hard[d] > 0.0 and free[d] + tolerance < hard[d]:
            return False
    return True


@inner
def _asks_as_much(requests, hard, task, other):
    """What `other` does not fit on, `task` does not fit on either."""
    if not same_request(requests, task, other):
        return False
    for d in range(hard.shape[1]):  # noqa: SIM110, a kernel
        if hard[task, d] < hard[other, d]:
            return False
    return True
