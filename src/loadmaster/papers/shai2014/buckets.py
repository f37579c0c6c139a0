"""The bucket experiment (Shai 2014, sections 3.3 and 4.2): which policy matches most jobs of a bucket."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from loadmaster.compiled_rules.policies import rater
from loadmaster.model import Cluster, InputError, Workload
from loadmaster.model.arrays import Bools, Floats, Longs
from loadmaster.model.distinct_rows import distinct_rows
from loadmaster.papers.shai2014.published import BUCKET, HEURISTICS, TABLE_2_1
from loadmaster.papers.shai2014.setup import READINGS, SHAPES, PoolShape, StudySetup
from loadmaster.papers.study_cells import run_kept
from loadmaster.place import POLICIES, Policy
from loadmaster.results.block import arrays_of, from_arrays
from loadmaster.results.dask_client import DaskAddress
from loadmaster.results.study import Cell, Moved, Work
from loadmaster.traces import generate_netbatch

TRIED = (*HEURISTICS, "first-fit")
"""Policies that are given the buckets; First-Fit gets no points, as in the thesis."""


@dataclass(frozen=True)
class Matches:
    """Jobs matched in one pool, on one shape.

    Attributes:
        matched: one int64[B, P] a stream: jobs of each bucket matched by each of `TRIED`.
    """

    pool: str
    shape: PoolShape
    matched: tuple[Longs, ...]

    @property
    def buckets(self) -> int:
        """Buckets in all streams."""
        return sum(len(rows) for rows in self.matched)

    def wins(self, heuristics: tuple[str, ...]) -> Floats:
        """float64[S, P]: part of each stream's buckets in which each heuristic matched most, alone or tied."""
        columns = [TRIED.index(name) for name in heuristics]
        return np.array([points(rows[:, columns]).mean(axis=0) for rows in self.matched])

    def tied(self, heuristics: tuple[str, ...]) -> float:
        """Part of the buckets in which all heuristics matched equally many."""
        columns = [TRIED.index(name) for name in heuristics]
        return float(np.mean(np.concatenate([points(rows[:, columns]).all(axis=1) for rows in self.matched])))

    def means(self, name: str) -> Floats:
        """float64[S]: jobs matched in a bucket of each stream, on average."""
        return np.array([rows[:, TRIED.index(name)].mean() for rows in self.matched])


def points(matched: Longs) -> Bools:
    """bool[B, P]: a point to every heuristic that matched as many as the best.

    Example:
        >>> points(np.array([[3, 5, 5], [2, 2, 2]])).tolist()
        [[False, True, True], [True, True, True]]
    """
    return np.asarray(matched == matched.max(axis=1, keepdims=True))


def match(workload: Workload, cluster: Cluster, names: tuple[str, ...] = TRIED, size: int = BUCKET) -> Longs:
    """int64[B, P]: jobs of each consecutive bucket of `size` jobs that each policy matches; the rest is left out."""
    from loadmaster.papers.shai2014.bucket_kernel import Buckets, match_buckets

    count = workload.jobs // size
    demand, kind = distinct_rows(workload.demand)
    buckets = Buckets(kind, demand, np.array(cluster.capacity), np.array([size], np.int64))
    found = np.zeros((len(names), count), np.int64)
    for p, name in enumerate(names):
        if match_buckets(buckets, rater(_plain(POLICIES[name])), found[p]):
            raise InputError(name, "a score must be a finite number")
    return np.ascontiguousarray(found.T)


class StreamToMatch(NamedTuple):
    """One stream of a synthetic pool, and the shapes of hosts that it is matched on."""

    pool: str
    number: int
    shapes: tuple[PoolShape, ...]


def synthetic_buckets(
    setup: StudySetup, folder: Path | None, progress: Callable[[int], None], on: DaskAddress | None = None
) -> dict[str, list[Matches]]:
    """For every pool its matches on every shape; a stream that `folder` has is not made again."""
    work = Work(
        "shai2014 buckets", (__name__, f"{__package__}.bucket_kernel"), make_stream, setup, _to_bytes, _of_bytes
    )
    tasks = [
        StreamToMatch(pool, number, SHAPES if number < setup.shape_streams else READINGS)
        for pool, number in product(TABLE_2_1, range(setup.bucket_streams))
    ]
    shaped_by = {"part": setup.bucket_part, "seed": setup.seed, "tried": TRIED, "size": BUCKET}
    cells = [Cell(work.key(task=task, **shaped_by), task, {"pool": task.pool, "stream": task.number}) for task in tasks]
    found = run_kept(work, cells, folder, progress, on)
    return {
        pool: _matches(pool, [rows for task, rows in zip(tasks, found, strict=True) if task.pool == pool])
        for pool in TABLE_2_1
    }


def make_stream(setup: StudySetup, task: StreamToMatch, _moved: Moved) -> list[Longs]:
    """Jobs matched of one stream, a table a shape."""
    workload = stream(task.pool, setup, task.number)
    return [match(workload, shape.cluster()) for shape in task.shapes]


def _matches(pool: str, streams: list[list[Longs]]) -> list[Matches]:
    return [Matches(pool, shape, tuple(s[k] for s in streams if k < len(s))) for k, shape in enumerate(SHAPES)]


def _to_bytes(found: list[Longs]) -> bytes:
    return from_arrays({str(k): matched for k, matched in enumerate(found)})


def _of_bytes(block: bytes) -> list[Longs]:
    arrays = arrays_of(block)
    return [arrays[str(k)] for k in range(len(arrays))]


def logged_buckets(pool: str, workload: Workload, progress: Callable[[int], None]) -> dict[str, list[Matches]]:
    """Matches of a real log of `pool`, its buckets parted into ten stretches for the intervals."""
    buckets = workload.jobs // BUCKET
    if buckets == 0:
        raise InputError(f"{workload.jobs} jobs", f"the bucket experiment needs {BUCKET} jobs at least")
    parts = np.array_split(np.arange(buckets), min(10, buckets))
    cuts = [slice(int(part[0]) * BUCKET, int(part[-1] + 1) * BUCKET) for part in parts]
    found = []
    for shape in SHAPES:
        found.append(Matches(pool, shape, tuple(match(workload.take(cut), shape.cluster()) for cut in cuts)))
        progress(1)
    return {pool: found}


def stream(pool: str, setup: StudySetup, number: int) -> Workload:
    """Stream `number` of a synthetic pool: of the whole pool's size, so that episodes have the length of section 3."""
    jobs = max(BUCKET, round(TABLE_2_1[pool].jobs * setup.bucket_part))
    return generate_netbatch(pool, jobs=jobs, seed=setup.seed * 1000 + number).workload


def _plain(policy: Policy) -> Policy:
    if policy.contextual or policy.varies:
        raise InputError(policy.name, "the bucket experiment takes policies that look at one host alone")
    return policy
