"""A comparison as one JSON document: what `compare --json` prints."""

from typing import Any

from loadmaster.report.comparison import Comparison, faults
from loadmaster.report.document import document, left_out

ONE_RUN = "one replay of one log cannot tell chance from merit: no interval stands behind these means"


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """Verdict, what has the lowest mean wait on this log at each load, a row a run, and what was left out.

    Where so many jobs are left out that there is no verdict, nothing is called lowest.
    """
    case = comparison.case
    content = {
        "verdict": "none",
        "verdict_because": case.without_verdict or ONE_RUN,
        "lowest": [] if case.without_verdict else lowest(comparison),
        "warnings": faults(comparison),
        "rejected_jobs": left_out(case.rejected),
        "rows": [outcome.row() for outcome in comparison.outcomes],
    }
    return document(
        "compare", content, command=comparison.command, seed=comparison.outcomes[0].setting.seed,
        synthetic=case.workload.synthetic, notes=comparison.notes, left_out=left_out(case.skipped),
    )  # fmt: skip


def lowest(comparison: Comparison) -> list[dict[str, Any]]:
    """The lowest mean wait at each load, and the candidates that have it; several where they tie to the bit."""
    found = []
    for load in sorted({group.load for group in comparison.groups}):
        bests = [group.best for group in comparison.groups if group.load == load]
        least = min((best.metrics.unstarted, best.metrics.mean_wait_s) for best in bests)
        names = [
            {"policy": outcome.setting.policy, "discipline": outcome.setting.discipline}
            for group in comparison.groups if group.load == load
            for outcome in group.outcomes
            if (outcome.metrics.unstarted, outcome.metrics.mean_wait_s) == least
        ]  # fmt: skip
        found.append({"load": load, "mean_wait_s": least[1], "candidates": names})
    return found
