"""`loadmaster report DIR`: writes the page of a result's folder again."""

from typing import TYPE_CHECKING, Any

from loadmaster.cli import options as o
from loadmaster.cli.signature import taking
from loadmaster.verbs.report import ReportOptions

if TYPE_CHECKING:
    from loadmaster.verbs.report import Reported


@taking(ReportOptions)
def report(options: ReportOptions, as_json: o.AsJson = False) -> None:
    """Write the page of a live run, or of another verb's result, from its record; nothing is run again."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.report.console import for_notes, for_results
    from loadmaster.report.document import print_document
    from loadmaster.verbs.report import report_with

    result = report_with(options, command_line())
    if as_json:
        print_document(_document(result))
        for_notes().print(f"The page: {result.page}")
        return
    for_results().print(result.answer, soft_wrap=True)
    for_results().print(str(result.page), soft_wrap=True)
    if result.breakdown is not None:
        from loadmaster.report.breakdown_terminal import print_breakdown

        for_results().print(result.breakdown.answer, soft_wrap=True)
        print_breakdown(for_results(), result.breakdown.rules, result.breakdown.by)


_UNDER = {"live": "live", "shares": "shares", "simulate": "run"}
"""The key of the figures."""


def _document(result: "Reported") -> dict[str, Any]:
    from loadmaster.cli.command_line import command_line
    from loadmaster.report.document import document, left_out

    content: dict[str, Any] = {"kind": result.kind, "page": str(result.page), "answer": result.answer}
    if result.kind in _UNDER:
        content[_UNDER[result.kind]] = result.figures
    if result.breakdown is not None:
        from loadmaster.report.breakdown import breakdown_rows

        those = result.breakdown
        content["by_group"] = {
            "answer": those.answer,
            **those.figures,
            "by": list(those.by),
            "breakdown": breakdown_rows(those.rules, those.by),
        }
    if result.case is None:
        return document("report", content, command=command_line())
    case = result.case
    return document(
        "report",
        content,
        command=command_line(),
        seed=result.seed,
        synthetic=case.workload.synthetic,
        notes=case.notes,
        left_out=left_out(case.skipped),
    )
