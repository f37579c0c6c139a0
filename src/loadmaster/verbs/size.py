"""`size`: how many machines to rent for a bag of tasks, what that costs and how long it takes."""

import dataclasses
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from loadmaster.system.counted import counted
from loadmaster.verbs.common_options import Seed
from loadmaster.verbs.dask_options import DaskOptions
from loadmaster.verbs.option import Option, called_with
from loadmaster.verbs.result import Result
from loadmaster.verbs.rules import Rule, names_of
from loadmaster.verbs.time_limit import SearchLimitOptions, ended_in_words
from loadmaster.verbs.unused_options import refuse_unused

if TYPE_CHECKING:
    import polars as pl

    from loadmaster.model.arrays import Floats
    from loadmaster.model.bag import Bag, BagSource
    from loadmaster.report.page import Page
    from loadmaster.results.watch import Watch
    from loadmaster.sim.bags.curve import CurvePoint
    from loadmaster.sizing import Sizer
    from loadmaster.system.interrupt import Interrupt

MOST_RUNS = 30
"""Simulated runs of sizers that learn, which take longer than those of numbers of machines."""
FIRST_SHARE, MIX_SHARE = 0.4, 0.4
"""The parts of a time limit for numbers of machines of one type, and for mixes of types."""


@dataclass(frozen=True)
class SizeOptions(SearchLimitOptions, DaskOptions):
    """All that `size` can be told."""

    bag: Annotated[
        "str | Path | Sequence[float] | Bag",
        Option(
            "File of durations (text, CSV, Parquet) or a law: normal(150,30)x256.", argument=True, reads=True, typed=str
        ),
    ]
    _: KW_ONLY
    budget: Annotated[float | None, Option("Money that may be spent.")] = None
    deadline: Annotated[
        str | float | None, Option("Time in which all tasks must end, such as 2h.", typed=str | None)
    ] = None
    confidence: Annotated[
        float, Option("Probability with which the budget or the deadline is kept.", least=0.5, most=0.999)
    ] = 0.9
    prices: Annotated[
        "str | Path | None",
        Option("Table of machine types; else one, at price 1 an hour.", reads=True, typed=Path | None),
    ] = None
    currency: Annotated[str, Option("Currency of the price table, shown with every cost.", metavar="EUR")] = ""
    billing: Annotated[str | None, Option("Charging unit: second, minute, hour or a duration.")] = None
    column: Annotated[str | None, Option("Column of the file that holds the durations.")] = None
    guess: Annotated[
        str | float | None, Option("Guess of the duration of a task without one, such as 5min.", typed=str | None)
    ] = None
    sizers: Annotated[
        Rule | Sequence[Rule],
        Option(
            "Sizers that learn the durations while the bag runs, beside the numbers of machines; also "
            "file.py:Class, with parameters in parentheses.",
            metavar="A,B,...",
            typed=str,
        ),
    ] = "silva,planner"
    repetitions: Annotated[int, Option("Simulated runs for every number of machines.", least=1)] = 100
    seed: Seed = 0
    out: Annotated[
        "str | Path | None", Option("Folder for chart and table.", flags=("-o", "--out"), typed=Path | None)
    ] = None

    def source(self) -> "BagSource":
        """The durations, or the law that they are drawn from.

        Raises:
            InputError: no such file or law, or durations that are none.
        """
        import numpy as np

        from loadmaster.model.bag import Bag, BagLaw
        from loadmaster.traces.bag import parse_bag
        from loadmaster.traces.own_generator import bag_generated, is_generator

        if isinstance(self.bag, Bag):
            return self.bag
        if is_generator(self.bag):
            refuse_unused(self, ["column"], "a generator makes the bag, which is not read from a file")
            return bag_generated(str(self.bag), self.seed)
        if not isinstance(self.bag, str | Path):
            return Bag(np.asarray(self.bag, np.float64), source="durations given in Python")
        source = parse_bag(str(self.bag), self.column)
        if isinstance(source, BagLaw):
            refuse_unused(self, ["column"], "a law has no columns")
        return source


