"""An observation made again of its listing, to see that the listing has all of it."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from loadmaster.live.queue.listing import Listing, cluster_in, workload_in
from loadmaster.live.session.engine import EndedJob, Observation, ObservedTasks
from loadmaster.model import Cluster
from loadmaster.model.awaited_jobs import Awaits


def observation_in(listing: Listing) -> Observation:
    """The observation that `listing` holds; jobs in the order of arrival, at one moment as they were first listed."""
    cluster = cluster_in(listing["cluster"])
    ids = sorted(listing["jobs"], key=lambda name: listing["jobs"][name]["submit_s"])
    rows = [listing["jobs"][name] for name in ids]
    over = tuple(EndedJob(*row) for row in listing["over"])
    left_out = tuple((name, why) for name, why in listing["left_out"])
    awaits = tuple(Awaits.of(name, row["awaits"]) for name, row in zip(ids, rows, strict=True) if "awaits" in row)
    return Observation(
        listing["at_s"],
        cluster,
        np.array(listing["up"], bool),
        workload_in(cluster, rows, listing["names"]),
        tuple(ids),
        _tasks(cluster, rows),
        left_out,
        over,
        listing["token"],
        awaits=awaits,
    )


def _tasks(cluster: Cluster, rows: Sequence[Mapping[str, Any]]) -> ObservedTasks:
    count = [len(row["state"]) for row in rows]
    first = rows[0] if rows else {}
    holds = [values for row in rows for values in row["holds"]] if "holds" in first else None
    flat = {name: [value for row in rows for value in row[name]] for name in ("state", "host", "pin")}
    starts = [float(value) for row in rows for value in row["start_s"]] if "start_s" in first else None
    state, host, pin = (np.array(flat[name], np.int32) for name in ("state", "host", "pin"))
    return ObservedTasks(
        np.repeat(np.arange(len(rows)), count),
        np.array([t for n in count for t in range(n)], np.int32),
        state,
        host,
        pin,
        None if holds is None else np.array(holds, float).reshape(-1, len(cluster.resources)),
        None if starts is None else np.array(starts, float),
    )
