"""Local search after a packer: closes what it can of the gap to the bound within a time budget."""

import numpy as np

from loadmaster.jit.first_compilation import FIRST_TIME
from loadmaster.packing.bound import ceiling
from loadmaster.packing.improve_kernel import SearchProblem, SearchState, descend, load_state, wander
from loadmaster.packing.instance import TOLERANCE, Instance
from loadmaster.packing.level import level_of
from loadmaster.packing.packing import Attempt


def improve(instance: Instance, attempt: Attempt, time_limit_s: float = 1.0, seed: int = 0) -> Attempt:
    """`attempt` with the most loaded host relieved again and again; never worse than it was.

    First descends by the best move, else the best swap, else an ejection chain; then, until the time is up, shakes
    the mapping by a few random swaps and descends again. With guarantees the search minds the largest load, not
    the level itself, and what does not raise the level is dropped.
    """
    scaled = instance.scaled
    if attempt.host is None or attempt.proven or instance.tasks == 0 or not (scaled.room > 0).all():
        return attempt
    ends = FIRST_TIME.clock_s() + time_limit_s
    best_possible = ceiling(instance)
    goal = 1.0 / best_possible * (1.0 + 1e-12) if best_possible > 0 and not instance.guaranteed else 0.0
    problem, state = search_state(instance)
    mapping = attempt.host.astype(np.int64)
    load_state(problem, state, mapping)
    peak, done = np.inf, 64
    while done == 64 and FIRST_TIME.clock_s() < ends:
        peak, done = descend(problem, state, goal, 64)
    rng = np.random.default_rng(seed)
    best, rounds, effort = state.host.copy(), 4, 0
    while peak > goal and FIRST_TIME.clock_s() < ends:
        peak = wander(problem, state, goal, best, rng.random((rounds, 3, 2)))
        effort += rounds
        rounds = min(2 * rounds, 64)
    found = state.host.astype(np.int32)
    before, after = level_of(instance, attempt.host), level_of(instance, found)
    host, level = (found, after) if after > before else (attempt.host, before)
    proven = bool(level >= best_possible * (1 - 1e-12))
    name = f"{attempt.solver}+local-search"
    return Attempt(host, "ok", name, best_possible, proven, effort=attempt.effort + effort)


def search_state(instance: Instance) -> tuple[SearchProblem, SearchState]:
    """The kernel's view of an instance, and a state without a mapping yet."""
    scaled, tasks, hosts = instance.scaled, instance.tasks, instance.hosts
    return SearchProblem(scaled.need, scaled.room, scaled.hard, scaled.hard_room + TOLERANCE), SearchState(
        np.empty(tasks, np.int64), np.zeros(scaled.room.shape), np.zeros(scaled.hard_room.shape), np.zeros(hosts),
        np.empty(hosts, np.int64), np.empty(tasks, np.int64), np.empty(tasks, np.int64),
    )  # fmt: skip
