"""`loadmaster explain`: why a job got its host at that time."""

from pathlib import Path
from typing import TYPE_CHECKING

from loadmaster.cli import options as o
from loadmaster.cli.signature import taking
from loadmaster.verbs.explain import ExplainOptions

if TYPE_CHECKING:
    from loadmaster.verbs.explain_placement import ExplainedTask


@taking(ExplainOptions)
def explain(options: ExplainOptions, as_json: o.AsJson = False) -> None:
    """Show why a job got its host at that time, or a task its place: possible hosts, what it waited for or lacks."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.report.console import for_notes, for_results
    from loadmaster.report.document import document, left_out, print_document
    from loadmaster.report.explanation import print_explanation
    from loadmaster.verbs.explain import explain_with
    from loadmaster.verbs.explain_placement import ExplainedTask
    from loadmaster.verbs.kept_folder import GUESTS, SHARES

    folder = Path(str(options.run))
    if (folder / SHARES).is_file() or (folder / GUESTS).is_file():
        _shares(folder, str(options.job), as_json)
        return
    result = explain_with(options, command_line())
    if isinstance(result, ExplainedTask):
        _task(result, as_json)
        return
    if not as_json:
        if result.other is not None:
            for_results().print(result.answer, soft_wrap=True, markup=False)
        for which, run in (("first", result), ("second", result.other)):
            if run is None:
                continue
            if result.other is not None:
                for_results().print(f"\nIn the {which} run", style="bold")
            print_explanation(for_results(), run.record, run.told, run.top)
            for note in run.record.live_notes:
                for_notes().print(note, soft_wrap=True)
        return
    record, case = result.record, result.record.case
    print_document(
        document(
            "explain",
            result.figures,
            command=command_line(),
            seed=record.setting.seed,
            synthetic=case.workload.synthetic,
            notes=case.notes,
            left_out=left_out(case.skipped),
        )
    )


def _task(result: "ExplainedTask", as_json: bool) -> None:
    """Why a task of a placement is on its host and on no other."""
    from loadmaster.report.console import for_results, new_table
    from loadmaster.report.document import document, print_document
    from loadmaster.report.placement_explanation import table_of_hosts

    if as_json:
        synthetic = result.packed.instance.synthetic
        print_document(document("explain", result.figures, command=result.command, synthetic=synthetic))
        return
    for sentence in result.sentences:
        for_results().print(sentence, soft_wrap=True, markup=False, highlight=False)
    heads, cells = table_of_hosts(result.packed.instance, result.rows)
    table = new_table(*heads)
    for row in cells:
        table.add_row(*row)
    for_results().print(table, markup=False)


def _shares(folder: Path, word: str, as_json: bool) -> None:
    """Why a command or a virtual machine has the share that it has, and why it was moved."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.live.share_timelines import share_timeline_of
    from loadmaster.model.units import percent, show_seconds
    from loadmaster.report.console import for_notes, for_results
    from loadmaster.report.document import document, print_document

    timeline = share_timeline_of(folder)
    task = timeline.named(word)
    figures = timeline.figures(task)
    changes = [each for each in timeline.changes if each.task == task]
    if as_json:
        rows = [{"at_s": each.at_s, "what": each.what, "why": each.why} for each in changes]
        content = figures | {"spans": [span._asdict() for span in timeline.spans if span.task == task], "changes": rows}
        print_document(document("explain", {"shares": content}, command=command_line()))
        return
    from loadmaster.report.console import new_table

    name = figures["name"] if figures["name"] == task else f"{figures['name']} ({task})"
    text = f"{name} requests {figures['cores']:g} cores: {figures['how']}"
    if figures["host"] is not None:
        share, mean = percent(figures["share"], 1), percent(figures["mean_share"], 1)
        text += f", on {figures['host']} with {share}, {mean} on average over {show_seconds(figures['ran_s'])}"
    for_results().print(text, soft_wrap=True)
    if timeline.unended:
        for_notes().print(f"{timeline.unended}.", soft_wrap=True)
    shown = new_table("at", "what", "why")
    for each in changes:
        shown.add_row(show_seconds(each.at_s), each.what, each.why)
    for_results().print(shown if changes else "No action was sent for it.")
