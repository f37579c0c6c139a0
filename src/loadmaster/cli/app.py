"""The table of verbs."""

from typing import Annotated

import typer

from loadmaster.cli.examples import shown_below
from loadmaster.cli.lazy_verbs import HELP, group_of

VERBS = {  # in the order of --help
    "compare": "Replay a log under several placement policies, and show which keeps the queue shortest.",
    "fewest": "Find the fewest or cheapest machines under which jobs wait no longer than a target.",
    "simulate": "Simulate one run and write its record, from which `explain` works and the run can be repeated.",
    "explain": "Show why a job got its host at that time, or a task its place: possible hosts, what it waited for or "
    "lacks.",
    "diff": "Compare two run records job by job: starts, hosts and metrics that differ.",
    "when": "Forecast when a waiting job starts, how sure that is, and what would start it sooner.",
    "report": "Write the page of a live run, or of another verb's result, from its record; nothing is run again.",
    "policies": "List all names: rules of every kind, constraints, estimates, formats of logs.",
    "pack": "Place all tasks at once: hosts, CPU shares, the least and the mean yield, the bound and the gap to it.",
    "rebalance": "Plan which tasks move to which hosts: with no host ever too full, or at the least cost of a model.",
    "size": "Find how many machines to rent for a bag of tasks: cost against span, and the point to choose.",
    "share": "Run a log on machines that are shared: processor sharing, migration, or CPU by yield, beside the batch "
    "queue.",
    "run": "Run a bag of shell commands for real on Dask; the same command given again continues the run.",
    "tune": "Search for a better rule on a log's first weeks; measure its gain on the last; write the rule.",
    "fit": "Find the queue of a site that reproduces the recorded waits best, or say why no queue can.",
    "info": "Show what a job log contains: jobs, span, load, demands, and what was left out; also kubectl's nodes and "
    "pods.",
    "convert": "Write a job log in another format, in the order of arrival, the first arrival at 0.",
    "fetch": "Fetch a log of the Parallel Workloads Archive into your cache, and print where it lies.",
    "reproduce": "Re-run a paper's tables and figures: published value beside ours.",
    "generate": "Make a synthetic workload.",
    "serve": "Open the workbench in the browser: results, what is under way, why a job waited, a first comparison.",
    "live": "Run the scheduler that was simulated on a real cluster; --shadow first.",
}
"""Every verb: what `loadmaster.cli.NAME` calls NAME, and the first line of its help, so that a list loads no verb."""

app = typer.Typer(
    name="loadmaster",
    cls=group_of(VERBS),
    help="Which placement policy, which queue discipline, how many machines: answered from your own log.",
    pretty_exceptions_enable=False,
    context_settings=HELP,
    epilog=shown_below(""),
)


def _version(show: bool) -> None:
    if show:
        import platform

        from loadmaster.system.build import shown_version

        typer.echo(f"{shown_version()}, Python {platform.python_version()}")
        raise typer.Exit


@app.callback()
def loadmaster(
    version: Annotated[
        bool, typer.Option("--version", help="Say which version this is.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """All that stands before a verb."""
