"""Casanova et al. 2008: an algorithm of the study is another one."""

from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np

from loadmaster.packing.generate import Spec
from loadmaster.papers.casanova2008 import claims, large_claims
from loadmaster.papers.casanova2008 import study as casanova
from loadmaster.papers.casanova2008.outcome import outcome_of
from loadmaster.papers.casanova2008.study import StudyCell

_RIGHT = casanova._solvers
_SPECS = [(slack, cv, other) for slack in (0.1, 0.2, 0.5, 0.9) for cv in (0.25, 0.75) for other in (0.25, 0.75)]
SMALL = [StudyCell("small", Spec(4, tasks, *more), 2, 0) for tasks in (6, 8, 10, 12) for more in _SPECS]
LARGE = [StudyCell("large", Spec(64, 100, *more), 4, 0) for more in _SPECS]
PARALLEL = [StudyCell("parallel", Spec(64, 100, *more, parallel=True), 4, 0) for more in _SPECS]


def study():
    """The claims on some hundred small instances, and as many large ones of 100 tasks."""
    with TemporaryDirectory() as folder:
        frame = casanova.run([*SMALL, *LARGE, *PARALLEL], Path(folder))
    small, large, parallel = (outcome_of(frame, part) for part in ("small", "large", "parallel"))
    found = [*claims.tables({"small": small, "large": large}), *claims.small(small)]
    large_ones = [claim for claim in large_claims.large(large) if claim.where != "Fig. 18"]
    return [*found, *large_ones, *large_claims.parallel(parallel)[:3]]


def _swapped(**other):
    """Other algorithms under these names, each by its own."""

    def solvers(cell, repetition):
        right = dict(_RIGHT(cell, repetition))
        return [(name, right.get(other.get(name, name), solve)) for name, solve in right.items()]

    return lambda: patch.object(casanova, "_solvers", solvers)


def _failing(name, part):
    """The algorithm gives up on so large a part of the instances."""

    def solvers(cell, repetition):
        draw = np.random.default_rng((repetition, cell.spec.tasks, int(100 * cell.spec.slack))).random()
        right = _RIGHT(cell, repetition)
        return [(n, _gives_up if n == name and draw < part else solve) for n, solve in right]

    return lambda: patch.object(casanova, "_solvers", solvers)


def _rounded(change):
    """Another least weight in the place of RRND's 0 and RRNZ's small one."""
    right = casanova.round_off

    def round_off(instance, spread, epsilon, seed, name):
        return right(instance, spread, change(epsilon), seed, name)

    return lambda: patch.object(casanova, "round_off", round_off)


def _gives_up(instance):
    from loadmaster.packing import Attempt

    return Attempt(None, "infeasible", "broken", 0.0)


ASCENDING = {f"mcb{k}": f"mcb{k - 4}" for k in range(5, 9)}

MUTANTS = {
    "MCB8 sorts ascending": _swapped(mcb8="mcb4"),
    "all descending keys sort ascending": _swapped(**ASCENDING),
    "MCB5 sorts as MCB1": _swapped(mcb5="mcb1"),
    "MCB1 is MCB8": _swapped(mcb1="mcb8"),
    "MCB8 is first fit": _swapped(mcb8="gr"),
    "the exact solution is sorted greedy's": _swapped(milp="sg"),
    "sorted greedy does not sort": _swapped(sg="gr", sgb="gb"),
    "greedy sorts": _swapped(gr="sg", gb="sgb"),
    "greedy is MCB8": _swapped(gr="mcb8", sg="mcb8"),
    "RRND draws hosts whose fraction is 0 as well": _rounded(lambda epsilon: 0.01),
    "RRNZ is RRND": _rounded(lambda epsilon: 0.0),
    "RRND and RRNZ draw any host": _rounded(lambda epsilon: 1.0),
    "MCB8 gives up on a fifth": _failing("mcb8", 0.2),
    "GB backtracks into MCB8": _swapped(gb="mcb8"),
}
