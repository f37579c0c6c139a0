"""Local search for a host for each task that is left over: a few hosts are emptied and filled anew (rule K23)."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from loadmaster.model.arrays import Bools, Ints
from loadmaster.packing.card_placement import open_tasks, requests_of
from loadmaster.packing.cards_kernel import OpenTasks, place_left_over
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.improve_kernel import draw
from loadmaster.packing.incumbent import Incumbent, Report, silent
from loadmaster.packing.instance import TOLERANCE, Instance
from loadmaster.packing.most_placed import LP_LIMIT_S, most_placed
from loadmaster.packing.packing import Attempt
from loadmaster.packing.place_more_kernel import GROUP, MOST_TASKS, HostLists, Repacking, place_more

NAME = "refill"
"""The name of this search beside the packer before it."""
STEPS = 2_000
"""Steps between two looks at the clock: some hundredths of a second."""
PATIENCE = 30
"""Times (tasks left over + hosts): steps in a row that place no further task, after which a host is cleared."""


class MorePlaced(NamedTuple):
    """The result of the search.

    Attributes:
        host: int32[T], -1 for tasks that are left over.
        taken: bool[T, C], the cards of its host that each task takes.
        interrupted: the user stopped the search.
    """

    host: Ints
    taken: Bools
    interrupted: bool

    @property
    def placed(self) -> int:
        """Number of tasks with a host."""
        return int((self.host >= 0).sum())


def with_more_placed(
    instance: Instance, attempt: Attempt, deadline: Deadline, seed: int = 0, report: Report = silent
) -> Attempt:
    """An attempt that leaves tasks over, with as many of them placed as the search manages before the deadline.

    Args:
        instance: what is packed.
        attempt: with a partial mapping.
        deadline: when to stop.
        seed: of the random numbers.
        report: is told the tasks placed and the bound while the search runs.
    """
    assert attempt.partial is not None
    taken = attempt.cards if attempt.cards is not None else np.zeros((instance.tasks, 0), bool)
    enough = most_placed(instance, min(LP_LIMIT_S, deadline.left_s() / 5))
    more = search_more(instance, MorePlaced(attempt.partial, taken, False), deadline, enough, seed, report)
    name = attempt.solver if more.placed == int((attempt.partial >= 0).sum()) else f"{attempt.solver}+{NAME}"
    cards = None if instance.cards is None else more.taken
    found = replace(attempt, solver=name, cards=cards, interrupted=more.interrupted, place_bound=enough)
    if more.placed == instance.tasks:
        return replace(found, host=more.host, partial=None, status="ok", proven=False, unplaced=-1, reason="")
    if attempt.proven:
        return replace(found, partial=more.host)
    first = int(np.argmax(more.host < 0))
    reason = "no placement of all tasks was found"
    return replace(found, partial=more.host, status="limit", unplaced=first, reason=reason)


def search_more(
    instance: Instance, start: MorePlaced, deadline: Deadline, enough: int, seed: int = 0, report: Report = silent
) -> MorePlaced:
    """A placement of at least as many tasks: ends when `enough` have a host, or the time is up.

    When the search is stuck, a host is cleared for a task that is left over, and the search goes on from there; if it
    does not place as many tasks as before, it returns to the best placement.

    Args:
        instance: what is packed; only what must fit in full is looked at.
        start: where the tasks are, and their cards.
        deadline: when to stop.
        enough: no placement has more tasks.
        seed: of the random numbers.
        report: is told the tasks placed and the bound while the search runs.
    """
    random = np.array([seed % 2**64], np.uint64)
    best = start
    try:
        while best.placed < enough and not deadline.passed():
            found = _until_stuck(instance, start, deadline, enough, random)
            best = found if found.placed >= best.placed else best._replace(interrupted=found.interrupted)
            report(Incumbent("tasks placed", best.placed, enough))
            if best.interrupted:
                break
            start = _cleared(instance, best, random)
    except KeyboardInterrupt:
        best = best._replace(interrupted=True)
    return best


def _until_stuck(
    instance: Instance, start: MorePlaced, deadline: Deadline, enough: int, random: np.ndarray
) -> MorePlaced:
    """What steps come to until they are stuck."""
    requests = requests_of(instance.cards, instance.tasks, instance.hosts)
    tasks = open_tasks(instance, start.host, start.taken)
    lists, scratch = host_lists(instance, start.host, random), repacking(tasks)
    patience = PATIENCE * (int(lists.open_count[0]) + instance.hosts)
    stuck = 0
    interrupted = False
    try:
        while instance.tasks - lists.open_count[0] < enough and stuck < patience and not deadline.passed():
            before = int(lists.open_count[0])
            more = place_more(requests, tasks, lists, scratch, STEPS, TOLERANCE)
            stuck = more if lists.open_count[0] < before else stuck + more
    except KeyboardInterrupt:  # between two kernels, so that the placement is whole
        interrupted = True
    return MorePlaced(tasks.host, tasks.taken, interrupted)


def _cleared(instance: Instance, best: MorePlaced, random: np.ndarray) -> MorePlaced:
    """The placement with one more task on a host that is cleared for it; the tasks of that host go where they fit."""
    left_over = np.flatnonzero(best.host < 0)
    if not left_over.size:
        return best
    task = int(left_over[draw(random, len(left_over))])
    host, taken = best.host.copy(), best.taken.copy()
    able = np.flatnonzero((instance.scaled.hard_room + TOLERANCE >= instance.scaled.hard[task]).all(axis=1))
    if not able.size:
        return best
    moved = np.flatnonzero(host == able[draw(random, len(able))])
    host[moved], taken[moved] = -1, False
    tasks = open_tasks(instance, host, taken)
    moved = moved[np.argsort(-instance.scaled.hard[moved].max(axis=1, initial=0.0), kind="stable")]
    requests = requests_of(instance.cards, instance.tasks, instance.hosts)
    place_left_over(requests, tasks, np.concatenate(([task], moved)).astype(np.int64), TOLERANCE)
    return MorePlaced(tasks.host, tasks.taken, False)


def host_lists(instance: Instance, host: Ints, random: np.ndarray) -> HostLists:
    """The lists of the tasks on each host, and of those on none; `random` uint64[1] is changed by steps."""
    first, following = np.full(instance.hosts, -1, np.int64), np.full(instance.tasks, -1, np.int64)
    for task, h in enumerate(host.tolist()):
        if h >= 0:
            following[task], first[h] = first[h], task
    left_over = np.flatnonzero(host < 0)
    open_list = np.full(instance.tasks, -1, np.int64)
    open_list[: len(left_over)] = left_over
    scaled = instance.scaled
    size = (scaled.hard / np.maximum(scaled.hard_room.sum(axis=0), TOLERANCE)).sum(axis=1)
    return HostLists(
        first,
        following,
        np.bincount(host[host >= 0], minlength=instance.hosts).astype(np.int64),
        open_list,
        np.array([len(left_over)], np.int64),
        size,
        random,
    )


def repacking(tasks: OpenTasks) -> Repacking:
    """Scratch for one step."""
    numbers = [np.zeros(MOST_TASKS, np.int64) for _ in range(4)]
    task, old, new, order = numbers
    return Repacking(
        np.zeros(GROUP, np.int64),
        task,
        old,
        new,
        np.zeros(MOST_TASKS),
        order,
        np.zeros((GROUP, tasks.free.shape[1])),
        np.zeros((GROUP, tasks.load.shape[1])),
        np.zeros((GROUP, tasks.cards.shape[1])),
        np.zeros((MOST_TASKS, tasks.cards.shape[1]), bool),
    )
