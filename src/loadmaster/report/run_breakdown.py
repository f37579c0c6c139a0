"""The groups of jobs in all runs of a comparison and in the log's own record, for its breakdown."""

from loadmaster.report.answer import leader
from loadmaster.report.breakdown import RECORDED, RuleGroups
from loadmaster.report.comparison import Comparison
from loadmaster.report.machines_claims import rule_document
from loadmaster.report.room_claims import why_not
from loadmaster.runs import Outcome


def all_groups(comparison: Comparison) -> list[RuleGroups]:
    """What really happened, where that is known, then every run at every load."""
    return [*_recorded_groups(comparison), *(_of_run(comparison, outcome) for outcome in comparison.outcomes)]


def shown_rules(comparison: Comparison) -> list[RuleGroups]:
    """Those at the load that the answer is about; the first is what the others are compared with.

    It is what really happened, where that is known, else the baseline. Gains and costs are told beside the baseline
    where queueing does not explain what happened.
    """
    if not comparison.outcomes:
        return _recorded_groups(comparison)
    _, group = leader(comparison)
    base = comparison.baseline_at(group.load)
    runs = [outcome for outcome in comparison.outcomes if outcome.load == group.load]
    ordered = sorted(runs, key=lambda outcome: outcome is not base)
    return [*_recorded_groups(comparison), *(_of_run(comparison, outcome) for outcome in ordered)]


def _recorded_groups(comparison: Comparison) -> list[RuleGroups]:
    groups = comparison.recorded_groups
    explained = not why_not(comparison.recorded, comparison.case.rejected)
    about = {"load": comparison.case.load}
    return [RuleGroups(RECORDED, groups, about, comparable=explained)] if groups else []


def _of_run(comparison: Comparison, outcome: Outcome) -> RuleGroups:
    about = {**rule_document(outcome.setting), "load": outcome.load}
    return RuleGroups(comparison.rule_name(outcome.setting), outcome.beside.groups, about)
