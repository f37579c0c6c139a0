"""Capacity that no typical job can use on each host, after the site's starts and after the rule's."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from loadmaster.live.queue.agreement import begun_between
from loadmaster.live.queue.listing import Listing
from loadmaster.live.queue.record import cycles_of
from loadmaster.live.session.engine import HELD, RUNNING
from loadmaster.model.arrays import Floats
from loadmaster.model.stranded import stranded_amounts
from loadmaster.model.units import CORES, GPUS, MEMORY
from loadmaster.runs.live_timeline import StrandedPart

SHOWN = (CORES, MEMORY, GPUS)


def stranded_by_host(lines: Iterable[Mapping[str, Any]]) -> list[StrandedPart]:
    """Compare what is left of every host, cycle by cycle; () for a record without two cycles.

    A resource is stranded as in simulations: a typical job, which asks the median of everything, finds enough of it on
    the host, and too little of something else.

    Example:
        >>> stranded_by_host([])
        []
    """
    cycles = list(cycles_of(lines))
    if len(cycles) < 2:
        return []
    last = cycles[-1][0]
    names, resources = last["cluster"]["names"], last["cluster"]["resources"]
    rows = {name: row for listing, _ in cycles for name, row in listing["jobs"].items()}
    typical = typical_of(rows.values(), len(resources))
    sums = np.zeros((2, len(names), len(resources)))
    length_s = 0.0
    for (listing, starts), (after, _) in pairwise(cycles):
        if (listing["cluster"]["names"], listing["cluster"]["resources"]) != (names, resources):
            continue
        span_s = after["at_s"] - listing["at_s"]
        free = free_in(listing)
        for k, given in enumerate((_started(listing, after), starts)):
            sums[k] += span_s * stranded_amounts(_less(free, listing, given), typical)
        length_s += span_s
    if not length_s:
        return []
    part = sums / length_s / np.maximum(np.array(last["cluster"]["capacity"], float), np.finfo(float).tiny)
    return [
        StrandedPart(name, resource, float(part[0, h, r]), float(part[1, h, r]))
        for h, name in enumerate(names)
        for r, resource in enumerate(resources)
        if resource in SHOWN and last["cluster"]["capacity"][h][r] > 0
    ]


Starts = Mapping[str, Sequence[str]]
"""By job, a host for each of its tasks."""


def typical_of(rows: Iterable[Mapping[str, Any]], width: int) -> Floats:
    """float64[width]: what the median of all tasks of jobs requests, resource by resource; 0 without any.

    Example:
        >>> typical_of([{"demand": [1.0], "state": [0]}, {"demand": [4.0], "state": [0, 0]}], 1).tolist()
        [4.0]
    """
    demands = [row["demand"] for row in rows for _ in row["state"]]
    rows_of_width = [row for row in demands if len(row) == width] or [[0.0] * width]
    return np.asarray(np.median(np.array(rows_of_width, float), axis=0))


def free_in(listing: Listing) -> Floats:
    """float64[H, R]: what no job holds that runs or ends."""
    free = np.array(listing["cluster"]["capacity"], float)
    for row in listing["jobs"].values():
        for task, (state, host) in enumerate(zip(row["state"], row["host"], strict=True)):
            if state >= RUNNING:
                free[host] -= np.array(row["holds"][task] if "holds" in row else row["demand"], float)
    return np.asarray(np.maximum(free, 0.0))


def _started(before: Listing, after: Listing) -> Starts:
    """The jobs that the site started, of those that waited."""
    begun = begun_between(before, after).items()
    return {name: hosts for name, hosts in begun if before["jobs"].get(name, {}).get("state", (None,))[0] == HELD}


def _less(free: Floats, listing: Listing, starts: Starts) -> Floats:
    left, number = free.copy(), {name: k for k, name in enumerate(listing["cluster"]["names"])}
    for job, hosts in starts.items():
        for host in hosts:
            left[number[host]] -= np.array(listing["jobs"][job]["demand"], float)
    return np.asarray(np.maximum(left, 0.0))
