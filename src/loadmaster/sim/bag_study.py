"""Many ways to run the same bags, as a study: side by side on this machine or on a Dask cluster, each kept at once."""

from collections.abc import Sequence
from dataclasses import fields
from hashlib import sha256
from typing import NamedTuple

from loadmaster.kept.block import arrays_of, from_arrays
from loadmaster.kept.store import Store
from loadmaster.kept.study import Cell, Moved, Pool, Work, run_study
from loadmaster.kept.watch import Watch
from loadmaster.model.arrays import Floats
from loadmaster.sim.bag import BagOutcomes, repeat
from loadmaster.size import HostType, Sizer


class Way(NamedTuple):
    """A sizer, and the machines that it may rent."""

    sizer: Sizer
    types: tuple[HostType, ...]


def run_ways(
    durations: Floats, ways: Sequence[Way], pool: Pool, store: Store | None = None, watch: Watch | None = None
) -> list[BagOutcomes]:
    """What each of `ways` comes to on all rows of `durations`, float64[R, N]; those that `store` has are not run."""
    work = Work(
        "size", ("loadmaster.sim.bag", "loadmaster.size"), make_way, durations, _to_bytes, _of_bytes,
        steps=len(durations),
    )  # fmt: skip
    bags = sha256(f"{durations.shape}".encode() + durations.tobytes()).hexdigest()
    keys = [work.key(way=way, bags=bags) if store is not None else str(number) for number, way in enumerate(ways)]
    about = [{"sizer": way.sizer.name, "types": [kind.name for kind in way.types]} for way in ways]
    cells = [Cell(key, way, words) for key, way, words in zip(keys, ways, about, strict=True)]
    return run_study(work, cells, store, pool, watch)


def make_way(durations: Floats, way: Way, moved: Moved) -> BagOutcomes:
    """Run one way."""
    return repeat(durations, way.sizer, way.types, progress=lambda done, _rows: moved(done))


def _to_bytes(outcomes: BagOutcomes) -> bytes:
    return from_arrays({field.name: getattr(outcomes, field.name) for field in fields(outcomes)})


def _of_bytes(block: bytes) -> BagOutcomes:
    return BagOutcomes(**arrays_of(block))
