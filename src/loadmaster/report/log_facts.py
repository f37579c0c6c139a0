"""The facts about a whole log, in words: for the terminal and for the page."""

from loadmaster.model.licences import show_amount
from loadmaster.model.units import percent, show_seconds
from loadmaster.report.arrivals_chart import amount
from loadmaster.report.columns import short
from loadmaster.system.counted import counted
from loadmaster.traces import Trace
from loadmaster.traces.constraint_counts import constraints_of_cluster, constraints_of_jobs, licences_of_jobs
from loadmaster.traces.summary import Fit, Summary


def log_title(read: Trace) -> str:
    """Its name, and that it is synthetic."""
    source = read.workload.source
    return f"{source} (synthetic)" if read.workload.synthetic and "synthetic" not in source else source


def log_facts(read: Trace, summary: Summary, fitted: Fit | None) -> list[tuple[str, str, str]]:
    """A label, a value, and more about it."""
    rate = "" if summary.rate_per_h is None else f"{summary.rate_per_h:,.4g} jobs an hour"
    rate += " in the window of the dump" if rate and read.window_s is not None else ""
    rows = [
        ("jobs", f"{summary.jobs:,}", f"{percent(summary.serial)} are one-core jobs"),
        ("span", show_seconds(summary.span_s), rate),
        ("work", *_hours(summary)),
    ]
    for label, count in (("users", summary.users), ("projects", summary.projects)):
        rows.append((label, "not in the log" if count is None else f"{count:,}", ""))
    if fitted is not None:
        rows.append(("hosts", f"{fitted.hosts:,}", _kinds(fitted) + _KNOWN.get(read.machines, "")))
        load = ", ".join(f"{name} {value:.3g}" for name, value in fitted.load.items())
        of = f"of {fitted.jobs:,} jobs that fit" if fitted.rejected.total else ""
        rows.append(("offered load", load, of) if fitted.jobs else ("offered load", "none", "as no job fits"))
    return [*rows, *((label, words, "") for label, words in _bonds(read))]


def _hours(summary: Summary) -> tuple[str, str]:
    """The hours for which the jobs hold cores and, if any, GPUs."""
    gpus = summary.work.get("gpus")
    return f"{short(summary.work['cores'] / 3600)} core-hours", f"{short(gpus / 3600)} GPU-hours" if gpus else ""


def _bonds(read: Trace) -> list[tuple[str, str]]:
    """What else binds the jobs, and what the cluster lays down: a label and words for each that there is."""
    rows = []
    of_jobs = []
    for name, each in constraints_of_jobs(read.workload).items():
        kinds = f" ({counted(each['kinds'], 'kind')})" if "kinds" in each else ""
        jobs = counted(each["jobs"], "job")
        of_jobs.append(f"{name.removesuffix('_s').replace('_', ' ')} of {jobs}{kinds}")
    if of_jobs:
        rows.append(("also recorded", ", ".join(of_jobs)))
    of_cluster = [] if read.cluster is None else list(constraints_of_cluster(read.cluster).items())
    if of_cluster:
        rows.append(("the site has", ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in of_cluster)))
    return [*rows, *_licences(read)]


def _licences(read: Trace) -> list[tuple[str, str]]:
    """Of each licence that jobs request: how many jobs, the most that one requests, and how many there are."""
    total = dict(read.cluster.rules.licences) if read.cluster is not None and read.cluster.rules is not None else {}
    shown = [
        f"{name}: {counted(each.jobs, 'job')}, at most {show_amount(name, each.most)} each, "
        f"of {show_amount(name, total[name]) if name in total else 'an unknown number'}"
        for name, each in licences_of_jobs(read.workload).items()
    ]
    more = [f"{len(shown) - MOST_LICENCES:,} more"] if len(shown) > MOST_LICENCES else []
    return [("licences", "; ".join([*shown[:MOST_LICENCES], *more]))] if shown else []


MOST_LICENCES = 8
"""No more licences are listed."""


def _kinds(fitted: Fit) -> str:
    shown = [
        f"{n:,} x "
        + " ".join(
            amount(name, each) + _UNIT.get(name, f" {name}")
            for name, each in zip(fitted.total, amounts, strict=True)
            if each > 0
        )
        for n, amounts in fitted.kinds[:4]
    ]
    return ", ".join(shown) + (f", ... ({len(fitted.kinds)} kinds)" if len(fitted.kinds) > 4 else "")


_KNOWN = {"given": "; as given", "log": "; named by the log", "beside": "; from a file beside the log"}
"""How the machines became known."""
_UNIT = {"cores": " cores", "memory": "", "gpus": " GPUs"}
