"""The bucket experiment (Shai 2014, sections 3.3 and 4.2): who matches most jobs of a bucket to an empty pool."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from loadmaster.compiled import rater
from loadmaster.model import Cluster, InputError, Workload
from loadmaster.model.arrays import Bools, Floats, Longs
from loadmaster.model.snapshot import Queue, Running, Snapshot
from loadmaster.order import NetBatch
from loadmaster.papers.shai2014.published import BUCKET, HEURISTICS, TABLE_2_1
from loadmaster.papers.shai2014.setup import SHAPES, Setup, Shape
from loadmaster.place import POLICIES, Policy
from loadmaster.sim.cycles import distinct_rows
from loadmaster.traces import generate_netbatch
from loadmaster.whole_file import whole_file

TRIED = (*HEURISTICS, "first-fit")
"""Policies that are given the buckets; First-Fit gets no points, as in the thesis."""


@dataclass(frozen=True)
class Matches:
    """Jobs matched in one pool, on one shape.

    Attributes:
        matched: one int64[B, P] a stream: jobs of each bucket matched by each of `TRIED`.
    """

    pool: str
    shape: Shape
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

    def mean(self, name: str) -> float:
        """Jobs matched in a bucket, on average."""
        return float(np.concatenate(self.matched)[:, TRIED.index(name)].mean())


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


def match_plainly(workload: Workload, cluster: Cluster, policy: Policy, size: int = BUCKET) -> Longs:
    """int64[B]: as `match`, by one decision of the NetBatch discipline without reservations on each bucket."""
    none = np.zeros(0, np.int64)
    nobody = Running(none, none.astype(np.int32), np.zeros((0, 2)), np.zeros(0), none.astype(np.int32))
    found = []
    for first in range(0, workload.jobs // size * size, size):
        jobs = np.arange(first, first + size)
        queue = Queue(
            jobs, workload.demand[jobs], np.ones(size, np.int32), workload.runtime_s[jobs], np.zeros(size, np.int32),
            jobs,
        )  # fmt: skip
        snapshot = Snapshot(0.0, cluster, np.array(cluster.capacity), queue, nobody)
        found.append(len(NetBatch(reservations=0).serve(snapshot, policy).place))
    return np.array(found, np.int64)


def synthetic_buckets(setup: Setup, folder: Path | None, progress: Callable[[int], None]) -> dict[str, list[Matches]]:
    """For every pool its matches on every shape; a stream that `folder` has on record is not made again."""
    return {pool: _streams(pool, setup, folder, progress) for pool in TABLE_2_1}


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


def stream(pool: str, setup: Setup, number: int) -> Workload:
    """Stream `number` of a synthetic pool: of the whole pool's size, so that episodes have the length of section 3."""
    jobs = max(BUCKET, round(TABLE_2_1[pool].jobs * setup.bucket_part))
    return generate_netbatch(pool, jobs=jobs, seed=setup.seed * 1000 + number).workload


def _streams(pool: str, setup: Setup, folder: Path | None, progress: Callable[[int], None]) -> list[Matches]:
    rows: list[list[Longs]] = [[] for _ in SHAPES]
    for number in range(setup.bucket_streams):
        shapes = SHAPES if number < setup.shape_streams else SHAPES[:1]
        path = folder / f"buckets-{_key(pool, setup, number, shapes)}.npz" if folder else None
        if path is not None and path.is_file():
            with np.load(path) as file:
                found = [file[str(k)] for k in range(len(shapes))]
        else:
            workload = stream(pool, setup, number)
            found = [match(workload, shape.cluster()) for shape in shapes]
            if path is not None:
                with whole_file(path) as part, part.open("wb") as file:
                    np.savez(file, **{str(k): matched for k, matched in enumerate(found)})
        for k, matched in enumerate(found):
            rows[k].append(matched)
        progress(1)
    return [Matches(pool, shape, tuple(streams)) for shape, streams in zip(SHAPES, rows, strict=True)]


def _key(pool: str, setup: Setup, number: int, shapes: tuple[Shape, ...]) -> str:
    from loadmaster import __version__

    text = f"{pool} {setup.bucket_part} {setup.seed} {number} {shapes} {TRIED} {BUCKET} {__version__}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _plain(policy: Policy) -> Policy:
    if policy.contextual or policy.varies:
        raise InputError(policy.name, "the bucket experiment takes policies that look at one host alone")
    return policy
