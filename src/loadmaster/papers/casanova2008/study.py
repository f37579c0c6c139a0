"""The simulation study of Casanova et al. 2008: which instances, which algorithms, one stored table a specification."""

import hashlib
import json
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal

import numpy as np

from loadmaster.pack import Attempt, Instance, finish
from loadmaster.pack.bound import upper_bound
from loadmaster.pack.branch_and_bound import branch_and_bound
from loadmaster.pack.generate import Spec, virtual_clusters
from loadmaster.pack.greedy import greedy, greedy_backtracking, sorted_greedy, sorted_greedy_backtracking
from loadmaster.pack.mcb import PAPER, mcb
from loadmaster.pack.rounding import EPSILON, fractions, round_off
from loadmaster.whole_file import whole_file

Part = Literal["small", "large", "parallel", "large-lp"]
SLACKS = tuple(k / 10 for k in range(1, 10))
CVS = (0.25, 0.75)
MCBS = tuple(f"mcb{k}" for k in range(1, 9))
GREEDIES = ("gr", "sg", "gb", "sgb")


@dataclass(frozen=True)
class Cell:
    """All instances of one specification, and the part of the study they belong to."""

    part: Part
    spec: Spec
    repetitions: int
    seed: int

    @property
    def file(self) -> str:
        """A name that differs wherever the outcome may differ."""
        key = hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:12]
        spec = self.spec
        return f"{self.part}-{spec.tasks}-{spec.slack}-{spec.cv_memory}-{spec.cv_cpu}-{key}.parquet"


@dataclass(frozen=True)
class Size:
    """How many instances a specification gets: `small`, `large`, `parallel`, and with the LP by number of tasks."""

    small: int = 10
    large: int = 100
    parallel: int = 100
    large_lp: tuple[tuple[int, int], ...] = ((100, 5), (250, 1), (500, 1))


QUICK = Size(small=2, large=2, parallel=1, large_lp=((100, 0), (250, 0), (500, 0)))


def cells(size: Size, seed: int) -> list[Cell]:
    """The study of section 4.1: 144 small specifications, 108 large ones, the same with parallel jobs."""
    grid = list(product(SLACKS, CVS, CVS))
    made = [Cell("small", Spec(4, tasks, *more), size.small, seed) for tasks in (6, 8, 10, 12) for more in grid]
    large: tuple[Part, Part] = ("large", "parallel")
    for part, count in zip(large, (size.large, size.parallel), strict=True):
        for tasks, more in product((500, 250, 100), grid):
            made.append(Cell(part, Spec(64, tasks, *more, parallel=part == "parallel"), count, seed))
    for tasks, count in size.large_lp:
        made += [Cell("large-lp", Spec(64, tasks, *more), count, seed) for more in grid if count]
    return made


def run(wanted: list[Cell], folder: Path, advance: Callable[[int], None] = lambda more: None, threads: int = 2) -> Any:
    """Rows of all `wanted` cells, a polars frame; a cell stored in `folder` is read, every other run and stored."""
    import polars as pl

    folder.mkdir(parents=True, exist_ok=True)
    missing = [cell for cell in wanted if not (folder / cell.file).exists()]
    advance(sum(cell.repetitions for cell in wanted) - sum(cell.repetitions for cell in missing))
    for _, solve in _solvers(Cell("small", Spec(4, 8, 0.3), 1, 0), 0) if missing else []:
        solve(virtual_clusters(Spec(4, 8, 0.3)))  # compiled before anything is timed
    with ThreadPoolExecutor(threads) as pool:
        jobs = {pool.submit(_store, cell, folder): cell for cell in missing}
        try:
            for job in as_completed(jobs):
                job.result()
                advance(jobs[job].repetitions)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return pl.concat([pl.read_parquet(folder / cell.file) for cell in wanted]) if wanted else pl.DataFrame()


def _store(cell: Cell, folder: Path) -> None:
    import polars as pl

    rows = []
    for repetition in range(cell.repetitions):
        instance = virtual_clusters(cell.spec, cell.seed, repetition)
        rows += list(_rows(cell, repetition, instance))
    whole = {"level": pl.Float64, "mean_yield": pl.Float64}
    with whole_file(folder / cell.file) as part:
        pl.DataFrame(rows, infer_schema_length=None, schema_overrides=whole).write_parquet(part)


def _rows(cell: Cell, repetition: int, instance: Instance) -> Iterable[dict[str, Any]]:
    bound = upper_bound(instance)
    if bound == 0.0:  # a demand above 1 leaves the relaxed program of the paper solvable: the closed form stands
        bound = min(1.0, instance.hosts / float(instance.fluid.sum()))
    for name, solve in _solvers(cell, repetition):
        start = time.thread_time()
        attempt = solve(instance)
        seconds = time.thread_time() - start
        packing = finish(instance, attempt)
        yield {
            "part": cell.part, "tasks": cell.spec.tasks, "slack": cell.spec.slack, "cv_memory": cell.spec.cv_memory,
            "cv_cpu": cell.spec.cv_cpu, "repetition": repetition, "algorithm": name, "solved": packing.placed,
            "level": packing.level if packing.placed else None,
            "mean_yield": packing.mean_yield if packing.placed else None,
            "seconds": seconds, "bound": bound, "proven": packing.proven,
        }  # fmt: skip


def _solvers(cell: Cell, repetition: int) -> list[tuple[str, Callable[[Instance], Attempt]]]:
    def by_key(key: int) -> tuple[str, Callable[[Instance], Attempt]]:
        return f"mcb{key}", lambda instance: mcb(instance, key, PAPER)

    greedies: list[tuple[str, Callable[[Instance], Attempt]]] = [
        ("gr", greedy), ("sg", sorted_greedy), ("gb", greedy_backtracking), ("sgb", sorted_greedy_backtracking),
    ]  # fmt: skip
    seed = _seed(cell, repetition)
    spread: list[np.ndarray | None] = []

    def rrnd(instance: Instance) -> Attempt:
        spread.append(fractions(instance))
        return round_off(instance, spread[0], 0.0, seed, "rrnd")

    def rrnz(instance: Instance) -> Attempt:
        return round_off(instance, spread[0], EPSILON, seed, "rrnz")

    rounding: list[tuple[str, Callable[[Instance], Attempt]]] = [("rrnd", rrnd), ("rrnz", rrnz)]
    if cell.part == "parallel":
        return [by_key(8), ("sg", sorted_greedy)]
    if cell.part == "large-lp":
        return [*rounding, by_key(8), ("gr", greedy)]
    many = [by_key(key) for key in range(1, 9)] + greedies
    return [("milp", branch_and_bound), *many, *rounding] if cell.part == "small" else many


def _seed(cell: Cell, repetition: int) -> int:
    text = f"{cell.seed} {cell.spec!r} {repetition}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")
