"""Dynamic fractional scheduling: jobs start at once with a part of the CPU they request (Casanova et al. 2008)."""

from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np

from loadmaster.model.arrays import Floats, Ints
from loadmaster.model.errors import InputError
from loadmaster.move.level_out import levelled_out
from loadmaster.move.relabel import relabelled
from loadmaster.packing.instance import Instance
from loadmaster.packing.mcb import reaches
from loadmaster.packing.solve import PackOptions, packer_named
from loadmaster.rules.find import NO_SOURCES, Sources

Repack = Literal["never", "events", "periods"]
SLACK = 1e-9
"""Part by which a host may be overfull, for rounding (rule A2)."""


@dataclass(frozen=True, eq=False)
class FractionalView:
    """The state that a decision sees: N tasks that run on H hosts.

    Attributes:
        host: int32[N], the host of each task; tasks in ascending number.
        fluid: float64[N], CPU each task requests, as far as known.
        rigid: float64[N, M], demands that must fit.
        cost: float64[N], memory that travels if the task moves: none for one that starts at this very moment.
        load: float64[H], CPU requested on each host; used: float64[H, M], what is taken of the rest.
        fluid_capacity: float64[H]; rigid_capacity: float64[H, M]; speed: float64[H].
        kind: int32[H], equal hosts have equal numbers.
        budget: memory that may still move in this interval.
    """

    host: Ints
    fluid: Floats
    rigid: Floats
    cost: Floats
    load: Floats
    used: Floats
    fluid_capacity: Floats
    rigid_capacity: Floats
    speed: Floats
    kind: Ints
    budget: float


class FractionalJob(NamedTuple):
    """A waiting job: its equal tasks, what each requests of the CPU, and float64[M] of the rest."""

    tasks: int
    fluid: float
    rigid: Floats


