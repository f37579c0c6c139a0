"""A log described in one sentence."""

import numpy as np

from loadmaster.model.units import MEMORY, percent, show_bytes, show_seconds
from loadmaster.system.counted import counted
from loadmaster.traces.formats import FORMATS
from loadmaster.traces.summary import Fit, Summary
from loadmaster.traces.swf_memory import believable
from loadmaster.traces.trace import Trace


def verdict_of(read: Trace, summary: Summary, fitted: Fit | None) -> str:
    """What a log is, whether its memory is plausible, and how busy its machines were.

    Args:
        read: the log.
        summary: its jobs in numbers.
        fitted: its jobs beside its machines; None where none are known.
    """
    users = "" if summary.users is None else f" of {counted(summary.users, 'user')}"
    what = f"{counted(summary.jobs, 'job')}{users} in {show_seconds(summary.span_s)}"
    kind = FORMATS[read.format].summary if read.format in FORMATS else ""
    parts = [f"{what} ({kind})" if kind else what, _memory(read), _busy(read, fitted)]
    return "; ".join(parts) + "."


def _memory(read: Trace) -> str:
    work = read.workload
    if MEMORY not in work.resources:
        return "its memory is not in the log"
    memory = work.demand[:, work.resources.index(MEMORY)]
    memory = memory[memory > 0]
    if not memory.size:
        return "its memory is not in the log"
    median = f"the median task requests {show_bytes(float(np.median(memory)))}"
    if not believable(work):
        return f"its memory cannot be true as it was read ({median})"
    if read.memory_in_doubt:
        return f"its memory is in doubt ({median}, see the note)"
    return f"its memory is believable ({median})"


def _whose(read: Trace, hosts: int) -> str:
    """Which machines a load is of: those that were given, that the log names, or that lie beside it."""
    count = counted(hosts, "host")
    said = {"given": f"the {count} given", "log": f"the {count} that the log names", "beside": f"the {count} beside it"}
    return said.get(read.machines, f"its {count}")


def _busy(read: Trace, fitted: Fit | None) -> str:
    if fitted is None:
        return "its machines are not known"
    machines = _whose(read, fitted.hosts)
    if not fitted.jobs:
        return f"none of its jobs fits {machines}"
    resource, load = max(fitted.load.items(), key=lambda pair: pair[1])
    if not np.isfinite(load):
        return "all its jobs arrive at once"
    who = "it requests"
    if fitted.rejected.total:
        who = f"the {fitted.jobs:,} jobs that fit request" if fitted.jobs > 1 else "the 1 job that fits requests"
        lost = fitted.rejected
        who = f"{lost.total:,} jobs, with {percent(lost.work)} of the work, fit no machine, and {who}"
    part = f"{load:.2f} times" if load > 1 else f"{percent(load)} of"
    return f"{who} {part} the {resource} of {machines}"
