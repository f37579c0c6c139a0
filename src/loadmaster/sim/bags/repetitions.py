"""Simulates many repetitions of a bag at once, compiled where the sizer and the machines allow it."""

import math
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.bag import BagSource
from loadmaster.model.errors import OutOfRoom
from loadmaster.sim.bags.reference import World, run_bag
from loadmaster.sizing import FixedHosts, FixedMix, HostType, Planner, SilvaRule, Sizer
from loadmaster.sizing.endless import check_ends
from loadmaster.sizing.planning import ENOUGH, MOST
from loadmaster.system.process import usable_cores


@dataclass(frozen=True, eq=False)
class BagOutcomes:
    """R repetitions of a bag, one column a result.

    Attributes:
        work_s: float64[R], seconds of work of the bag that was drawn.
        span_s: float64[R], until the last task was done.
        hosts: int64[R], machines ever rented.
        cost: float64[R], money charged.
    """

    work_s: Floats
    span_s: Floats
    hosts: Longs
    cost: Floats

    @property
    def speedup(self) -> Floats:
        """Seconds of work in one second of the span."""
        return np.asarray(self.work_s / self.span_s)


def draws(source: BagSource, repetitions: int, seed: int = 0) -> Floats:
    """float64[R, N]: one bag a repetition, the same for every sizer that is compared."""
    return np.stack([source.draw(np.random.default_rng((seed, row))) for row in range(repetitions)])


