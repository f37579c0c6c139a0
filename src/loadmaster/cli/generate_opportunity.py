"""`loadmaster generate opportunity`: streams for time-shared clusters, as Amir et al. 2000 simulated."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from loadmaster.cli.options import AsJson, Seed


def opportunity(
    out: Annotated[Path, typer.Option("-o", "--out", metavar="FILE", help="The log: .swf, .csv (also .gz), .parquet.")],
    cluster: Annotated[str, typer.Option(help="Which guess at the six machines.")] = "three-kinds",
    window: Annotated[float, typer.Option(help="Seconds in which jobs arrive.")] = 1000.0,
    every: Annotated[float, typer.Option(help="Mean seconds between arrivals.")] = 10.0,
    component_work: Annotated[Literal["each", "split"], typer.Option(help="Work of parallel components.")] = "each",
    component_memory: Annotated[
        Literal["split", "each", "iid"], typer.Option(help="Memory of parallel components.")
    ] = "split",
    memory_cap: Annotated[
        Literal["clip", "redraw", "none"], typer.Option(help="What becomes of a job larger than any machine.")
    ] = "clip",
    seed: Seed = 0,
    as_json: AsJson = False,
) -> None:
    """Synthetic jobs with Pareto work and memory, a few of them parallel, and beside them the machines."""
    from dataclasses import replace

    import numpy as np

    from loadmaster.cli.run_options import command_line
    from loadmaster.model.units import MB
    from loadmaster.report.console import for_results
    from loadmaster.report.document import document, print_document
    from loadmaster.traces import write_hosts, write_trace
    from loadmaster.traces.opportunity import generate_opportunity
    from loadmaster.traces.writer import hosts_beside

    trace = generate_opportunity(
        cluster, window_s=window, every_s=every, component_work=component_work, component_memory=component_memory,
        memory_cap=memory_cap, seed=seed,
    )  # fmt: skip
    assert trace.cluster is not None
    unit = np.array([1.0, float(MB)])
    beside = hosts_beside(out)
    write_trace(replace(trace.workload, demand=np.round(trace.workload.demand * unit)), out)
    write_hosts(replace(trace.cluster, capacity=trace.cluster.capacity * unit), beside)
    facts = {
        "kind": "opportunity", "trace": str(out), "hosts_file": str(beside), "jobs": trace.workload.jobs,
        "tasks": int(trace.workload.task_count.sum()), "hosts": trace.cluster.hosts,
    }  # fmt: skip
    if as_json:
        print_document(document("generate", facts, command=command_line(), seed=seed, synthetic=True))
        return
    console = for_results()
    console.print(f"{out}: {facts['jobs']:,} synthetic jobs, {facts['tasks']:,} tasks, seed {seed}")
    console.print(f"{beside}: {facts['hosts']} hosts, a guess at the paper's")
