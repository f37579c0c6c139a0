"""`loadmaster generate netbatch`: a synthetic month of one of Intel's pools, with its machines."""

from pathlib import Path
from typing import Annotated

import typer

from loadmaster.cli.options import AsJson
from loadmaster.cli.signature import taking
from loadmaster.system.counted import counted
from loadmaster.verbs.generate import NetbatchOptions


@taking(NetbatchOptions)
def netbatch(
    options: NetbatchOptions,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="The log: .swf, .csv (also .gz), .parquet.")],
    as_json: AsJson = False,
) -> None:
    """A synthetic log like that of a NetBatch pool (Shai 2014), and beside it the machines as .hosts.csv."""
    from rich.console import Console

    from loadmaster.cli.command_line import command_line
    from loadmaster.report.console import for_notes, for_results
    from loadmaster.report.document import document, print_document
    from loadmaster.traces import write_hosts, write_trace
    from loadmaster.traces.writer import hosts_beside, kind_of
    from loadmaster.verbs.generate import netbatch_with

    kind_of(out)
    beside = hosts_beside(out)
    with Console(stderr=True).status("generating"):
        trace = netbatch_with(options)
        cluster = trace.cluster
        assert cluster is not None
        lost = write_trace(trace.workload, out, recipe=trace.recipe)
        write_hosts(cluster, beside)
    if as_json:
        content = {
            "kind": "netbatch",
            "trace": str(out),
            "hosts_file": str(beside),
            "jobs": trace.workload.jobs,
            "hosts": cluster.hosts,
            "cores": int(cluster.total[0]),
            "span_s": trace.workload.span_s,
            "offered_load": trace.workload.offered_load(cluster),
        }
        print_document(
            document("generate", content, command=command_line(), seed=options.seed, synthetic=True, notes=lost)
        )
        return
    for note in lost:
        for_notes().print(f"Note: {note}")
    console = for_results()
    console.print(f"{out}: {trace.workload.jobs:,} synthetic jobs of pool {options.pool}, seed {options.seed}")
    console.print(f"{beside}: {counted(cluster.hosts, 'host')}, {int(cluster.total[0]):,} cores")