@dataclass(frozen=True, eq=False, repr=False)
class Sized(Result):
    """The result of `size`.

    Attributes:
        bag: the durations, or the law.
        drawn: the simulated bag, or a guess at it.
        work_h: hours of work on one machine of speed 1, on average.
        curve: cost and span for every number of machines of every type, then for mixes of types.
        sizers: the same of sizers that learn the durations while the bag runs.
        chosen: the point to choose, fixed numbers before a sizer; None if none keeps budget and deadline.
        options: the given options, rules by their names.
        known: facts that a reader must know beside the answer.
        command: the command that makes it again.
        ended: what ended the search early, such as "at its limit of 10 s"; empty where it ended by itself.
        interrupted: Ctrl-C did.
    """

    verb = "size"

    bag: "BagSource"
    drawn: "BagSource"
    work_h: float
    curve: "list[CurvePoint]"
    sizers: "list[CurvePoint]"
    chosen: "CurvePoint | None"
    options: SizeOptions
    known: tuple[str, ...] = ()
    command: str = ""
    ended: str = ""
    interrupted: bool = False

    def __post_init__(self) -> None:
        same = next((p for p in (*self.curve, *self.sizers) if p == self.chosen), self.chosen)
        object.__setattr__(self, "chosen", same)  # the very point of the curve, also where it was read from a file

    @property
    def notes(self) -> tuple[str, ...]:
        """Facts that a reader must know beside the answer."""
        return self.known

    @property
    def unknown(self) -> int:
        """Tasks whose duration is not known."""
        from loadmaster.model.bag import Bag

        return self.bag.tasks - self.bag.known.size if isinstance(self.bag, Bag) else 0

    @property
    def figures(self) -> dict[str, Any]:
        """The bag, the recommended point, the curve and the sizers as plain values; seconds, and money as priced."""
        return {
            "bag": self.bag.source,
            "tasks": self.bag.tasks,
            "unknown": self.unknown,
            "work_h": self.work_h,
            "confidence": self.options.confidence,
            "recommended": dataclasses.asdict(self.chosen) if self.chosen else None,
            "curve": [dataclasses.asdict(p) for p in self.curve],
            "sizers": [dataclasses.asdict(p) for p in self.sizers],
            "repetitions": self.options.repetitions,
            "unit": self.unit or None,
        }

    @property
    def headline(self) -> str:
        """The bag in one line; says so if it is synthetic or partly unknown."""
        words = f"{self.bag.source}: {counted(self.bag.tasks, 'task')}, {self.work_h:.4g} h of work"
        words += ", synthetic" if self.drawn.synthetic else ""
        return words + (f", {self.unknown} of unknown duration" if self.unknown else "")

    @property
    def answer(self) -> str:
        """How many machines of which type to rent, or the sizer that is to rent them, or the nearest that was tried."""
        from loadmaster.model.units import percent, show_seconds
        from loadmaster.sim.bags.curve import MIXED
        from loadmaster.verbs.bag_options import with_unit

        sure = f"{percent(self.options.confidence, 0)} sure"
        tried, early = (*self.curve, *self.sizers), f"the search ended {self.ended}"
        if self.chosen is None:
            least, soonest = min(p.cost_sure for p in tried), min(p.span_sure_s for p in tried)
            return (
                f"No row of the table keeps this target: the cheapest needs "
                f"{with_unit(least, self.unit)}, the fastest {show_seconds(soonest)} ({sure})."
                + (f" But {early}; more time may find one." if self.ended else "")
            )
        p = self.chosen
        if p in self.sizers:
            many = f"Let {p.label} rent as the bag runs (no fixed number of machines that was tried keeps this)"
        elif MIXED in p.type:
            mix = [" ".join(pair) for pair in zip(p.label.split(MIXED), p.type.split(MIXED), strict=True)]
            many = f"Rent {', '.join(mix[:-1])} and {mix[-1]} machines together"
        else:
            many = f"Rent {p.label} machine{'' if p.label == '1' else 's'}"
            many = f"{many} of type {p.type}" if self.options.prices else many
        cost, cost_sure = with_unit(p.cost, self.unit), with_unit(p.cost_sure, self.unit)
        return (
            f"{many}: {cost} on average, done in {show_seconds(p.span_s)}; "
            f"{sure} of at most {cost_sure} and {show_seconds(p.span_sure_s)}"
            + (f"; the best found, as {early}." if self.ended else ".")
        )

    @property
    def unit(self) -> str:
        """Of every cost: machine hours, or the money of the prices, where that was said."""
        from loadmaster.verbs.bag_options import unit_of_cost

        return unit_of_cost(self.options.prices, self.options.currency)

    @property
    def frame(self) -> "pl.DataFrame":
        """A row for each number of machines, then the sizers: hosts, cost, span_s, both with confidence, speedup."""
        import polars as pl

        rows = [dataclasses.asdict(p) | {"chosen": p is self.chosen} for p in (*self.curve, *self.sizers)]
        return pl.DataFrame(rows, infer_schema_length=None)

    def plot(self) -> Any:
        """Cost against span; the further down and left, the better: an Altair chart."""
        subtitle = f"means of {self.options.repetitions} simulated runs; the further down and left, the better"
        return self._chart(self.headline, subtitle)

    def _chart(self, *titles: str) -> Any:
        from loadmaster.report.bag_chart import bag_chart

        return bag_chart(self.curve, self.sizers, self.chosen, self.unit, *titles)

    def write_tables(self, folder: Path) -> None:
        """Write size.parquet."""
        from loadmaster.system.whole_file import whole_file

        with whole_file(folder / "size.parquet") as part:
            self.frame.write_parquet(part)

    def page(self) -> "Page":
        """The answer, the table by number of machines, cost against span, both by the number of machines."""
        from loadmaster.report.size_page import size_page

        facts = {
            "command": self.command,
            "bag": self.headline,
            "confidence": self.options.confidence,
            "budget": self.options.budget,
            "deadline": self.options.deadline,
            "simulated runs": self.options.repetitions,
            "seed": self.options.seed,
        }
        return size_page(
            self.answer,
            self.headline,
            self.notes,
            self.curve,
            self.sizers,
            self.chosen,
            self._chart(),
            facts,
            self.unit,
        )


