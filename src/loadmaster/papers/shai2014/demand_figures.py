"""Figures 2.1, 2.2, 3.3 and 3.4 of Shai 2014: what jobs request, over all jobs and bucket by bucket."""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from loadmaster.model.arrays import Floats
from loadmaster.model.units import GB
from loadmaster.papers.shai2014.buckets import stream
from loadmaster.papers.shai2014.published import BUCKET, TABLE_2_1
from loadmaster.papers.shai2014.setup import StudySetup
from loadmaster.report.page import Chart
from loadmaster.report.theme import ACCENT, rows, themed, tooltip

Requests = Mapping[str, Floats]
"""Of each pool float64[J, 2]: cores and GiB of its jobs in the order of arrival."""

_PART = 0.1
"""The figures show this part of a month's jobs: one stream of the whole study, several of the quick one."""
_EDGES = ((1, 2, 4, 8), (1, 2, 4, 8, 16, 32))
"""Upper ends of the bars, in cores and in GiB; one more bar has the rest."""
_MOSTLY = ((1, "Jobs of one core"), (8, "Jobs of at most 8 GiB"))
"""What most jobs request, in the thesis' words."""
_WHAT = (("Figure 2.1", "Figure 3.3", "cores"), ("Figure 2.2", "Figure 3.4", "GiB"))
_SHADES = ["#9ecae1", "#5b8db8", "#1f5fa8", "#c2620a"]


def synthetic_requests(setup: StudySetup) -> dict[str, Floats]:
    """The requests of the first streams of the bucket experiment, one stream after another."""
    streams = min(setup.bucket_streams, math.ceil(_PART / setup.bucket_part))
    return {
        pool: np.concatenate([_requests(stream(pool, setup, k).demand) for k in range(streams)]) for pool in TABLE_2_1
    }


def logged_requests(pool: str, demand: Floats) -> dict[str, Floats]:
    """The requests of a user's own log."""
    return {pool: _requests(demand)}


def demand_charts(requests: Requests, label: str) -> list[Chart]:
    """All four figures, of the pools or of one log."""
    jobs = sum(map(len, requests.values()))
    return [
        *(_shares_chart(requests, resource, f"{label}, {jobs:,} jobs") for resource in (0, 1)),
        *(_buckets_chart(requests, resource, label) for resource in (0, 1)),
    ]


def shares(amounts: Floats, edges: Sequence[int]) -> Floats:
    """float64[E + 1]: the part of the jobs that request at most each edge and more than the one before; the rest last.

    Example:
        >>> shares(np.array([1.0, 1.0, 3.0, 64.0]), (1, 2, 4)).tolist()
        [0.5, 0.0, 0.25, 0.25]
    """
    return np.bincount(np.searchsorted(edges, amounts), minlength=len(edges) + 1) / len(amounts)


def bucket_means(amounts: Floats) -> Floats:
    """float64[B]: the mean over each consecutive 1,000 jobs; the rest is left out, as in the bucket experiment."""
    return np.asarray(amounts[: len(amounts) // BUCKET * BUCKET].reshape(-1, BUCKET).mean(axis=1))


def _shares_chart(requests: Requests, resource: int, label: str) -> Chart:
    import altair as alt

    (figure, _, unit), edges = _WHAT[resource], _EDGES[resource]
    between = (f"{low} to {high}" for low, high in pairwise(edges))
    names = [f"up to {edges[0]}", *between, f"over {edges[-1]}"]
    parts = {pool: shares(amounts[:, resource], edges) for pool, amounts in requests.items()}
    values = [
        {"pool": pool, "amount": name, "share": float(part)}
        for pool, found in parts.items()
        for name, part in zip(names, found, strict=True)
    ]
    chart = alt.Chart(rows(values), width=560, height=200).mark_bar()
    chart = chart.encode(
        x=alt.X("amount:N", sort=names, title=f"{unit} that a job requests", axis=alt.Axis(labelAngle=0)),
        xOffset="pool:N",
        y=alt.Y("share:Q", title="jobs", axis=alt.Axis(format="%", tickCount=5)),
        color=alt.Color("pool:N", title="pool", scale=alt.Scale(domain=list(parts), range=_SHADES[: len(parts)])),
        tooltip=tooltip("pool", "amount", share=".2%"),
    )
    most, words = _MOSTLY[resource]
    small = ", ".join(f"{pool} {found[: edges.index(most) + 1].sum():.1%}" for pool, found in parts.items())
    caption = f"{figure}, {label}. A bar 1 to 2 has the jobs that request more than 1 and at most 2. {words}: {small}."
    return Chart(themed(chart), caption)


def _buckets_chart(requests: Requests, resource: int, label: str) -> Chart:
    import altair as alt

    _, figure, unit = _WHAT[resource]
    means = {pool: bucket_means(amounts[:, resource]) for pool, amounts in requests.items()}
    values = [
        {"pool": f"pool {pool}", "bucket": k, "mean": float(mean)}
        for pool, found in means.items()
        for k, mean in enumerate(found)
    ]
    lines = alt.Chart(rows(values), width=330, height=110).mark_line(color=ACCENT, strokeWidth=0.8)
    lines = lines.encode(
        x=alt.X("bucket:Q", axis=alt.Axis(tickCount=5)),
        y=alt.Y("mean:Q", title=f"mean {unit}", axis=alt.Axis(tickCount=4)),
    )
    chart = lines.facet(alt.Facet("pool:N", title=None), columns=2)
    highest = ", ".join(f"{pool} {found.max():.1f}" for pool, found in means.items() if found.size)
    caption = f"{figure}, {label}: mean {unit} that the jobs of each bucket of {BUCKET:,} request. Highest: {highest}."
    return Chart(themed(chart), caption)


def _requests(demand: Floats) -> Floats:
    return np.asarray(demand / np.array([1.0, GB]))
