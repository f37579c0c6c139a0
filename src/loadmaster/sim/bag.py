"""One door to the engines for bags: many repetitions at once, compiled where the sizer and the machines allow it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeGuard

import numpy as np

from loadmaster.model.arrays import Floats, Longs
from loadmaster.model.bag import BagSource
from loadmaster.sim.bag_reference import World, run_bag
from loadmaster.size import FixedHosts, HostType, SilvaRule, Sizer


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
        sizer: under the paper's rule or a fixed number of machines the compiled engine runs, else the plain one; a
            subclass of either is a rule of its own, and runs in the plain one.
        types: what can be rented.
        seed: of interruptions; repetition r uses its own stream.
        plain: the plain engine in any case.
        progress: told (done, all) after each repetition of the plain engine.

    Example:
        >>> repeat(np.full((1, 300), 300.0), FixedHosts(25)).cost.tolist()
        [25.0]
    """
    if not plain and is_compiled(sizer, types, durations.shape[1]):
        return _compiled(durations, sizer, types[0])
    rows = len(durations)
    span_s, cost, hosts = np.empty(rows), np.empty(rows), np.empty(rows, np.int64)
    for row in range(rows):
        run = run_bag(World(durations[row], types, seed=seed * 1_000_003 + row), sizer)
        span_s[row], cost[row], hosts[row] = run.span_s, run.cost, len(run.hosts)
        if progress:
            progress(row + 1, rows)
    return BagOutcomes(durations.sum(axis=1), span_s, hosts, cost)


def is_compiled(sizer: Sizer, types: tuple[HostType, ...], tasks: int) -> TypeGuard[SilvaRule | FixedHosts]:
    """Whether the kernel knows all of these; by exact type, since a subclass has rules of its own."""
    kind = types[0]
    return (
        type(sizer) in (SilvaRule, FixedHosts)
        and len(types) == 1
        and type(kind) is HostType
        and kind.interruptions_per_h == 0
        and kind.limit >= tasks
    )


def _compiled(durations: Floats, sizer: SilvaRule | FixedHosts, kind: HostType) -> BagOutcomes:
    from loadmaster.sim import bag_kernel as kernel

    rows = len(durations)
    span_s, cost, hosts = np.empty(rows), np.empty(rows), np.empty(rows, np.int64)
    machines = kernel.Machines(kind.speed, kind.boot_s, kind.unit_s, kind.units(0.0), kind.unit_price)
    kernel.run_bags(np.ascontiguousarray(durations), _rules(sizer, kind), machines, span_s, hosts, cost)
    return BagOutcomes(durations.sum(axis=1), span_s, hosts, cost)


def _rules(sizer: SilvaRule | FixedHosts, kind: HostType):  # type: ignore[no-untyped-def]
    from loadmaster.sim import bag_kernel as kernel

    if isinstance(sizer, FixedHosts):
        return kernel.Rules(sizer.count, 0.0, 0.0, kind.unit_s, 0, 0, False, True, False, False, sizer.tick_s)
    return kernel.Rules(
        0, sizer.creation_ratio, sizer.increase_ratio, sizer.host_time_s or kind.unit_s, sizer.first_hosts,
        {"finish": kernel.FINISH, "nostart": kernel.NOSTART, "kill": kernel.KILL}[sizer.overrun],
        sizer.possible == "real", sizer.count_running, sizer.condition == "gt", sizer.c_update == "every",
        float(sizer.tick_s),
    )  # fmt: skip
