"""Many ways to run the same bags, as a study: side by side on this machine or on a Dask cluster, each kept at once."""

from collections.abc import Sequence
from dataclasses import fields, replace
from functools import partial
from hashlib import sha256
from operator import itemgetter
from typing import NamedTuple

from loadmaster.compiled_rules.policies import timing_compilation
from loadmaster.model.arrays import Floats
from loadmaster.packing.deadline import NO_DEADLINE, Deadline
from loadmaster.results.block import arrays_of, from_arrays
from loadmaster.results.store import Store
from loadmaster.results.study import Cell, CellMaker, Moved, Work, run_study, run_study_until_over
from loadmaster.results.watch import Watch
from loadmaster.rules.imports import imported
from loadmaster.sim.bags.repetitions import BagOutcomes, is_compiled, is_mix, is_planned, repeat
from loadmaster.sizing import HostType, Sizer
from loadmaster.sizing.own import OwnSizer


class SizerCase(NamedTuple):
    """A sizer, and the machines that it may rent."""

    sizer: Sizer
    types: tuple[HostType, ...]


def run_ways(
    durations: Floats,
    ways: Sequence[SizerCase],
    pool: CellMaker,
    store: Store | None = None,
    watch: Watch | None = None,
) -> list[BagOutcomes]:
    """What each of `ways` comes to on all rows of `durations`, float64[R, N]; those that `store` has are not run."""
    work = _work(durations)
    return run_study(work, _cells(work, ways, stored=store is not None), store, pool, watch)


def run_ways_until(
    durations: Floats,
    ways: Sequence[SizerCase],
    pool: CellMaker,
    store: Store | None,
    watch: Watch | None,
    deadline: Deadline,
    least: int = 0,
) -> list[BagOutcomes | None]:
    """As `run_ways`, as far as there is time: None for a way that was not run to its end.

    Ways are run in an order of which each beginning is spread evenly over all of them. The first `least` ways are run
    to their end in any case.
    """
    if deadline is NO_DEADLINE:
        return list(run_ways(durations, ways, pool, store, watch))
    bits = max(len(ways) - 1, 1).bit_length()
    order = sorted(range(len(ways)), key=lambda k: int(f"{k:0{bits}b}"[::-1], 2))
    first, others = [ways[k] for k in order[:least]], [ways[k] for k in order[least:]]
    whole = run_ways(durations, first, pool, store, watch)
    work = replace(_work(durations), over=deadline.passed)
    made = [*whole, *run_study_until_over(work, _cells(work, others, stored=store is not None), store, pool, watch)]
    return [outcomes for _, outcomes in sorted(zip(order, made, strict=True), key=itemgetter(0))]


def _work(durations: Floats) -> Work[Floats, SizerCase, BagOutcomes]:
    return Work(
        "size",
        ("loadmaster.sim.bags.repetitions", "loadmaster.sizing"),
        make_way,
        durations,
        _to_bytes,
        _of_bytes,
        prepare=lambda todo, watch: compile_first(durations, todo, watch),
        steps=len(durations),
    )


def _cells(
    work: Work[Floats, SizerCase, BagOutcomes], ways: Sequence[SizerCase], *, stored: bool
) -> list[Cell[SizerCase]]:
    """The cells of a study of `ways`; their keys are needed only if results are `stored`."""
    durations = work.shared
    bags = sha256(f"{durations.shape}".encode() + durations.tobytes()).hexdigest()
    shaped = [{"way": way, "bags": bags, "imported": imported(_texts(way))} for way in ways]
    keys = [work.key(**by) if stored else str(number) for number, by in enumerate(shaped)]
    about = [{"sizer": way.sizer.name, "types": [kind.name for kind in way.types]} for way in ways]
    return [Cell(key, way, words) for key, way, words in zip(keys, ways, about, strict=True)]


def _texts(way: SizerCase) -> tuple[str, ...]:
    return (way.sizer.text,) if type(way.sizer) is OwnSizer else ()


def compile_first(durations: Floats, ways: Sequence[SizerCase], watch: Watch) -> None:
    """Let the engines that `ways` need see a bag of two tasks, so that compiling is said and not taken for running."""
    known = [way for way in ways if any(knows(way.sizer, way.types) for knows in (is_compiled, is_mix, is_planned))]
    for way in {type(way.sizer): way for way in known}.values():
        what = way.sizer.name
        with watch.preparing(what), timing_compilation(partial(watch.compiling, what)) as compiled:
            repeat(durations[:1, :2], way.sizer, way.types)
        watch.compiled(sum(each.seconds for each in compiled if each.kept))


def make_way(durations: Floats, way: SizerCase, moved: Moved) -> BagOutcomes:
    """Simulate a bag under one sizer and set of machine types, once for each row of `durations`."""
    return repeat(durations, way.sizer, way.types, progress=lambda done, _rows: moved(done))


def _to_bytes(outcomes: BagOutcomes) -> bytes:
    return from_arrays({field.name: getattr(outcomes, field.name) for field in fields(outcomes)})


def _of_bytes(block: bytes) -> BagOutcomes:
    return BagOutcomes(**arrays_of(block))
