"""A search for a better rule: on the first part of a log, with the winner measured on the second (rules U1 to U13)."""

from dataclasses import dataclass
from pathlib import Path

from loadmaster.results.store import Store
from loadmaster.results.study import CellMaker
from loadmaster.results.watch import Watch
from loadmaster.runs.case import Case
from loadmaster.tuning.bench import TrialBench
from loadmaster.tuning.holdout import Holdout, holdout
from loadmaster.tuning.search import SearchOutcome, SearchPlan, search_rules
from loadmaster.tuning.weeks import Weeks, in_two

_TOLD = 5
"""Runs on each log of the held-out weeks, about: of the winner, with and without its terms, and of what it is told
against."""


@dataclass(frozen=True, eq=False)
class Tuning:
    """The result of a search for a better rule.

    Attributes:
        case: jobs and hosts of the whole log.
        weeks: the log in two.
        plan: of the search.
        selection: the choice of the search, from the training weeks alone.
        unseen: the results on the held-out weeks; None if no candidate keeps the limit on the longest wait.
    """

    case: Case
    weeks: Weeks
    plan: SearchPlan
    selection: SearchOutcome
    unseen: Holdout | None


def tuned(
    case: Case,
    plan: SearchPlan,
    hold_out: float,
    logs: int,
    folder: Path | None,
    store: Store | None,
    pool: CellMaker,
    watch: Watch | None = None,
) -> Tuning:
    """Search, choose, and only then look at the weeks that were held out.

    Args:
        case: jobs and hosts.
        plan: of the search.
        hold_out: the part of the weeks that is held out, the last ones.
        logs: drawn from them for the gain.
        folder: where trials are kept; None keeps none.
        store: where runs are kept.
        pool: runs the cells.
        watch: gets the progress.

    Raises:
        InputError: the log is too short, or has nothing to search.
    """
    weeks = in_two(case, hold_out)
    selection = search_rules(TrialBench(weeks.training, plan.seed, store, pool, watch), plan, folder, _TOLD * logs)
    holdout_result = None
    if selection.winner is not None:
        holdout_result = holdout(TrialBench(weeks.held_out, plan.seed, store, pool, watch), plan, selection, logs)
    return Tuning(case, weeks, plan, selection, holdout_result)
