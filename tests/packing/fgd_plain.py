"""FGD in plain Python, every host rated for every task: the kernel's reference (rule K18)."""

import math
from collections.abc import Iterator

from loadmaster.model.arrays import Bools, Ints
from loadmaster.packing.fgd_kernel import CardProblem


def fragments_plain(problem: CardProblem, cores: float, cards: list[float]) -> float:
    """What the target workload cannot use of a host's cards, times the sum of the weights."""
    total = 0.0
    for asked, count, share, weight in zip(*problem[1:5], strict=True):
        fitting = [free for free in cards if free >= share]
        suffices = count > 0 and cores >= asked and len(fitting) >= count
        total += weight * sum(free for free in cards if free > 0 and not (suffices and free >= share))
    return float(total)


def place_on_cards_plain(problem: CardProblem, host: Ints, taken: Bools) -> int:
    """Fill `host` int32[T] and `taken` bool[T, K] in place; returns how many tasks found a host."""
    free, cards = problem.capacity.copy(), problem.cards.copy()
    for task, kind in enumerate(problem.kind.tolist()):
        best: tuple[float, int, tuple[int, ...]] = (math.inf, -1, ())
        for h in range(len(free)):
            if not (free[h] >= problem.demand[task]).all():
                continue
            before = fragments_plain(problem, free[h, 0], cards[h].tolist())
            for chosen in _choices(int(problem.wanted[kind]), problem.share[kind], cards[h].tolist()):
                left = cards[h].copy()
                left[list(chosen)] -= problem.share[kind]
                growth = fragments_plain(problem, free[h, 0] - problem.cores[kind], left.tolist()) - before
                best = min(best, (growth, h, chosen))
        _, h, chosen = best
        if h < 0:
            return task
        host[task], free[h] = h, free[h] - problem.demand[task]
        taken[task, list(chosen)] = True
        cards[h, list(chosen)] -= problem.share[kind]
    return len(problem.kind)


def _choices(count: int, share: float, cards: list[float]) -> Iterator[tuple[int, ...]]:
    """The cards that a task may take: any one that it fits, or the first of several."""
    fitting = [k for k, free in enumerate(cards) if free >= share]
    if count == 1:
        yield from ((k,) for k in fitting)
    elif len(fitting) >= count:
        yield tuple(fitting[:count])
