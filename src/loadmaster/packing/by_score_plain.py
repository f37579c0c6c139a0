"""Tasks one after another, each to the lowest rated host that fits, in plain Python: the kernel's reference."""

import numpy as np

from loadmaster.model.cards import tightest_cards
from loadmaster.packing.by_score_kernel import ScoreProblem, ScoreState
from loadmaster.place import Context, Policy
from loadmaster.place.policy import rated, read_only


def place_by_score_plain(problem: ScoreProblem, policy: Policy, seed: int, state: ScoreState) -> int:
    """Place the tasks, and write their hosts and cards into `state`; returns how many found a host.

    Raises:
        InputError: the policy fails, or rates a host with something that is not a finite number.
    """
    free, last, placed = state.free, -1, 0
    for task in problem.order:
        binding = problem.binding[task]
        able = np.flatnonzero(((binding <= 0) | (free + problem.tolerance >= binding)).all(axis=1))
        chosen_cards = {int(h): _cards_taken(problem, state, int(h), int(task)) for h in able}
        able = np.array([h for h in able.tolist() if chosen_cards[h] is not None], np.int64)
        if able.size == 0:
            continue
        demand, capacity, seen = (read_only(a) for a in (problem.demand, problem.capacity, np.maximum(free, 0.0)))
        scores = []
        with np.errstate(all="ignore"):
            for h in able:
                context = Context(int(h), len(free), last, int(task), seed)
                scores.append(rated(policy, demand[task], seen[h], capacity[h], context))
        last = int(able[int(np.argmin(scores))])
        state.host[task] = last
        state.taken[task, chosen_cards[last]] = True
        state.cards[last, chosen_cards[last]] -= problem.requests.share[task]
        free[last] -= problem.demand[task]
        placed += 1
    return placed


def _cards_taken(problem: ScoreProblem, state: ScoreState, host: int, task: int) -> list[int] | None:
    """The cards that the task takes on the host: those with the least free amount that suffices; None if too few do."""
    requests = problem.requests
    accepted = requests.accepted[requests.accepts[task]]
    free = [
        left if kind >= 0 and accepted[kind] else -1.0
        for left, kind in zip(state.cards[host].tolist(), requests.kind[host].tolist(), strict=True)
    ]
    return tightest_cards(free, int(requests.wanted[task]), float(requests.share[task]))
