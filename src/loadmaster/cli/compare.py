"""`loadmaster compare`: replay a log under several policies and show which keeps the queue shortest."""

from pathlib import Path
from typing import Annotated

import typer


def compare(
    trace: Annotated[Path, typer.Argument(help="The job log.")],
    hosts: Annotated[str, typer.Option(help="Machines, such as 200x16c64g.")],
    policies: Annotated[str, typer.Option(help="Placement policies, parted by commas.")] = "first-fit",
    interval: Annotated[float, typer.Option(help="Seconds between scheduling cycles; 0: at every event.")] = 30.0,
) -> None:
    """Replay a log under several placement policies."""
    from rich.console import Console
    from rich.table import Table

    from loadmaster.measure import metrics
    from loadmaster.order import NetBatch
    from loadmaster.place import POLICIES
    from loadmaster.sim import simulate
    from loadmaster.traces import parse_hosts, read_swf

    cluster = parse_hosts(hosts)
    workload = read_swf(trace).workload.on_single_host()
    table = Table("policy", "mean wait s", "mean queue")
    for name in policies.split(","):
        schedule = simulate(workload, cluster, POLICIES[name], NetBatch(), interval_s=interval)
        row = metrics(workload, cluster, schedule)
        table.add_row(name, f"{row.mean_wait_s:.1f}", f"{row.mean_queue_length:.2f}")
    Console().print(table)
