"""`loadmaster generate netbatch`: a synthetic month of one of Intel's pools, with its machines."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from loadmaster.cli.options import AsJson, Seed


def netbatch(
    context: typer.Context,
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="The log: .swf, .csv (also .gz), .parquet.")],
    pool: Annotated[Literal["A", "B", "C", "D"], typer.Option(help="Whose totals and mixes to follow.")] = "A",
    scale: Annotated[float, typer.Option(help="Part of the pool: jobs and hosts are multiplied by it.")] = 1.0,
    jobs: Annotated[int | None, typer.Option(min=1, help="Number of jobs; else that of the pool.")] = None,
    hosts: Annotated[int | None, typer.Option(min=1, help="Number of hosts; else that of the pool.")] = None,
    load: Annotated[float, typer.Option(help="Offered load on cores; sets the rate of arrivals.")] = 0.85,
    burstiness: Annotated[float, typer.Option(help="0: no bursts; 1: the pool's own; 2: twice that.")] = 1.0,
    memory_per_core: Annotated[float, typer.Option(metavar="GIB", help="Memory of the hosts, GiB a core.")] = 4.0,
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """A synthetic log like that of a NetBatch pool (Shai 2014), and beside it the machines as .hosts.csv."""
    from rich.console import Console

    from loadmaster.cli.idle import refuse_idle
    from loadmaster.cli.run_options import command_line
    from loadmaster.report.console import for_results
    from loadmaster.report.document import document, print_document
    from loadmaster.traces import generate_netbatch, write_hosts, write_trace
    from loadmaster.traces.writer import hosts_beside

    if jobs is not None and hosts is not None:
        refuse_idle(context, ["scale"], "--jobs and --hosts say how many")
    beside = hosts_beside(out)
    with Console(stderr=True).status("generating"):
        trace = generate_netbatch(
            pool, scale=scale, jobs=jobs, hosts=hosts, load=load, burstiness=burstiness,
            memory_per_core_gb=memory_per_core, seed=seed,
        )  # fmt: skip
        cluster = trace.cluster
        assert cluster is not None
        write_trace(trace.workload, out)
        write_hosts(cluster, beside)
    if as_json:
        content = {
            "kind": "netbatch", "trace": str(out), "hosts_file": str(beside), "jobs": trace.workload.jobs,
            "hosts": cluster.hosts, "cores": int(cluster.total[0]), "span_s": trace.workload.span_s,
            "offered_load": trace.workload.offered_load(cluster),
        }  # fmt: skip
        print_document(document("generate", content, command=command_line(), seed=seed, synthetic=True))
        return
    console = for_results()
    console.print(f"{out}: {trace.workload.jobs:,} synthetic jobs of pool {pool}, seed {seed}")
    console.print(f"{beside}: {cluster.hosts:,} hosts, {int(cluster.total[0]):,} cores")
