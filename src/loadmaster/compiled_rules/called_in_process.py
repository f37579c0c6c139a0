"""Orders and policies of this process as the compiled engine calls them: one call of Python a decision, by arrays.

The engine calls a rule through a pointer. For a rule that is an object, the pointer leads to compiled code that takes
the global lock of Python, hands the arrays over and calls the object.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import count
from typing import Any

import numpy as np
from numba import njit, objmode

from loadmaster.compiled_rules.orders import RANKER
from loadmaster.compiled_rules.scans import SCAN
from loadmaster.host_index.lanes_kernel import BLOCK, LOWEST, NEVER, NOBODY, UNKNOWN, rank_of
from loadmaster.order import JobColumns
from loadmaster.order.order_in_process import OrderInProcess
from loadmaster.place.policy_in_process import PolicyInProcess

_OPTIONS: dict[str, Any] = {"error_model": "numpy"}
_FAILED = 1
_rules: dict[int, Any] = {}
_errors: dict[int, BaseException] = {}
_numbers = count(1)


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
        error = _errors.popitem()[1]
        _errors.clear()
        raise error


@lru_cache(maxsize=64)
def ranker_in_process(order: OrderInProcess) -> Callable[..., int]:
    """`order` as a ranker: one call of `rank_all` a pass."""
    number = _numbered(order)

    def rank(columns, jobs, n, now, out):
        with objmode(wrong="int64"):
            wrong = _rank(number, columns, jobs, n, now, out)
        return wrong

    ranker: Callable[..., int] = njit(RANKER, **_OPTIONS)(rank)
    return ranker


@lru_cache(maxsize=64)
def scanner_in_process(policy: PolicyInProcess, resources: int) -> Callable[..., int]:
    """`policy` as a scan of hosts with so many resources: one call of `score_all` a task."""
    number = _numbered(policy)

    def scan(lanes, demand, blocks, n, slot, since, hosts, last_host, task, seed):
        size, many = lanes.host.shape[0], lanes.kind.shape[0]
        fitting = np.empty(n * BLOCK, np.int64)
        free, capacity = np.empty((n * BLOCK, resources)), np.empty((n * BLOCK, resources))
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
        scores = np.empty(found)
        wrong = 0
        if found > 0:
            with objmode(wrong="int64"):
                wrong = _score(number, demand, free[:found], capacity[:found], scores)
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


def _numbered(rule: Any) -> int:
    number = next(_numbers)
    _rules[number] = rule
    return number


def _rank(number, columns, jobs, n, now, out):
    """Rank the first n of `jobs`, or jobs 0 to n - 1 where it has no entry; returns how many ranks are wrong."""
    try:
        which = jobs[:n] if len(jobs) else slice(0, n)
        out[:n] = _rules[number].ranks_of(JobColumns._make([column[which] for column in columns]), float(now))
    except BaseException as error:
        _errors[number] = error
        return _FAILED
    return 0


def _score(number, demand, free, capacity, out):
    """Rate the hosts; returns 1 if the policy fails, else 0."""
    try:
        out[:] = _rules[number].rate_all(demand, free, capacity)
    except BaseException as error:
        _errors[number] = error
        return _FAILED
    return 0


