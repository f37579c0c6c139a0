"""A decision's own copy of the free capacity: find a host, take it, reserve it. Plain Python, the specification."""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from operator import gt
from typing import Protocol

import numpy as np

from loadmaster.model.amounts import Amounts, minus, plus, times
from loadmaster.model.arrays import Bools, Floats
from loadmaster.model.request import RowRequest
from loadmaster.model.request import tasks_held as tasks_held
from loadmaster.model.snapshot import Snapshot
from loadmaster.place.first_fit import first_fit
from loadmaster.place.policy import Context, Policy, rated, read_only
from loadmaster.place.policy_in_process import PolicyInProcess

FreeOfHosts = list[Amounts] | dict[int, Amounts]
"""R amounts of each of H hosts, by number."""


class Barrier(Protocol):
    """What keeps tasks from hosts that others are promised, task by task.

    `demand` are R amounts, and where GPUs are cards (rule Q22) those of each card behind them.
    """

    def allows(self, host: int, demand: Sequence[float]) -> bool:
        """Whether a task of `demand` may take `host`."""
        ...

    def cost_of_cards(self, host: int, share: float) -> Sequence[float]:
        """What each card of `host` costs the promise if a task takes `share` of it."""
        ...

    def take(self, host: int, demand: Sequence[float]) -> None:
        """A task takes `host`."""
        ...

    def give_back(self, host: int, demand: Sequence[float]) -> None:
        """It does not after all."""
        ...


