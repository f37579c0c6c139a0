"""Many ways to run the same bags, as a study: side by side on this machine or on a Dask cluster, each kept at once."""

from collections.abc import Sequence
from dataclasses import fields
from functools import partial
from hashlib import sha256
from typing import NamedTuple

from loadmaster.compiled_rules.policies import timing_compilation
from loadmaster.jit.first_compilation import FIRST_TIME
from loadmaster.kept.block import arrays_of, from_arrays
from loadmaster.kept.store import Store
from loadmaster.kept.study import Cell, CellMaker, Moved, Work, run_study
from loadmaster.kept.watch import Watch
from loadmaster.model.arrays import Floats
from loadmaster.packing.deadline import NO_DEADLINE, Deadline
from loadmaster.rules.imports import imported
from loadmaster.sim.bags.door import BagOutcomes, is_compiled, is_mix, is_planned, repeat
from loadmaster.sizing import HostType, Sizer
from loadmaster.sizing.own import OwnSizer

BETWEEN_LOOKS_S = 2.0
"""Ways that take longer together are run one after another, with a look at the clock and for Ctrl-C between them."""


class Way(NamedTuple):
    """A sizer, and the machines that it may rent."""

    sizer: Sizer
    types: tuple[HostType, ...]


def run_ways(
    durations: Floats, ways: Sequence[Way], pool: CellMaker, store: Store | None = None, watch: Watch | None = None
) -> list[BagOutcomes]:
    """What each of `ways` comes to on all rows of `durations`, float64[R, N]; those that `store` has are not run."""
    work = Work(
        "size",
        ("loadmaster.sim.bags.door", "loadmaster.sizing"),
        make_way,
        durations,
        _to_bytes,
        _of_bytes,
        prepare=lambda todo, watch: compile_first(durations, todo, watch),
        steps=len(durations),
    )
    bags = sha256(f"{durations.shape}".encode() + durations.tobytes()).hexdigest()
    shaped = [{"way": way, "bags": bags, "imported": imported(_texts(way))} for way in ways]
    keys = [work.key(**by) if store is not None else str(number) for number, by in enumerate(shaped)]
    about = [{"sizer": way.sizer.name, "types": [kind.name for kind in way.types]} for way in ways]
    cells = [Cell(key, way, words) for key, way, words in zip(keys, ways, about, strict=True)]
    return run_study(work, cells, store, pool, watch)


def run_ways_until(
    durations: Floats,
    ways: Sequence[Way],
    pool: CellMaker,
    store: Store | None,
    watch: Watch | None,
    deadline: Deadline,
    least: int = 0,
) -> list[BagOutcomes | None]:
    """As `run_ways`, as far as there is time: None for a way that was not run.

    Ways are run in an order of which each beginning is spread evenly over all of them. A further one begins only if the
    time is likely to last for it, but for the first `least` ways.
    """
    found: list[BagOutcomes | None] = [None] * len(ways)
    if deadline is NO_DEADLINE:
        found[:] = run_ways(durations, ways, pool, store, watch)
        return found
    bits = max(len(ways) - 1, 1).bit_length()
    order = sorted(range(len(ways)), key=lambda k: int(f"{k:0{bits}b}"[::-1], 2))
    many, each_s = 1, 0.0
    while order and (len(ways) - len(order) < least or (not deadline.passed() and each_s <= deadline.left_s())):
        if each_s > 0:
            many = int(max(1, min(2 * many, min(deadline.left_s(), BETWEEN_LOOKS_S) / each_s)))
        chosen, order, began_s = order[:many], order[many:], FIRST_TIME.clock_s()
        for k, outcomes in zip(chosen, run_ways(durations, [ways[k] for k in chosen], pool, store, watch), strict=True):
            found[k] = outcomes
        each_s = max((FIRST_TIME.clock_s() - began_s) / len(chosen), 1e-9)
    return found


def _texts(way: Way) -> tuple[str, ...]:
    return (way.sizer.text,) if type(way.sizer) is OwnSizer else ()


def compile_first(durations: Floats, ways: Sequence[Way], watch: Watch) -> None:
    """Let the engines that `ways` need see a bag of two tasks, so that compiling is said and not taken for running."""
    known = [way for way in ways if any(knows(way.sizer, way.types) for knows in (is_compiled, is_mix, is_planned))]
    for way in {type(way.sizer): way for way in known}.values():
        what = way.sizer.name
        with watch.preparing(what), timing_compilation(partial(watch.compiling, what)) as compiled:
            repeat(durations[:1, :2], way.sizer, way.types)
        watch.compiled(sum(each.seconds for each in compiled if each.kept))


def make_way(durations: Floats, way: Way, moved: Moved) -> BagOutcomes:
    """Simulate a bag under one sizer and set of machine types, once for each row of `durations`."""
    return repeat(durations, way.sizer, way.types, progress=lambda done, _rows: moved(done))


def _to_bytes(outcomes: BagOutcomes) -> bytes:
    return from_arrays({field.name: getattr(outcomes, field.name) for field in fields(outcomes)})


def _of_bytes(block: bytes) -> BagOutcomes:
    return BagOutcomes(**arrays_of(block))
