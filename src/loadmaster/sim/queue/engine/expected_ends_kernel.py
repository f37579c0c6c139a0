"""Running jobs in the order of their expected ends, whatever the order of their real ends.

Two sorted lists hold them: a long one, and a short one for jobs that started lately, so that an insertion moves few
entries. A job that ends is only marked. A full short list is merged into the long one, and ended jobs are dropped.
"""
# mypy: disable-error-code="no-untyped-def"

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.jit.kernels import inner

LATELY = 128
"""Room for the jobs that started lately."""


class Ends(NamedTuple):
    """Jobs by (expected end, job).

    Attributes:
        main_s, main: float64[J], int32[J], the long list.
        late_s, late: float64[LATELY], int32[LATELY], the short one.
        running: bool[J], False for the entries that have ended and for jobs that have not started.
        size: int64[3], first and last entry of the long list, entries of the short one.
    """

    main_s: NDArray[np.float64]
    main: NDArray[np.int32]
    late_s: NDArray[np.float64]
    late: NDArray[np.int32]
    running: NDArray[np.bool_]
    size: NDArray[np.int64]


def empty_ends(jobs: int) -> Ends:
    """The arrays of `Ends` before any job runs.

    A running job stands in one of the two lists, and an ended job never runs again; a full short list is merged.
    """
    return Ends(
        np.zeros(jobs),
        np.zeros(jobs, np.int32),
        np.zeros(LATELY),
        np.zeros(LATELY, np.int32),
        np.zeros(jobs, np.bool_),
        np.zeros(3, np.int64),
    )


@inner
def add_end(ends, end_s, job):
    """Enter `job`, which runs and is expected to end at `end_s`."""
    if ends.size[2] == ends.late.shape[0]:
        _merge(ends)
    ends.running[job] = True
    i = ends.size[2]
    while i > 0 and (ends.late_s[i - 1] > end_s or (ends.late_s[i - 1] == end_s and ends.late[i - 1] > job)):
        ends.late_s[i] = ends.late_s[i - 1]
        ends.late[i] = ends.late[i - 1]
        i -= 1
    ends.late_s[i] = end_s
    ends.late[i] = job
    ends.size[2] += 1


@inner
def drop_end(ends, job):
    """Mark `job` as ended."""
    ends.running[job] = False
    while ends.size[0] < ends.size[1] and not ends.running[ends.main[ends.size[0]]]:
        ends.size[0] += 1


@inner
def next_end(ends, i, k):
    """The next running job from the two positions (i, k) on; returns (expected end, job or -1, i, k behind it)."""
    while i < ends.size[1] and not ends.running[ends.main[i]]:
        i += 1
    while k < ends.size[2] and not ends.running[ends.late[k]]:
        k += 1
    if i < ends.size[1] and (
        k >= ends.size[2]
        or ends.main_s[i] < ends.late_s[k]
        or (ends.main_s[i] == ends.late_s[k] and ends.main[i] < ends.late[k])
    ):
        return ends.main_s[i], np.int64(ends.main[i]), i + 1, k
    if k < ends.size[2]:
        return ends.late_s[k], np.int64(ends.late[k]), i, k + 1
    return np.inf, np.int64(-1), i, k


@inner
def _merge(ends):
    n = 0
    for i in range(ends.size[0], ends.size[1]):
        if ends.running[ends.main[i]]:
            ends.main_s[n] = ends.main_s[i]
            ends.main[n] = ends.main[i]
            n += 1
    late = 0
    for k in range(ends.size[2]):
        if ends.running[ends.late[k]]:
            ends.late_s[late] = ends.late_s[k]
            ends.late[late] = ends.late[k]
            late += 1
    ends.size[0], ends.size[1], ends.size[2] = 0, n + late, 0
    # merge from the back, so that no entry is overwritten before it is read
    i, k, at = n - 1, late - 1, n + late - 1
    while k >= 0:
        if i >= 0 and (
            ends.main_s[i] > ends.late_s[k] or (ends.main_s[i] == ends.late_s[k] and ends.main[i] > ends.late[k])
        ):
            ends.main_s[at] = ends.main_s[i]
            ends.main[at] = ends.main[i]
            i -= 1
        else:
            ends.main_s[at] = ends.late_s[k]
            ends.main[at] = ends.late[k]
            k -= 1
        at -= 1
