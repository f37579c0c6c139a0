"""`loadmaster generate file.py:function`: a log or a bag from a generator of the user's own."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from loadmaster.cli.options import AsJson
from loadmaster.cli.signature import taking
from loadmaster.system.counted import counted
from loadmaster.verbs.generate import OwnGeneratorOptions

if TYPE_CHECKING:
    from loadmaster.traces import Trace


@taking(OwnGeneratorOptions)
def own(
    options: OwnGeneratorOptions,
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="FILE", help="The log: .swf, .csv (also .gz), .parquet; or the bag.")
    ],
    as_json: AsJson = False,
) -> None:
    """A log or a bag from a generator of your own; its machines are written beside it as .hosts.csv."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.model.bag import Bag
    from loadmaster.report.console import for_notes, for_results
    from loadmaster.report.document import document, print_document
    from loadmaster.traces.bag import write_bag
    from loadmaster.verbs.generate import own_with

    result = own_with(options)
    notes: tuple[str, ...] = ()
    if isinstance(result, Bag):
        write_bag(result.duration_s, out)
        content: dict[str, Any] = {"bag": str(out), "tasks": result.tasks}
        lines = [f"{out}: {result.tasks:,} synthetic durations, seed {options.seed}"]
    else:
        content, lines, lost = written_log(result, out, options.seed)
        notes = (*result.notes, *lost)
    if as_json:
        content = {"kind": "own", "generator": str(options.generator), **content}
        print_document(
            document("generate", content, command=command_line(), seed=options.seed, synthetic=True, notes=notes)
        )
        return
    for note in notes:
        for_notes().print(f"Note: {note}")
    for line in lines:
        for_results().print(line)


def written_log(trace: "Trace", out: Path, seed: int) -> tuple[dict[str, Any], list[str], tuple[str, ...]]:
    """Write a log, and its machines beside it.

    Returns:
        What `--json` says of it; the lines for people; what the file has no place for.
    """
    from loadmaster.traces import write_hosts, write_trace
    from loadmaster.traces.writer import hosts_beside

    lost = write_trace(trace.workload, out, trace.extra, trace.recipe)
    content: dict[str, Any] = {"trace": str(out), "jobs": trace.workload.jobs, "span_s": trace.workload.span_s}
    lines = [f"{out}: {trace.workload.jobs:,} synthetic jobs, seed {seed}"]
    if trace.cluster is not None:
        beside = hosts_beside(out)
        write_hosts(trace.cluster, beside)
        content |= {"hosts_file": str(beside), "hosts": trace.cluster.hosts}
        lines.append(f"{beside}: {counted(trace.cluster.hosts, 'host')}, {int(trace.cluster.total[0]):,} cores")
    return content, lines, lost