class Room:
    """What is left of every host while one decision is made.

    The snapshot is never changed: what is free is copied, as plain numbers. `last_host` follows the tasks placed. Two
    things tell without a look at the hosts that a request finds none. It requests more than all hosts have left
    together; or it found none before, and nothing was given back since.

    Attributes:
        amounts: R amounts of each of H hosts, what is left of it; where GPUs are cards (rule Q22), those of its cards
            behind them.
        together: R amounts, what is left of all hosts; a hair more, see `rounded_up`.
        cards: by row, the cards of each task, as bits, on the hosts that were picked for the job last.
    """

    def __init__(self, snapshot: Snapshot, policy: Policy) -> None:
        self.policy = policy
        self.capacity = snapshot.cluster.capacity
        self.queue = snapshot.queue
        self._requests = snapshot.queue.requests
        self.allowed = snapshot.allowed
        self.seed = snapshot.seed
        self.amounts = list(snapshot.amounts)
        self.together = snapshot.together
        self.last_host = snapshot.last_host
        self.reserved: list[int] = []
        self.cards: dict[int, tuple[int, ...]] = {}
        self._open: Sequence[int] = range(len(self.amounts))
        self._full: dict[RowRequest, float] = {}  # the shortest time for which each is known not to fit
        self._takes_first = type(policy) is Policy and policy.score is first_fit
        self._cluster = snapshot.cluster

    @property
    def free(self) -> Floats:
        """float64[H, R], what is left of every host; a copy."""
        return np.array(self.amounts)[:, : self.capacity.shape[1]]

    @property
    def exhausted(self) -> bool:
        """Every host is reserved."""
        return not self._open

    @cached_property
    def _kind(self) -> list[int] | None:
        """Of each host; None where the policy looks at more than the task, what is free and the capacity."""
        alone = type(self.policy) is Policy and not (self.policy.contextual or self.policy.varies)
        return self._cluster.kinds[1].tolist() if alone else None

    def hosts_of(self, row: int) -> Bools:
        """bool[H]: the hosts that the queue's job `row` may use by its constraints."""
        may = self.restricted_to(row)
        return np.ones(len(self.amounts), dtype=bool) if may is None else may

    def restricted_to(self, row: int) -> Bools | None:
        """The same, but None where it may use every host."""
        if self.allowed is None or self.queue.hosts is None:
            return None
        return np.asarray(self.allowed[self._requests[row].hosts])

    def is_full(self, row: int, lasts_s: float = -math.inf) -> bool:
        """Whether it is known that the queue's job `row` finds no hosts for so long; by default for any time."""
        shortest_s = self._full.get(self._requests[row])
        return shortest_s is not None and shortest_s <= lasts_s

    def note_full(self, row: int, lasts_s: float = -math.inf) -> None:
        """What the queue's job `row` requests found no hosts for `lasts_s`: nor does it for longer, until `forget`."""
        request = self._requests[row]
        self._full[request] = min(lasts_s, self._full.get(request, math.inf))

    def lacks(self, row: int) -> bool:
        """Whether the queue's job `row` requests more than all hosts have left together."""
        total, together = self._requests[row].total, self.together
        return total[0] > together[0] or any(map(gt, total, together))

    def forget(self) -> None:
        """Something is given back: all must be tried again."""
        self._full.clear()

    def place(self, row: int, barriers: Sequence[Barrier] = (), usable: Bools | None = None) -> tuple[int, ...] | None:
        """Take hosts for all tasks of the queue's job `row`, one task after another, or none at all.

        Args:
            row: in the queue.
            barriers: what else must let each task pass; each is told what is taken.
            usable: bool[H], the hosts that may be used beside all that constraints say; None: all.
        """
        if self.is_full(row) or self.lacks(row):
            return None
        hosts = self._pick(row, self.amounts, self._among(row, usable), barriers)
        if hosts is not None:
            self.together = minus(self.together, self._requests[row].total)
        elif usable is None and not barriers:
            self.note_full(row)
        return hosts

    def take(self, row: int, hosts: Sequence[int]) -> None:
        """Take exactly these hosts for the tasks of the queue's job `row`, and on them its `cards`."""
        for host, amounts in self.held_on(row, hosts):
            self.amounts[host] = minus(self.amounts[host], amounts)
        self.last_host = hosts[-1]
        self.together = minus(self.together, self._requests[row].total)

    def foresee(self, row: int, free: FreeOfHosts, usable: Bools | None) -> tuple[int, ...] | None:
        """Hosts that the policy would pick for the queue's job `row` if so much were free; only `free` is taken from.

        Args:
            row: in the queue.
            free: R amounts of each of H hosts.
            usable: as `place` has it.
        """
        last_host = self.last_host
        hosts = self._pick(row, free, self._among(row, usable), ())
        self.last_host = last_host
        return hosts

    def held_by(self, row: int) -> list[Amounts]:
        """What each task of the queue's job `row` takes of the host that was picked for it last."""
        return self._requests[row].each(self.cards.get(row, ()))

    def held_on(self, row: int, hosts: Sequence[int]) -> Sequence[tuple[int, Amounts]]:
        """What the tasks of the queue's job `row`, picked for `hosts` last, take together of each host."""
        return self._requests[row].on(hosts, self.cards.get(row, ()))

    def reopen(self) -> None:
        """Let all hosts be used again that were taken out or reserved."""
        self._open = range(len(self.amounts))
        self.forget()

    def give_back(self, row: int, hosts: Sequence[int], barriers: Sequence[Barrier] = ()) -> None:
        """Undo what `place` took for the queue's job `row`; `last_host` stays."""
        self._undo(self.amounts, self.held_by(row), hosts, barriers)
        self.together = plus(self.together, self._requests[row].total)
        self.forget()

    def close(self, hosts: Bools) -> None:
        """Take hosts bool[H] out of this decision."""
        self._open = [host for host in self._open if not hosts[host]]

    def reserve(self, row: int) -> None:
        """Keep hosts for the queue's job `row`: most free memory first, until they could hold it when empty.

        Only hosts that it may use and that could hold one of its tasks when empty are taken (rule Q2); with a single
        resource that resource stands in for memory.
        """
        request = self._requests[row]
        able = np.asarray((self.capacity >= np.array(request.demand)).all(axis=1))
        left, kept = self._among(row, able), np.zeros(len(self.amounts))
        memory = min(1, len(request.demand) - 1)
        while left and not request.asked.fit(kept):
            host = max(left, key=lambda host: self.amounts[host][memory])  # of equal ones the first
            left = [other for other in left if other != host]
            self._open = [other for other in self._open if other != host]
            self.reserved.append(host)
            kept[host] = request.held_in(self._empty(host))

    def _empty(self, host: int) -> Amounts:
        """What the host has when nothing runs there."""
        capacity, cards = tuple(self.capacity[host].tolist()), self.queue.cards
        if cards is None:
            return capacity
        has = int(capacity[cards.column])
        return (*capacity, *[1.0] * has, *[0.0] * (cards.most - has))

    def _among(self, row: int, usable: Bools | None) -> Sequence[int]:
        """The hosts that the queue's job `row` may use and that are not reserved, of those `usable`, ascending."""
        may = self.restricted_to(row)
        if usable is not None:
            may = usable if may is None else may & usable
        if may is None:
            return self._open
        fine = may.tolist()
        return [host for host in self._open if fine[host]]

    def _pick(
        self, row: int, free: FreeOfHosts, among: Sequence[int], barriers: Sequence[Barrier]
    ) -> tuple[int, ...] | None:
        """Hosts of those `among` for all tasks of the queue's job `row`, taken from `free`; None, and nothing taken."""
        request, last_host = self._requests[row], self.last_host
        first = _first_hosts(request, free, among)
        if first is None:
            return None
        chosen = not self._takes_first or request.asked.binds
        if not (chosen or barriers or request.cards):
            for host, many in first:
                free[host] = minus(free[host], times(many, request.demand))
                self.last_host = host
            return tuple(chain.from_iterable([(host,) * many for host, many in first]))
        found: Iterable[int] = (host for host, many in first for _ in range(many))
        if chosen:
            found = self._best(row, free, among, barriers)
        elif barriers:
            found = self._in_turn(request, free, among, barriers)
        hosts: list[int] = []
        cards: list[int] = []
        for host in found:
            cards.append(_cards(request, free[host], host, barriers))
            amounts = request.amounts(cards[-1])
            free[host] = minus(free[host], amounts)
            for barrier in barriers:
                barrier.take(host, amounts)
            self.last_host = host
            hosts.append(host)
        if request.cards:
            self.cards[row] = tuple(cards)
        if len(hosts) == request.asked.tasks:
            return tuple(hosts)
        self._undo(free, request.each(cards)[: len(hosts)], hosts, barriers)
        self.last_host = last_host
        return None

    @staticmethod
    def _in_turn(
        request: RowRequest, free: FreeOfHosts, among: Iterable[int], barriers: Sequence[Barrier]
    ) -> Iterator[int]:
        """The first host that fits for one task after another; each is taken before the next is requested.

        Tasks of a job are alike, so no task goes back to a host that had no room for the task before.
        """
        left = request.asked.tasks
        for host in among:
            while left and _may_take(request, free[host], host, barriers):
                left -= 1
                yield host
            if not left:
                return

    def _best(self, row: int, free: FreeOfHosts, among: Sequence[int], barriers: Sequence[Barrier]) -> Iterator[int]:
        """The lowest rated host that fits for one task after another; each is taken before the next is requested."""
        request, hosts = self._requests[row], list[int]()
        for k in range(request.asked.tasks):
            now = self._leaving_a_way(request, free, among, barriers, hosts) if request.asked.binds else among
            may = [each for each in now if _may_take(request, free[each], each, barriers)]
            host = self._find(row, k, free, may)
            if host < 0:
                return
            hosts.append(host)
            yield host

    def _find(self, row: int, k: int, free: FreeOfHosts, fitting: Sequence[int]) -> int:
        """The lowest rated of the hosts `fitting` for task k of the queue's job `row`; -1 if there are none.

        The lowest index among equals. Where the policy cannot tell alike hosts apart, the first of them is rated.
        """
        if self._takes_first or not fitting:
            return next(iter(fitting), -1)
        if self._kind is not None:
            first: dict[tuple[Amounts, int], int] = {}
            for host in fitting:
                first.setdefault((free[host], self._kind[host]), host)
            fitting = list(first.values())
        best, best_score = -1, math.inf
        rooms = np.array([free[host][: self.capacity.shape[1]] for host in fitting])
        demand, rooms, capacity = map(read_only, (self.queue.demand[row], rooms, self.capacity))
        task = int(self.queue.first_task[row]) + k
        if isinstance(self.policy, PolicyInProcess) and self.policy.score_all is not None:
            return fitting[self.policy.lowest(demand, rooms, capacity[fitting])]
        with np.errstate(all="ignore"):
            for host, room in zip(fitting, rooms, strict=True):
                context = Context(host, len(self.amounts), self.last_host, task, self.seed)
                score = rated(self.policy, demand, room, capacity[host], context)
                if best < 0 or score < best_score:
                    best, best_score = host, score
        return best

    @staticmethod
    def _undo(free: FreeOfHosts, each: Sequence[Amounts], hosts: Sequence[int], barriers: Sequence[Barrier]) -> None:
        """Give back what `each` task took of the host of `hosts` that it was on."""
        for host, amounts in reversed(list(zip(hosts, each, strict=True))):
            free[host] = plus(free[host], amounts)
            for barrier in barriers:
                barrier.give_back(host, amounts)

    def _leaving_a_way(
        self,
        request: RowRequest,
        free: FreeOfHosts,
        among: Sequence[int],
        barriers: Sequence[Barrier],
        hosts: Sequence[int],
    ) -> list[int]:
        """Of the hosts `among`, those that a task may take so that the others find as many hosts as asked.

        Args:
            request: of the job, which has its first tasks on `hosts`.
            free: R amounts of each of H hosts.
            among: the hosts that it may use.
            barriers: as `place` has them.
            hosts: so far.
        """
        held, used = np.zeros(len(self.amounts)), np.zeros(len(self.amounts), dtype=bool)
        for host in among:
            if _barriers_let(request, free[host], host, barriers):
                held[host] = max(0.0, request.held_in(free[host]))
        used[list(hosts)] = True
        ways = request.asked.ways_on(held, used, len(hosts))
        return [host for host in among if ways[host]]


