"""How many jobs of each bucket a placement policy matches to an empty pool."""
# mypy: disable-error-code="no-untyped-def,no-untyped-call"

from typing import NamedTuple

import numpy as np
from numba import types

from loadmaster.compiled_rules.policies import RATER
from loadmaster.jit.kernels import cached_njit


class Buckets(NamedTuple):
    """Jobs by the kind of their demand.

    Attributes:
        kind: int32[J], row in `demand`.
        demand: float64[K, R], distinct demands.
        capacity: float64[H, R], the pool.
        size: int64[1], jobs in a bucket.
    """

    kind: np.ndarray
    demand: np.ndarray
    capacity: np.ndarray
    size: np.ndarray


_BUCKETS = types.NamedTuple(
    [
        types.Array(types.int32, 1, "C"), types.Array(types.float64, 2, "C"), types.Array(types.float64, 2, "C"),
        types.Array(types.int64, 1, "C"),
    ],
    Buckets,
)  # fmt: skip


@cached_njit(
    types.int64(_BUCKETS, types.FunctionType(RATER), types.Array(types.int64, 1, "C")),
    nogil=True,
    error_model="numpy",
)
def match_buckets(buckets, rate, matched):
    """Write the number of jobs matched to `matched` int64[B]; returns how many scores were not finite.

    Each job in turn goes to the host rated lowest, the first among equals; one that fits nowhere is skipped. Scores
    of a kind are kept within a bucket: only hosts that were given a job since are rated again.
    """
    demand, capacity = buckets.demand, buckets.capacity
    kinds, resources = demand.shape
    hosts = capacity.shape[0]
    everyone = np.arange(hosts).astype(np.int32)
    given = np.empty(buckets.size[0], np.int32)  # hosts in the order in which they were given jobs, one a job at most
    free = np.empty_like(capacity)
    scores = np.empty(kinds * hosts)
    rated = np.empty(kinds, np.int64)  # length of `given` when the kind was rated; -1 never, -2 fits nowhere any more
    wrong = 0
    for b in range(matched.shape[0]):
        free[:] = capacity
        rated[:] = -1
        count = 0
        for j in range(b * buckets.size[0], (b + 1) * buckets.size[0]):
            kind = buckets.kind[j]
            if rated[kind] == -2:
                continue
            if rated[kind] < 0 or count - rated[kind] >= hosts:
                wrong += rate(demand[kind], free, capacity, everyone, hosts, -1, 0, 0, scores, kind * hosts)
            elif count > rated[kind]:
                changed = given[rated[kind] : count]
                wrong += rate(demand[kind], free, capacity, changed, len(changed), -1, 0, 0, scores, kind * hosts)
            best, best_score = -1, np.inf
            for h in range(hosts):
                if scores[kind * hosts + h] < best_score:
                    best, best_score = h, scores[kind * hosts + h]
            if best < 0:
                rated[kind] = -2
                continue
            rated[kind] = count
            for r in range(resources):
                free[best, r] -= demand[kind, r]
            given[count] = best
            count += 1
        matched[b] = count
    return wrong
