"""The search for a cheap placement under constraints: simulated annealing with large-neighbourhood steps, anytime."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from loadmaster.jit.first_compilation import FIRST_TIME
from loadmaster.model.arrays import Longs
from loadmaster.packing.constrained.costs import LoadCost
from loadmaster.packing.constrained.evaluate import evaluate
from loadmaster.packing.constrained.exchange_kernel import LONGEST, Path, anneal, mean_rise
from loadmaster.packing.constrained.layout import BEST, TOTAL, SearchModel
from loadmaster.packing.constrained.model_arrays import empty_state, search_model
from loadmaster.packing.constrained.problem import ConstrainedProblem
from loadmaster.packing.constrained.reinsert_kernel import Removed, place_in_turn, reinsert, take_out
from loadmaster.packing.constrained.state_kernel import place_all, place_those_that_fit

SLICE_S = 0.05
"""Time between two looks at the clock, about."""


@dataclass(frozen=True, eq=False)
class AnnealedPlacement:
    """The result of the search.

    Attributes:
        host: int64[T], the best placement.
        cost: its total.
        steps: exchanges that were tried.
        seconds: how long the search took.
        interrupted: whether the user ended it.
        placed: whether every task has a host.
        first_cost: the total of the placement from which the search began.
    """

    host: Longs
    cost: int
    steps: int
    seconds: float
    interrupted: bool
    placed: bool
    first_cost: int = 0


NOTHING = AnnealedPlacement(np.zeros(0, np.int64), 0, 0, 0.0, False, False)
"""The result where no search is made."""


@dataclass(frozen=True)
class Stage:
    """A part of the search, in which the temperature falls from `hot` to `cold`.

    Attributes:
        share: of the time.
        charge: for each unit of a transient resource that a move leaves held on its old host, as a part of the weight
            of that resource's load. Without it a hot search fills the hosts with what moved away.
        move_charge: for each task that moves, in units of the mean rise of cost of a drawn exchange.
        hot, cold: in units of that mean rise; 0 for the last temperature of all.
        reinsert_share: of the stage's time, for large-neighbourhood steps.
        leads_on: whether the next stage begins with its placement, and not where it began itself.
    """

    share: float
    charge: float
    hot: float
    cold: float
    move_charge: float = 0.0
    reinsert_share: float = 0.3
    leads_on: bool = True


STAGES = (
    Stage(0.03, charge=0.02, hot=0.0002, cold=0.0, leads_on=False),
    Stage(0.27, charge=0.1, hot=0.5, cold=0.002, move_charge=0.001),
    Stage(0.4, charge=0.02, hot=0.02, cold=0.001, move_charge=0.02),
    Stage(0.3, charge=0.0, hot=0.0002, cold=0.0),
)
"""The usual search: a quick first answer; then loads, the same with few moves, and the true cost alone."""
STAGES_OF_PRICES = (Stage(1.0, charge=0.0, hot=0.15, cold=0.004, reinsert_share=0.5),)
"""The usual search where hosts have prices: emptying a host takes a large-neighbourhood step."""
MOST_REMOVED = 16
"""Tasks that a large-neighbourhood step takes out at most."""
LAST = 0.3
"""The last temperature, in units of cost."""


class Annealing:
    """A stage of the search under way: one slice after another, each at one temperature.

    Args:
        model: the problem's arrays.
        stage: how this part of the search goes.
        charge: int64[T], what it charges for a move of each task.
        host: int64[T], the placement to start from.
        seed: of every draw.

    Attributes:
        model, stage: the arrays, the charge in them, and the stage.
        state: the placement, which changes.
        path, removed: scratch of the kernels.
        steps: that were tried.
    """

    def __init__(self, model: SearchModel, stage: Stage, charge: Longs, host: Longs, seed: int) -> None:
        self._charge = charge
        move_cost = model.tasks.move_cost + self._charge
        self.model = model._replace(tasks=model.tasks._replace(move_cost=move_cost))
        self.state, self.stage = empty_state(self.model, seed), stage
        place_all(self.model, self.state, host)
        self.path = Path(*(np.zeros(LONGEST, np.int64) for _ in range(3)))
        most = min(MOST_REMOVED, len(host)) + 1
        self.removed = Removed(np.zeros(most, np.int64), np.zeros(most, np.int64), np.zeros(most))
        self._exchanges, self._reinsertions = 2_000.0, 10.0
        self.steps = 0

    @property
    def best(self) -> Longs:
        """int64[T], the best placement so far, charges included."""
        return self.state.best

    @property
    def cost(self) -> int:
        """The cost of the best placement, without charges."""
        moved = (self.state.best != self.model.tasks.now) & (self.model.tasks.now >= 0)
        return int(self.state.totals[BEST]) - int(self._charge[moved].sum())

    def slice(self, part: float, rise: float, *, timed: bool = True) -> None:
        """Search for about `SLICE_S` seconds, or a fixed number of steps, once `part` of the stage has passed."""
        stage = self.stage
        hot, cold = max(stage.hot * rise, LAST), max(stage.cold * rise, LAST)
        temperature, share = hot * (cold / hot) ** part, stage.reinsert_share
        exchanges = self._timed(anneal, self.path, temperature, self._exchanges, 1 - share)
        reinsertions = self._timed(reinsert, self.removed, temperature, self._reinsertions, share)
        if timed:
            self._exchanges, self._reinsertions = exchanges, reinsertions

    def _timed(
        self, kernel: Callable[..., int], scratch: object, temperature: float, steps: float, share: float
    ) -> float:
        """Run `kernel` for so many steps; how many would take its share of a slice."""
        begin = FIRST_TIME.clock_s()
        kernel(self.model, self.state, scratch, temperature, max(int(steps), 1))
        self.steps += int(steps)
        took_s = max(FIRST_TIME.clock_s() - begin, 1e-5)
        return min(max(steps * min(max(share * SLICE_S / took_s, 0.5), 2.0), 1.0), 1e8)


class Effort:
    """How much of a search has passed: of its time, or of a number of slices of fixed length.

    Args:
        time_limit_s: without the time that compiling takes.
        slices: instead of it; then one seed gives one result.

    Attributes:
        timed: whether it goes by the time.
    """

    def __init__(self, time_limit_s: float, slices: int | None = None) -> None:
        self.timed = slices is None
        self._begin_s, self._limit_s = FIRST_TIME.clock_s(), time_limit_s
        self._slices, self._asked = slices or 0, 0

    def leave_out(self, work: Callable[[], None]) -> None:
        """Do `work`, and do not count its time."""
        begin_s = FIRST_TIME.clock_s()
        work()
        self._begin_s += FIRST_TIME.clock_s() - begin_s

    def part(self) -> float:
        """The part that has passed; with slices each question counts as one."""
        if self.timed:
            return (FIRST_TIME.clock_s() - self._begin_s) / self._limit_s
        self._asked += 1
        return (self._asked - 1) / self._slices


class StagedSearch:
    """The stages one after another, and the best placement by the true cost.

    Args:
        problem: hosts, tasks, constraints and costs.
        seed: of every draw.
        stages: of the search; the usual ones if they are left out.

    Attributes:
        best: int64[T], the best placement so far; empty until all tasks have a host.
        cost: its cost.
        steps: that were tried.
    """

    def __init__(self, problem: ConstrainedProblem, seed: int, stages: Sequence[Stage] | None = None) -> None:
        self._problem, self._seed, self._model = problem, seed, search_model(problem)
        self._stages = stages or (STAGES_OF_PRICES if self._model.hosts.price.any() else STAGES)
        self._under_way: Annealing | None = None
        self._next = self.best = np.zeros(0, np.int64)
        self.cost, self.steps = 0, 0

    def load_kernels(self) -> None:
        """Compile the kernels, or read them from disk, before the time begins."""
        nothing = np.full(len(self._problem.now), -1, np.int64)
        search = Annealing(self._model, self._stages[0], nothing, nothing, self._seed)
        anneal(search.model, search.state, search.path, 1.0, 0)
        reinsert(search.model, search.state, search.removed, 1.0, 0)
        mean_rise(search.model, search.state, search.path, 0)
        place_in_turn(search.model, search.state, nothing[:0], 0.0)
        take_out(search.model, search.state, nothing[:0])
        place_those_that_fit(search.model, search.state, nothing[:0], nothing)

    def place_new(self, effort: "Effort") -> bool:
        """Give each task without a host one, the largest first, then in other orders; whether all have one in time.

        Where the placement now breaks a constraint, tasks in the way of capacities or of groups apart are placed anew.
        Where no host is found for them in a tenth of the time, they stay.
        """
        now, size = np.array(self._problem.now), self._model.tasks.size
        complete = bool((now >= 0).all())
        state = empty_state(self._model, self._seed)
        if not complete or evaluate(self._problem, now).broken:
            place_those_that_fit(self._model, state, np.argsort(-size, kind="stable").astype(np.int64), now)
        else:
            place_all(self._model, state, now)
        new, rng = np.flatnonzero(state.host < 0), np.random.default_rng(self._seed)
        order = new[np.argsort(-size[new], kind="stable")]
        while len(new) and place_in_turn(self._model, state, order, 0.0) < len(new):
            if effort.part() >= (0.1 if complete else 1.0):
                break
            take_out(self._model, state, new)
            order = new[np.argsort(-size[new] * rng.uniform(0.5, 1.5, len(new)), kind="stable")]
        if (state.host < 0).any():
            if not complete:
                return False
            state = empty_state(self._model, self._seed)
            place_all(self._model, state, now)
        self._next = self.best = state.host.copy()
        self.cost = int(state.totals[TOTAL])
        return True

    def start_from(self, host: Longs) -> bool:
        """Begin with the placement `host`, int64[T], which breaks nothing."""
        state = empty_state(self._model, self._seed)
        place_all(self._model, state, host)
        self._next = self.best = state.host.copy()
        self.cost = int(state.totals[TOTAL])
        return True

    def run(self, effort: "Effort", progress: Callable[[float, int], None] | None = None, goal: int = 0) -> None:
        """All stages, each from the best placement of the one before, by its own cost; until one costs `goal`.

        One slice is made even if the time is up.
        """
        passed = begun = effort.part()
        rise = mean_rise_from(self._model, self._next, self._seed)
        for number, stage in enumerate(self._stages):
            share = stage.share * max(1.0 - begun, 0.0)
            charge = held_charge(self._problem, stage.charge) + int(stage.move_charge * rise)
            self._under_way = search = Annealing(self._model, stage, charge, self._next, self._seed + number)
            while min(search.cost, self.cost) > goal and (
                (now := effort.part()) < min(passed + share, 1.0) or self.steps + search.steps == 0
            ):
                part = min(max(now - passed, 0.0) / share, 1.0) if share > 0.0 else 1.0
                search.slice(part, rise, timed=effort.timed)
                if progress is not None:
                    progress(now, min(search.cost, self.cost))
            passed += share
            self.settle()

    def settle(self) -> None:
        """Take over what the stage under way has reached."""
        search, self._under_way = self._under_way, None
        if search is not None:
            self.steps += search.steps
            best = search.best.copy()
            if search.stage.leads_on:
                self._next = best
            if search.cost < self.cost:
                self.best, self.cost = best, search.cost


def anneal_placement(
    problem: ConstrainedProblem,
    time_limit_s: float = 60.0,
    seed: int = 0,
    progress: Callable[[float, int], None] | None = None,
    slices: int | None = None,
    goal: int = 0,
    start: Longs | None = None,
) -> AnnealedPlacement:
    """The cheapest placement found from where the tasks run now; no constraint is broken that was kept (rule B5).

    Simulated annealing over moves, swaps, chains and rings of up to three tasks, and large-neighbourhood steps: some
    tasks are taken out and put back one by one where they cost least.

    Args:
        problem: hosts, tasks, constraints and costs.
        time_limit_s: of the search and of making its arrays, without compiling or loading of kernels.
        seed: of every draw. The temperature follows the clock, so two runs with one seed may differ.
        progress: told the part of the time that has passed and the best cost.
        slices: so many slices of fixed length instead of the time limit; then one seed gives one result.
        goal: the search ends once a placement costs no more.
        start: int64[T], a placement that breaks nothing, to begin with; where the tasks run now if it is left out.
    """
    effort, begin, interrupted, first_cost = Effort(time_limit_s, slices), FIRST_TIME.clock_s(), True, 0
    search = StagedSearch(problem, seed)
    effort.leave_out(search.load_kernels)
    with suppress(KeyboardInterrupt):
        if search.place_new(effort) if start is None else search.start_from(start):
            first_cost = search.cost
            search.run(effort, progress, goal)
        interrupted = False
    search.settle()
    seconds, placed = FIRST_TIME.clock_s() - begin, len(search.best) > 0
    return AnnealedPlacement(search.best, search.cost, search.steps, seconds, interrupted, placed, first_cost)


def mean_rise_from(model: SearchModel, host: Longs, seed: int) -> float:
    """The mean change of cost of those exchanges from the placement `host` that cost more; each is drawn and undone."""
    state = empty_state(model, seed)
    place_all(model, state, host)
    return float(mean_rise(model, state, Path(*(np.zeros(LONGEST, np.int64) for _ in range(3))), 20_000))


def held_charge(problem: ConstrainedProblem, part: float) -> Longs:
    """int64[T], what a stage charges for a move of each task: `part` of the load weight of the transient demand."""
    weight = np.zeros(len(problem.resources))
    for cost in problem.costs:
        if isinstance(cost, LoadCost) and problem.transient[cost.resource]:
            weight[cost.resource] += cost.weight
    return np.floor(part * (problem.demand @ weight)).astype(np.int64)