def _first_hosts(request: RowRequest, free: FreeOfHosts, among: Iterable[int]) -> list[tuple[int, int]] | None:
    """The first hosts of those `among`, with R amounts `free` each, that have room for all tasks; None if none have.

    Each with a number of tasks: as tasks of a job are alike, each host takes as many as it holds before the next is
    looked at.
    """
    left, first_amount = request.asked.tasks, request.demand[0]
    hosts: list[tuple[int, int]] = []
    for host in among if left else ():
        room = free[host]
        if room[0] >= first_amount and request.fits(room):
            many = 1 if left == 1 else int(min(left, request.held_in(room)))
            hosts.append((host, many))
            left -= many
            if not left:
                break
    return None if left else hosts


def _may_take(request: RowRequest, room: Amounts, host: int, barriers: Sequence[Barrier]) -> bool:
    """Whether `room` on `host` is enough for a task, and every barrier lets the host be taken."""
    return request.fits(room) and _barriers_let(request, room, host, barriers)


def _barriers_let(request: RowRequest, room: Amounts, host: int, barriers: Sequence[Barrier]) -> bool:
    """Whether every barrier lets a task take `host`, which has `room`."""
    if not barriers:
        return True
    amounts = request.amounts(_cards(request, room, host, barriers))
    return all(barrier.allows(host, amounts) for barrier in barriers)


def _cards(request: RowRequest, room: Amounts, host: int, barriers: Sequence[Barrier]) -> int:
    """The cards, as bits, that a task takes of `host`: those that cost the promises least, then the tightest ones."""
    if not request.wanted or not barriers:
        return request.cards_in(room)
    costs = (barrier.cost_of_cards(host, request.share) for barrier in barriers)
    return request.cards_in(room, [sum(each) for each in zip(*costs, strict=True)])