def size_with(options: SizeOptions, watch: "Watch | None" = None, command: str = "") -> Sized:
    """Find how many machines to rent for a bag of tasks: cost against span, and the point to choose.

    Args:
        options: the bag and the wishes.
        watch: called with the progress of the runs.
        command: how to make it again; made of the options where it is not given.

    Returns:
        Cost and span for every number of machines; `chosen` is None if none keeps budget and deadline.

    Raises:
        InputError: no such bag, price table or sizer, or an option changes nothing.
    """
    from loadmaster.results.progress_file import progress_file_in
    from loadmaster.results.watch import Watch
    from loadmaster.rules.by_value import naming
    from loadmaster.system.interrupt import Interrupt
    from loadmaster.verbs.folder import make_folder

    out = None if options.out is None else Path(options.out)
    command = command or options.call("size")
    with naming() as name:
        sizers = names_of(options.sizers, "--sizers", name)
        bag = _Asked(options, options.source(), tuple(sizers))
        with progress_file_in(out, command, watch or Watch()) as progress:
            if out is not None:
                make_folder(out)
            with Interrupt() as interrupt:
                sized = _run_all(bag, out, progress, command, interrupt)
    if out is not None:
        sized.save(out)
    return sized


class _Asked:
    """What is requested, read and checked: the bag, the machines, the sizers.

    Raises:
        InputError: a value breaks its rule.
    """

    def __init__(self, options: SizeOptions, bag: "BagSource", sizers: tuple[str, ...]) -> None:
        import numpy as np

        from loadmaster.model.bag import Bag, BagLaw
        from loadmaster.model.units import parse_seconds
        from loadmaster.sim.bags.repetitions import draws
        from loadmaster.sizing.endless import ending
        from loadmaster.sizing.goal import check_budget
        from loadmaster.verbs.bag_options import chosen_types, guessed

        check_budget(options.budget)
        if options.prices is None:
            refuse_unused(options, ["currency"], "without prices costs are machine hours", "add --prices")
        self.address = options.address
        self.deadline_s = None if options.deadline is None else parse_seconds(str(options.deadline))
        self.guess_s = guessed(None if options.guess is None else str(options.guess))
        self.bag = self.drawn = bag
        types = chosen_types(options.prices, options.billing)
        if self.guess_s is not None and isinstance(bag, Bag) and bag.known.size == 0:
            self.drawn = BagLaw("lognormal", (self.guess_s, float(np.log(3.0)) / 2), bag.tasks)
        self.durations: Floats = draws(self.drawn, options.repetitions, options.seed)
        self.types, self.notes = ending(types, float(self.durations.max()))
        given = {name: getattr(options, name) for name in options.given}
        self.options = SizeOptions.of({**given, **({"sizers": sizers} if "sizers" in given else {})}, {})
        self.learning = [self._sizer(spec) for spec in sizers]

    def _sizer(self, spec: str) -> "Sizer":
        from loadmaster.rules.part import part_of
        from loadmaster.sizing.load import BagKnowledge, sizer_named

        look_s = float(self.durations.mean()) / 100  # in proportion to the tasks, else a very long one takes millions
        usual: dict[str, Any] = {"guess_s": self.guess_s, "tick_s": max(60.0, look_s)}
        if part_of(spec).name == "planner":
            budget = self.options.budget if self.deadline_s is None else None
            usual |= {"budget": budget, "deadline_s": self.deadline_s, "tick_s": max(10.0, look_s)}
            usual |= {"confidence": max(self.options.confidence, 0.501)}
        kind = self.types[0]
        knowledge = BagKnowledge(
            self.drawn.tasks, kind.unit_s * kind.speed, {k: v for k, v in usual.items() if v is not None}
        )
        return sizer_named(spec, knowledge)


