"""Orders and policies of this process as the compiled engine calls them: one call of Python a decision, by arrays.

The engine calls a rule through a pointer. For a rule that is an object, the pointer leads to compiled code that writes
the arrays of a table and calls a method of the table through `ctypes`, which takes the global lock of Python: a fifth
of the cost of Numba's `objmode`. An error cannot pass through compiled code: the method keeps it and returns `_FAILED`.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,attr-defined,call-arg,assignment,arg-type"

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import CFUNCTYPE, c_double, c_int64
from functools import lru_cache
from typing import Any

import numpy as np
from numba import carray, njit, types
from numba.extending import intrinsic

from loadmaster.compiled_rules.orders import RANKER
from loadmaster.compiled_rules.scans import SCAN
from loadmaster.host_index.lanes_kernel import BLOCK, LOWEST, NEVER, NOBODY, UNKNOWN, rank_of
from loadmaster.model.arrays import Floats
from loadmaster.order import JobColumns
from loadmaster.order.order_in_process import OrderInProcess
from loadmaster.place.policy import read_only
from loadmaster.place.policy_in_process import PolicyInProcess

_OPTIONS: dict[str, Any] = {"error_model": "numpy"}
_FAILED = 1
_ROOM = 0
_FLOATS, _INTS = 7, 5
"""Columns of `JobColumns` of each kind."""
_MOST_VIEWS = 4096
"""Views of so many jobs or hosts, or more, are made anew at each call: a view takes a kilobyte or more."""
_MANY = CFUNCTYPE(c_int64, c_int64)
_MANY_NOW = CFUNCTYPE(c_int64, c_int64, c_double)
_errors: list[BaseException] = []


@contextmanager
def raising_errors_of_rules() -> Iterator[None]:
    """Around a call of a compiled engine: an error in a rule of this process goes up as itself."""
    _errors.clear()
    try:
        yield
    except Exception:
        _raise_first()
        raise
    _raise_first()


def _raise_first() -> None:
    if _errors:
        error = _errors[0]
        _errors.clear()
        raise error


@lru_cache(maxsize=64)
def ranker_in_process(order: OrderInProcess) -> Callable[..., int]:
    """`order` as a ranker: one call of `rank_all` a pass."""
    table = JobTable(order)
    control, make_room, rank_first = table.control.ctypes.data, _MANY(table.make_room), _MANY_NOW(table.rank)

    def rank(columns, jobs, n, now, out):
        if n < 2:  # there is no order of one job
            out[:n] = 0.0
            return 0
        if n > carray(_longs_at(control), 4)[_ROOM] and make_room(n):
            return 1
        room, floats_at, ints_at, ranks_at = carray(_longs_at(control), 4)
        floats, ints = carray(_floats_at(floats_at), (_FLOATS, room)), carray(_ints_at(ints_at), (_INTS, room))
        for k in range(n):
            i = jobs[k] if jobs.shape[0] > 0 else k
            floats[0, k], floats[1, k], floats[2, k] = columns.submit_s[i], columns.eligible_s[i], columns.expected_s[i]
            floats[3, k], floats[4, k] = columns.cores[i], columns.memory[i]
            floats[5, k], floats[6, k] = columns.priority[i], columns.nice[i]
            ints[0, k], ints[1, k], ints[2, k] = columns.tasks[i], columns.user[i], columns.account[i]
            ints[3, k], ints[4, k] = columns.partition[i], columns.qos[i]
        wrong = rank_first(n, now)
        ranks = carray(_floats_at(ranks_at), room)
        for k in range(n):
            out[k] = ranks[k]
            wrong += not abs(out[k]) < np.inf
        return wrong

    ranker: Callable[..., int] = njit(RANKER, **_OPTIONS)(rank)
    return ranker


@lru_cache(maxsize=64)
def scanner_in_process(policy: PolicyInProcess, resources: int) -> Callable[..., int]:
    """`policy` as a scan of hosts with so many resources: one call of `score_all` a task."""
    table = HostTable(policy, resources)
    control, make_room, rate_first = table.control.ctypes.data, _MANY(table.make_room), _MANY(table.rate)

    def scan(lanes, demand, blocks, n, slot, since, hosts, last_host, task, seed):
        size, many = lanes.host.shape[0], lanes.kind.shape[0]
        if n * BLOCK > carray(_longs_at(control), 6)[_ROOM] and make_room(n * BLOCK):
            return 1
        room, demand_at, free_at, capacity_at, scores_at, lanes_at = carray(_longs_at(control), 6)
        free, capacity = (
            carray(_floats_at(free_at), (room, resources)),
            carray(_floats_at(capacity_at), (room, resources)),
        )
        asked, fitting = carray(_floats_at(demand_at), resources), carray(_longs_at(lanes_at), room)
        for r in range(resources):
            asked[r] = demand[r]
        found = 0
        for b in range(n):
            for lane in range(blocks[b] * BLOCK, (blocks[b] + 1) * BLOCK):
                fits = True
                for r in range(resources):
                    fits &= lanes.free[r * size + lane] >= demand[r]
                if fits:
                    for r in range(resources):
                        free[found, r] = lanes.free[r * size + lane]
                        capacity[found, r] = lanes.capacity[lanes.kind[blocks[b]] * resources + r]
                    fitting[found] = lane
                    found += 1
        wrong, scores = 0, carray(_floats_at(scores_at), room)
        if found > 1:
            wrong = rate_first(found)
        else:  # there is no choice of one host
            scores[0] = 0.0
        for b in range(n):
            for lane in range(blocks[b] * BLOCK, (blocks[b] + 1) * BLOCK):
                lanes.rank[slot * size + lane] = NEVER
        for k in range(found):
            rank = rank_of(scores[k]) if wrong == 0 else NEVER
            wrong |= (rank >= NEVER) | (rank <= LOWEST)
            lanes.rank[slot * size + fitting[k]] = rank
        for b in range(n):
            low, holder = NEVER, NOBODY if since >= 0 else UNKNOWN
            for lane in range(blocks[b] * BLOCK, (blocks[b] + 1) * BLOCK):
                low = min(low, lanes.rank[slot * size + lane])
            for lane in range(blocks[b] * BLOCK, (blocks[b] + 1) * BLOCK):
                if since >= 0 and lanes.rank[slot * size + lane] == low:
                    holder = min(holder, lanes.host[lane])
            lanes.least[slot * many + blocks[b]], lanes.holder[slot * many + blocks[b]] = low, holder
        return np.int64(wrong)

    scanner: Callable[..., int] = njit(SCAN, **_OPTIONS)(scan)
    return scanner


class JobTable:
    """The columns of the waiting jobs, which compiled code writes and an order reads: the same memory at each call.

    Attributes:
        control: int64[4]: room for so many jobs, and the addresses of the three blocks.
    """

    def __init__(self, order: OrderInProcess) -> None:
        self._order = order
        self.control = np.zeros(4, np.int64)
        self.make_room(64)

    def make_room(self, jobs: int) -> int:
        """Make room for at least so many jobs; returns `_FAILED` or 0."""
        room = 1 << int(jobs - 1).bit_length()
        try:
            self._floats, self._ints = np.zeros((_FLOATS, room)), np.zeros((_INTS, room), np.int32)
            self._ranks = np.zeros(room)
        except BaseException as error:
            return _keep(error)
        self._views: dict[int, tuple[JobColumns, Floats]] = {}
        self.control[:] = room, *(block.ctypes.data for block in (self._floats, self._ints, self._ranks))
        return 0

    def rank(self, jobs: int, now_s: float) -> int:
        """Let the order rank the first so many jobs; returns `_FAILED` or 0."""
        try:
            columns, ranks = self._views.get(jobs) or self._view(jobs)
            ranks[...] = self._order.ranks_of(columns, now_s)
        except BaseException as error:
            return _keep(error)
        return 0

    def _view(self, jobs: int) -> tuple[JobColumns, Floats]:
        """What the order may read of so many jobs, and may not change; and where the ranks go."""
        real, whole = (map(read_only, block[:, :jobs]) for block in (self._floats, self._ints))
        submit_s, eligible_s, expected_s, cores, memory, priority, nice = real
        tasks, user, account, partition, qos = whole
        columns = JobColumns(
            submit_s, eligible_s, expected_s, tasks, cores, memory, user, account, partition, qos, priority, nice
        )
        view = columns, self._ranks[:jobs]
        if jobs < _MOST_VIEWS:
            self._views[jobs] = view
        return view


class HostTable:
    """The hosts that fit, which compiled code writes and a policy reads: the same memory at each call.

    Attributes:
        control: int64[6]: room for so many hosts, and the addresses of the five blocks.
    """

    def __init__(self, policy: PolicyInProcess, resources: int) -> None:
        self._policy = policy
        self.control = np.zeros(6, np.int64)
        self._demand = np.zeros(resources)
        self.make_room(BLOCK)

    def make_room(self, hosts: int) -> int:
        """Make room for at least so many hosts; returns `_FAILED` or 0."""
        try:
            self._free, self._capacity = np.zeros((hosts, len(self._demand))), np.zeros((hosts, len(self._demand)))
            self._scores, self._lanes = np.zeros(hosts), np.zeros(hosts, np.int64)
        except BaseException as error:
            return _keep(error)
        self._views: dict[int, tuple[Floats, Floats, Floats, Floats]] = {}
        blocks = self._demand, self._free, self._capacity, self._scores, self._lanes
        self.control[:] = hosts, *(block.ctypes.data for block in blocks)
        return 0

    def rate(self, hosts: int) -> int:
        """Let the policy rate the first so many hosts; returns `_FAILED` or 0."""
        try:
            demand, free, capacity, scores = self._views.get(hosts) or self._view(hosts)
            scores[...] = self._policy.rate_all(demand, free, capacity)
        except BaseException as error:
            return _keep(error)
        return 0

    def _view(self, hosts: int) -> tuple[Floats, Floats, Floats, Floats]:
        """What the policy may read of so many hosts, and may not change; and where the scores go."""
        demand, free, capacity = map(read_only, (self._demand, self._free[:hosts], self._capacity[:hosts]))
        view = demand, free, capacity, self._scores[:hosts]
        if hosts < _MOST_VIEWS:
            self._views[hosts] = view
        return view


@intrinsic
def _longs_at(typing, address):
    return _at(types.int64)


@intrinsic
def _floats_at(typing, address):
    return _at(types.float64)


@intrinsic
def _ints_at(typing, address):
    return _at(types.int32)


def _at(kind):
    """The pointer that a whole number is."""

    def lower(context, builder, signature, arguments):
        return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

    return types.CPointer(kind)(types.int64), lower


def _keep(error: BaseException) -> int:
    _errors.append(error)
    return _FAILED
