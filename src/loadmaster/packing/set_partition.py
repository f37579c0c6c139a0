"""Exact packing of few tasks on equal hosts: sets of tasks that fill a host, and a choice of disjoint sets.

The level of a mapping is that of its fullest host (rule K2). So the search asks whether all tasks fit on the hosts
with no load above a peak, for higher and higher peaks. Each no raises the bound, each yes is a better mapping.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from loadmaster.model.arrays import Floats, Longs
from loadmaster.packing.bound import ceiling
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.instance import TOLERANCE, Instance
from loadmaster.packing.level import level_of
from loadmaster.packing.packing import Attempt, Status
from loadmaster.packing.set_partition_kernel import SetProblem, SetSearch, list_sets, search_sets

NAME = "set-partition"
MOST_TASKS = 64
MOST_SETS = 40_000
"""Sets up to which the linear program over them is solved."""
LIST_STEPS = 30_000_000
SLICE = 20_000_000
"""Sets looked at between two looks at the clock."""
FIRST_LOOKS = 2_000_000
"""Sets looked at for the first peaks; four times as many each time that too few peaks are settled."""


@dataclass(frozen=True, eq=False)
class Sets:
    """Sets of tasks that one host may hold, as long as the fullest host stays below a peak.

    Attributes:
        mask: uint64[S]; asked: float64[S, R], of the fluid resources first, relative to the host.
        peak: float64[S], the largest relative load of a host with the set.
    """

    mask: Any
    asked: Floats
    peak: Floats

    def below(self, peak: float) -> "Sets":
        """The sets with a load of `peak` at most."""
        within = self.peak <= peak
        return Sets(self.mask[within], self.asked[within], self.peak[within])

    def members(self, tasks: int) -> Floats:
        """float64[S, T]: 1 where a set holds a task."""
        bits = (self.mask[:, None] >> np.arange(tasks, dtype=np.uint64)) & np.uint64(1)
        return np.asarray(bits, np.float64)


def served(instance: Instance) -> bool:
    """Whether the search knows instances of this kind: few tasks, equal hosts, no guarantees."""
    return 0 < instance.tasks <= MOST_TASKS and instance.uniform and not instance.guaranteed


class _Search:
    """Tasks in the order of the search, the largest first, and what is known of the least peak.

    Attributes:
        least: no mapping has a peak below, and a lower one would raise no level.
        low: no mapping has a peak so low; high: the peak of the best mapping known.
        host: int32[T], that mapping, in the instance's order.
        deadline: of the linear programs.
    """

    def __init__(self, instance: Instance, start: Attempt, deadline: Deadline) -> None:
        assert start.host is not None
        self.deadline = deadline
        self.instance, scaled = instance, instance.scaled
        self.fluid = scaled.need.shape[1]
        room = scaled.room[0]
        demand = np.hstack((scaled.need / np.where(room > 0, room, 1.0), scaled.hard))
        self.hard_room = scaled.hard_room[0] + TOLERANCE
        self.order = np.argsort(-demand.max(axis=1, initial=0.0), kind="stable")
        self.demand = np.ascontiguousarray(demand[self.order])
        self.total = self.demand.sum(axis=0)
        self.least, self.high = 1.0 / ceiling(instance), 1.0 / level_of(instance, start.host)
        self.low = self.least * (1 - 1e-9)
        self.host = start.host
        self.sets: Sets | None = None

    def capacity(self, peak: float) -> Floats:
        """float64[R]: what a host may hold at `peak`."""
        return np.concatenate((np.full(self.fluid, peak * (1 + 1e-12)), self.hard_room))

    def budget(self, peak: float) -> Floats:
        """float64[R]: what all hosts together may leave empty at `peak`."""
        return np.asarray(np.maximum(self.capacity(peak) * self.instance.hosts - self.total, 0.0))

    def list_below(self, peak: float) -> Sets | None:
        """All sets that a host of a mapping with this peak may hold; None if there are too many."""
        tasks, resources = self.demand.shape
        capacity = self.capacity(peak)
        rest = np.vstack((np.cumsum(self.demand[::-1], axis=0)[::-1], np.zeros(resources)))
        problem = SetProblem(self.demand, capacity, capacity - self.budget(peak) - 1e-12, rest)
        mask, asked = np.empty(MOST_SETS, np.uint64), np.empty((MOST_SETS, resources))
        scratch = np.empty(tasks, np.int64), np.empty((tasks + 1, resources))
        count = list_sets(problem, *scratch, LIST_STEPS, mask, asked)
        if count < 0:
            return None
        peaks = asked[:count, : self.fluid].max(axis=1, initial=0.0)
        return Sets(mask[:count], asked[:count], peaks)

    def duals(self, sets: Sets) -> Floats | None:
        """float64[T]: values of tasks, no set worth more than 1, of the highest sum; None if no mapping uses `sets`."""
        linprog: Any = scipy.optimize.linprog
        members = sets.members(len(self.demand))
        if not (members.sum(axis=0) > 0).all():
            return None
        result = linprog(
            np.ones(len(members)),
            A_eq=scipy.sparse.csc_array(members.T),
            b_eq=np.ones(members.shape[1]),
            method="highs-ds",
            options={"time_limit": max(0.01, self.deadline.left_s())},
        )
        if result.status == 2:
            return None
        if result.x is None:
            return np.zeros(members.shape[1])
        dual: Floats = np.asarray(result.eqlin.marginals)
        return dual / max(1.0, float((members @ dual).max()))

    def refuted(self, sets: Sets) -> Floats | None:
        """The duals of `duals`; None if no mapping uses `sets` on the hosts there are."""
        dual = self.duals(sets)
        return None if dual is None or dual.sum() > self.instance.hosts + 1e-6 else dual

    def peaks(self) -> Floats:
        """float64[P]: peaks that the best mapping may have, ascending, better than that of the mapping known."""
        assert self.sets is not None
        peaks = np.maximum(self.sets.peak, self.least)
        return np.unique(peaks[(peaks > self.low) & (peaks < self.high * (1 - 1e-12))])

    def take(self, masks: Any) -> None:
        """Keep the mapping that puts the tasks of each mask on a host."""
        host = np.empty(len(self.demand), np.int32)
        for h, mask in enumerate(masks):
            members = [t for t in range(len(host)) if int(mask) >> t & 1]
            host[self.order[members]] = h
        peak = 1.0 / level_of(self.instance, host)
        if peak < self.high:
            self.host, self.high = host, peak


def set_partition(instance: Instance, start: Attempt, time_limit_s: float = 60.0) -> Attempt:
    """The optimum, or the best mapping within the time and the best bound; `served` tells which instances it knows.

    Differs from a search task by task: a host that leaves too much empty is dropped at once, since what all hosts leave
    empty is known; so is a set whose reduced cost in the linear program over all sets is above the program's gap.

    Args:
        instance: what to pack; `served`.
        start: a mapping.
        time_limit_s: seconds.
    """
    deadline = Deadline.after(time_limit_s)
    search = _Search(instance, start, deadline)
    interrupted, effort = False, 0
    try:
        if search.high > search.least * (1 + 1e-12):
            search.sets = search.list_below(search.high)
            if search.sets is not None:
                _raise_by_program(search, deadline)
                effort = _settle(search, deadline)
    except KeyboardInterrupt:
        interrupted = True
    level = level_of(instance, search.host)
    settled = search.high <= max(search.least, search.low) * (1 + 1e-12)
    bound = level if settled else max(level, 1.0 / max(search.least, search.low))
    status: Status = "ok" if settled else "limit"
    return Attempt(search.host, status, NAME, bound, settled, effort=effort, interrupted=interrupted)


def _raise_by_program(search: _Search, deadline: Deadline) -> None:
    """Raise the lower end by bisection: a peak at which the linear program needs more hosts is too low."""
    assert search.sets is not None
    peaks = search.peaks()
    low, high = 0, len(peaks)
    while low < high and not deadline.passed():
        middle = (low + high) // 2
        if search.refuted(search.sets.below(peaks[middle])) is None:
            search.low, low = float(peaks[middle]), middle + 1
        else:
            high = middle
    _close(search)


def _close(search: _Search) -> None:
    """Where no peak lies between the two ends, the mapping known is the best."""
    if not len(search.peaks()):
        search.low = search.high


def _settle(search: _Search, deadline: Deadline) -> int:
    """Ask for peaks from the lower end upward until none is left or the time is up; how many sets were looked at."""
    looks, part, allowed = 0, 1 / 64, FIRST_LOOKS
    while len(peaks := search.peaks()) and not deadline.passed():
        peak = float(peaks[min(len(peaks) - 1, int(part * len(peaks)))])
        answer, more = _ask(search, peak, allowed, deadline)
        looks += more
        if answer < 0:
            search.low, part = peak, min(1.0, 2 * part)
        elif answer == 0 and part * len(peaks) < 1:
            allowed *= 4
        elif answer == 0:
            part /= 4
    _close(search)
    return looks


def _ask(search: _Search, peak: float, allowed: int, deadline: Deadline) -> tuple[int, int]:
    """1: a mapping with at most this peak is kept; -1: there is none; 0: not known. And the sets looked at."""
    assert search.sets is not None
    sets = _within_budget(search, search.sets.below(peak), peak)
    dual = search.refuted(sets)
    if dual is None:
        return -1, 0
    state = _state(search, sets, dual, peak)
    looks = 0
    while looks < allowed and not deadline.passed():
        answer, more = search_sets(state, min(SLICE, allowed - looks))
        looks += more
        if answer > 0:
            search.take(state.mask[state.chosen[: state.depth[0]]])
        if answer:
            return int(answer), looks
    return 0, looks


def _within_budget(search: _Search, sets: Sets, peak: float) -> Sets:
    """The sets that leave no more empty than all hosts together may."""
    within = (search.capacity(peak) - sets.asked <= search.budget(peak) + 1e-12).all(axis=1)
    return Sets(sets.mask[within], sets.asked[within], sets.peak[within])


def _state(search: _Search, sets: Sets, dual: Floats, peak: float) -> SetSearch:
    """The kernel's view: sets by their first task, the least reduced cost first; budgets of resources and of duals."""
    tasks, hosts = len(search.demand), search.instance.hosts
    members = sets.members(tasks)
    reduced = 1.0 - members @ dual
    gap = max(0.0, hosts - float(dual.sum())) + 1e-7
    spent = np.column_stack((search.capacity(peak) - sets.asked, reduced))
    budget = np.append(search.budget(peak) + 1e-9, gap)
    useful = np.flatnonzero((spent <= budget).all(axis=1))
    first: Longs = members[useful].argmax(axis=1)
    turn = np.lexsort((reduced[useful], first))
    useful, first = useful[turn], first[turn]
    left, covered = np.zeros((hosts + 1, len(budget))), np.zeros(hosts + 1, np.uint64)
    left[0] = budget
    return SetSearch(
        sets.mask[useful],
        np.ascontiguousarray(spent[useful]),
        np.searchsorted(first, np.arange(tasks + 1)),
        budget,
        covered,
        left,
        np.full(hosts + 1, -1, np.int64),
        np.zeros(hosts, np.int64),
        np.zeros(1, np.int64),
    )
