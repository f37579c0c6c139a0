"""`loadmaster explain`: why a job got its host at that time."""

from pathlib import Path
from typing import Annotated

import typer

from loadmaster.cli import options as o


def explain(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run record, from `loadmaster simulate`.")],
    job: Annotated[int, typer.Argument(metavar="JOB", help="The job's identifier in the log.")],
    top: Annotated[int, typer.Option(min=1, help="How many of the hosts it could have had are shown.")] = 8,
    trust: o.Trust = False,
    as_json: o.AsJson = False,
) -> None:
    """Show why a job got its host at that time: the hosts it could have had, their scores, what it waited for."""
    from loadmaster.cli.run_options import command_line
    from loadmaster.report.console import for_results
    from loadmaster.report.document import document, left_out, print_document
    from loadmaster.report.explanation import as_plain, print_explanation
    from loadmaster.runs.explain import explain as explain_job
    from loadmaster.runs.record import read_record

    record = read_record(run)
    told = explain_job(record, job, trust=trust)
    if as_json:
        case, content = record.case, as_plain(record, told, top)
        made = document(
            "explain", content, command=command_line(), seed=record.setting.seed, synthetic=case.workload.synthetic,
            notes=case.notes, left_out=left_out(case.skipped),
        )  # fmt: skip
        print_document(made)
    else:
        print_explanation(for_results(), record, told, top)
