"""`loadmaster share`: how fast a log's jobs would run on machines that they share, instead of queueing."""

from pathlib import Path
from typing import TYPE_CHECKING

from loadmaster.cli import options as o
from loadmaster.cli.signature import taking
from loadmaster.verbs.share_options import ShareOptions

if TYPE_CHECKING:
    from loadmaster.runs.sharing_row import SharingRow
    from loadmaster.runs.sharing_study import SharingStudy


@taking(ShareOptions, out=Path("sharing"))
def share(options: ShareOptions, as_json: o.AsJson = False) -> None:
    """Run a log on machines that are shared: processor sharing, migration, or CPU by yield, beside the batch queue."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.verbs.progress import Bar
    from loadmaster.verbs.share import sharing

    with sharing(options, command_line()) as ready:
        try:
            with Bar() as watch:
                ready.run(watch)
        finally:  # stopped by hand, what is finished is shown all the same
            result = ready.finished()
            if result.rows:
                _show(list(result.rows), result.study, Path(options.out or ""), as_json)


def _show(rows: "list[SharingRow]", study: "SharingStudy", out: Path, as_json: bool) -> None:
    from loadmaster.cli.command_line import command_line
    from loadmaster.report.console import for_notes, for_results
    from loadmaster.report.document import document, left_out, print_document, rejected_jobs
    from loadmaster.report.sharing_table import label, sharing_table
    from loadmaster.system.strict_json import to_json
    from loadmaster.system.whole_file import write_whole
    from loadmaster.verbs.notes import remarks

    notes, case, settings = for_notes(), study.case, study.settings
    for remark in remarks(case):
        notes.print(remark)
    done = {(row.method, row.policy) for row in rows}
    content = {
        "unfinished": [label(*pair) for pair in study.pairs if pair not in done],
        **rejected_jobs(case.rejected),
        "rows": [row.as_dict() for row in rows],
    }
    fields = document(
        "share",
        content,
        command=command_line(),
        seed=settings.seed,
        synthetic=case.workload.synthetic,
        notes=case.notes,
        left_out=left_out(case.skipped),
    )
    write_whole(out / "sharing.json", to_json(fields) + "\n")
    if as_json:
        print_document(fields)
        return
    for_results().print(sharing_table(rows, settings))
    for row in rows:
        if row.parameters != "no migration":
            notes.print(f"{row.method}: {row.parameters}")
    notes.print(f"The rows: {out / 'sharing.json'}; the page: {out / 'report.html'}")
