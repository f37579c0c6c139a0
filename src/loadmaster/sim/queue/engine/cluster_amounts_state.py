"""The state of amounts of the whole cluster in the compiled engine (rules C13 and C14)."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.model.arrays import Floats, Longs
from loadmaster.scheduling.resolved_constraints import ResolvedConstraints


class ClusterAmounts(NamedTuple):
    """W amounts of the whole cluster, of which the last, the power, changes F times; E rows of the queue.

    Attributes:
        then: float64[W], what is left of each at the shadow time beside the head; infinite if the head requests none.
        lacked: bool[1], some job that still waits was not tried on hosts because it lacked an amount.
        change_s, change: float64[F], when the last amount changes, in the order of time, and by how much.
        after: float64[F], what is left of it right after each change if running jobs end when expected.
        changed: int64[1], how many of these changes have come.
        end_s: float64[E], when a row is expected to end by which `after` counts it.
        head: float64[3], the time for which the head holds the last amount, from and to, and how much.
        never: bool[E], whether a row requests more than there ever is, so that it can never run.
        stuck: int64[1], how many such rows have arrived in a run that nothing but amounts binds.
    """

    then: NDArray[np.float64]
    lacked: NDArray[np.bool_]
    change_s: NDArray[np.float64]
    change: NDArray[np.float64]
    after: NDArray[np.float64]
    changed: NDArray[np.int64]
    end_s: NDArray[np.float64]
    head: NDArray[np.float64]
    never: NDArray[np.bool_]
    stuck: NDArray[np.int64]


def amounts_of(binding: ResolvedConstraints, rows: Longs) -> ClusterAmounts:
    """The amounts of `binding` at the beginning of a run; `rows` int64[E] are the entries in the queue."""
    changes, many = binding.cluster_wide_changes, binding.cluster_wide
    change = np.array([each.demand[-1] for each in changes])
    return ClusterAmounts(
        then=np.zeros(many),
        lacked=np.zeros(1, np.bool_),
        change_s=np.array([each.end_s for each in changes]),
        change=change,
        after=binding.counters.most[many - 1] + np.cumsum(change),
        changed=np.zeros(1, np.int64),
        end_s=np.zeros(len(rows)),
        head=np.zeros(3),
        never=binding.never[binding.entries.job[rows]] != 0,
        stuck=np.zeros(1, np.int64),
    )


def begin_amounts(amounts: ClusterAmounts, jobs: Any, row: Longs, end_s: Floats) -> None:
    """Count the power of rows that run as a run begins, which are expected to end at float64[N] `end_s`."""
    amounts.end_s[row] = end_s
    for one, one_end_s in zip(row.tolist(), end_s.tolist(), strict=True):
        uses = slice(int(jobs.uses[one]), int(jobs.uses[one + 1]))
        power = jobs.use_amount[uses][jobs.use_limit[uses] == len(amounts.then) - 1].sum()
        amounts.after[amounts.change_s < one_end_s] -= power
