"""The jobs and machines that a verb was given, and what the user must be told of them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from loadmaster.runs import Case
    from loadmaster.runs.at_site import AtSite
    from loadmaster.traces import ReadOptions, SpreadChoice


def load(
    trace: Path | None, hosts: str | None, options: "ReadOptions", spread: "SpreadChoice", at: "AtSite | None" = None
) -> "Case":
    """The jobs of `trace` that the machines can hold, or those of a site; without a trace, the bundled demo.

    Raises:
        InputError: the log or the machines cannot be read, or the log's memory cannot be true.
    """
    from loadmaster.runs import case_of
    from loadmaster.runs.memory_reading import believable_reading, said
    from loadmaster.site.machines import read_machines
    from loadmaster.traces import demo, read_trace

    cluster = at.cluster if at is not None else read_machines(hosts) if hosts is not None else None
    if at is not None and spread == "auto":
        spread = "asked"  # as Slurm does
    if trace is not None:
        read = read_trace(trace, options)
        mended = believable_reading(read, options, cluster, spread)
        if mended is not options:
            read = read_trace(trace, mended)
            read = replace(read, notes=(said(mended), *read.notes))
        return case_of(read if at is None else at.jobs_of(read), cluster, spread)
    made = demo()
    if options.limit is not None:
        made = replace(made, workload=made.workload.take(slice(0, options.limit)))
    return case_of(made if at is None else at.jobs_of(made), cluster, spread)


def noting(case: "Case", *specs: str, models: Sequence[str] = ()) -> "Case":
    """`case` with what must be said of the user's own functions among placement policies and sharing models."""
    from loadmaster.place.load import remarks_on
    from loadmaster.sharing.load import remarks_on_models

    return replace(case, notes=(*case.notes, *remarks_on(*specs), *remarks_on_models(*models)))


def remarks(case: "Case") -> list[str]:
    """What was left out, what was assumed, and whether the data is synthetic; one sentence each."""
    said = list(case.notes)
    if case.workload.synthetic and not any("synthetic" in note for note in said):
        said.append("This log is synthetic.")
    return said + case.skipped.sentences("line") + case.rejected.sentences("job")
