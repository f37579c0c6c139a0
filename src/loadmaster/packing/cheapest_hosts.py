"""The fewest or the cheapest hosts: by any packer on fewer and fewer hosts, or exactly by the pattern program."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from loadmaster.model.arrays import Floats, Ints, Longs
from loadmaster.packing.bound import hopeless
from loadmaster.packing.certificates import MOST_PATTERNS, Certificate, all_useful, certificates_of, strict_certificate
from loadmaster.packing.column_generation import CheapestHosts, Columns, OutOfTime, relax
from loadmaster.packing.common_unit import common_unit, rounded_up
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.incumbent import Incumbent, Report, silent
from loadmaster.packing.instance import Instance
from loadmaster.packing.level import fits
from loadmaster.packing.mcb import mcb
from loadmaster.packing.packing import Attempt, Status
from loadmaster.packing.pattern_problem import Pattern, PatternProblem, in_full
from loadmaster.packing.whole_patterns import ChosenPatterns, choose, dive, fill_by_value, search_cover

NAME = "pattern-program"
MOST_KINDS = 2_000
"""Kinds of tasks up to which the pattern program is solved."""
KNOWN_PART = 0.05
"""The part of the time for the choice among the patterns that column generation made."""


def all_rigid(instance: Instance, price: Floats | None = None) -> Instance:
    """The instance with every demand rigid: each task asks its guaranteed yield, or all it asks without one.

    Args:
        instance: tasks and hosts.
        price: float64[H]; None keeps that of the instance.
    """
    share = instance.task_guarantee if instance.guaranteed else np.ones(instance.tasks)
    return replace(
        instance,
        fluid=instance.fluid[:, :0],
        fluid_capacity=instance.fluid_capacity[:, :0],
        fluid_names=(),
        rigid=np.hstack((instance.fluid * share[:, None], instance.rigid)),
        rigid_capacity=np.hstack((instance.fluid_capacity, instance.rigid_capacity)),
        rigid_names=(*instance.fluid_names, *instance.rigid_names),
        weight=None,
        guarantee=None,
        price=instance.price if price is None else price,
    )


def cost_of(price: Floats, host: Ints | Longs) -> float:
    """What the hosts in use cost together; `host` is int[T]."""
    return float(price[np.unique(host)].sum())


def simple_bound(problem: PatternProblem) -> float:
    """No choice of hosts costs less: each resource alone, every task split as one likes; in whole multiples."""
    master = CheapestHosts(problem)
    bounds = [master.bound(problem.demand[:, r], problem.capacity[:, r]) for r in range(problem.demand.shape[1])]
    least = float(problem.price.min()) if problem.count.any() else 0.0
    return rounded_up(max([least, *bounds]), common_unit(problem.price))


def on_fewer_hosts(rigid: Instance, price: Floats, solve: Callable[[Instance], Attempt]) -> Attempt:
    """What `solve` makes of the fewest hosts it can do with, found by bisection, the cheapest for their size first.

    Args:
        rigid: tasks and hosts without a fluid resource.
        price: float64[H].
        solve: a packer.
    """
    order = _by_price(rigid, price)
    attempt = solve(_on(rigid, order))
    if attempt.host is None:
        there = attempt.partial
        partial = None if there is None else np.where(there >= 0, order[there], -1).astype(np.int32)
        return replace(attempt, partial=partial)
    best, cards = order[attempt.host], attempt.cards
    low, high = 0, len(np.unique(best))
    while high - low > 1:
        number = (low + high) // 2
        fewer = solve(_on(rigid, order[:number]))
        if fewer.host is None:
            low = number
            continue
        host = order[fewer.host]
        if cost_of(price, host) < cost_of(price, best):
            best, cards = host, fewer.cards
        high = len(np.unique(host))
    return replace(attempt, host=best.astype(np.int32), cards=cards, proven=False, bound=None)


def _by_price(rigid: Instance, price: Floats) -> Longs:
    """int64[H]: hosts by price for their capacity, relative to what tasks request; larger ones first among equals."""
    asked = np.maximum(rigid.rigid.sum(axis=0), 1e-300)
    size = (rigid.rigid_capacity / asked).min(axis=1, initial=np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        dear = np.where(size > 0, price / size, np.inf)
    return np.lexsort((-size, dear)).astype(np.int64)


def _on(rigid: Instance, hosts: Longs) -> Instance:
    names = tuple(rigid.host_names[h] for h in hosts) if rigid.host_names else ()
    return replace(
        rigid,
        fluid_capacity=rigid.fluid_capacity[hosts],
        rigid_capacity=rigid.rigid_capacity[hosts],
        host_names=names,
        price=None if rigid.price is None else rigid.price[hosts],
        cards=None if rigid.cards is None else rigid.cards.of_hosts(hosts),
    )


@dataclass
class _Best:
    """The best placement and bound so far.

    Attributes:
        problem: kinds of tasks and hosts.
        rigid: the instance.
        price: float64[H].
        unit: every cost is a whole multiple of it; 0 if that is not known.
        bound: no placement costs less.
        host: int32[T]; None so far.
        cost: of `host`; infinite without.
        report: is told the best cost and the bound.
    """

    problem: PatternProblem
    rigid: Instance
    price: Floats
    unit: float
    bound: float
    host: Ints | None = None
    cost: float = np.inf
    report: Report = silent

    def _tell(self) -> None:
        quantity = "hosts" if (self.price == 1).all() else "price"
        self.report(Incumbent(quantity, self.cost if np.isfinite(self.cost) else float("nan"), self.bound))

    @property
    def proven(self) -> bool:
        """No placement is cheaper."""
        return self.cost <= self.bound + 1e-9 * max(1.0, abs(self.bound))

    @property
    def target(self) -> float:
        """The highest cost that is better than the best; all hosts where there is none."""
        if self.host is None:
            return float(self.price.sum())
        return self.cost - (self.unit if self.unit > 0 else 1e-9 * self.cost)

    @property
    def goal(self) -> float:
        """The lowest cost that a placement may have; the target where costs have no unit."""
        return min(self.bound, self.target) if self.unit > 0 else self.target

    def take(self, host: Ints | None) -> None:
        """Keep `host` if it is a placement and cheaper."""
        if host is not None and fits(self.rigid, host) and cost_of(self.price, host) < self.cost:
            self.host, self.cost = host, cost_of(self.price, host)
            self._tell()

    def take_patterns(self, patterns: list[Pattern] | None) -> None:
        """Keep the placement by `patterns` if it is cheaper."""
        self.take(None if patterns is None else self.problem.placed(patterns))

    def raise_bound(self, bound: float) -> None:
        """No placement costs less than `bound`."""
        self.bound = max(self.bound, min(rounded_up(bound, self.unit), self.cost))
        self._tell()


def cheapest_hosts(
    instance: Instance, price: Floats, time_limit_s: float = 60.0, seed: int = 0, report: Report = silent
) -> Attempt:
    """The placement of all tasks in full on the cheapest hosts, with its proof, or the best within the time.

    MCB8 on fewer and fewer hosts; the relaxed pattern program by column generation, which gives the bound; dives
    that round it; HiGHS on the patterns that a cheaper placement may use, which proves the best where it ends.

    Args:
        instance: tasks and hosts; each task gets its guaranteed yield, or all it asks without one.
        price: float64[H], what a host in use costs, more than 0; all 1 to find the fewest.
        time_limit_s: seconds.
        seed: of the dives.
        report: is told the best cost and the bound while the search runs.
    """
    deadline = Deadline.after(time_limit_s)
    rigid = all_rigid(instance)
    lost = hopeless(rigid)
    if lost is not None:
        return Attempt(None, "infeasible", NAME, 0.0, True, lost[0], lost[1])
    problem = in_full(instance, price)
    best = _Best(problem, rigid, price, common_unit(price), simple_bound(problem), report=report)
    interrupted = False
    try:
        best.take(on_fewer_hosts(rigid, price, mcb).host)
        if not best.proven and len(problem.count) <= MOST_KINDS:
            _by_patterns(best, deadline, seed)
    except KeyboardInterrupt:
        interrupted = True
    if best.host is None:
        if best.bound > float(price.sum()) * (1 + 1e-9):
            reason = "the relaxed pattern program needs more hosts than there are"
            return Attempt(None, "infeasible", NAME, 0.0, True, reason=reason)
        return Attempt(None, "limit", NAME, reason=f"no placement within {time_limit_s:g} s", interrupted=interrupted)
    status: Status = "ok" if best.proven else "limit"
    return Attempt(best.host, status, NAME, proven=best.proven, cost_bound=best.bound, interrupted=interrupted)


def _by_patterns(best: _Best, deadline: Deadline, seed: int) -> None:
    problem, columns = best.problem, Columns(len(best.problem.count))

    def enough(value: float, bound: float) -> bool:
        whole = rounded_up(bound, best.unit)
        return whole >= best.cost - 1e-9 or (best.unit > 0 and whole >= rounded_up(value, best.unit))

    try:
        relaxed = relax(problem, columns, CheapestHosts(problem), deadline.share(0.5), enough)
    except OutOfTime:
        return
    best.raise_bound(relaxed.bound)
    certificates = certificates_of(problem, relaxed)
    best.take_patterns(fill_by_value(problem, relaxed.dual, deadline))
    best.take_patterns(fill_by_value(problem, relaxed.solved.dual, deadline))
    best.take_patterns(dive(problem, columns, deadline, best.target))
    _choose_known(best, columns, certificates, deadline)
    if not best.proven and not deadline.passed():
        certificates = _sharper(best, columns, certificates, deadline)
    _search_all(best, certificates, deadline, seed)
    _choose_from_all(best, certificates, deadline)
    dives = 0
    while not best.proven and not deadline.passed():
        dives += 1
        random = np.random.default_rng([seed, dives])
        best.take_patterns(dive(problem, columns, deadline, best.target, random))


def _sharper(best: _Best, columns: Columns, certificates: list[Certificate], deadline: Deadline) -> list[Certificate]:
    """The certificates once no pattern improves the relaxed program: they keep the fewest patterns."""
    try:
        relaxed = relax(best.problem, columns, CheapestHosts(best.problem), deadline.share(0.5))
    except OutOfTime:
        return certificates
    best.raise_bound(relaxed.bound)
    return certificates_of(best.problem, relaxed)


def _choose_known(best: _Best, columns: Columns, certificates: list[Certificate], deadline: Deadline) -> None:
    """Let HiGHS choose among the patterns known that a cheaper placement may use, for a part of the time."""
    while not best.proven and not deadline.passed():
        known = zip(columns.kind, columns.patterns, strict=True)
        useful = [(k, tasks) for k, tasks in known if certificates[0].keeps(k, tasks[None], best.target)[0]]
        if len(useful) > MOST_PATTERNS:
            return
        limit_s = deadline.left_s() * KNOWN_PART
        chosen = choose(best.problem, useful, min(best.bound, best.target), best.target, limit_s)
        before = best.cost
        best.take_patterns(chosen.patterns)
        if best.cost >= before:
            return


def _search_all(best: _Best, certificates: list[Certificate], deadline: Deadline, seed: int) -> None:
    """Search among all patterns that a placement of the next possible cost may use; no choice raises the bound."""
    while not best.proven and not deadline.passed():
        goal = best.goal
        patterns = all_useful(best.problem, certificates, goal, deadline)
        if patterns is None:
            return
        patterns, used = _without_idle(best, patterns, certificates, deadline)
        chosen = search_cover(best.problem, patterns, used, goal, deadline.share(0.3), seed)
        if not _keep_choice(best, chosen, goal):
            return


def _choose_from_all(best: _Best, certificates: list[Certificate], deadline: Deadline) -> None:
    """Let HiGHS choose among all patterns that a placement of the next possible cost may use."""
    while not best.proven and not deadline.passed():
        goal = best.goal
        patterns = all_useful(best.problem, certificates, goal, deadline)
        if patterns is None:
            return
        patterns, _ = _without_idle(best, patterns, certificates, deadline)
        chosen = choose(best.problem, patterns, min(best.bound, goal), goal, deadline.left_s() * 0.6)
        if not _keep_choice(best, chosen, goal):
            return


def _keep_choice(best: _Best, chosen: ChosenPatterns, goal: float) -> bool:
    """Keep the choice among all patterns for at most `goal`, or that there is none; whether either helps."""
    before, bound = best.cost, best.bound
    best.take_patterns(chosen.patterns)
    if chosen.patterns is None and chosen.complete:
        best.raise_bound(goal + best.unit if best.unit > 0 and goal < best.target else best.cost)
    return best.cost < before or best.bound > bound


def _without_idle(
    best: _Best, patterns: list[Pattern], certificates: list[Certificate], deadline: Deadline
) -> tuple[list[Pattern], list[Certificate]]:
    """The patterns that a strict certificate keeps, and the certificates with it."""
    strict = None
    if patterns:
        strict = strict_certificate(best.problem, patterns, certificates[0].bound, best.goal, deadline.share(0.3))
    if strict is None:
        return patterns, certificates
    kept = [(kind, tasks) for kind, tasks in patterns if strict.keeps(kind, tasks[None], best.goal)[0]]
    return kept, [*certificates, strict]
