"""Certificates: values of tasks that prove a bound on the cost, and so which patterns a cheaper placement may use."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy

from loadmaster.model.arrays import Bools, Floats, Longs
from loadmaster.packing.column_generation import Relaxed
from loadmaster.packing.deadline import Deadline
from loadmaster.packing.pattern_problem import Pattern, PatternProblem
from loadmaster.packing.pricing import HostPricing

MOST_PATTERNS = 20_000
"""Patterns to choose from at most."""
STRICT = 0.02
"""Reduced costs count up to this for a strict certificate, or half as much again as a placement may lose."""


class Certificate(NamedTuple):
    """Values of tasks that prove a bound: each placement costs the bound and, for each host, limit - value more.

    Attributes:
        dual: float64[N], the value of one task of each kind.
        limit: float64[K], no pattern on a host of each kind is worth more.
        bound: no placement costs less.
    """

    dual: Floats
    limit: Floats
    bound: float

    def keeps(self, kind: int, patterns: Longs, target: float) -> Bools:
        """bool[P]: the patterns, int64[P, N], that a placement which costs `target` at most may use."""
        return np.asarray(patterns @ self.dual >= self.limit[kind] - (target - self.bound) - 1e-7)


def certificates_of(problem: PatternProblem, relaxed: Relaxed) -> list[Certificate]:
    """That of the relaxed program, then those of each resource alone."""
    duals = [(relaxed.dual, relaxed.most)]
    duals += [(problem.demand[:, r], problem.capacity[:, r]) for r in range(problem.demand.shape[1])]
    return [_certificate(problem, dual, most) for dual, most in duals]


def _certificate(problem: PatternProblem, dual: Floats, most: Floats) -> Certificate:
    """From values of tasks and the highest value of a pattern on each kind; scaled where that is better (Farley)."""
    usable = (most > 0) & (problem.hosts > 0)
    scale = float((problem.price[usable] / most[usable]).min(initial=np.inf))
    made = []
    for factor in (1.0, scale if np.isfinite(scale) else 1.0):
        over = np.maximum(most * factor - problem.price, 0.0)
        bound = float(problem.count @ dual) * factor - float(over @ problem.hosts)
        made.append(Certificate(dual * factor, problem.price + over, bound))
    return max(made, key=lambda each: each.bound)


def strict_certificate(
    problem: PatternProblem, patterns: Sequence[Pattern], bound: float, target: float, deadline: Deadline
) -> Certificate | None:
    """The certificate of this bound that keeps fewest of `patterns`, where a placement uses these alone.

    Optimal duals are many where a program is degenerate. A linear program finds those that leave the highest sum of
    reduced costs, each counted a little beyond what a placement may lose: then a pattern that no optimum of the
    relaxed program uses has one.

    Args:
        problem: tasks and hosts.
        patterns: all that a placement may use.
        bound: of the certificate; that of the relaxed program.
        target: the highest cost that is of use.
        deadline: when to stop.

    Returns:
        None if there is none, or the time is up.
    """
    linprog: Any = scipy.optimize.linprog
    sparse, tasks, count = scipy.sparse, len(problem.count), len(patterns)
    kinds = np.array([kind for kind, _ in patterns], np.int64)
    held = sparse.csr_array(np.array([amounts for _, amounts in patterns], np.float64))
    on_kind = sparse.csr_array((np.ones(count), (np.arange(count), kinds)), shape=(count, problem.kinds))
    worth = np.concatenate((-problem.count.astype(np.float64), problem.hosts, np.zeros(count)))
    matrix: Any = sparse.vstack(
        (sparse.hstack((held, -on_kind, sparse.eye_array(count))), sparse.csr_array(worth[None]))
    )
    high = np.append(problem.price[kinds], -(bound - 1e-7))
    cost = np.concatenate((np.zeros(tasks + problem.kinds), np.full(count, -1.0)))
    ends = np.zeros((len(cost), 2))
    ends[:, 1] = np.where(cost < 0, max(STRICT, 1.5 * (target - bound)), np.inf)
    limit = {"time_limit": max(0.0, deadline.left_s())}
    result = linprog(cost, A_ub=matrix.tocsc(), b_ub=high, bounds=ends, method="highs-ipm", options=limit)
    if result.x is None:
        return None
    dual, extra = np.asarray(result.x[:tasks]), np.asarray(result.x[tasks : tasks + problem.kinds])
    return Certificate(dual, problem.price + extra, float(problem.count @ dual - problem.hosts @ extra))


def all_useful(
    problem: PatternProblem, certificates: list[Certificate], target: float, deadline: Deadline
) -> list[Pattern] | None:
    """All full patterns that a placement which costs `target` at most may use; None if too many for the time."""
    listed: list[Pattern] = []
    for kind in range(problem.kinds):
        patterns = None if deadline.passed() else _all_patterns(problem, kind, certificates, target)
        if patterns is None:
            return None
        for certificate in certificates:
            patterns = patterns[certificate.keeps(kind, patterns, target)]
        listed += [(kind, row) for row in patterns]
    return listed if len(listed) <= MOST_PATTERNS else None


def _all_patterns(problem: PatternProblem, kind: int, certificates: list[Certificate], target: float) -> Longs | None:
    """Full patterns by the certificate of the relaxed program, else by the mean of all, which leaves fewer ties."""
    pricing = HostPricing(problem, kind)
    mean = Certificate(*(sum(parts) / len(certificates) for parts in zip(*certificates, strict=True)))
    for each in (certificates[0], mean):
        least = float(each.limit[kind]) - (target - each.bound) - 1e-7
        patterns = pricing.patterns_above(each.dual, least, MOST_PATTERNS)
        if patterns is not None:
            return patterns
    return None
