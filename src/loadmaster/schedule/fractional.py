"""Dynamic fractional scheduling: jobs start at once with a part of the CPU they ask for (Casanova et al. 2008)."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from loadmaster.model.arrays import Floats, Ints, Longs
from loadmaster.model.errors import InputError
from loadmaster.move.level_out import levelled_out
from loadmaster.move.relabel import relabelled

Repack = Literal["never", "events", "periods"]


@dataclass(frozen=True, eq=False)
class FractionalView:
    """What a decision sees: tasks present and jobs waiting.

    Attributes:
        host: int32[T], the host of every task of the workload, -1 where it does not run.
        present: int64[N], tasks that run.
        waiting: for each waiting job, in the order of arrival, its tasks.
        fluid: float64[T], CPU each task asks for, as far as known.
        rigid: float64[T, M], what must fit; the first column is memory.
        fluid_capacity: float64[H]; rigid_capacity: float64[H, M].
        kind: int32[H], equal hosts have equal numbers.
        budget: memory that may still move in this interval.
    """

    host: Ints
    present: Longs
    waiting: list[Longs]
    fluid: Floats
    rigid: Floats
    fluid_capacity: Floats
    rigid_capacity: Floats
    kind: Ints
    budget: float


@dataclass(frozen=True)
class Fractional:
    """Place tasks by the least CPU load with room for their memory; now and then pack all of them anew.

    Attributes:
        repack: never, at every arrival and end, or every `period_s`.
        period_s: seconds between repackings by period.
        least_yield: a job waits as long as it would press any yield below this; 0 admits whatever fits.
        budget: memory that may move in `budget_interval_s`, in the cluster's unit.
        gain: a new packing must raise the least yield by more than this part.
    """

    repack: Repack = "events"
    period_s: float = 600.0
    least_yield: float = 0.0
    budget: float = float("inf")
    budget_interval_s: float = 600.0
    gain: float = 0.01
    name: str = "fractional"

    def __post_init__(self) -> None:
        if self.repack not in ("never", "events", "periods"):
            raise InputError(self.repack, "no such time to repack", fix="use never, events or periods")
        if not 0 <= self.least_yield <= 1:
            raise InputError(self.least_yield, "a yield lies between 0 and 1")
        if not (self.period_s > 0 and self.budget_interval_s > 0 and self.budget >= 0):
            raise InputError(self.budget, "intervals are more than zero seconds, a budget zero or more")

    def decide(self, view: FractionalView, period: bool) -> Ints:
        """int32[T]: the host of every task from now on, -1 for those that wait or are gone; pure.

        Args:
            view: the cluster now.
            period: this is the moment of a period, not an arrival or an end.
        """
        host = view.host.copy()
        budget = view.budget
        present = list(view.present)
        may_repack = self.repack == "events" or (self.repack == "periods" and period)
        for tasks in view.waiting:
            placed = self._greedily(view, host, present, tasks)
            if placed is None and may_repack and tasks is view.waiting[0]:
                trial = self._packed(view, host, np.concatenate((present, tasks)).astype(np.int64), budget)
                if trial is not None and self._enough(view, trial):
                    budget -= moved_memory(view, host, trial)
                    host, placed = trial, trial[tasks]
            if placed is not None:
                host[tasks] = placed
                present.extend(tasks)
        if may_repack and present:
            host = self._improved(view, host, np.array(present, np.int64), budget)
        return host

    def _greedily(self, view: FractionalView, host: Ints, present: list[int], tasks: Longs) -> Ints | None:
        """Hosts for the tasks of a job, each the least loaded with room; None if there is none, or too little CPU."""
        here = host[present]
        load = np.bincount(here, weights=view.fluid[present], minlength=len(view.kind)).astype(np.float64)
        used = np.zeros_like(view.rigid_capacity)
        np.add.at(used, here, view.rigid[present])
        most = 1.0 / self.least_yield if self.least_yield > 0 else np.inf
        chosen = np.empty(len(tasks), np.int32)
        for k, task in enumerate(tasks):
            after = (load + view.fluid[task]) / view.fluid_capacity
            fits = (used + view.rigid[task] <= view.rigid_capacity * (1 + 1e-9)).all(axis=1)
            target = int(np.argmin(np.where(fits, after, np.inf)))
            if not fits[target] or after[target] > most * (1 + 1e-9):
                return None
            load[target] += view.fluid[task]
            used[target] += view.rigid[task]
            chosen[k] = target
        return chosen

    def _improved(self, view: FractionalView, host: Ints, present: Longs, budget: float) -> Ints:
        """A new packing if it is better and the budget allows it, else single moves within the budget."""
        before = least_yield_of(view, host)
        if before >= 1.0:
            return host
        packed = self._packed(view, host, present, budget)
        if packed is not None and least_yield_of(view, packed) > before * (1 + self.gain):
            return packed
        moved = host.copy()
        moved[present] = levelled_out(
            host[present], view.fluid[present], view.rigid[present], view.fluid_capacity, view.rigid_capacity, budget
        )
        return moved if least_yield_of(view, moved) > before * (1 + self.gain) else host

    def _packed(self, view: FractionalView, host: Ints, tasks: Longs, budget: float) -> Ints | None:
        """MCB8 on all `tasks`, hosts renamed so that little moves; None if that is infeasible or over the budget."""
        from loadmaster.pack.instance import Instance
        from loadmaster.pack.mcb import mcb

        attempt = mcb(
            Instance(
                view.fluid[tasks].reshape(-1, 1), view.rigid[tasks], view.fluid_capacity.reshape(-1, 1),
                view.rigid_capacity, rigid_names=tuple(f"rigid{m}" for m in range(view.rigid.shape[1])),
            )
        )  # fmt: skip
        if attempt.host is None:
            return None
        memory = view.rigid[tasks, 0] if view.rigid.shape[1] else np.zeros(len(tasks))
        packed = host.copy()
        packed[tasks] = relabelled(host[tasks], attempt.host, memory, view.kind)
        return packed if moved_memory(view, host, packed) <= budget * (1 + 1e-12) else None

    def _enough(self, view: FractionalView, host: Ints) -> bool:
        return least_yield_of(view, host) >= self.least_yield * (1 - 1e-9)


def yields(view: FractionalView, host: Ints) -> Floats:
    """float64[H]: the yield of the tasks on each host, min(1, capacity / CPU asked) (SPEC 1(a), F1)."""
    on = host >= 0
    load = np.bincount(host[on], weights=view.fluid[on], minlength=len(view.kind))
    with np.errstate(divide="ignore"):
        return np.minimum(1.0, view.fluid_capacity / load)


def least_yield_of(view: FractionalView, host: Ints) -> float:
    """The least yield of any host."""
    return float(yields(view, host).min())


def moved_memory(view: FractionalView, before: Ints, after: Ints) -> float:
    """The memory of the tasks that run on another host after than before."""
    moved = (before >= 0) & (after != before)
    return float(view.rigid[moved, 0].sum()) if view.rigid.shape[1] else 0.0
