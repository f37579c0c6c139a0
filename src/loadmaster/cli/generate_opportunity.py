"""`loadmaster generate opportunity`: streams for time-shared clusters, as Amir et al. 2000 simulated."""

from pathlib import Path
from typing import Annotated

import typer

from loadmaster.cli.options import AsJson
from loadmaster.cli.signature import taking
from loadmaster.system.counted import counted
from loadmaster.verbs.generate import OpportunityOptions


@taking(OpportunityOptions)
def opportunity(
    options: OpportunityOptions,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="The log: .swf, .csv (also .gz), .parquet.")],
    as_json: AsJson = False,
) -> None:
    """Synthetic jobs with Pareto work and memory, a few of them parallel, and beside them the machines."""
    from loadmaster.cli.command_line import command_line
    from loadmaster.report.console import for_notes, for_results
    from loadmaster.report.document import document, print_document
    from loadmaster.traces import write_hosts, write_trace
    from loadmaster.traces.writer import hosts_beside, kind_of
    from loadmaster.verbs.generate import opportunity_with

    kind_of(out)
    beside = hosts_beside(out)
    trace = opportunity_with(options)
    assert trace.cluster is not None
    lost = write_trace(trace.workload, out, recipe=trace.recipe)
    write_hosts(trace.cluster, beside)
    facts = {
        "kind": "opportunity",
        "trace": str(out),
        "hosts_file": str(beside),
        "jobs": trace.workload.jobs,
        "tasks": int(trace.workload.task_count.sum()),
        "hosts": trace.cluster.hosts,
    }
    if as_json:
        print_document(
            document("generate", facts, command=command_line(), seed=options.seed, synthetic=True, notes=lost)
        )
        return
    for note in lost:
        for_notes().print(f"Note: {note}")
    console = for_results()
    console.print(f"{out}: {facts['jobs']:,} synthetic jobs, {facts['tasks']:,} tasks, seed {options.seed}")
    console.print(f"{beside}: {counted(trace.cluster.hosts, 'host')}, a guess at the paper's")
