"""Local search after a packer: closes what it can of the gap to the bound within a time budget."""

import numpy as np

from loadmaster.packing.bound import ceiling
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.improve_kernel import SearchProblem, SearchState
from loadmaster.packing.incumbent import Incumbent, Report, silent
from loadmaster.packing.instance import TOLERANCE, Instance
from loadmaster.packing.level import level_of
from loadmaster.packing.packing import Attempt
from loadmaster.packing.pair_swap_kernel import PairWalk, search_on, start_walk
from loadmaster.packing.regroup_kernel import FREE, GROUP, HostGroup

SLICE = 1_000_000
"""Pairs of tasks between two looks at the clock: some hundredths of a second."""
PATIENCE = 20
"""Times tasks and hosts: how often the search may be stuck in a row before it ends, far sooner on a tiny instance."""


def improve(
    instance: Instance,
    attempt: Attempt,
    time_limit_s: float = 1.0,
    seed: int = 0,
    stop_when_stuck: int = 0,
    report: Report = silent,
) -> Attempt:
    """`attempt` with the most loaded host relieved again and again; never worse than it was.

    The fullest host exchanges a task with a random partner so that the larger of both loads falls; where no partner
    helps, the tasks of some hosts are divided anew; where that does not help, random swaps shake the mapping. The
    search ends when the time is up, the level meets its bound, or it was stuck too often since it last improved. With
    guarantees the search minds the largest load, not the level itself, and what does not raise the level is dropped.

    Args:
        instance: what is packed.
        attempt: with a mapping.
        time_limit_s: seconds.
        seed: of the random numbers.
        stop_when_stuck: end after the search was stuck so often in a row; 0 for 20 x (tasks + hosts).
        report: is told the best level and the bound while the search runs.
    """
    scaled = instance.scaled
    if attempt.host is None or attempt.proven or instance.tasks == 0 or not (scaled.room > 0).all():
        return attempt
    deadline = Deadline.after(time_limit_s)
    best_possible = ceiling(instance)
    goal = 1.0 / best_possible * (1.0 + 1e-12) if best_possible > 0 and not instance.guaranteed else 0.0
    problem, state = search_state(instance)
    walk, group = _walk(instance, seed), _group(instance)
    stuck = effort = met = 0
    patience = stop_when_stuck or PATIENCE * (instance.tasks + instance.hosts)
    interrupted = False
    walk.best[:] = attempt.host
    try:
        start_walk(problem, state, walk, attempt.host.astype(np.int64))
        while not met and stuck < patience and not deadline.passed():
            least = walk.least[0]
            met, more, looks = search_on(problem, state, walk, group, goal, SLICE)
            stuck, effort = stuck + more if walk.least[0] == least else 0, effort + looks
            report(Incumbent("level", min(1.0, 1.0 / max(float(walk.least[0]), 1e-12)), best_possible))
    except KeyboardInterrupt:
        interrupted = True
    better = walk.best.astype(np.int32)
    before, after = level_of(instance, attempt.host), level_of(instance, better)
    host, level = (better, after) if after > before else (attempt.host, before)
    proven = bool(level >= best_possible * (1 - 1e-12))
    name = f"{attempt.solver}+local-search"
    return Attempt(host, "ok", name, best_possible, proven, effort=attempt.effort + effort, interrupted=interrupted)


def search_state(instance: Instance) -> tuple[SearchProblem, SearchState]:
    """The kernel's view of an instance, and a state without a mapping yet."""
    scaled, tasks, hosts = instance.scaled, instance.tasks, instance.hosts
    return SearchProblem(scaled.need, scaled.room, scaled.hard, scaled.hard_room + TOLERANCE), SearchState(
        np.empty(tasks, np.int64),
        np.zeros(scaled.room.shape),
        np.zeros(scaled.hard_room.shape),
        np.zeros(hosts),
        np.empty(hosts, np.int64),
        np.empty(tasks, np.int64),
        np.empty(tasks, np.int64),
    )


def _walk(instance: Instance, seed: int) -> PairWalk:
    leaves = 1 << max(1, (instance.hosts - 1).bit_length())
    return PairWalk(
        np.full((2, 2 * leaves), -1, np.int64),
        np.empty(instance.tasks, np.int64),
        np.zeros(1),
        np.array([seed % 2**64], np.uint64),
    )


def _group(instance: Instance) -> HostGroup:
    resources = instance.scaled.room.shape[1] + instance.scaled.hard_room.shape[1]
    return HostGroup(
        np.zeros(GROUP, np.int64),
        np.zeros(FREE, np.int64),
        np.zeros(FREE, np.int64),
        np.zeros((GROUP, resources)),
        np.zeros((GROUP, resources)),
        np.zeros((GROUP, FREE + 1, resources)),
        np.zeros((GROUP + 1, resources)),
        np.zeros(GROUP * (FREE + 1), np.int64),
    )