def _run_all(request: _Asked, out: Path | None, watch: "Watch", command: str, interrupt: "Interrupt") -> Sized:
    """All runs that there is time for, and the best of them."""
    from loadmaster.packing.deadline import Deadline
    from loadmaster.report.progress import bar
    from loadmaster.results.on_dask import pool_on
    from loadmaster.results.store import Store
    from loadmaster.results.watch import Advancing
    from loadmaster.sim.bags.curve import curve_runs, fixed_curve, recommended, sizer_points
    from loadmaster.sim.bags.mixes import mix_curve
    from loadmaster.sim.bags.study import SizerCase, compile_first
    from loadmaster.sizing import FixedHosts, FixedMix
    from loadmaster.verbs.notes import warn_of_plain_sizers

    options, durations, types = request.options, request.durations, request.types
    some = durations[: min(options.repetitions, MOST_RUNS)]
    warn_of_plain_sizers(request.learning, some, types)
    pool, store = pool_on(request.address), Store.in_folder(out) if out is not None else None
    if options.time_limit is not None:  # engines are compiled or loaded before the time begins
        ways = [SizerCase(FixedHosts(1), types[:1]), SizerCase(FixedMix((1,) * len(types)), types)]
        compile_first(durations, [*ways, *(SizerCase(sizer, types) for sizer in request.learning)], watch)
    deadline = Deadline.after(options.search_s, interrupt)
    try:
        with bar("numbers of machines", curve_runs(durations, types), "bags", watch) as advance:
            watcher = Advancing(advance, advance.describe)
            first, mixed = deadline.share(FIRST_SHARE), deadline.share(FIRST_SHARE + MIX_SHARE)
            curve = fixed_curve(durations, types, options.confidence, pool, store, watcher, first)
            numbers = len(curve)
            curve += mix_curve(durations, types, options.confidence, pool, store, None, mixed)
        with bar("sizers that learn", len(request.learning) * len(some), "bags", watch) as advance:
            watcher = Advancing(advance, advance.describe)
            sizers = sizer_points(some, request.learning, types, options.confidence, pool, store, watcher, deadline)
    finally:
        if store is not None:
            store.close()
    all_numbers, all_sizers = curve_runs(durations, types) // len(durations), len(request.learning)
    notes, ended = list(request.notes), ""
    if deadline.passed() or numbers < all_numbers or len(sizers) < all_sizers:
        ended = ended_in_words(options.time_limit, deadline.interrupted)
        notes.append(
            f"The search ended {ended}: {numbers:,} of {all_numbers:,} numbers of machines of one type, "
            f"{len(curve) - numbers:,} mixes and {len(sizers)} of {all_sizers} sizers were run."
        )
    chosen = next(
        (point for rows in (curve, sizers) if (point := recommended(rows, options.budget, request.deadline_s))), None
    )
    work_h = float(durations.sum(axis=1).mean() / 3600)
    given = request.bag, request.drawn, work_h
    return Sized(*given, curve, sizers, chosen, options, tuple(notes), command, ended, deadline.interrupted)


size = called_with(SizeOptions, size_with)