@dataclass(frozen=True)
class Fractional:
    """Place each task where it runs fastest and its memory has room; at times pack all tasks anew.

    A task runs at speed x yield; among hosts where it runs equally fast, the one with the least CPU load is taken.
    Packing anew looks at yields alone, as in the paper, whose hosts are alike.

    Waiting jobs are tried in the order of arrival. Three pure decisions: `hosts_for`, `room_for`, `improved`.

    Attributes:
        repack: never, at every arrival and end, or every `period_s`.
        period_s: seconds between repackings by period.
        least_yield: a job waits as long as it would press any yield below this; 0 admits every job that fits.
        budget: memory that may move in `budget_interval_s`, in the cluster's unit.
        gain: a new packing must raise the least yield by more than this part.
        lookahead: waiting jobs that are tried after the first one that found no room.
        packer: that packs all tasks anew: of `PACKERS`, a placement policy, or `file.py:function`. One that works until
            its time is up has `pack_time_s` a call, and a run with it cannot be repeated to the bit.
        pack_time_s: seconds of real time.
        sources: text of files that the packer is taken from, instead of the files on disk.
    """

    repack: Repack = "events"
    period_s: float = 600.0
    least_yield: float = 0.0
    budget: float = float("inf")
    budget_interval_s: float = 600.0
    gain: float = 0.01
    lookahead: int = 100
    packer: str = "mcb8"
    pack_time_s: float = 1.0
    name: str = "fractional"
    sources: Sources = field(default_factory=lambda: NO_SOURCES, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.repack not in ("never", "events", "periods"):
            raise InputError(self.repack, "no such time to repack", fix="use never, events or periods")
        if not 0 <= self.least_yield <= 1:
            raise InputError(self.least_yield, "a yield lies between 0 and 1")
        for name in ("period_s", "budget_interval_s", "pack_time_s"):
            if not 0 < getattr(self, name) < float("inf"):
                raise InputError(getattr(self, name), f"{name} must be more than zero seconds")
        for name in ("budget", "gain", "lookahead"):
            if not getattr(self, name) >= 0:
                raise InputError(getattr(self, name), f"{name} must be zero or more")
        packer_named(self.packer, self.sources)

    @property
    def most_load(self) -> float:
        """The largest CPU load, over capacity, at which a host still takes a task."""
        return (1 + SLACK) / self.least_yield if self.least_yield > 0 else float("inf")

    def hosts_for(self, view: FractionalView, ask: FractionalJob) -> Ints | None:
        """int32[tasks]: for one task after another the fastest host with room; None if a task finds none."""
        load, used = view.load.copy(), view.used.copy()
        room = view.rigid_capacity * (1 + SLACK)
        chosen = np.empty(ask.tasks, np.int32)
        for k in range(ask.tasks):
            after = (load + ask.fluid) / view.fluid_capacity
            fits = (used + ask.rigid <= room).all(axis=1) & (after <= self.most_load)
            if not fits.any():
                return None
            slowness = np.where(fits, np.maximum(after, 1.0) / view.speed, np.inf)
            target = int(np.argmin(np.where(slowness == slowness.min(), after, np.inf)))
            load[target] += ask.fluid
            used[target] += ask.rigid
            chosen[k] = target
        return chosen

    def room_for(self, view: FractionalView, ask: FractionalJob) -> tuple[Ints, Ints] | None:
        """Hosts for the running tasks, and for those of `ask`, all packed anew; None if they do not fit."""
        host = np.concatenate((view.host, np.full(ask.tasks, -1, np.int32)))
        fluid = np.concatenate((view.fluid, np.full(ask.tasks, ask.fluid)))
        rigid = np.concatenate((view.rigid, np.tile(ask.rigid, (ask.tasks, 1))))
        cost = np.concatenate((view.cost, np.zeros(ask.tasks)))
        packed = self._packed(replace(view, host=host, fluid=fluid, rigid=rigid, cost=cost), self.least_yield)
        return None if packed is None else (packed[: len(view.host)], packed[len(view.host) :])

    def improved(self, view: FractionalView) -> Ints:
        """int32[N]: a new packing if it is better and the budget allows it, else single moves within the budget."""
        enough = least_yield(view.load, view.fluid_capacity) * (1 + self.gain)
        if highest_yield(view) <= enough:
            return view.host
        packed = self._packed(view, enough)
        if packed is not None:
            return packed
        moved = levelled_out(
            view.host, view.fluid, view.rigid, view.cost, view.fluid_capacity, view.rigid_capacity, view.budget
        )
        return moved if yield_of(view, moved) > enough else view.host

    def _packed(self, view: FractionalView, enough: float) -> Ints | None:
        """All tasks packed anew, with hosts renamed to move little; None if not `enough`, or over the budget."""
        instance = Instance(
            view.fluid.reshape(-1, 1),
            view.rigid,
            view.fluid_capacity.reshape(-1, 1),
            view.rigid_capacity,
            rigid_names=tuple(f"rigid{m}" for m in range(view.rigid.shape[1])),
        )
        if self.packer == "mcb8" and not reaches(instance, enough):
            return None
        host = packer_named(self.packer, self.sources).solve(instance, PackOptions(self.pack_time_s)).host
        if host is None or yield_of(view, host) <= enough * (1 - SLACK):
            return None
        packed = relabelled(view.host, host, view.cost, view.kind[:, None] == view.kind)
        moved = (view.host >= 0) & (packed != view.host)
        return packed if view.cost[moved].sum() <= view.budget * (1 + 1e-12) else None


def least_yield(load: Floats, capacity: Floats) -> float:
    """The least yield of any host, min(1, capacity / CPU requested) (rule K2)."""
    with np.errstate(divide="ignore"):
        return float(np.minimum(1.0, capacity / load).min())


def yield_of(view: FractionalView, host: Ints) -> float:
    """The least yield with the tasks on `host` int32[N]."""
    load = np.bincount(host, weights=view.fluid, minlength=len(view.fluid_capacity)).astype(np.float64)
    return least_yield(load, view.fluid_capacity)


def highest_yield(view: FractionalView) -> float:
    """An upper bound of the least yield: CPU there over CPU requested, of all hosts and of the largest task."""
    asked, largest = float(view.fluid.sum()), float(view.fluid.max(initial=0.0))
    if largest == 0.0:
        return 1.0
    return min(1.0, float(view.fluid_capacity.sum()) / asked, float(view.fluid_capacity.max()) / largest)
