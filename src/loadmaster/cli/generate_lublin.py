"""`loadmaster generate lublin`: a log of rigid parallel jobs, with its machine."""

from pathlib import Path
from typing import Annotated

import typer

from loadmaster.cli.options import AsJson
from loadmaster.cli.signature import taking
from loadmaster.verbs.generate import LublinOptions


@taking(LublinOptions)
def lublin(
    options: LublinOptions,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="The log: .swf, .csv (also .gz), .parquet.")],
    as_json: AsJson = False,
) -> None:
    """A log of parallel jobs by the model of Lublin and Feitelson 2003, and beside it the machine as .hosts.csv."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.cli.generate_own import written_log
    from loadmaster.report.console import for_notes, for_results
    from loadmaster.report.document import document, print_document
    from loadmaster.traces.writer import kind_of
    from loadmaster.verbs.generate import lublin_with

    kind_of(out)
    trace = lublin_with(options)
    assert trace.cluster is not None
    content, lines, lost = written_log(trace, out, options.seed)
    offered_load = trace.workload.offered_load(trace.cluster)
    if as_json:
        content |= {"kind": "lublin", "cores": options.cores, "offered_load": offered_load}
        print_document(
            document("generate", content, command=command_line(), seed=options.seed, synthetic=True, notes=lost)
        )
        return
    for note in (*trace.notes[1:], *lost):
        for_notes().print(f"Note: {note}")
    for line in lines:
        for_results().print(line)
    for_results().print(f"offered load {offered_load:.2f}; compare with: loadmaster compare {out}")
