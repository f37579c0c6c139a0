"""FGD in plain Python, every host rated for every task: the kernel's reference (rule K18)."""

import math
from collections.abc import Iterator

from loadmaster.model.arrays import Bools, Ints
from loadmaster.packing.fgd_kernel import CardProblem


def _usable(problem: CardProblem, host: int, kind: int, card: int, free: float) -> bool:
    card_kind = int(problem.card_kind[host, card])
    return card_kind >= 0 and free >= problem.share[kind] and bool(problem.accepted[problem.accepts[kind], card_kind])


def fragments_plain(problem: CardProblem, host: int, cores: float, cards: list[float]) -> float:
    """What the target workload cannot use of a host's cards, times the sum of the weights."""
    total = 0.0
    for kind, weight in enumerate(problem.weight.tolist()):
        fitting = {c for c, free in enumerate(cards) if _usable(problem, host, kind, c, free)}
        wanted = int(problem.wanted[kind])
        suffices = wanted > 0 and cores >= problem.cores[kind] and len(fitting) >= wanted
        total += weight * sum(free for c, free in enumerate(cards) if free > 0 and not (suffices and c in fitting))
    return float(total)


def place_on_cards_plain(problem: CardProblem, host: Ints, taken: Bools) -> int:
    """Fill `host` int32[T] and `taken` bool[T, K] in place; returns how many tasks found a host."""
    free, cards = problem.capacity.copy(), problem.cards.copy()
    for task, kind in enumerate(problem.kind.tolist()):
        best: tuple[float, int, tuple[int, ...]] = (math.inf, -1, ())
        for h in range(len(free)):
            if not (free[h] >= problem.demand[task]).all():
                continue
            before = fragments_plain(problem, h, free[h, 0], cards[h].tolist())
            for chosen in _choices(problem, h, kind, cards[h].tolist()):
                left = cards[h].copy()
                left[list(chosen)] -= problem.share[kind]
                growth = fragments_plain(problem, h, free[h, 0] - problem.cores[kind], left.tolist()) - before
                best = min(best, (growth, h, chosen))
        _, h, chosen = best
        if h < 0:
            continue
        host[task], free[h] = h, free[h] - problem.demand[task]
        taken[task, list(chosen)] = True
        cards[h, list(chosen)] -= problem.share[kind]
    return int((host >= 0).sum())


def _choices(problem: CardProblem, host: int, kind: int, cards: list[float]) -> Iterator[tuple[int, ...]]:
    """The cards that a task may take: any one that it fits, or the first of several."""
    fitting = [c for c, free in enumerate(cards) if _usable(problem, host, kind, c, free)]
    count = int(problem.wanted[kind])
    if count == 1:
        yield from ((c,) for c in fitting)
    elif len(fitting) >= count:
        yield tuple(fitting[:count])
