"""A placement policy compiled as a scan: it rates whole blocks of hosts, several in one instruction where it can.

An engine receives it as a first-class function, as it does a rater (`compiled_rules/policies.py`), and is compiled once
for all. Hosts without room are not rated, so a score fails only where the plain engine's would. What is handed to the
score lies on the stack and has a length known to the compiler: loops over the resources vanish, and with them the
checks of indices that can be proven. Where a check is left, or the score branches or calls `exp`, hosts are rated one
by one.
"""
# mypy: disable-error-code="no-untyped-def,no-untyped-call,arg-type"

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, cast

import numpy as np
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic

from loadmaster.compiled_rules.policies import READ_ONLY, compiling, is_built_in, kept_as, score_for_scans
from loadmaster.host_index.lanes_kernel import BLOCK, LOWEST, NEVER, NOBODY, UNKNOWN, Lanes, rank_of
from loadmaster.jit.by_reference import ByReference
from loadmaster.place.policy import Context, Policy

_FLOATS = types.Array(types.float64, 1, "C")
_LONGS = types.Array(types.int64, 1, "C")
_INTS = types.Array(types.int32, 1, "C")
LANES = types.NamedTuple((_FLOATS, _INTS, _LONGS, _FLOATS, _INTS, _LONGS, _LONGS, _INTS), Lanes)
SCAN = types.int64(ByReference(LANES), _FLOATS, _INTS, *(types.int64,) * 7)
"""scan(lanes, demand[R], blocks, n, slot, since, hosts, last_host, task, seed) -> 1 if a score is not finite, else 0.

Rates the lanes of the first n of `blocks` that have changed after `since`, for a slot. It finds the blocks' lowest
ranks, and the hosts that have them unless `since` is -1, since few of all blocks are needed. `hosts` is the number of
hosts in the cluster, for the context; so are `last_host`, `task` and `seed`.
"""


_LEAN: dict[str, Any] = {"error_model": "numpy", "nogil": True, "_nrt": False, "no_cpython_wrapper": True}


@lru_cache(maxsize=256)
def scanner(policy: Policy, resources: int, hidden: int = 0) -> Callable[..., int]:
    """`policy` compiled as a scan of hosts with so many resources: some tenths of a second where it is not on disk.

    Args:
        policy: rates hosts by their resources.
        resources: R.
        hidden: amounts behind these, which a host must have enough of and which the policy does not see.

    Raises:
        InputError: the function uses Python that cannot be compiled.
    """
    with compiling(policy.name):
        score = score_for_scans(policy)
        if not policy.contextual:
            score = _without_context(score, checked=not is_built_in(policy))
        scan = _scan(score, resources, _row_of(resources), hidden)
        among = f"_{hidden}" if hidden else ""
        kept = kept_as(policy, f"{policy.name}_{resources}{among}", (__name__,), SCAN, **_LEAN)
        return cast(Callable[..., int], kept(scan))


def _scan(score, resources, row_of, hidden=0):
    amounts = resources + hidden

    def scan(lanes, demand, blocks, n, slot, since, hosts, last_host, task, seed):
        free, hosts_in, changed_at, ranks_in = lanes.free, lanes.host, lanes.changed_at, lanes.rank
        size, many = hosts_in.shape[0], lanes.kind.shape[0]
        asked = row_of(demand, 0, 1)
        wrong, b = False, np.uint64(0)
        while b < np.uint64(n):
            kind = lanes.kind[np.uint64(blocks[b])]
            whole = row_of(lanes.capacity, kind * amounts, 1)
            while b < np.uint64(n) and lanes.kind[np.uint64(blocks[b])] == kind:  # what follows of `whole` is made once
                block = np.uint64(blocks[b])
                first, ranks = block * np.uint64(BLOCK), np.uint64(slot * size) + block * np.uint64(BLOCK)
                low = NEVER
                for i in range(np.uint64(BLOCK)):
                    lane, at = first + i, ranks + i
                    left = row_of(free, np.int64(lane), size)
                    fits = True
                    for r in range(resources):
                        fits &= left[r] >= asked[r]
                    for r in range(resources, amounts):
                        fits &= free[np.int64(lane) + r * size] >= demand[r]
                    rank = NEVER
                    if fits:
                        rank = ranks_in[at]
                        if since < 0 or changed_at[lane] > since:  # where all are rated, none of the columns is read
                            context = Context(np.int64(hosts_in[lane]), hosts, last_host, task, seed)
                            rank = rank_of(float(score(asked, left, whole, context)))
                        wrong |= (rank >= NEVER) | (rank <= LOWEST)
                    ranks_in[at] = rank
                    low = min(low, rank)
                holder = UNKNOWN
                if since >= 0:
                    holder = NOBODY
                    for i in range(np.uint64(BLOCK)):
                        host = hosts_in[first + i]
                        holder = min(holder, host if ranks_in[ranks + i] == low else NOBODY)
                at = np.uint64(slot * many) + block
                lanes.least[at], lanes.holder[at] = low, holder
                b += np.uint64(1)
        return np.int64(wrong)

    return scan


def _without_context(score, checked):
    def with_context(demand, free, capacity, context):
        return score(demand, free, capacity)

    if not checked:
        return njit(error_model="numpy", inline="always")(with_context)
    return njit(error_model="numpy", forceinline=True)(with_context)


@cache
def _row_of(resources):
    """row_of(table, at, step): the entries at, at + step, ... of a flat table, so many as there are resources.

    A read-only array on the stack: its length and its entries are known to the compiler, and nothing is counted.
    """

    @intrinsic
    def row_of(typing, table, at, step):
        return READ_ONLY(table, at, step), lower

    def lower(context, builder, signature, arguments):
        long = context.get_value_type(types.intp)
        source = context.make_array(signature.args[0])(context, builder, arguments[0])
        room = cgutils.alloca_once(builder, context.get_value_type(types.UniTuple(types.float64, resources)))
        first, step = (
            context.cast(builder, value, kind, types.intp)
            for value, kind in zip(arguments[1:], signature.args[1:], strict=True)
        )
        for r in range(resources):
            entry = builder.add(first, builder.mul(step, long(r)))
            value = builder.load(builder.gep(source.data, [entry]))
            builder.store(value, builder.gep(room, [long(0), long(r)]))
        row = context.make_array(READ_ONLY)(context, builder)
        data = builder.bitcast(room, row.data.type)
        context.populate_array(
            row, data=data, shape=[long(resources)], strides=[long(8)], itemsize=long(8), meminfo=None
        )
        return row._getvalue()

    return row_of
