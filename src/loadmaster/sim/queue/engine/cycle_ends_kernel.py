"""Ends by cycle: where decisions have an interval, running tasks stand by the cycle in which they end.

    note_run(ends, cycle, host, kind, tasks, project)     tasks of a job that has started
    next_end_s(ends, until_s, interval_s)                 when the next tasks end
    run = first_of_cycle(ends, cycle); run = drop(ends, run)      each run that ends in a cycle

All ends up to a cycle count in it, in any order: a cycle has a list of them, and nothing is sorted. A *run* is what a
job holds on one host. It says all that is given back, in one place, so an end reads nothing else of the job. Runs that
are over are used again, so that they fill little memory. Invariant: each run ends in one of the C cycles from the
present one on, so no two cycles with ends share a place.
"""
# mypy: disable-error-code="no-untyped-def"

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from loadmaster.jit.kernels import inlined, inner
from loadmaster.sim.moments_kernel import cycle_of

RUN = np.dtype([(name, np.int32) for name in ("host", "kind", "tasks", "project", "after")])
CHUNK = 32
"""Cycles without ends that are passed over at once."""


class CycleEnds(NamedTuple):
    """C cycles, a power of two, or none where ends are in the heap; U runs.

    Attributes:
        first: int32[C], the first run that ends in a cycle, 0 if none; cycle c is at c modulo C.
        run: RUN[U + 1], linked by `after`, 0 at the end. Run 0 is none; behind it are the unused ones.
        cycle: int64[1], the present cycle.
    """

    first: NDArray[np.int32]
    run: NDArray[Any]
    cycle: NDArray[np.int64]


def empty_cycle_ends(longest_run: float, runs: int) -> CycleEnds:
    """Nothing runs.

    Args:
        longest_run: in cycles; 0 where ends are in the heap.
        runs: the most at once.
    """
    cycles = 1 << max(int(longest_run) + 2, CHUNK).bit_length() if longest_run > 0.0 else 0
    run = np.zeros(runs + 1 if cycles else 1, RUN).view(np.recarray)
    run.after[:-1] = np.arange(1, len(run))
    return CycleEnds(np.zeros(cycles, np.int32), run, np.zeros(1, np.int64))


@inlined
def counts_cycles(ends):
    """Whether ends stand by cycle here."""
    return ends.first.shape[0] > 0


@inlined
def note_run(ends, cycle, host, kind, tasks, project):
    """Note that so many tasks on `host` end in `cycle`."""
    at = cycle & (ends.first.shape[0] - 1)
    number = np.int64(ends.run[0].after)
    run = ends.run[number]
    ends.run[0].after = run.after
    run.host, run.kind, run.tasks, run.project, run.after = host, kind, tasks, project, ends.first[at]
    ends.first[at] = number


@inlined
def first_of_cycle(ends, cycle):
    """The first run that ends in `cycle`, which is the present one from now on; 0 if none."""
    ends.cycle[0] = cycle
    at = cycle & (ends.first.shape[0] - 1)
    number = np.int64(ends.first[at])
    ends.first[at] = 0
    return number


@inlined
def drop(ends, number):
    """Let another run use the place of a run that is over; returns the next run of the same cycle, 0 if none."""
    run = ends.run[number]
    after = np.int64(run.after)
    run.after = ends.run[0].after
    ends.run[0].after = number
    return after


@inner
def next_end_s(ends, until_s, interval_s):
    """The moment of the first cycle with an end, if it is not after the cycle of `until_s`; else infinite."""
    first, cycle = ends.first, ends.cycle[0]
    stop = cycle + first.shape[0]
    if until_s < np.inf:
        stop = min(stop, cycle_of(until_s, interval_s) + 1)
    while cycle < stop:
        at = cycle & (first.shape[0] - 1)
        if at % CHUNK == 0 and _is_empty(first, at):
            cycle += CHUNK
        elif first[at] == 0:
            cycle += 1
        else:
            return cycle * interval_s
    return np.inf


@inlined
def _is_empty(first, at):
    """Whether nothing ends in the cycles of a chunk."""
    ends = np.int32(0)
    for i in range(np.uint64(at), np.uint64(at + CHUNK)):
        ends |= first[i]
    return ends == 0
