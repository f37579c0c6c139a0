"""A comparison as one JSON document: what `compare --json` prints."""

from typing import Any

from loadmaster.report.answer import answer, leader
from loadmaster.report.breakdown import breakdown_rows
from loadmaster.report.comparison import Comparison, faults
from loadmaster.report.confidence import confidence_row, judgement_document, samples_words, would_tell
from loadmaster.report.document import document, left_out, rejected_jobs
from loadmaster.report.group_comparison import most_jobs
from loadmaster.report.machines_claims import machine_row, machines_document, rule_document
from loadmaster.report.possible_claims import beside_possible, possible_document, possible_rows
from loadmaster.report.record_claims import beside_row, recorded_document, recorded_row
from loadmaster.report.run_breakdown import all_groups
from loadmaster.runs import Outcome
from loadmaster.runs.judgement import Judgement

ONE_RUN = "one run on one log cannot name a winner: these means have no interval"


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """Verdict, what has the lowest mean wait on this log at each load, a row for each run, and what was left out.

    Where so many jobs are left out that there is no verdict, nothing is called lowest.
    """
    case, judgement = comparison.case, comparison.judgement
    best = [] if judgement is None else judgement_document(judgement)["best"]
    content = {
        "verdict": "none" if judgement is None else judgement.kind,
        "verdict_because": case.without_verdict or (ONE_RUN if judgement is None else _because(judgement)),
        "best": best,
        "answer": answer(comparison),
        "would_tell": would_tell(comparison) or None,
        "loads": [judgement_document(each) for each in comparison.judgements],
        "lowest": [] if case.without_verdict else lowest(comparison),
        "warnings": faults(comparison),
        "machines": machines_document(comparison),
        **rejected_jobs(case.rejected),
        "recorded": recorded_document(comparison),
        "possible": possible_document(comparison),
        "rows": rows(comparison),
        "who_waits": waits_by_group(comparison),
        "by": list(comparison.by),
        "breakdown": breakdown_rows(all_groups(comparison), comparison.by),
    }
    return document(
        "compare",
        content,
        command=comparison.command,
        seed=comparison.outcomes[0].setting.seed,
        synthetic=case.workload.synthetic,
        notes=comparison.notes,
        left_out=left_out(case.skipped),
    )


def rows(comparison: Comparison) -> list[dict[str, Any]]:
    """What really happened, where that is known, what is possible, where that was asked, then every run."""
    recorded = [] if comparison.recorded is None else [recorded_row(comparison)]
    return [*recorded, *possible_rows(comparison), *(run_row(comparison, outcome) for outcome in comparison.outcomes)]


def run_row(comparison: Comparison, outcome: Outcome) -> dict[str, Any]:
    """The row of a run: its results with their intervals, beside the record and the best possible."""
    beside = beside_row(comparison, outcome) | beside_possible(comparison, outcome)
    beside |= machine_row(comparison, outcome)
    return outcome.row() | confidence_row(comparison, outcome) | beside


def waits_by_group(comparison: Comparison) -> list[dict[str, Any]]:
    """Jobs by all that the log knows of them, under the rule that the answer is about and the baseline."""
    if not comparison.outcomes:
        return []
    first, group = leader(comparison)
    base = comparison.baseline_at(group.load)
    rows = []
    for outcome in (first,) if base is None or base is first else (first, base):
        head = {**rule_document(outcome.setting), "load": outcome.load}
        for groups in outcome.beside.groups:
            rows += [head | row for row in most_jobs(groups)]
    return rows


def _because(judgement: Judgement) -> str:
    if judgement.because:
        return judgement.because
    reasons = {
        "best": "it is better than every other rule",
        "tied": "these rules cannot be distinguished from the leader",
    }
    return f"over {samples_words(judgement)}, {reasons[judgement.kind]} (rule R10)"


def lowest(comparison: Comparison) -> list[dict[str, Any]]:
    """The lowest mean wait at each load, and the candidates that have it; several where they tie to the bit."""
    rows = []
    for load in sorted({group.load for group in comparison.groups}):
        bests = [group.best for group in comparison.groups if group.load == load]
        least = min((best.metrics.unstarted, best.metrics.mean_wait_s) for best in bests)
        names = [
            rule_document(outcome.setting)
            for group in comparison.groups
            if group.load == load
            for outcome in group.outcomes
            if (outcome.metrics.unstarted, outcome.metrics.mean_wait_s) == least
        ]
        rows.append({"load": load, "mean_wait_s": least[1], "candidates": names})
    return rows
