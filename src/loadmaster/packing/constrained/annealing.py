"""The search for a cheap placement under constraints: simulated annealing with large-neighbourhood steps, anytime."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from loadmaster.first_time import FIRST_TIME
from loadmaster.model.arrays import Longs
from loadmaster.packing.constrained.exchange_kernel import LONGEST, Path, anneal, mean_rise
from loadmaster.packing.constrained.layout import BEST, SearchModel, State
from loadmaster.packing.constrained.model_arrays import empty_state, search_model
from loadmaster.packing.constrained.problem import ConstrainedProblem
from loadmaster.packing.constrained.reinsert_kernel import Removed, place_in_turn, reinsert, take_out
from loadmaster.packing.constrained.state_kernel import keep_as_best, place_all, return_to_best

SLICE_S = 0.05
"""Time between two looks at the clock, about."""


@dataclass(frozen=True, eq=False)
class AnnealedPlacement:
    """What the search came to.

    Attributes:
        host: int64[T], the best placement.
        cost: its total.
        steps: exchanges that were tried.
        seconds: how long the search took.
        interrupted: whether the user ended it.
        placed: whether every task has a host.
    """

    host: Longs
    cost: int
    steps: int
    seconds: float
    interrupted: bool
    placed: bool


@dataclass(frozen=True)
class Cooling:
    """How the temperature falls: in each cycle from a part of the mean rise of a drawn exchange to the last one.

    Attributes:
        first, again: the part with which the first cycle and the later ones begin.
        last: the last temperature, in units of cost.
        first_share: of the time, for the first cycle; the later ones share the rest.
        later: number of later cycles.
        reinsert_share: of the time, for large-neighbourhood steps.
    """

    first: float = 0.1
    again: float = 0.003
    last: float = 0.3
    first_share: float = 0.6
    later: int = 2
    reinsert_share: float = 0.15

    def temperature(self, rise: float, part: float) -> tuple[int, float]:
        """The number of the cycle and the temperature once `part` of the time has passed."""
        if part < self.first_share:
            cycle, inside, start = 0, part / self.first_share, self.first
        else:
            cycles = (part - self.first_share) / (1 - self.first_share) * self.later
            cycle, inside, start = 1 + int(cycles), cycles % 1.0, self.again
        hot = max(rise * start, self.last)
        return cycle, hot * (self.last / hot) ** inside


class Annealing:
    """A search under way: one slice after another, each at one temperature.

    Args:
        model: the problem's arrays.
        state: the placement to start from; it changes.
        cooling: how the temperature falls.
        most_removed: tasks that a large-neighbourhood step takes out at most.
    """

    def __init__(self, model: SearchModel, state: State, cooling: Cooling, most_removed: int = 16) -> None:
        self.model, self.state, self.cooling = model, state, cooling
        self.steps = 0
        self._path = Path(*(np.zeros(LONGEST, np.int64) for _ in range(3)))
        most = min(most_removed, len(model.tasks.now)) + 1
        self._removed = Removed(np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(most))
        self._cycle = 0
        self._exchanges, self._reinsertions = 2_000.0, 4.0
        self._rise = mean_rise(model, state, self._path, 20_000)

    @property
    def best(self) -> int:
        """The cost of the best placement so far."""
        return int(self.state.totals[BEST])

    def slice(self, part: float) -> None:
        """Search for about `SLICE_S` seconds, once `part` of the time has passed."""
        cycle, temperature = self.cooling.temperature(self._rise, part)
        if cycle != self._cycle:
            self._cycle = cycle
            return_to_best(self.model, self.state)
        share = self.cooling.reinsert_share
        self._exchanges = self._timed(anneal, self._path, temperature, self._exchanges, 1 - share)
        if share:
            self._reinsertions = self._timed(reinsert, self._removed, temperature, self._reinsertions, share)

    def _timed(
        self, kernel: Callable[..., int], scratch: object, temperature: float, steps: float, share: float
    ) -> float:
        """Run `kernel` for so many steps; how many would take its share of a slice."""
        begin = FIRST_TIME.clock_s()
        kernel(self.model, self.state, scratch, temperature, max(int(steps), 1))
        self.steps += int(steps)
        took_s = max(FIRST_TIME.clock_s() - begin, 1e-5)
        return min(max(steps * min(max(share * SLICE_S / took_s, 0.5), 2.0), 1.0), 1e8)


def anneal_placement(
    problem: ConstrainedProblem,
    time_limit_s: float = 60.0,
    seed: int = 0,
    progress: Callable[[float, int], None] | None = None,
    cooling: Cooling | None = None,
) -> AnnealedPlacement:
    """The cheapest placement found from where the tasks run now, all constraints kept.

    Simulated annealing over moves, swaps, chains and rings of up to three tasks; now and then up to sixteen related
    tasks are taken out and put back one by one where they cost least. Every task must run somewhere now.

    Args:
        problem: hosts, tasks, constraints and costs.
        time_limit_s: of the search, without the time that compiling takes.
        seed: of every draw. The temperature follows the clock, so two runs with one seed may differ.
        progress: told the part of the time that has passed and the best cost.
        cooling: how the temperature falls.
    """
    model = search_model(problem)
    state = empty_state(model, seed)
    place_all(model, state, np.asarray(problem.now))
    search, interrupted, begin = None, True, FIRST_TIME.clock_s()
    with suppress(KeyboardInterrupt):
        if _place_new(model, state, np.asarray(problem.now), seed, begin + time_limit_s):
            search = Annealing(model, state, cooling or Cooling())
            begin = FIRST_TIME.clock_s()
            while (part := (FIRST_TIME.clock_s() - begin) / time_limit_s) < 1.0:
                search.slice(part)
                if progress is not None:
                    progress(part, search.best)
        interrupted = False
    placed = bool((state.best >= 0).all())
    return AnnealedPlacement(
        state.best.copy(), int(state.totals[BEST]) if placed else 0, search.steps if search is not None else 0,
        FIRST_TIME.clock_s() - begin, interrupted, placed,
    )  # fmt: skip


def _place_new(model: SearchModel, state: State, now: Longs, seed: int, ends: float) -> bool:
    """Give each task without a host one, the largest first, then in other orders; whether all have one in time."""
    new, rng = np.flatnonzero(now < 0), np.random.default_rng(seed)
    order = new[np.argsort(-model.tasks.size[new], kind="stable")]
    while len(new) and place_in_turn(model, state, order, 0.0) < len(new):
        if FIRST_TIME.clock_s() > ends:
            return False
        take_out(model, state, new)
        order = new[np.argsort(-model.tasks.size[new] * rng.uniform(0.5, 1.5, len(new)), kind="stable")]
    keep_as_best(state)
    return True
