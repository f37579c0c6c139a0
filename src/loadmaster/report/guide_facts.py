"""The sentences of `info` on dates, on the window of a dump, and on the machines that a log shows."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from loadmaster.measure.job_groups import clock_time
from loadmaster.measure.observed_hosts import ObservedHosts
from loadmaster.measure.recorded_waits import RecordedWaits
from loadmaster.measure.requested_and_used import RequestedAndUsed
from loadmaster.model.units import GPUS, MEMORY, percent, show_bytes, show_seconds
from loadmaster.system.counted import counted
from loadmaster.traces import Trace
from loadmaster.traces.dump_window import DumpWindow

_MOST_KINDS = 4


def guide_facts(
    read: Trace, window: DumpWindow | None, seen: ObservedHosts | None, use: Sequence[RequestedAndUsed] = ()
) -> list[tuple[str, str, str]]:
    """A label, a value and more about it: first and last submission, the window, use, the machines seen."""
    work = read.workload
    rows = []
    if work.epoch_s is not None and work.jobs:
        first, last = (clock_time(work.epoch_s, at_s) for at_s in (0.0, float(work.submit_s[-1])))
        rows.append(("submitted", f"from {first}", f"to {last}, on the clock of the log"))
    if window is not None:
        opens = "" if work.epoch_s is None else f"{clock_time(work.epoch_s, window.opens_s)}, "
        more = f"{counted(window.jobs, 'job')} in {show_seconds(window.span_s)}; "
        more += f"{window.running:,} ran and {window.waiting:,} waited"
        rows.append(
            ("window opens", f"{opens}{show_seconds(window.opens_s)} after the first job", f"{more} as it opened")
        )
    rows += [(f"{of.resource} used", f"{percent(of.part)} of what was requested", _low(of, work.jobs)) for of in use]
    if seen is not None and read.cluster is None:
        rows += _machines(seen)
    return rows


def _low(use: RequestedAndUsed, jobs: int) -> str:
    """How many jobs used little, and of how many jobs the use is known."""
    users = counted(use.below_half, "job")
    low = f"{users} used less than half, and left {percent(use.idle_below_half)} of it idle"
    return low if use.jobs == jobs else f"by the {counted(use.jobs, 'job')} whose use is known; {low}"


def _machines(seen: ObservedHosts) -> list[tuple[str, str, str]]:
    rows = []
    at_once = amounts_in_words(seen.resources, seen.peak)
    if seen.hosts:
        least = amounts_in_words(seen.resources, seen.at_least.max(axis=0))
        rows.append(
            ("machines seen", f"{counted(seen.hosts, 'host')} ran jobs", f"sure: the largest has {least} at least")
        )
        rows.append(("", "guessed", kinds_in_words(seen)))
    else:
        rows.append(("machines seen", "no host is named", "only the amounts held at once are certain"))
    if at_once:
        rows.append(("", "at once", f"jobs held up to {at_once}"))
    return rows


def kinds_in_words(seen: ObservedHosts) -> str:
    """The guessed kinds of hosts, the most frequent first."""
    counts: dict[tuple[float, ...], int] = {}
    for row in seen.guess.tolist():
        counts[tuple(row)] = counts.get(tuple(row), 0) + 1
    ordered = sorted(counts.items(), key=lambda pair: -pair[1])
    texts = [f"{count:,} x {amounts_in_words(seen.resources, row)}" for row, count in ordered[:_MOST_KINDS]]
    return "; ".join(texts) + (f"; {len(ordered) - _MOST_KINDS} more kinds" if len(ordered) > _MOST_KINDS else "")


def amounts_in_words(resources: tuple[str, ...], amounts: Any) -> str:
    """Amounts that are more than 0, such as `12 cores and 48 GiB`."""
    texts = []
    for name, amount in zip(resources, amounts, strict=True):
        if amount > 0:
            unit = "GPU" if name == GPUS else name.removesuffix("s")
            plain = f"{amount:,.4g} {unit}{'' if amount == 1 else 's'}"
            texts.append(show_bytes(float(amount)) if name == MEMORY else plain)
    return " and ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


def guide_figures(
    read: Trace,
    window: DumpWindow | None,
    waits: RecordedWaits | None,
    seen: ObservedHosts | None,
    use: Sequence[RequestedAndUsed] = (),
) -> dict[str, Any]:
    """The same, and the recorded waits, as plain values."""
    work = read.workload
    dated = work.epoch_s is not None and work.jobs > 0
    figures: dict[str, Any] = {"first_submitted": None, "last_submitted": None}
    if dated and work.epoch_s is not None:
        figures["first_submitted"] = clock_time(work.epoch_s, 0.0)
        figures["last_submitted"] = clock_time(work.epoch_s, float(work.submit_s[-1]))
    figures["window"] = None if window is None else asdict(window)
    figures["recorded_waits"] = None if waits is None else {**asdict(waits), "sentence": waits.sentence}
    figures["asked_and_used"] = {
        of.resource: {
            "jobs": of.jobs,
            "asked": float(of.asked.sum()),
            "used": float(of.used.sum()),
            "part": of.part,
            "below_half": of.below_half,
            "idle_below_half": of.idle_below_half,
        }
        for of in use
    }
    figures["machines_seen"] = None if seen is None else _seen_figures(seen)
    return figures


def _seen_figures(seen: ObservedHosts) -> dict[str, Any]:
    def named(amounts: Any) -> dict[str, float]:
        return dict(zip(seen.resources, (float(each) for each in amounts), strict=True))

    hosts = [
        {"name": name, "at_least": named(least), "guess": named(guess), "partitions": list(partitions)}
        for name, least, guess, partitions in zip(seen.names, seen.at_least, seen.guess, seen.partitions, strict=True)
    ]
    return {"hosts": hosts, "jobs": seen.jobs, "peak": named(seen.peak)}