def repeat(
    durations: Floats,
    sizer: Sizer,
    types: tuple[HostType, ...] = (HostType(),),
    *,
    seed: int = 0,
    plain: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> BagOutcomes:
    """Run a sizer on every row of `durations`.

    Args:
        durations: float64[R, N], seconds of work.
        sizer: under the paper's rule, a fixed number of machines or the planner a compiled engine runs, else the plain
            one; a subclass of these is a rule of its own, and runs in the plain one.
        types: what can be rented.
        seed: of interruptions; repetition r uses its own stream.
        plain: the plain engine in any case.
        progress: told (done, all) after each repetition, where one takes a while.

    Raises:
        InputError: a task that cannot be expected to end on one of the types (rule Z9).

    Example:
        >>> repeat(np.full((1, 300), 300.0), FixedHosts(25)).cost.tolist()
        [25.0]
    """
    check_ends(types, float(durations.max()))
    if not plain and is_compiled(sizer, types):
        return _run_compiled(durations, sizer, types[0], seed)
    if not plain and is_mix(sizer, types):
        return _run_mix(durations, sizer, types)
    if not plain and is_planned(sizer, types):
        return _run_planner(durations, sizer, types, progress)
    rows = len(durations)
    span_s, cost, hosts = np.empty(rows), np.empty(rows), np.empty(rows, np.int64)
    for row in range(rows):
        run = run_bag(World(durations[row], types, seed=_stream(seed, row)), sizer)
        span_s[row], cost[row], hosts[row] = run.span_s, run.cost, len(run.hosts)
        if progress:
            progress(row + 1, rows)
    return BagOutcomes(durations.sum(axis=1), span_s, hosts, cost)


def is_compiled(sizer: Sizer, types: tuple[HostType, ...]) -> TypeGuard[SilvaRule | FixedHosts]:
    """Whether the kernel knows all of these; by exact type, since a subclass has rules of its own."""
    return type(sizer) in (SilvaRule, FixedHosts) and len(types) == 1 and type(types[0]) is HostType


def is_mix(sizer: Sizer, types: tuple[HostType, ...]) -> TypeGuard[FixedMix]:
    """Whether the kernel for fixed numbers of several types knows all of these; none may be taken away."""
    return type(sizer) is FixedMix and all(type(kind) is HostType and not kind.interruptions_per_h for kind in types)


def is_planned(sizer: Sizer, types: tuple[HostType, ...]) -> TypeGuard[Planner]:
    """Whether the planner's kernel knows all of these; by exact type as well."""
    calm = all(type(kind) is HostType and kind.interruptions_per_h == 0 for kind in types)
    return calm and type(sizer) is Planner and not sizer.replicate


def _run_mix(durations: Floats, sizer: FixedMix, types: tuple[HostType, ...]) -> BagOutcomes:
    from loadmaster.sim.bags.mix_kernel import MixOfMachines, run_mix

    def column(values: Iterable[float]) -> Floats:
        return np.array(list(values), dtype=float)

    mix = MixOfMachines(
        np.array([min(count, kind.limit) for count, kind in zip(sizer.counts, types, strict=True)], np.int64),
        column(kind.speed for kind in types),
        column(kind.boot_s for kind in types),
        column(kind.unit_s for kind in types),
        column(kind.units(0.0) for kind in types),
        column(kind.unit_price for kind in types),
    )
    rows = len(durations)
    span_s, cost, hosts = np.empty(rows), np.empty(rows), np.empty(rows, np.int64)
    run_mix(np.ascontiguousarray(durations), mix, span_s, hosts, cost)
    return BagOutcomes(durations.sum(axis=1), span_s, hosts, cost)


def _run_planner(
    durations: Floats, planner: Planner, types: tuple[HostType, ...], progress: Callable[[int, int], None] | None
) -> BagOutcomes:
    from loadmaster.sim.bags.board_kernel import Kinds, PlannerGoal
    from loadmaster.sim.bags.planner_kernel import run_planned

    def column(values: Iterable[float]) -> Floats:
        return np.array(list(values), dtype=float)

    kinds = Kinds(
        column(kind.speed for kind in types),
        column(kind.boot_s for kind in types),
        column(kind.unit_s for kind in types),
        column(kind.units(0.0) for kind in types),
        column(kind.unit_price for kind in types),
        np.array([kind.limit for kind in types], np.int64),
    )
    wish = PlannerGoal(
        math.inf if planner.budget is None else float(planner.budget),
        math.inf if planner.deadline_s is None else float(planner.deadline_s),
        float(planner.waste),
        planner.guess_s is not None,
        *planner.prior,
        planner.levels,
        float(planner.tick_s),
        ENOUGH,
        MOST,
    )
    runs = []
    with ThreadPoolExecutor(usable_cores()) as pool:
        for run in pool.map(lambda row: run_planned(row, kinds, wish), np.ascontiguousarray(durations)):
            if run[1] < 0:
                raise OutOfRoom
            runs.append(run)
            if progress:
                progress(len(runs), len(durations))
    span_s, hosts, cost = zip(*runs, strict=True)
    return BagOutcomes(durations.sum(axis=1), np.array(span_s), np.array(hosts, np.int64), np.array(cost))


def _run_compiled(durations: Floats, sizer: SilvaRule | FixedHosts, kind: HostType, seed: int) -> BagOutcomes:
    from loadmaster.sim.bags import bag_kernel as kernel

    rows = len(durations)
    span_s, cost, hosts = np.empty(rows), np.empty(rows), np.empty(rows, np.int64)
    calm = kind.interruptions_per_h == 0
    machines = kernel.MachineKinds(
        float(kind.speed),
        float(kind.boot_s),
        float(kind.unit_s),
        kind.units(0.0),
        kind.unit_price,
        kind.limit,
        math.inf if calm else 3600.0 / kind.interruptions_per_h,
    )
    durations, rules = np.ascontiguousarray(durations), _rules(sizer, kind)
    step = rows if calm else 1  # each repetition has a stream of its own
    for row in range(0, rows, step):
        part = slice(row, row + step)
        rng = np.random.default_rng(_stream(seed, row))
        kernel.run_bags(durations[part], rules, machines, rng, span_s[part], hosts[part], cost[part])
    return BagOutcomes(durations.sum(axis=1), span_s, hosts, cost)


def _stream(seed: int, row: int) -> int:
    """The seed of one repetition's interruptions."""
    return seed * 1_000_003 + row


def _rules(sizer: SilvaRule | FixedHosts, kind: HostType):  # type: ignore[no-untyped-def]
    from loadmaster.sim.bags import bag_kernel as kernel

    if isinstance(sizer, FixedHosts):
        return kernel.BagRules(
            sizer.count, 0.0, 0.0, float(kind.unit_s), 0, 0, False, True, False, False, float(sizer.tick_s)
        )
    return kernel.BagRules(
        0,
        float(sizer.creation_ratio),
        float(sizer.increase_ratio),
        float(sizer.host_time_s or kind.unit_s),
        sizer.first_hosts,
        {"finish": kernel.FINISH, "nostart": kernel.NOSTART, "kill": kernel.KILL}[sizer.overrun],
        sizer.possible == "real",
        sizer.count_running,
        sizer.condition == "gt",
        sizer.c_update == "every",
        float(sizer.tick_s),
    )
