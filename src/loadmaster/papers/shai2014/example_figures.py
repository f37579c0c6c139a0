"""Figures 3.1, 3.2 and 4.1 to 4.3 of Shai 2014: jobs on the grid of a host's cores and memory."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from loadmaster.papers.shai2014.examples import (
    FIGURE_3_1,
    FIGURE_3_2,
    FIGURE_4_1,
    FIGURE_4_2,
    HOST,
    NEW,
    Job,
    angle,
    placed,
    smallest_angle,
)
from loadmaster.papers.shai2014.published import MIX, NAMES
from loadmaster.report.page import Chart
from loadmaster.report.theme import INK, STRANDED, USED, rows, themed

_BLOCK = 4
"""GB of a block of memory, as in the thesis' grids."""


def example_charts() -> list[Chart]:
    """Every figure of the examples, in the order of the thesis."""
    one, other = ("best-fit-cores", "worse-fit-cores")
    second = FIGURE_3_1[1]
    return [
        _placements("Figure 3.1", FIGURE_3_1, (one, other)),
        _placements("Figure 3.2", FIGURE_3_2, (one, other)),
        _angles("Figure 4.1", FIGURE_4_1, NEW),
        _angles("Figure 4.2a", FIGURE_4_2, second),
        _placements("Figure 4.2b", FIGURE_3_1, (MIX,)),
        _placements("Figure 4.3", FIGURE_3_2, (MIX,)),
    ]


def _placements(figure: str, queue: Sequence[Job], policies: Sequence[str]) -> Chart:
    """Which jobs of the queue each policy starts on hosts A and B."""
    import altair as alt

    panels, counts = [], []
    for policy in policies:
        hosts = placed(policy, queue)
        counts.append(f"{NAMES[policy]} starts {sum(map(len, hosts.values()))} of {len(queue)} jobs")
        for name, jobs in hosts.items():
            numbers = [str(job + 1) for job in jobs]
            title = f"{NAMES[policy]}, {name}"
            panels.append(_grid([queue[job] for job in jobs], numbers, [USED] * len(jobs), title))
    caption = (
        f"{figure}, a synthetic example of the thesis run with our policies: {'; '.join(counts)}. A rectangle is a job "
        "with its number in the queue; its sides are its cores and its memory."
    )
    return Chart(themed(alt.hconcat(*panels, spacing=24)), caption)


def _angles(figure: str, hosts: dict[str, list[Job]], job: Job) -> Chart:
    """The angle of Mix-Fit on each host, between the diagonal and the line from the full corner to the last job."""
    import altair as alt

    panels = []
    for name, running in hosts.items():
        unnamed, shades = [""] * (len(running) + 1), [USED] * len(running) + [STRANDED]
        grid = _grid([*running, job], unnamed, shades, f"host {name}: {angle(running, job):.4g}°")
        ends = np.sum([*running, job], axis=0)
        panels.append(grid + _line((0, 0), [5, 4]) + _line(ends, [1, 0]))
    caption = (
        f"{figure}, a synthetic example of the thesis: a new job (orange) of {job[0]} core and {job[1]} GB. The angle "
        "lies between the dashed diagonal and the line from the full corner to what would be used; each is the arc "
        f"tangent of our score. Mix-Fit takes the smallest, so host {smallest_angle(hosts, job)}."
    )
    return Chart(themed(alt.hconcat(*panels, spacing=24)), caption)


def _grid(jobs: Sequence[Job], labels: Sequence[str], shades: Sequence[str], title: str) -> Any:
    """A host as a grid; each job begins at the corner where the job before it ends, so no core or block is shared."""
    import altair as alt

    ends = np.cumsum(jobs, axis=0, dtype=float)
    values = [
        {
            "core": x - c,
            "cores": x,
            "from": y - m,
            "memory": y,
            "x": x - c / 2,
            "y": y - m / 2,
            "job": label,
            "shade": shade,
        }
        for (c, m), (x, y), label, shade in zip(jobs, ends, labels, shades, strict=True)
    ]
    base = alt.Chart(rows(values), width=150, height=150, title=title)
    colour = alt.Color("shade:N", scale=None)
    boxes = base.mark_rect(stroke="#ffffff", strokeWidth=2)
    boxes = boxes.encode(x=_cores("core"), y=_memory("from"), x2="cores:Q", y2="memory:Q", color=colour)
    return boxes + base.mark_text(color="#ffffff").encode(x=_cores("x"), y=_memory("y"), text="job:N")


def _line(end: Any, dash: list[int]) -> Any:
    """From the full corner to `end`."""
    import altair as alt

    values = [{"cores": float(cores), "memory": float(memory)} for cores, memory in (HOST, end)]
    line = alt.Chart(rows(values)).mark_line(color=INK, strokeWidth=1.5, strokeDash=dash)
    return line.encode(x=_cores("cores"), y=_memory("memory"))


def _cores(column: str) -> Any:
    import altair as alt

    axis = alt.Axis(values=list(range(HOST[0] + 1)), domain=False)
    return alt.X(f"{column}:Q", title="cores", scale=alt.Scale(domain=[0, HOST[0]]), axis=axis)


def _memory(column: str) -> Any:
    import altair as alt

    axis = alt.Axis(values=list(range(0, HOST[1] + 1, _BLOCK)), domain=False, labelOverlap=False)
    return alt.Y(f"{column}:Q", title="GB", scale=alt.Scale(domain=[0, HOST[1]]), axis=axis)
