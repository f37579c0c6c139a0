"""The simulation study of Casanova et al. 2008: which instances, which algorithms, one stored table a specification."""

import hashlib
import io
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, Literal

import numpy as np

from loadmaster.compiled_rules.policies import timing_compilation
from loadmaster.packing import Attempt, Instance, finish
from loadmaster.packing.bound import upper_bound
from loadmaster.packing.branch_and_bound import branch_and_bound
from loadmaster.packing.generate import Spec, virtual_clusters
from loadmaster.packing.greedy import greedy, greedy_backtracking, sorted_greedy, sorted_greedy_backtracking
from loadmaster.packing.mcb import mcb
from loadmaster.packing.rounding import EPSILON, fractions, round_off
from loadmaster.packing.switches import PAPER
from loadmaster.papers.study_cells import run_kept
from loadmaster.results import study as kept
from loadmaster.results.dask_client import DaskAddress
from loadmaster.results.study import Moved, Work
from loadmaster.results.watch import Watch

Part = Literal["small", "large", "parallel", "large-lp"]
SLACKS = tuple(k / 10 for k in range(1, 10))
CVS = (0.25, 0.75)
MCBS = tuple(f"mcb{k}" for k in range(1, 9))
GREEDIES = ("gr", "sg", "gb", "sgb")


@dataclass(frozen=True)
class StudyCell:
    """All instances of one specification, and the part of the study they belong to."""

    part: Part
    spec: Spec
    repetitions: int
    seed: int


@dataclass(frozen=True)
class Size:
    """How many instances a specification gets: `small`, `large`, `parallel`, and with the LP by number of tasks."""

    small: int = 10
    large: int = 100
    parallel: int = 100
    large_lp: tuple[tuple[int, int], ...] = ((100, 5), (250, 1), (500, 1))


QUICK = Size(small=2, large=2, parallel=1, large_lp=((100, 0), (250, 0), (500, 0)))


def cells(size: Size, seed: int) -> list[StudyCell]:
    """The study of section 4.1: 144 small specifications, 108 large ones, the same with parallel jobs."""
    grid = list(product(SLACKS, CVS, CVS))
    made = [StudyCell("small", Spec(4, tasks, *more), size.small, seed) for tasks in (6, 8, 10, 12) for more in grid]
    large: tuple[Part, Part] = ("large", "parallel")
    for part, count in zip(large, (size.large, size.parallel), strict=True):
        for tasks, more in product((500, 250, 100), grid):
            made.append(StudyCell(part, Spec(64, tasks, *more, parallel=part == "parallel"), count, seed))
    for tasks, count in size.large_lp:
        made += [StudyCell("large-lp", Spec(64, tasks, *more), count, seed) for more in grid if count]
    return made


def run(
    wanted: list[StudyCell],
    folder: Path | None = None,
    advance: Callable[[int], None] | None = None,
    on: DaskAddress | None = None,
) -> Any:
    """Rows of all `wanted` cells, a polars frame; a cell kept in `folder` is read, every other made and kept.

    Args:
        wanted: cells of the study.
        folder: where finished cells are kept; None keeps none.
        advance: told how many more cells are done.
        on: a Dask scheduler; None uses the cores of this machine.
    """
    import polars as pl

    work = Work("casanova2008", (__name__,), make_cell, None, from_rows, rows_of, prepare=_compile)
    cells = [kept.Cell(work.key(cell=cell), cell, _about(cell)) for cell in wanted]
    return pl.concat(run_kept(work, cells, folder, advance, on)) if wanted else pl.DataFrame()


def make_cell(_shared: None, cell: StudyCell, _moved: Moved) -> Any:
    """A polars frame: a row an instance and algorithm."""
    import polars as pl

    rows = []
    for repetition in range(cell.repetitions):
        rows += list(_rows(cell, repetition, virtual_clusters(cell.spec, cell.seed, repetition)))
    whole = {"level": pl.Float64, "mean_yield": pl.Float64}
    return pl.DataFrame(rows, infer_schema_length=None, schema_overrides=whole)


def from_rows(rows: Any) -> bytes:
    """The frame of a cell as it is kept: Parquet."""
    block = io.BytesIO()
    rows.write_parquet(block)
    return block.getvalue()


def rows_of(block: bytes) -> Any:
    """The frame that `from_rows` wrote."""
    import polars as pl

    return pl.read_parquet(io.BytesIO(block))


def _compile(_cells: Sequence[StudyCell], _watch: Watch) -> None:
    """Let every algorithm see an instance, so that little is compiled while others are timed (see `timed`)."""
    for _, solve in _solvers(StudyCell("small", Spec(4, 8, 0.3), 1, 0), 0):
        solve(virtual_clusters(Spec(4, 8, 0.3)))


def _about(cell: StudyCell) -> dict[str, Any]:
    return {"part": cell.part, "tasks": cell.spec.tasks, "slack": cell.spec.slack}


def timed(solve: Callable[[Instance], Attempt], instance: Instance) -> tuple[Attempt, float]:
    """The answer, and the CPU seconds of one call of `solve` that compiles nothing.

    An instance may be the first on which some part of a solver is needed, such as the branching of the exact one: a
    call that compiled is made again.
    """
    with timing_compilation() as compiling:
        start = time.thread_time()
        attempt = solve(instance)
        seconds = time.thread_time() - start
    if not compiling:
        return attempt, seconds
    start = time.thread_time()
    attempt = solve(instance)
    return attempt, time.thread_time() - start


def _rows(cell: StudyCell, repetition: int, instance: Instance) -> Iterable[dict[str, Any]]:
    bound = upper_bound(instance)
    if bound == 0.0:  # a demand above 1 leaves the relaxed program of the paper solvable: the closed form stands
        bound = min(1.0, instance.hosts / float(instance.fluid.sum()))
    for name, solve in _solvers(cell, repetition):
        attempt, seconds = timed(solve, instance)
        packing = finish(instance, attempt)
        yield {
            "part": cell.part,
            "tasks": cell.spec.tasks,
            "slack": cell.spec.slack,
            "cv_memory": cell.spec.cv_memory,
            "cv_cpu": cell.spec.cv_cpu,
            "repetition": repetition,
            "algorithm": name,
            "solved": packing.placed,
            "level": packing.level if packing.placed else None,
            "mean_yield": packing.mean_yield if packing.placed else None,
            "seconds": seconds,
            "bound": bound,
            "proven": packing.proven,
        }


def _solvers(cell: StudyCell, repetition: int) -> list[tuple[str, Callable[[Instance], Attempt]]]:
    def by_key(key: int) -> tuple[str, Callable[[Instance], Attempt]]:
        return f"mcb{key}", lambda instance: mcb(instance, key, PAPER)

    greedies: list[tuple[str, Callable[[Instance], Attempt]]] = [
        ("gr", greedy),
        ("sg", sorted_greedy),
        ("gb", greedy_backtracking),
        ("sgb", sorted_greedy_backtracking),
    ]
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


def _seed(cell: StudyCell, repetition: int) -> int:
    text = f"{cell.seed} {cell.spec!r} {repetition}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")
