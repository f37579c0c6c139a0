"""`rebalance` on a file with constraints and costs of its own: the cheapest placement found, its bound and its gap."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from loadmaster.model.arrays import Longs
from loadmaster.verbs.result import Result
from loadmaster.verbs.unused_options import refuse_all_but

if TYPE_CHECKING:
    import polars as pl

    from loadmaster.packing.constrained.annealing import AnnealedPlacement
    from loadmaster.packing.constrained.problem import ConstrainedProblem
    from loadmaster.report.page import Page
    from loadmaster.verbs.rebalance import RebalanceOptions


@dataclass(frozen=True, eq=False, repr=False)
class PlacementByCost(Result):
    """A placement that keeps the constraints of a file, and what it costs before and after.

    Attributes:
        name: of the file.
        problem: hosts, tasks, where they run now, constraints and costs.
        host: int64[T], the host of each task after; empty where no placement was found.
        costs_before: weight x cost by name; empty while a task has no host.
        costs: the same of the placement found.
        bound: no placement costs less.
        broken_before: constraints that the placement before breaks, in sentences; empty while a task has no host.
        broken: those that the placement found still breaks; none where the one before breaks none.
        steps: exchanges that were tried.
        seconds: that the search took.
        seed: of the search.
        interrupted: the user ended the search.
        known: facts that a reader must know beside the answer.
        command: the command that makes it again.
        reason: why there is no placement, where that is known.
    """

    verb = "rebalance"

    name: str
    problem: "ConstrainedProblem"
    host: Longs
    costs_before: Mapping[str, int]
    costs: Mapping[str, int]
    bound: int
    broken_before: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    steps: int = 0
    seconds: float = 0.0
    seed: int = 0
    interrupted: bool = False
    known: tuple[str, ...] = field(default=())
    command: str = ""
    reason: str = ""

    @property
    def done(self) -> bool:
        """Whether there is a placement of all tasks."""
        return len(self.host) == len(self.problem.now)

    @property
    def notes(self) -> tuple[str, ...]:
        """Facts that a reader must know beside the answer."""
        return self.known

    @property
    def cost(self) -> int:
        """The sum of the costs found."""
        return sum(self.costs.values())

    @property
    def cost_before(self) -> int | None:
        """The sum of the costs before; None while a task has no host."""
        return sum(self.costs_before.values()) if (self.problem.now >= 0).all() else None

    @property
    def proven(self) -> bool:
        """No placement costs less, by the bound; or there is none."""
        if not self.done:
            return self.reason != ""
        return not self.broken and self.cost <= self.bound

    @property
    def gap(self) -> float | None:
        """The cost is at most this part above that of the best; None where the bound is 0 and says nothing."""
        if not self.done or (self.bound <= 0 and not self.proven):
            return None
        return (self.cost - self.bound) / self.bound if self.cost > self.bound else 0.0

    @cached_property
    def figures(self) -> dict[str, Any]:
        """Costs before and after, bound, gap and the moves, in plain values."""
        names = dict.fromkeys([*self.costs_before, *self.costs])
        before = self.cost_before
        return {
            "status": "ok" if self.done else "infeasible" if self.reason else "limit",
            "solver": "annealing",
            "proven": self.proven,
            "tasks": len(self.problem.now),
            "hosts": len(self.problem.host_names),
            "cost_before": before,
            "cost": self.cost if self.done else None,
            "bound": self.bound,
            "gap": self.gap,
            "costs": [
                {
                    "name": name,
                    "before": self.costs_before.get(name) if before is not None else None,
                    "after": self.costs.get(name),
                }
                for name in names
            ],
            "broken_before": list(self.broken_before),
            "broken": list(self.broken),
            "hosts_used": len(np.unique(self.host)),
            "moves": self._moves(),
            "interrupted": self.interrupted,
            "reason": self.reason,
            "steps": self.steps,
            "seconds": self.seconds,
        }

    def _moves(self) -> list[dict[str, Any]]:
        """A row for each task whose host changes; it may have none before."""
        changed = np.flatnonzero(self.host != self.problem.now).tolist() if self.done else []
        return [
            {
                "task": self.problem.task_names[task],
                "from": self.problem.host_names[self.problem.now[task]] if self.problem.now[task] >= 0 else None,
                "to": self.problem.host_names[self.host[task]],
            }
            for task in changed
        ]

    @property
    def answer(self) -> str:
        """The costs and how far they are from the best, in one sentence."""
        if not self.done and self.reason:
            return f"no placement of all tasks exists: {self.reason}"
        if not self.done:
            return f"no placement of all tasks was found in {self.seconds:.3g} s; one may exist"
        moves, new = len(self.figures["moves"]), int((self.problem.now < 0).sum())
        before = "" if self.cost_before is None else f" instead of {self.cost_before:,}"
        what = f"{moves - new:,} of {len(self.problem.now) - new:,} tasks move"
        what = f"{new:,} new tasks are placed" + (f", {what}" if moves > new else "") if new else what
        broken = f"; {len(self.broken):,} constraints stay broken" if self.broken else ""
        return f"cost {self.cost:,}{before}, {self._distance}: {what}{broken}"

    @property
    def _distance(self) -> str:
        if self.proven:
            return f"optimal (the bound is {self.bound:,})"
        stopped = ", stopped by hand" if self.interrupted else ""
        if self.gap is None:
            return f"best found{stopped} (bound {self.bound:,})"
        return f"best found{stopped}, at most {_percent_up(self.gap)} from optimal (bound {self.bound:,})"

    @property
    def frame(self) -> "pl.DataFrame":
        """A row for each task that moves: task, from, to."""
        import polars as pl

        return pl.DataFrame(self.figures["moves"], schema={"task": pl.String, "from": pl.String, "to": pl.String})

    def plot(self) -> Any:
        """How full the fullest resource of each host is, before and after: an Altair chart."""
        from loadmaster.report.moves_chart import before_and_after_chart

        title = "fullest resource: in use / capacity"
        return before_and_after_chart(
            self.problem.host_names, self._fullest(self.problem.now), self._fullest(self.host), title
        )

    def _fullest(self, host: Longs) -> Any:
        """float64[H], the largest part of a resource in use on each host."""
        use = np.zeros(self.problem.capacity.shape)
        there = host >= 0
        np.add.at(use, host[there], self.problem.demand[: len(host)][there])
        return np.divide(use, self.problem.capacity, out=np.zeros_like(use), where=self.problem.capacity > 0).max(
            axis=1, initial=0.0
        )

    def page(self) -> "Page":
        """The answer, the costs before and after, the hosts, the moves."""
        from loadmaster.report.placement_cost_page import placement_cost_page

        made = {"command": self.command, "seed": self.seed, "steps": f"{self.steps:,}", "time": f"{self.seconds:.3g} s"}
        return placement_cost_page(self.name, self.answer, self.notes, self.figures, self.plot(), made)

    def write_tables(self, folder: Path) -> None:
        """Write moves.csv; and the hosts of all tasks as the challenge of 2012 has them, for one of its models."""
        from loadmaster.packing.machine_reassignment import is_reassignment, write_assignment
        from loadmaster.system.whole_file import whole_file
        from loadmaster.traces.spreadsheet import harmless

        with whole_file(folder / "moves.csv") as part:
            harmless(self.frame).write_csv(part)
        if self.done and is_reassignment(Path(self.name)):
            write_assignment(folder / self.assignment_name, self.host)

    @property
    def assignment_name(self) -> str:
        """The name of the file with the hosts of all tasks."""
        return Path(self.name).with_suffix(".sol").name.replace("model_", "new_assignment_", 1)


def _percent_up(part: float) -> str:
    """`part` in percent, rounded up in its second digit that counts, so that "at most" holds.

    Example:
        >>> _percent_up(0.0123), _percent_up(0.0000025), _percent_up(1.5), _percent_up(0.12)
        ('1.3 %', '0.00025 %', '150 %', '12 %')
    """
    from decimal import ROUND_CEILING, Context, Decimal

    rounded = Context(prec=2 if part < 1 else 3, rounding=ROUND_CEILING).create_decimal(Decimal(repr(100 * part)))
    return f"{rounded.normalize():f} %"


def has_own_costs(path: Path) -> bool:
    """Whether the file has constraints and costs of its own: a model of the challenge of 2012, or cloud balancing."""
    from loadmaster.packing.cloud_balancing import is_cloud_balancing
    from loadmaster.packing.machine_reassignment import is_reassignment

    return is_reassignment(path) or is_cloud_balancing(path)


def place_by_cost(
    options: "RebalanceOptions", command: str = "", progress: Callable[[float, int], None] | None = None
) -> PlacementByCost:
    """The cheapest placement found of a file that has constraints and costs of its own.

    Args:
        options: the file, the time and the seed.
        command: the command that makes it again.
        progress: told the part of the time that has passed and the best cost.

    Raises:
        InputError: the file cannot be used, or an option changes nothing.
    """
    from loadmaster.packing.constrained.annealing import NOTHING, anneal_placement
    from loadmaster.packing.constrained.lower_bound import infeasible_because, lower_bound
    from loadmaster.verbs.folder import make_folder

    refuse_all_but(options, ["state", "time_limit", "seed", "out"], "the file has costs and machines of its own")
    if options.out is not None:
        make_folder(Path(options.out))
    problem = _problem(Path(options.state))
    reason = infeasible_because(problem)
    found = NOTHING
    if not reason:
        goal = lower_bound(problem)
        found = anneal_placement(problem, options.time_limit, options.seed, progress, goal=goal)
    made = replace(_result(problem, found, options.seed, command or options.call("rebalance")), reason=reason)
    if options.out is not None and made.done:
        made.save(options.out)
    return made


def _result(problem: "ConstrainedProblem", found: "AnnealedPlacement", seed: int, command: str) -> PlacementByCost:
    """The result of the search, its costs computed again by the plain evaluator.

    Raises:
        AssertionError: the evaluator finds another cost, or a constraint that the search has broken: a fault of ours.
    """
    from loadmaster.packing.constrained.evaluate import Evaluation, evaluate
    from loadmaster.packing.constrained.lower_bound import lower_bound

    before = evaluate(problem, problem.now) if (problem.now >= 0).all() else Evaluation({}, ())
    after = evaluate(problem, found.host) if found.placed else Evaluation({}, ())
    if after.total != found.cost or (after.broken and not before.broken):
        raise AssertionError(f"the search says {found.cost}, the evaluator {after.total} and {after.broken[:3]}")
    return PlacementByCost(
        problem.source,
        problem,
        found.host if found.placed else np.zeros(0, np.int64),
        before.costs,
        after.costs,
        lower_bound(problem),
        before.broken,
        after.broken,
        found.steps,
        found.seconds,
        seed,
        found.interrupted,
        command=command,
    )


def _problem(path: Path) -> "ConstrainedProblem":
    from loadmaster.packing.cloud_balancing import cloud_balancing_problem
    from loadmaster.packing.machine_reassignment import is_reassignment, read_reassignment, reassignment_problem

    return reassignment_problem(read_reassignment(path)) if is_reassignment(path) else cloud_balancing_problem(path)
