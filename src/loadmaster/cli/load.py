"""The jobs and machines that a verb was given, and what the user must be told of them."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from loadmaster.runs import Case
    from loadmaster.traces import ReadOptions


def load(
    trace: Path | None, hosts: str | None, options: "ReadOptions", spread: Literal["single-host", "any"]
) -> "Case":
    """The jobs of `trace` that the machines can hold; without a trace, the bundled demo."""
    from loadmaster.runs import case_of
    from loadmaster.traces import demo, read_hosts, read_trace

    cluster = read_hosts(hosts) if hosts is not None else None
    if trace is not None:
        return case_of(read_trace(trace, options), cluster, spread)
    made = demo()
    if options.limit is not None:
        made = replace(made, workload=made.workload.take(slice(0, options.limit)))
    return case_of(made, cluster, spread)


def remarks(case: "Case") -> list[str]:
    """What was left out, what was assumed, and whether the data is synthetic; one sentence each."""
    said = list(case.notes)
    if case.workload.synthetic and not any("synthetic" in note for note in said):
        said.append("This log is synthetic.")
    return said + case.skipped.sentences("line") + case.rejected.sentences("job")
